//! Taking over a config file that changed: only servers that differ are touched.

use crate::gateway::{Gateway, StartError, start_all, unstored};
use crate::outbound;
use crate::registry::Registry;
use crate::server::{Origin, Server};
use crate::sessions::FileDefinitions;
use futures_util::future::join_all;
use model::{Code, Fault, ServerEntry, Settings};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

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
        self.check_file(&definitions, &settings).await.map_err(in_file)?;
        let stored = self.kept_servers().await.map_err(|error| unstored(&error))?;
        let old_settings = self.settings();
        self.around.pings.send_replace(Duration::from_millis(settings.health_check_interval));
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
        // A name that the file no longer takes belongs to whoever added a server under it over the API.
        for entry in stored {
            if order.iter().all(|server| server.name() != entry.name) {
                let list = match before.get(&entry.name) {
                    Some(_) => &mut changes.changed,
                    None => &mut changes.added,
                };
                list.push(entry.name.clone());
                let server = Server::new(entry, Origin::Api, self.around.clone());
                order.push(server.clone());
                fresh.push(server);
            }
        }
        let permitted = self.permitted_anew(&old_settings, &before);
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
        // None of them waits for another.
        tokio::join!(join_all(permitted.iter().map(|server| server.restart())), start_all(&fresh));
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

    /// The servers added over the API whose address `outbound.allow` permits now and did not before, or the reverse:
    /// a start asks for the permission.
    fn permitted_anew(&self, old: &Settings, servers: &Registry) -> Vec<Arc<Server>> {
        let settings = self.settings();
        let (before, now) = (&old.outbound.allow, &settings.outbound.allow);
        let permits = |allow: &[String], url: &str| outbound::permits(allow, url).is_ok();
        let differs = |url: &String| permits(before, url) != permits(now, url);
        let of_api = servers.servers().iter().filter(|server| server.origin() == Origin::Api);
        of_api.filter(|server| server.entry().url.as_ref().is_some_and(differs)).cloned().collect()
    }
}

/// What is wrong with the definitions of the file, in the words of everything else that is.
fn in_file(mut fault: Fault) -> Fault {
    fault.message = format!("Error: {}", StartError::Definition(fault.clone()));
    fault
}
