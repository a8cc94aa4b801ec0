//! `lockgate key`: keys in the store, of which only digests are kept.

use crate::args::{CreateKey, Flags, Key};
use crate::wire::{self, say};
use config::Config;
use gateway::NewKey;
use model::access::{Grant, KeyEntry};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use store::{AuditDraft, Store};

pub(crate) fn run(flags: &Flags, command: &Key) -> anyhow::Result<ExitCode> {
    wire::runtime()?.block_on(async {
        let config = wire::config(flags)?;
        if config.settings.store.url.as_deref().is_some_and(|url| url.eq_ignore_ascii_case("memory:")) {
            anyhow::bail!(
                "store.url is memory:, which keeps no keys; list them under `keys` in the config file"
            );
        }
        let store = wire::store(&config, flags).await?;
        let done = match command {
            Key::Create(options) => create(&config, &store, options).await,
            Key::List => list(&config, &store).await,
            Key::Revoke { name } => revoke(&config, &store, name).await,
        };
        store.close().await;
        done.map(|()| ExitCode::SUCCESS)
    })
}

async fn create(config: &Config, store: &Store, options: &CreateKey) -> anyhow::Result<()> {
    let grant = config::grant(&written(options)).map_err(|error| anyhow::anyhow!(error.under("")))?;
    if config.settings.keys.iter().any(|key| key.name == options.name) {
        anyhow::bail!("the config file has a key named '{}' already", options.name);
    }
    let made = NewKey::make(store, &options.name, grant).await?;
    record(store, "/api/keys", json!({"method": "POST", "status": 201, "made": [options.name]})).await?;
    let _ = writeln!(
        std::io::stderr(),
        "Key '{}' is made. It is shown only now; keep it in a safe place.",
        options.name
    );
    // A key that nobody has seen opens nothing.
    if let Err(error) = writeln!(std::io::stdout(), "{}", made.key) {
        remove(store, &options.name).await?;
        let told = format!("cannot write to standard output, so key '{}' is revoked again", options.name);
        return Err(anyhow::Error::new(error).context(told));
    }
    Ok(())
}

/// The same as the body of `POST /api/keys`.
fn written(options: &CreateKey) -> Value {
    let mut body = json!({"name": options.name, "readOnly": options.read_only});
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[name] = value;
        }
    };
    add("servers", (!options.servers.is_empty()).then(|| json!(options.servers)));
    add("tools", (!options.tools.is_empty()).then(|| json!(options.tools)));
    add("role", options.role.as_ref().map(|role| json!(role)));
    add("rate", options.rate.map(|rate| json!({"perSecond": rate, "burst": options.burst.unwrap_or(0)})));
    add("concurrency", options.concurrency.map(Value::from));
    add("expires", options.expires.as_ref().map(|time| json!(time)));
    body
}

async fn list(config: &Config, store: &Store) -> anyhow::Result<()> {
    for KeyEntry { name, grant, .. } in &config.settings.keys {
        show(name, "config", grant);
    }
    for stored in store.keys().list().await? {
        match serde_json::from_str(&stored.grant) {
            Ok(grant) => show(&stored.name, "store", &grant),
            Err(_) => say(format_args!("{}  store  cannot be read; revoke it and make it anew", stored.name)),
        }
    }
    Ok(())
}

fn show(name: &str, origin: &str, grant: &Grant) {
    say(format_args!("{name}  {origin}  {}", serde_json::to_string(grant).unwrap_or_default()));
}

async fn revoke(config: &Config, store: &Store, name: &str) -> anyhow::Result<()> {
    if config.settings.keys.iter().any(|key| key.name == name) {
        anyhow::bail!("key '{name}' stands in the config file; remove it there and reload");
    }
    if !remove(store, name).await? {
        anyhow::bail!("there is no key named '{name}'; see `lockgate key list`");
    }
    say(format_args!("Key '{name}' is revoked; a running gateway notices within seconds."));
    Ok(())
}

/// Takes a key out of the store; whether it was there.
async fn remove(store: &Store, name: &str) -> anyhow::Result<bool> {
    let removed = store.keys().remove(name).await?;
    if removed {
        record(store, &format!("/api/keys/{name}"), json!({"method": "DELETE", "status": 204})).await?;
    }
    Ok(removed)
}

/// The same entry that the route would leave in the audit log.
async fn record(store: &Store, path: &str, details: Value) -> anyhow::Result<()> {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let draft = AuditDraft {
        at: i64::try_from(at).unwrap_or(i64::MAX),
        kind: "change".into(),
        who: "command line".into(),
        subject: path.to_owned(),
        body: details.to_string(),
    };
    Ok(store.audit().append(vec![draft]).await?)
}
