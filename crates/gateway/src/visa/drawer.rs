//! Where sign-ins are kept: in the store, sealed, each for its server at its address.

use crate::vault::Vault;
use mcp::oauth::{Kept, Pending};
use model::Address;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use store::Store;

/// How long a person may take to sign in.
const SIGN_IN_MAX: Duration = Duration::from_secs(600);

/// Keeps sign-ins. Cheap to clone.
#[derive(Clone)]
pub struct Drawer {
    store: Store,
    vault: Vault,
}

/// What is kept of one server. Its address is part of it, so that a server of the same name elsewhere gets nothing.
#[derive(Serialize, Deserialize)]
struct Leaf<T> {
    address: String,
    /// Milliseconds since 1970, for a sign-in that was begun.
    until: u64,
    what: T,
}

impl Drawer {
    /// A drawer in a store, under the keys of a vault.
    pub fn new(store: Store, vault: Vault) -> Self {
        Self { store, vault }
    }

    /// What is kept of a server.
    pub(super) async fn read(&self, server: &str, address: &Address) -> Option<Kept> {
        self.get(&name("visa", server), address).await
    }

    /// Keeps what a sign-in brought; whoever takes the turn next may renew it.
    pub(super) async fn write(
        &self,
        server: &str,
        address: &Address,
        kept: &Kept,
    ) -> Result<(), store::Error> {
        self.put(&name("visa", server), address, u64::MAX, kept).await?;
        self.give_turn(server).await
    }

    /// Takes the turn to renew the token of a server; it goes to one process only. An issuer that sees what renews a
    /// token twice may take it for stolen, and end the sign-in.
    pub(super) async fn take_turn(&self, server: &str) -> bool {
        matches!(self.store.secrets().take(&name("turn", server)).await, Ok(Some(_)))
    }

    /// Gives the turn back.
    pub(super) async fn give_turn(&self, server: &str) -> Result<(), store::Error> {
        self.store.secrets().put(&name("turn", server), "").await
    }

    /// Forgets everything of a server.
    pub(crate) async fn forget(&self, server: &str) -> Result<(), store::Error> {
        for what in ["visa", "turn", "sign-in"] {
            self.store.secrets().take(&name(what, server)).await?;
        }
        Ok(())
    }

    /// Keeps a sign-in that was begun, in place of an earlier one.
    pub(super) async fn begin(
        &self,
        server: &str,
        address: &Address,
        pending: &Pending,
    ) -> Result<(), store::Error> {
        let until = crate::access::now() + u64::try_from(SIGN_IN_MAX.as_millis()).unwrap_or(u64::MAX);
        self.put(&name("sign-in", server), address, until, pending).await
    }

    /// The sign-in that was begun with that state; it is given out once.
    pub(super) async fn finish(&self, server: &str, address: &Address, state: &str) -> Option<Pending> {
        let name = name("sign-in", server);
        let pending: Pending = self.get(&name, address).await?;
        if pending.state != state {
            return None;
        }
        let taken = self.store.secrets().take(&name).await.ok().flatten();
        taken.map(|_| pending)
    }

    async fn get<T: for<'de> Deserialize<'de>>(&self, name: &str, address: &Address) -> Option<T> {
        let sealed = self.store.secrets().get(name).await.ok().flatten()?;
        let (text, fresh) = self.vault.open_text(name, &sealed)?;
        if !fresh {
            // Whoever was faster sealed it under the new key, too, or has a newer one.
            let anew = self.vault.lock_text(name, &text);
            if let Err(error) = self.store.secrets().replace(name, &sealed, &anew).await {
                tracing::warn!(reason = %error, "a sign-in is still sealed with an older key");
            }
        }
        let leaf: Leaf<T> = serde_json::from_str(&text).ok()?;
        let is_good = leaf.address == place(address) && leaf.until > crate::access::now();
        is_good.then_some(leaf.what)
    }

    async fn put<T: Serialize>(
        &self,
        name: &str,
        address: &Address,
        until: u64,
        what: T,
    ) -> Result<(), store::Error> {
        let leaf = Leaf { address: place(address), until, what };
        let text = serde_json::to_string(&leaf).unwrap_or_default();
        self.store.secrets().put(name, &self.vault.lock_text(name, &text)).await
    }
}

fn name(what: &str, server: &str) -> String {
    format!("{what}:{server}")
}

fn place(address: &Address) -> String {
    format!("{}{}", address.origin(), address.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Location;

    #[tokio::test]
    async fn what_an_older_key_sealed_is_sealed_anew_when_it_is_read() {
        let store = store::open(&Location::Memory).await.expect("a store");
        let drawer = |keys: &str| Drawer::new(store.clone(), Vault::new(keys).expect("a vault"));
        let [old, new] = ["an-old-key-of-32-characters-or-more", "a-new-key-of-32-characters-or-more!"];
        let address = Address::parse("http://127.0.0.1:9/mcp").expect("an address");
        drawer(old).put("visa:far", &address, u64::MAX, "s3cret").await.expect("kept");
        let read = async |keys: &str| drawer(keys).get::<String>("visa:far", &address).await;
        assert_eq!(read(new).await, None, "the new key alone does not open it");
        assert_eq!(read(&format!("{new} {old}")).await.as_deref(), Some("s3cret"));
        assert_eq!(read(new).await.as_deref(), Some("s3cret"), "now it does");
    }
}
