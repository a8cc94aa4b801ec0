//! Keys that the gateway made: shown once, kept as digests, in force on every instance as soon as that follows the store.

use super::{KeyOrigin, Pass};
use crate::gateway::{Gateway, unstored};
use model::access::{Digest, Grant, KeyEntry, Role, check_key_name};
use model::{Code, Fault};
use serde::Serialize;
use std::sync::Arc;
use store::{Area, Store, StoredKey};

/// Stands before every key that the gateway makes, so that people and programs that look for secrets know it.
const PREFIX: &str = "lockgate_";

/// A key as the API shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyView {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub origin: KeyOrigin,
    /// What it permits.
    #[serde(flatten)]
    pub grant: Grant,
}

/// A key that was just made. This is the only time that it is shown.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewKey {
    /// The key itself.
    pub key: String,
    /// The rest.
    #[serde(flatten)]
    pub view: KeyView,
}

impl KeyView {
    fn of(pass: &Pass) -> Self {
        Self { name: pass.name().to_owned(), origin: pass.origin(), grant: pass.grant().clone() }
    }
}

impl NewKey {
    /// Makes a key of 256 random bits and keeps its digest.
    pub async fn make(store: &Store, name: &str, grant: Grant) -> Result<Self, Fault> {
        check_key_name(name).map_err(Fault::from)?;
        let key = format!("{PREFIX}{}", crate::Seal::fresh_secret());
        let stored = StoredKey {
            name: name.to_owned(),
            digest: Digest::of(key.as_bytes()).hex(),
            grant: serde_json::to_string(&grant).unwrap_or_default(),
            created_at: crate::hooks::now(),
        };
        match store.keys().add(stored).await {
            Ok(()) => {
                Ok(Self { key, view: KeyView { name: name.to_owned(), origin: KeyOrigin::Api, grant } })
            }
            Err(store::Error::Taken(_)) => {
                let message =
                    format!("There is a key named '{name}' already; revoke it first, or take another name");
                Err(Fault::new(Code::Conflict, message).with("name", name))
            }
            Err(error) => Err(unstored(&error)),
        }
    }
}

/// When a key ended that cannot be read.
const LONG_AGO: &str = "1970-01-01T00:00:00Z";

/// The keys of the store.
async fn stored(store: &Store) -> Result<Vec<KeyEntry>, store::Error> {
    Ok(store.keys().list().await?.into_iter().map(entry).collect())
}

/// A key as it is kept. Nobody gets in with one that cannot be read, such as one of a newer version; but it is a key, and
/// the gateway is not open where it is the only one.
fn entry(row: StoredKey) -> KeyEntry {
    let digest = Digest::parse(&format!("sha256:{}", row.digest));
    match (digest, serde_json::from_str(&row.grant)) {
        (Some(key), Ok(grant)) => KeyEntry { name: row.name, key, grant },
        (digest, _) => {
            tracing::error!(key = row.name, "a key of the store cannot be read, and nobody gets in with it");
            let key = digest.unwrap_or_else(|| Digest::of(row.digest.as_bytes()));
            let grant = Grant { expires: Some(LONG_AGO.to_owned()), ..Grant::default() };
            KeyEntry { name: row.name, key, grant }
        }
    }
}

impl Gateway {
    /// Takes the keys of the config file and of the store into force, and the tokens of the config file.
    pub(crate) async fn renew_keys(&self) -> Result<(), store::Error> {
        let mut renewed = self.access.renewing.lock().await;
        let stored = stored(&self.store).await?;
        // Looked at after the keys: a store that has lost them is noticed here at the latest.
        let changes = self.store.marks().read().await?.of(Area::Keys);
        // Whoever revokes the last key raises the count. Where it went back, the store forgot that there were keys, and
        // that opens nothing.
        if stored.is_empty() && changes < *renewed {
            return Err(store::Error::Lost);
        }
        *renewed = changes;
        self.access.set(&self.settings(), &stored);
        Ok(())
    }

    /// The keys in force, those of the config file first.
    pub fn keys(&self) -> Vec<KeyView> {
        self.access.all().iter().map(|pass| KeyView::of(pass)).collect()
    }

    /// Makes a key, in force at once.
    pub async fn create_key(&self, name: &str, grant: Grant) -> Result<NewKey, Fault> {
        if self.access.all().iter().any(|pass| pass.name() == name) {
            let message =
                format!("There is a key named '{name}' already; revoke it first, or take another name");
            return Err(Fault::new(Code::Conflict, message).with("name", name));
        }
        // With it every route needs a key, and nobody could make another over the API.
        if self.access.is_open() && grant.role != Some(Role::Operator) {
            let message = "The first key must have the role operator, or nobody could use the admin routes any more; make one with \"role\": \"operator\" first";
            return Err(Fault::new(Code::Conflict, message).with("role", "operator"));
        }
        let made = NewKey::make(&self.store, name, grant).await?;
        self.renew_keys().await.map_err(|error| unstored(&error))?;
        Ok(made)
    }

    /// Revokes a key that the gateway made; nobody gets in with it from now on.
    pub async fn revoke_key(&self, name: &str) -> Result<(), Fault> {
        let held = self.access.all().into_iter().find(|pass: &Arc<Pass>| pass.name() == name);
        if held.is_some_and(|pass| pass.origin() == KeyOrigin::Config) {
            let message = format!("Key '{name}' stands in the config file; remove it there and reload");
            return Err(Fault::new(Code::Conflict, message).with("name", name));
        }
        let removed = self.store.keys().remove(name).await.map_err(|error| unstored(&error))?;
        self.renew_keys().await.map_err(|error| unstored(&error))?;
        match removed {
            true => Ok(()),
            false => {
                Err(Fault::new(Code::NotFound, format!("There is no key named '{name}'")).with("name", name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Access, Presented};
    use model::Settings;

    #[test]
    fn a_key_that_cannot_be_read_opens_nothing_and_leaves_nothing_open() {
        let digest = Digest::of(b"one").hex();
        for (digest, grant) in
            [(&*digest, "nonsense"), (&digest, r#"{"role":"owner"}"#), (&digest[1..], r#"{"role":"viewer"}"#)]
        {
            let (name, digest, grant) = ("a".into(), digest.into(), grant.into());
            let access = Access::default();
            access.set(&Settings::default(), &[entry(StoredKey { name, digest, grant, created_at: 1 })]);
            assert!(!access.is_open());
            assert!(!matches!(access.find(&Digest::of(b"one")), Presented::Good(_)));
            assert_eq!(KeyView::of(&access.all()[0]).name, "a", "it is listed, and so can be revoked");
        }
    }
}
