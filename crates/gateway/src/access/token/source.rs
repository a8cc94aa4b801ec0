//! Where the keys of an issuer come from: read when they are first needed, again after a while, and again when a
//! token names one that is not there, but never more often than every ten seconds.

use super::jwt::Jwt;
use super::keys::{Keys, Proof};
use crate::outbound::Reach;
use arc_swap::ArcSwapOption;
use mcp::oauth::{Metadata, Wire};
use model::Address;
use model::oauth::Issuer;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long keys are used before they are read again.
const AGE_MAX: Duration = Duration::from_secs(600);

/// The shortest time between two readings.
const REST: Duration = Duration::from_secs(10);

/// How long a reading may take.
const READ_MAX: Duration = Duration::from_secs(10);

/// The most bytes of a set of keys.
const BYTES_MAX: usize = 256 * 1024;

/// The keys of one issuer, wherever they are.
pub(super) struct Source {
    issuer: Issuer,
    keys: ArcSwapOption<(Instant, Keys)>,
    /// When they were last asked for; held while they are.
    asked: Mutex<Option<Instant>>,
}

impl Source {
    pub(super) fn new(issuer: Issuer) -> Self {
        Self { issuer, keys: ArcSwapOption::empty(), asked: Mutex::new(None) }
    }

    /// What the signature of a token is worth; `None` when the keys cannot be had.
    pub(super) async fn check(&self, jwt: &Jwt<'_>) -> Option<Proof> {
        let known = self.keys.load_full();
        let proof = known.as_ref().map(|known| known.1.check(jwt));
        let is_old = known.as_ref().is_none_or(|known| known.0.elapsed() >= AGE_MAX);
        if !is_old && proof != Some(Proof::Unknown) {
            return proof;
        }
        // Old keys are good enough for those who come while others are being read.
        let is_enough = matches!(proof, Some(Proof::Good | Proof::Bad));
        let asked = match is_enough {
            true => self.asked.try_lock().ok(),
            false => Some(self.asked.lock().await),
        };
        if let Some(mut asked) = asked {
            self.renew(&mut asked, known.as_ref().map(|known| known.0)).await;
        }
        self.keys.load_full().map(|known| known.1.check(jwt))
    }

    /// Reads the keys again, unless somebody did so since or just before. What was known stays until then.
    async fn renew(&self, asked: &mut Option<Instant>, seen: Option<Instant>) {
        let newer = self.keys.load().as_ref().is_some_and(|known| Some(known.0) != seen);
        if newer || asked.is_some_and(|at| at.elapsed() < REST) {
            return;
        }
        *asked = Some(Instant::now());
        match tokio::time::timeout(READ_MAX, self.read())
            .await
            .unwrap_or_else(|_| Err("it took too long".into()))
        {
            Ok(keys) => self.keys.store(Some(Arc::new((Instant::now(), keys)))),
            Err(reason) => tracing::warn!(reason, "the keys of the issuer could not be read"),
        }
    }

    async fn read(&self) -> Result<Keys, String> {
        // What stands in the config file is permitted by standing there.
        let wire = Wire::new(Arc::new(|_: &Address| Ok(Reach::Origin.admits())));
        let place = match &self.issuer.jwks {
            Some(place) => place.clone(),
            None => {
                let found =
                    Metadata::find(&wire, &self.issuer.issuer).await.map_err(|error| error.to_string())?;
                found
                    .and_then(|metadata| metadata.jwks_uri)
                    .ok_or("its metadata names no keys; set oauth.jwks")?
            }
        };
        let address = Address::parse(&place)?;
        let target =
            mcp::Target { address, headers: Vec::new(), admits: Reach::Origin.admits(), tokens: None };
        let bytes = mcp::fetch(&target, BYTES_MAX).await.map_err(|error| error.to_string())?;
        Keys::read(&bytes).ok_or_else(|| "they are not a set of keys".into())
    }
}
