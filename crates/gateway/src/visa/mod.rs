//! Visas: the tokens with which the gateway enters remote servers. They belong to the gateway, never to a client.
//!
//! A visa belongs to one server at one address, is sealed at rest, and is renewed by itself as far as its issuer
//! lets it be; then a person is asked to sign in.

mod drawer;
mod ops;

pub use drawer::Drawer;

use crate::outbound::{self, Reach};
use crate::server::Origin;
use arc_swap::ArcSwap;
use mcp::oauth::{Challenge, HeaderValue, Kept, OauthError, Resource, Tokens, Wire, Wish};
use model::oauth::{GrantType, Registration};
use model::{Address, ServerEntry, Settings};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// For how long a server that refuses a token which was just made is believed.
const REST: Duration = Duration::from_secs(10);

/// How long another process may take to renew a token.
const TURN: Duration = Duration::from_secs(10);

/// The gateway's leave to enter one remote server.
pub(crate) struct Visa {
    server: String,
    address: Address,
    registration: Option<Registration>,
    wire: Wire,
    drawer: Drawer,
    held: Mutex<Held>,
    /// Held while another token is got.
    renewing: Arc<tokio::sync::Mutex<()>>,
    own: Weak<Self>,
    /// Called when somebody is to sign in.
    wanting: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct Held {
    kept: Option<Kept>,
    header: Option<HeaderValue>,
    /// What the server wants of a person.
    wanted: Option<Challenge>,
    /// Why there is no token, where no person can help.
    problem: Option<String>,
    rests_until: Option<Instant>,
}

impl Visa {
    /// The visa of a server; `None` for one that has no address, or brings credentials of its own.
    pub(crate) fn of(
        (entry, origin): (&ServerEntry, Origin),
        settings: &Arc<ArcSwap<Settings>>,
        drawer: &Drawer,
    ) -> Option<Arc<Self>> {
        let address = Address::parse(entry.url.as_deref()?).ok()?;
        let own = entry.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"));
        if own || address.credentials.is_some() {
            return None;
        }
        Some(Arc::new_cyclic(|own| Self {
            server: entry.name.clone(),
            wire: Wire::new(reach(&address, origin, settings.clone())),
            address,
            registration: entry.oauth.clone(),
            drawer: drawer.clone(),
            held: Mutex::default(),
            renewing: Arc::default(),
            own: own.clone(),
            wanting: OnceLock::new(),
        }))
    }

    /// Has somebody told when a person is to sign in.
    pub(crate) fn when_wanted(&self, tell: impl Fn() + Send + Sync + 'static) {
        let _ = self.wanting.set(Box::new(tell));
    }

    /// Whether somebody is to sign in.
    pub(crate) fn is_wanted(&self) -> bool {
        self.lock().wanted.is_some()
    }

    /// Why there is no token, where no person can help.
    pub(crate) fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// Before the server is tried anew: takes what is kept, and forgets what was wanted.
    pub(crate) async fn prepare(&self) {
        self.look().await;
        let mut held = self.lock();
        (held.wanted, held.problem) = (None, None);
    }

    /// The server let the gateway in: what an early request was refused for does not matter.
    pub(crate) fn entered(&self) {
        let mut held = self.lock();
        (held.wanted, held.problem) = (None, None);
    }

    /// Takes what is kept in the store when it is another than what is held. Whether it is.
    pub(crate) async fn look(&self) -> bool {
        let Some(kept) = self.drawer.read(&self.server, &self.address).await else { return false };
        let header = kept.header();
        let mut held = self.lock();
        if header.is_none() || held.header == header {
            held.kept.get_or_insert(kept);
            return false;
        }
        (held.kept, held.header, held.wanted) = (Some(kept), header, None);
        true
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signs_in_by_itself(&self) -> bool {
        self.registration.as_ref().is_some_and(|own| own.grant == GrantType::ClientCredentials)
    }

    fn wish<'a>(&'a self, challenge: &'a Challenge, kept: Option<&'a Kept>) -> Wish<'a> {
        Wish { server: &self.address, challenge, registration: self.registration.as_ref(), kept }
    }

    /// Holds and keeps what a sign-in brought.
    async fn accept(&self, kept: Kept) {
        if let Err(error) = self.drawer.write(&self.server, &self.address, &kept).await {
            tracing::error!(server = self.server, reason = %error, "the sign-in could not be kept in the store");
        }
        let mut held = self.lock();
        held.header = kept.header();
        held.kept = Some(kept);
        (held.wanted, held.problem, held.rests_until) = (None, None, None);
    }

    async fn renew(&self, used: Option<&HeaderValue>, challenge: &Challenge) -> bool {
        let renewing = Arc::clone(&self.renewing).lock_owned().await;
        let current = self.current();
        if current.as_ref() != used && current.is_some() {
            return true;
        }
        if self.lock().rests_until.is_some_and(|until| until > Instant::now()) {
            return false;
        }
        let (Some(visa), challenge) = (self.own.upgrade(), challenge.clone()) else { return false };
        // Whoever needs the token may leave meanwhile. A renewal that is cut off leaves none: what it was asked with is
        // spent.
        let renewed = tokio::spawn(async move {
            let _renewing = renewing;
            visa.renew_now(&challenge).await
        });
        renewed.await.unwrap_or(false)
    }

    async fn renew_now(&self, challenge: &Challenge) -> bool {
        // Another process may have signed in, or renewed the token.
        if self.look().await {
            return true;
        }
        match self.try_to_renew(challenge).await {
            Ok(true) => true,
            Ok(false) => {
                // A server that refuses without a word may want something else than a token.
                if challenge.wants_token || self.has_issuer(challenge).await {
                    self.want(challenge);
                }
                false
            }
            Err(error) => {
                tracing::warn!(server = self.server, reason = %error, "the server's token could not be renewed");
                self.lock().problem = Some(error.to_string());
                false
            }
        }
    }

    async fn try_to_renew(&self, challenge: &Challenge) -> Result<bool, OauthError> {
        let kept = self.lock().kept.clone();
        if self.signs_in_by_itself() {
            if challenge.is_insufficient() && asked_for(kept.as_ref(), challenge) {
                return Ok(false);
            }
            let fresh = self.wish(challenge, kept.as_ref()).own(&self.wire).await?;
            self.accept(fresh).await;
            return Ok(true);
        }
        let renewable = |kept: &Kept| kept.is_renewable() && !challenge.is_insufficient();
        let Some(mut kept) = kept.filter(renewable) else { return Ok(false) };
        if self.drawer.take_turn(&self.server).await {
            // Whoever had it before may have renewed the token since the last look, and what renewed it is spent.
            if self.look().await {
                self.give_turn().await;
                return Ok(true);
            }
        } else if self.renewed_elsewhere().await {
            return Ok(true);
        }
        match kept.refresh(&self.wire).await {
            Ok(()) => {
                self.accept(kept).await;
                Ok(true)
            }
            // The issuer takes it no more; what the gateway is known as there stays.
            Err(OauthError::Refused(_)) => {
                kept.token = None;
                self.accept(kept).await;
                Ok(false)
            }
            Err(error) => {
                self.give_turn().await;
                Err(error)
            }
        }
    }

    async fn give_turn(&self) {
        if let Err(error) = self.drawer.give_turn(&self.server).await {
            tracing::warn!(server = self.server, reason = %error, "the store does not answer");
        }
    }

    /// Waits for the process whose turn it is. `false` when it brings nothing: it may have died.
    async fn renewed_elsewhere(&self) -> bool {
        let until = Instant::now() + TURN;
        while Instant::now() < until {
            if self.look().await {
                return true;
            }
            tokio::time::sleep(TURN / 50).await;
        }
        false
    }

    async fn has_issuer(&self, challenge: &Challenge) -> bool {
        matches!(Resource::find(&self.wire, &self.address, challenge).await, Ok(Some(_)))
    }

    /// Takes note of what a server wants, unless it was given that already.
    fn want(&self, challenge: &Challenge) {
        let mut held = self.lock();
        let in_vain = challenge.is_insufficient() && asked_for(held.kept.as_ref(), challenge);
        if self.signs_in_by_itself() || in_vain {
            let why = if in_vain {
                "the server refuses a token that has every scope it asks for"
            } else {
                "the server refuses the gateway's own token"
            };
            held.problem.get_or_insert_with(|| why.to_owned());
            return;
        }
        let is_new = held.wanted.replace(challenge.clone()).is_none();
        drop(held);
        if is_new && let Some(tell) = self.wanting.get() {
            tell();
        }
    }
}

/// Whether every scope of a challenge was asked for before.
fn asked_for(kept: Option<&Kept>, challenge: &Challenge) -> bool {
    kept.is_some_and(|kept| {
        kept.token.is_some() && challenge.scopes.iter().all(|scope| kept.scopes.contains(scope))
    })
}

impl Tokens for Visa {
    fn current(&self) -> Option<HeaderValue> {
        self.lock().header.clone()
    }

    fn refused<'a>(
        &'a self,
        used: Option<&'a HeaderValue>,
        challenge: &'a Challenge,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(self.renew(used, challenge))
    }

    fn refused_again(&self, _: Option<&HeaderValue>, challenge: &Challenge) {
        self.lock().rests_until = Some(Instant::now() + REST);
        self.want(challenge);
    }
}

/// Which addresses a server may lead the gateway to. A server of the API leads nowhere that `outbound.allow` does not
/// permit; one of the config file anywhere on the open internet, and on this machine when it is there itself.
fn reach(server: &Address, origin: Origin, settings: Arc<ArcSwap<Settings>>) -> mcp::oauth::Reach {
    let server = server.clone();
    Arc::new(move |address: &Address| {
        let url = format!("{}{}", address.origin(), address.path);
        match outbound::permits(&settings.load().outbound.allow, &url) {
            Ok(reach) => Ok(reach.admits()),
            Err(_) if address.origin() == server.origin() && origin == Origin::Config => {
                Ok(Reach::Origin.admits())
            }
            Err(_) if server.is_loopback() && address.is_loopback() && origin == Origin::Config => {
                Ok(Reach::Origin.admits())
            }
            Err(refusal) if origin == Origin::Api => Err(refusal.to_string()),
            Err(_) if address.secure => Ok(Reach::Public.admits()),
            Err(refusal) => Err(refusal.to_string()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_leads_the_gateway_only_where_it_may_go() {
        let check = |server: &str, origin: Origin, allow: &[&str], url: &str| {
            let mut settings = Settings::default();
            settings.outbound.allow = allow.iter().map(|entry| (*entry).to_owned()).collect();
            let server = Address::parse(server).expect("an address");
            let reach = reach(&server, origin, Arc::new(ArcSwap::from_pointee(settings)));
            let admits = reach(&Address::parse(url).expect("an address")).ok()?;
            Some(admits("10.0.0.1".parse().expect("an address")))
        };
        let (far, near) = ("https://mcp.example/mcp", "http://127.0.0.1:9/mcp");
        assert_eq!(
            check(far, Origin::Config, &[], "https://id.example/"),
            Some(false),
            "public addresses only"
        );
        assert_eq!(check(far, Origin::Config, &[], "https://mcp.example/x"), Some(true));
        assert_eq!(check(far, Origin::Config, &[], "http://127.0.0.1:80/"), None);
        assert_eq!(check(far, Origin::Config, &["https://10.0.0.1"], "https://10.0.0.1/"), Some(true));
        assert_eq!(check(near, Origin::Config, &[], "http://localhost:80/"), Some(true));
        assert_eq!(check(far, Origin::Api, &["mcp.example"], "https://id.example/"), None);
        assert_eq!(check(far, Origin::Api, &["id.example"], "https://id.example/"), Some(false));
        assert_eq!(check(near, Origin::Api, &["http://127.0.0.1:9"], "http://127.0.0.1:8/"), None);
    }
}
