//! Taking over a config file that changed: only servers that differ are touched.

use crate::gateway::{Gateway, start_all, unstored};
use crate::registry::Registry;
use crate::server::{Origin, Server};
use crate::sessions::FileDefinitions;
use model::{Code, Fault, ServerEntry, Settings};
use serde::Serialize;
use std::sync::Arc;

/// What a reload did, by server name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Changes {
    /// Servers that are new.
    pub added: Vec<String>,
    /// Servers that are gone.
    pub removed: Vec<String>,
    /// Servers whose definition changed; they were restarted.
    pub changed: Vec<String>,
}

impl Gateway {
    /// Takes over new settings and servers. A server that fails to start leaves the rest as it is.
    pub async fn reload(
        self: &Arc<Self>,
        settings: Settings,
        entries: Vec<ServerEntry>,
        definitions: FileDefinitions,
    ) -> Result<Changes, Fault> {
        let changing = self.changing.lock().await;
        let before = self.registry();
        let from_api = |name: &str| before.get(name).is_some_and(|s| s.origin() == Origin::Api);
        if let Some(clash) = entries.iter().find(|entry| from_api(&entry.name)) {
            let message = format!(
                "Server name '{}' is taken by a server added over the API; remove that one first",
                clash.name
            );
            return Err(Fault::new(Code::ValidationError, message).with("field", "servers"));
        }
        self.check_file(&definitions, &settings).await?;
        let old_settings = self.settings();
        self.around.settings.store(Arc::new(settings));
        let same_surroundings = old_settings.inherit_env == self.settings().inherit_env;

        let mut changes = Changes::default();
        let (mut order, mut fresh) = (Vec::new(), Vec::new());
        for entry in entries {
            let old = before.get(&entry.name);
            let kept =
                old.filter(|s| *s.entry() == entry && (same_surroundings || entry.inherit_env.is_some()));
            if let Some(server) = kept {
                order.push(server.clone());
                continue;
            }
            let list = if old.is_some() { &mut changes.changed } else { &mut changes.added };
            list.push(entry.name.clone());
            let server = Server::new(entry, Origin::Config, self.around.clone());
            order.push(server.clone());
            fresh.push(server);
        }
        order.extend(before.servers().iter().filter(|s| s.origin() == Origin::Api).cloned());
        let after = Registry::new(order);
        let replaced = |s: &&Arc<Server>| after.get(s.name()).is_none_or(|now| !Arc::ptr_eq(now, s));
        let gone: Vec<_> = before.servers().iter().filter(replaced).cloned().collect();
        let removed = gone.iter().filter(|s| after.get(s.name()).is_none());
        changes.removed = removed.map(|s| s.name().to_owned()).collect();

        self.registry.store(Arc::new(after));
        self.reload_plugins().await;
        self.graphs.limit_runs(&self.settings());
        self.hooks.captures.limit(&self.settings());
        self.sight.set(&self.settings());
        self.renew_limits(&old_settings);
        let renewed = match self.renew_keys().await {
            Ok(()) => self.reload_sessions(definitions).await,
            Err(error) => Err(error),
        };
        drop(changing);
        for server in gone {
            server.stop().await;
        }
        start_all(&fresh).await;
        renewed.map_err(|error| unstored(&error))?;
        (self.around.changed)();
        tracing::info!(
            added = changes.added.len(),
            removed = changes.removed.len(),
            changed = changes.changed.len(),
            "config reloaded"
        );
        Ok(changes)
    }
}
