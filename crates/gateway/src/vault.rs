//! Secrets of servers added over the API, sealed before the store sees them.
//!
//! Each value has a key of its own, which is sealed under the key of the gateway and stands beside it. A sealed
//! value belongs to its field of its server and opens nowhere else.

use crate::seal::Seal;
use model::{Args, ServerEntry};
use store::{Store, StoredServer};

/// How a sealed value begins.
const MARK: &str = "sealed:v1:";

/// The fewest characters of a key.
const KEY_MIN: usize = 32;

/// Seals and opens what the store keeps of servers. Cheap to clone.
#[derive(Clone)]
pub struct Vault {
    /// The first seals; all of them open, so that a key can be replaced.
    seals: Vec<Seal>,
}

/// Why there is no vault.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// A key that could be guessed.
    #[error("a key that seals secrets must have at least {KEY_MIN} characters")]
    Short,
    /// No key at all.
    #[error("there is no key to seal secrets with")]
    Missing,
}

/// A value that no key of this vault opens.
#[derive(Debug)]
struct Closed;

impl Vault {
    /// A vault under keys that are separated by white space: the first seals, all of them open.
    pub fn new(keys: &str) -> Result<Self, VaultError> {
        if keys.split_whitespace().any(|key| key.chars().count() < KEY_MIN) {
            return Err(VaultError::Short);
        }
        let seals: Vec<Seal> = keys.split_whitespace().map(Seal::new).collect();
        if seals.is_empty() { Err(VaultError::Missing) } else { Ok(Self { seals }) }
    }

    /// A vault for a store that forgets.
    pub fn passing() -> Self {
        Self { seals: vec![Seal::new(&Seal::fresh_secret())] }
    }

    /// The entry as the store keeps it.
    pub(crate) fn lock(&self, entry: &ServerEntry) -> ServerEntry {
        let mut locked = entry.clone();
        let lock = |field: &str, value: &mut String| {
            if !value.is_empty() {
                *value = self.lock_value(&purpose(&entry.name, field), value);
            }
            Ok(())
        };
        each(&mut locked, lock).map_or_else(|Closed| entry.clone(), |()| locked)
    }

    /// Every server that the store keeps. What is not sealed, or is sealed under an older key, is sealed anew. A
    /// server whose secrets cannot be opened is left out, and the log says so.
    pub async fn servers(&self, store: &Store) -> Result<Vec<ServerEntry>, store::Error> {
        let mut opened = Vec::new();
        for (stored, fresh) in self.read(store).await? {
            if !fresh {
                // One that another instance has removed since, or put in its place, stays as that one left it.
                let locked = StoredServer { entry: self.lock(&stored.entry), ..stored };
                store.servers().replace(locked).await?;
            }
            opened.push(stored.entry);
        }
        Ok(opened)
    }

    /// The same without a change of the store; each with whether it is sealed as it should be.
    pub(crate) async fn read(&self, store: &Store) -> Result<Vec<(StoredServer, bool)>, store::Error> {
        let open = |stored: StoredServer| match self.open(&stored.entry) {
            Ok((entry, fresh)) => Some((StoredServer { entry, ..stored }, fresh)),
            Err(Closed) => {
                tracing::error!(
                    server = stored.entry.name,
                    "the secrets of this server were sealed with another key, so it is not started; give that key \
                     with LOCKGATE_SECRET_KEY, or remove the server and add it again"
                );
                None
            }
        };
        Ok(store.servers().list().await?.into_iter().filter_map(open).collect())
    }

    /// The entry as it was added, and whether every value was sealed under the first key.
    fn open(&self, stored: &ServerEntry) -> Result<(ServerEntry, bool), Closed> {
        let mut entry = stored.clone();
        let mut fresh = true;
        each(&mut entry, |field, value| {
            if !value.starts_with(MARK) {
                fresh &= value.is_empty();
                return Ok(());
            }
            let (text, first) = self.open_text(&purpose(&stored.name, field), value).ok_or(Closed)?;
            fresh &= first;
            *value = text;
            Ok(())
        })?;
        Ok((entry, fresh))
    }

    /// A text sealed for a purpose.
    pub(crate) fn lock_text(&self, purpose: &str, text: &str) -> String {
        self.lock_value(purpose, text)
    }

    /// A text that was sealed for that purpose, and whether that was under the first key; `None` for anything else.
    pub(crate) fn open_text(&self, purpose: &str, sealed: &str) -> Option<(String, bool)> {
        let sealed = sealed.strip_prefix(MARK)?;
        let mut seals = self.seals.iter().enumerate();
        seals.find_map(|(at, seal)| Some((open(seal, purpose, sealed)?, at == 0)))
    }

    fn lock_value(&self, purpose: &str, text: &str) -> String {
        let key = Seal::fresh_secret();
        let wrapped = self.seals[0].seal(purpose, key.as_bytes());
        format!("{MARK}{wrapped}.{}", Seal::new(&key).seal(purpose, text.as_bytes()))
    }
}

fn open(seal: &Seal, purpose: &str, sealed: &str) -> Option<String> {
    let (wrapped, body) = sealed.split_once('.')?;
    let key = String::from_utf8(seal.open(purpose, wrapped)?).ok()?;
    String::from_utf8(Seal::new(&key).open(purpose, body)?).ok()
}

fn purpose(server: &str, field: &str) -> String {
    format!("server {server} {field}")
}

/// Everything in an entry that may hold a secret, with the name of its field.
fn each(
    entry: &mut ServerEntry,
    mut visit: impl FnMut(&str, &mut String) -> Result<(), Closed>,
) -> Result<(), Closed> {
    for variable in &mut entry.envs {
        visit(&format!("envs.{}", variable.name), &mut variable.value)?;
    }
    for (field, map) in [("env", &mut entry.env), ("headers", &mut entry.headers)] {
        for (name, value) in map {
            visit(&format!("{field}.{name}"), value)?;
        }
    }
    if let Some(oauth) = &mut entry.oauth {
        for (field, value) in
            [("clientSecret", &mut oauth.client_secret), ("privateKey", &mut oauth.private_key)]
        {
            value.as_mut().map_or(Ok(()), |value| visit(&format!("oauth.{field}"), value))?;
        }
    }
    if let Some(url) = &mut entry.url {
        visit("url", url)?;
    }
    match &mut entry.args {
        Args::None => Ok(()),
        Args::Line(line) => visit("args", line),
        Args::List(list) => {
            list.iter_mut().enumerate().try_for_each(|(i, arg)| visit(&format!("args.{i}"), arg))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use store::Location;

    const OLD: &str = "an-old-key-of-32-characters-or-more";
    const NEW: &str = "a-new-key-of-32-characters-or-more!";

    fn entry(name: &str) -> ServerEntry {
        let entry = json!({
            "name": name, "command": "c", "args": ["--token", "s3cret-a"], "env": {"A": "s3cret-b", "EMPTY": ""},
            "envs": [{"name": "B", "value": "s3cret-c"}], "headers": {"H": "s3cret-d"}, "url": "http://s3cret-e/",
            "oauth": {"clientId": "id", "clientSecret": "s3cret-f", "privateKey": "s3cret-g"},
        });
        serde_json::from_value(entry).expect("the shape is right")
    }

    async fn kept(store: &Store) -> Vec<(String, String)> {
        let list = store.servers().list().await.expect("a list").into_iter();
        list.map(|s| (s.entry.name.clone(), serde_json::to_string(&s.entry).expect("JSON"))).collect()
    }

    #[tokio::test]
    async fn the_store_never_sees_a_secret_and_gives_back_what_was_added() {
        let store = store::open(&Location::Memory).await.expect("a store");
        let vault = Vault::new(NEW).expect("a vault");
        store.servers().add(vault.lock(&entry("s"))).await.expect("added");
        let before = kept(&store).await;
        assert!(!before[0].1.contains("s3cret") && !before[0].1.contains("--token"), "{before:?}");
        assert_eq!(vault.servers(&store).await.expect("a list"), [entry("s")]);
        assert_eq!(kept(&store).await, before, "what is sealed under the key in use stays as it is");
    }

    #[tokio::test]
    async fn plain_rows_and_rows_of_an_older_key_are_sealed_anew_in_their_order() {
        let store = store::open(&Location::Memory).await.expect("a store");
        let old = Vault::new(OLD).expect("a vault");
        for entry in [old.lock(&entry("older")), entry("plain"), old.lock(&entry("last"))] {
            store.servers().add(entry).await.expect("added");
        }
        let both = Vault::new(&format!("{NEW} {OLD}")).expect("a vault");
        let expected = [entry("older"), entry("plain"), entry("last")];
        assert_eq!(both.servers(&store).await.expect("a list"), expected);
        let rows = kept(&store).await;
        assert!(rows.iter().all(|(_, row)| !row.contains("s3cret")), "{rows:?}");
        let new = Vault::new(NEW).expect("a vault");
        assert_eq!(new.servers(&store).await.expect("a list"), expected, "the new key is enough now");
    }

    #[tokio::test]
    async fn a_value_opens_under_its_key_for_its_server_and_field_only() {
        let store = store::open(&Location::Memory).await.expect("a store");
        let vault = Vault::new(NEW).expect("a vault");
        let locked = vault.lock(&entry("s"));
        let mut moved = vault.lock(&entry("moved"));
        moved.env.insert("A".into(), locked.env["A"].clone());
        let mut swapped = vault.lock(&entry("swapped"));
        swapped.env.insert("A".into(), swapped.headers["H"].clone());
        for entry in [locked, moved, swapped] {
            store.servers().add(entry).await.expect("added");
        }
        let names = |list: Vec<ServerEntry>| list.into_iter().map(|entry| entry.name).collect::<Vec<_>>();
        assert_eq!(names(vault.servers(&store).await.expect("a list")), ["s"]);
        let stranger = Vault::new(OLD).expect("a vault");
        assert!(stranger.servers(&store).await.expect("a list").is_empty());
        assert_eq!(kept(&store).await.len(), 3, "what cannot be opened is left alone");
    }

    #[test]
    fn a_key_that_could_be_guessed_is_refused() {
        assert!(matches!(Vault::new("short"), Err(VaultError::Short)));
        assert!(matches!(Vault::new(&format!("{NEW} short")), Err(VaultError::Short)));
        assert!(matches!(Vault::new(" "), Err(VaultError::Missing)));
    }
}
