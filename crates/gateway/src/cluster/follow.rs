//! Taking over what other instances change in the store. What is read is held against what is known here, so that a
//! change of this instance itself leads to nothing.

use crate::gateway::Gateway;
use crate::hub::News;
use crate::registry::Registry;
use crate::server::{Origin, Server};
use model::ServerEntry;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::{Area, Counts, Outage};

/// When a store that failed is asked again.
const AGAIN: Duration = Duration::from_secs(1);

impl Gateway {
    /// Follows the marks of the store, until the future is dropped.
    pub(super) async fn follow_store(&self) {
        let mut seen = Counts::default();
        let mut outage = Outage::default();
        loop {
            let marks = self.store.marks();
            // Nothing may change for long, and that the store answers again is told before.
            let looked = if outage.lasts() { marks.read().await } else { marks.changed(&seen).await };
            let followed = match looked {
                // A store that was away may have gone back behind what was seen of it.
                Ok(now) => self.follow(&seen, now, outage.lasts()).await.map(|()| now),
                Err(error) => Err(error),
            };
            match followed {
                Ok(now) => {
                    seen = now;
                    self.store_lost.store(false, Ordering::Relaxed);
                    outage.over("the store answers again, and what others changed is taken over");
                }
                Err(store::Error::Closed) => return,
                Err(error) => {
                    self.note_loss(&error);
                    outage.failed(&error, "changes of other instances cannot be read");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Tells once that the store lost its data. That it keeps nothing is then nobody's decision: whoever emptied the
    /// keys would open the gateway, and whoever emptied the hooks would have every call skip them.
    fn note_loss(&self, error: &store::Error) {
        if matches!(error, store::Error::Lost) && !self.store_lost.swap(true, Ordering::Relaxed) {
            tracing::error!(
                reason = %error,
                "keys, hooks, workflows and servers stay in force as they are known here, and cannot be changed"
            );
        }
    }

    /// Whether the store lost its data since this instance began.
    pub fn store_lost(&self) -> bool {
        self.store_lost.load(Ordering::Relaxed)
    }

    /// Takes over whatever was changed; looks at everything where it is to be done anew.
    async fn follow(&self, seen: &Counts, now: Counts, anew: bool) -> Result<(), store::Error> {
        self.take_over(&mut *self.followed.lock().await, now, anew).await?;
        let raised = |area: Area| anew || seen.of(area) != now.of(area);
        if raised(Area::Keys) {
            self.renew_keys().await?;
        }
        if raised(Area::Schedules) {
            self.schedules_changed();
        }
        if raised(Area::Schedules) || raised(Area::Templates) {
            self.around.hub.tell(News::Workflows);
        }
        if raised(Area::Servers) {
            self.follow_servers().await?;
        }
        Ok(())
    }

    /// Reads the definitions again whose mark was raised since they were followed. Hooks come before the workflows that
    /// name them.
    pub(super) async fn take_over(
        &self,
        followed: &mut Counts,
        now: Counts,
        anew: bool,
    ) -> Result<(), store::Error> {
        let raised = |area: Area| anew || followed.of(area) != now.of(area);
        if raised(Area::Hooks) && self.hooks.book.catch_up().await? {
            self.hooks.sandbox.warm();
            self.around.hub.tell(News::Hooks);
            (self.around.changed)();
        }
        // One that lacked a hook may run now that there is one.
        let looked = raised(Area::Workflows) || (raised(Area::Hooks) && self.graphs.is_broken());
        let workflows = looked && self.graphs.catch_up(&self.hooks).await?;
        // Should the store fail on the way, this is still to be done.
        self.sessions.unoffered.fetch_or(workflows, Ordering::Relaxed);
        if workflows && self.graphs.runs_scripts() {
            self.hooks.sandbox.warm();
        }
        let activities = raised(Area::Activities) && self.activities_differ().await?;
        if activities || self.sessions.unoffered.load(Ordering::Relaxed) {
            self.offer_sessions().await?;
            self.around.hub.tell(News::Workflows);
        }
        self.sessions.engine.counted(now.of(Area::Workflows));
        *followed = now;
        Ok(())
    }

    /// The servers that were added over the API, as they are kept.
    pub(crate) async fn kept_servers(&self) -> Result<Vec<ServerEntry>, store::Error> {
        // Sealing anew is for the start: instances whose keys differ would do it in turns.
        Ok(self.vault.read(&self.store).await?.into_iter().map(|(stored, _)| stored.entry).collect())
    }

    /// Starts servers that were added elsewhere, and stops those that were removed.
    async fn follow_servers(&self) -> Result<(), store::Error> {
        let _changing = self.changing.lock().await;
        let kept = self.kept_servers().await?;
        let before = self.registry();
        let (mut order, mut fresh) = (Vec::new(), Vec::new());
        order.extend(before.servers().iter().filter(|one| one.origin() == Origin::Config).cloned());
        for entry in kept {
            match before.get(&entry.name) {
                Some(own) if own.origin() == Origin::Config => {
                    tracing::warn!(
                        server = entry.name,
                        "a server of the same name stands in the config file here"
                    );
                }
                Some(same) if *same.entry() == entry => order.push(same.clone()),
                _ => {
                    let server = Server::new(entry, Origin::Api, self.around.clone());
                    order.push(server.clone());
                    fresh.push(server);
                }
            }
        }
        let after = Registry::new(order);
        let goes = |one: &&Arc<Server>| after.get(one.name()).is_none_or(|now| !Arc::ptr_eq(now, one));
        let gone: Vec<_> = before.servers().iter().filter(goes).cloned().collect();
        if gone.is_empty() && fresh.is_empty() {
            return Ok(());
        }
        self.registry.store(Arc::new(after));
        (self.around.changed)();
        tracing::info!(added = fresh.len(), removed = gone.len(), "another instance changed the servers");
        // A server may take long to stop and to start; whatever else is changed does not wait for that.
        for server in gone {
            tokio::spawn(async move { server.stop().await });
        }
        for server in fresh {
            tokio::spawn(async move { server.start().await });
        }
        Ok(())
    }
}
