//! The cookie of the web page: a sealed token that names the digest of a key and ends by itself.

use crate::app::App;
use axum::http::{HeaderMap, HeaderValue, header};
use gateway::Pass;
use model::access::Digest;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name it had at first: instances of both versions stand side by side during an upgrade.
const OLD_NAME: &str = "lockgate_session";

const PURPOSE: &str = "web-session";

/// How long somebody stays signed in.
const LIFE: Duration = Duration::from_secs(12 * 3600);

/// What the token holds. The key itself is not in it, and a key that is revoked takes its tokens along.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cookie {
    pub(super) digest: Digest,
    /// Seconds since 1970.
    until: u64,
}

impl Cookie {
    /// For somebody who signed in with that key.
    pub(crate) fn new(pass: &Pass) -> Self {
        Self { digest: *pass.digest(), until: now() + LIFE.as_secs() }
    }

    /// The header that gives it to a browser.
    pub(crate) fn header(&self, app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
        let token = app.seal().seal(PURPOSE, &serde_json::to_vec(self).ok()?);
        written(&name(app), &token, LIFE.as_secs(), headers)
    }

    /// The cookie of a request, while it is good.
    pub(super) fn read(app: &App, headers: &HeaderMap) -> Option<Self> {
        Self::named(app, headers, &name(app)).or_else(|| Self::named(app, headers, OLD_NAME))
    }

    fn named(app: &App, headers: &HeaderMap, own: &str) -> Option<Self> {
        let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let (_, token) = pairs.find(|(name, _)| *name == own)?;
        let cookie: Self = serde_json::from_slice(&app.seal().open(PURPOSE, token)?).ok()?;
        (cookie.until > now()).then_some(cookie)
    }
}

/// The headers that take it away; under its first name only where it is this gateway's.
pub(crate) fn cleared(app: &App, headers: &HeaderMap) -> Vec<HeaderValue> {
    let old = Cookie::named(app, headers, OLD_NAME).map(|_| OLD_NAME.to_owned());
    let names = old.into_iter().chain([name(app)]);
    names.filter_map(|name| written(&name, "", 0, headers)).collect()
}

/// Its name. Browsers keep the cookies of all ports of a host together, so each gateway there has a name of its own;
/// instances that read each other's have the same.
fn name(app: &App) -> String {
    format!("lockgate_session_{}", app.seal().mark())
}

fn written(name: &str, token: &str, life: u64, headers: &HeaderMap) -> Option<HeaderValue> {
    let secure = if is_https(headers) { "; Secure" } else { "" };
    let text = format!("{name}={token}; Path=/; Max-Age={life}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&text).ok()
}

/// The gateway itself speaks plain HTTP; whoever stands before it, or the browser, tells of more.
fn is_https(headers: &HeaderMap) -> bool {
    let begins = |name: &str, with: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with(with))
    };
    begins("x-forwarded-proto", "https") || begins("origin", "https://")
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
