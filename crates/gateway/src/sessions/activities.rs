//! What the admin API does with activities (spec 4.9).

use super::among::Changed;
use super::definitions::{DefinitionSource, Entry};
use super::faults;
use crate::cluster::Setback;
use crate::gateway::{Gateway, unstored};
use crate::hooks::now;
use crate::hub::News;
use model::session::{Activity, Step};
use model::{Fault, WorkflowType};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use store::{Counts, StoredActivity};

/// An activity as the admin API shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActivityView {
    /// Its definition.
    #[serde(flatten)]
    pub activity: Activity,
    /// Where it comes from.
    pub source: DefinitionSource,
    /// The session workflows that use it.
    pub used_by: Vec<String>,
    /// Counts its changes, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// When it was created, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// When it was last changed, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<i64>,
}

impl Gateway {
    /// Every activity, by name.
    pub fn activities(&self) -> Vec<ActivityView> {
        self.sessions.book.load().activities.values().map(|entry| self.activity_view(entry)).collect()
    }

    /// One activity.
    pub fn activity(&self, name: &str) -> Result<ActivityView, Fault> {
        let book = self.sessions.book.load();
        let entry = book.activities.get(name).ok_or_else(|| faults::unknown_activity(name))?;
        Ok(self.activity_view(entry))
    }

    /// Keeps a new activity.
    pub async fn create_activity(&self, body: &str) -> Result<ActivityView, Fault> {
        let activity = &Activity::parse(&object(body)?, "")?;
        self.settle(|since| async move {
            if self.sessions.book.load().activities.contains_key(&activity.name) {
                return Err(taken(&activity.name).into());
            }
            self.keep_activity(since, activity.clone(), None).await
        })
        .await
    }

    /// Changes the fields that the body names; null takes one away.
    pub async fn change_activity(
        &self,
        name: &str,
        body: &str,
        revision: Option<u64>,
    ) -> Result<ActivityView, Fault> {
        self.settle(|since| async move {
            let stored = self.kept_activity(name)?;
            let activity = patched(&stored, body, revision)?;
            self.keep_activity(since, activity, Some(stored)).await
        })
        .await
    }

    /// Forgets an activity that no session workflow uses. Sessions that are open keep theirs.
    pub async fn remove_activity(&self, name: &str) -> Result<(), Fault> {
        self.settle(|since| async move {
            self.kept_activity(name)?;
            if let Some(user) = self.users_of(name).into_iter().next() {
                let message = format!("Activity '{name}' is used by the workflow '{user}'");
                return Err(faults::conflict(message).with("workflowName", user).into());
            }
            let removed = self.store.activities().since(since).delete(name).await;
            removed.map_err(|error| Setback::of(error, |error| unstored(&error)))?;
            Ok(self.renewed().await?)
        })
        .await
    }

    /// An activity that can be changed.
    fn kept_activity(&self, name: &str) -> Result<StoredActivity, Fault> {
        let book = self.sessions.book.load();
        let entry = book.activities.get(name).ok_or_else(|| faults::unknown_activity(name))?;
        entry.stored.clone().ok_or_else(|| faults::in_the_file("Activity", name))
    }

    async fn keep_activity(
        &self,
        since: Counts,
        activity: Activity,
        before: Option<StoredActivity>,
    ) -> Result<ActivityView, Setback> {
        self.check_activity(&activity).await?;
        let mut all = self.sessions.book.load().plain();
        all.insert(activity.name.clone(), activity.clone());
        self.check_among(&all, &Changed::Activity(&activity.name))?;
        self.check_tool_name(&activity)?;
        let name = activity.name.clone();
        let stored = StoredActivity {
            name: name.clone(),
            body: serde_json::to_string(&activity).expect("an activity is plain data"),
            revision: before.as_ref().map_or(1, |before| before.revision + 1),
            created_at: before.as_ref().map_or_else(now, |before| before.created_at),
            updated_at: now(),
        };
        let kept =
            self.store.activities().since(since).put(stored, before.map(|before| before.revision)).await;
        let unkept = |error| match error {
            store::Error::Taken(name) => taken(&name),
            store::Error::Gone(name) => faults::unknown_activity(&name),
            error => unstored(&error),
        };
        if !kept.map_err(|error| Setback::of(error, unkept))? {
            return Err(Setback::Moved);
        }
        self.renewed().await?;
        Ok(self.activity(&name)?)
    }

    /// Offers what there is now, and tells everybody.
    async fn renewed(&self) -> Result<(), Fault> {
        self.offer_sessions().await.map_err(|error| unstored(&error))?;
        self.around.hub.tell(News::Workflows);
        Ok(())
    }

    /// The session workflows that use an activity, active or not.
    fn users_of(&self, name: &str) -> Vec<String> {
        let uses = |steps: &[Step]| {
            let members = steps.iter().flat_map(Step::members);
            members.into_iter().any(|step| step.activity == name || step.compensate.as_deref() == Some(name))
        };
        let file = self.sessions.file.load();
        let in_file = file.procedures.iter().filter(|one| uses(&one.steps)).map(|one| one.name.clone());
        let stored = self.graphs.of_type(WorkflowType::Session);
        let stored = stored.iter().filter(|one| one.steps().is_some_and(|steps| uses(&steps)));
        in_file.chain(stored.map(|one| one.name.clone())).collect()
    }

    fn activity_view(&self, entry: &Arc<Entry>) -> ActivityView {
        let stored = entry.stored.as_ref();
        ActivityView {
            activity: entry.activity.clone().masked(),
            source: entry.source,
            used_by: self.users_of(&entry.activity.name),
            revision: stored.map(|stored| stored.revision),
            created_at: stored.map(|stored| stored.created_at),
            updated_at: stored.map(|stored| stored.updated_at),
        }
    }
}

/// The activity that a change of the fields in `body` makes of a stored one, at that revision where one is given.
fn patched(stored: &StoredActivity, body: &str, revision: Option<u64>) -> Result<Activity, Fault> {
    if let Some(revision) = revision.filter(|revision| *revision != stored.revision) {
        let now = stored.revision;
        let message = format!("The activity was changed meanwhile and is at revision {now}; read it again");
        return Err(faults::conflict(message).with("revision", now).with("expected", revision));
    }
    let mut whole = object(&stored.body)?;
    if let (Value::Object(all), Value::Object(patch)) = (&mut whole, object(body)?) {
        for (key, value) in patch {
            // What a reply shows besides the definition may be sent back with it.
            if matches!(key.as_str(), "source" | "usedBy" | "revision" | "createdAt" | "updatedAt") {
                continue;
            }
            match value {
                Value::Null => _ = all.shift_remove(&key),
                value => _ = all.insert(key, value),
            }
        }
    }
    let before = Activity::parse(&object(&stored.body)?, "")?;
    let activity = Activity::parse(&whole, "")?.unmasked(&before).map_err(|header| {
        let field = format!("run.http.headers.{header}");
        faults::wrong(&field, format!("{field} is masked and has no value at this host yet; give it"))
    })?;
    if activity.name != stored.name {
        return Err(faults::wrong("name", "name cannot be changed; create another activity"));
    }
    Ok(activity)
}

fn taken(name: &str) -> Fault {
    faults::conflict(format!("Activity name '{name}' is taken"))
}

fn object(body: &str) -> Result<Value, Fault> {
    let read: Result<Map<String, Value>, _> = serde_json::from_str(body);
    read.map(Value::Object)
        .map_err(|error| faults::wrong("body", format!("body must be a JSON object: {error}")))
}
