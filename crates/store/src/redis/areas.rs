//! The areas that are kept whole, in Redis: each does what it does in memory.

use super::Redis;
use crate::marks::Since;
use crate::memory::{Memory, Part};
use crate::{
    Area, Error, StoredActivity, StoredKey, StoredSchedule, StoredServer, StoredTemplate, StoredVersion,
    VariableChange,
};
use model::{Hook, Workflow};
use std::collections::BTreeMap;

const SERVERS: (Part, Option<Area>) = (Part::Servers, Some(Area::Servers));
const HOOKS: (Part, Option<Area>) = (Part::Hooks, Some(Area::Hooks));
const WORKFLOWS: (Part, Option<Area>) = (Part::Workflows, Some(Area::Workflows));
/// Variables are kept with their workflows, and their changes are none of the workflows.
const VARIABLES: (Part, Option<Area>) = (Part::Workflows, None);
const ACTIVITIES: (Part, Option<Area>) = (Part::Activities, Some(Area::Activities));
const SCHEDULES: (Part, Option<Area>) = (Part::Schedules, Some(Area::Schedules));
/// That a schedule fires is no change of it.
const FIRING: (Part, Option<Area>) = (Part::Schedules, None);
const TEMPLATES: (Part, Option<Area>) = (Part::Templates, Some(Area::Templates));
const VERSIONS: (Part, Option<Area>) = (Part::Versions, None);
const SECRETS: (Part, Option<Area>) = (Part::Secrets, None);
const KEYS: (Part, Option<Area>) = (Part::Keys, Some(Area::Keys));

impl Redis {
    pub(crate) async fn list_servers(&self) -> Result<Vec<StoredServer>, Error> {
        self.look(Part::Servers, Memory::list_servers).await
    }

    pub(crate) async fn add_server(&self, server: StoredServer) -> Result<StoredServer, Error> {
        self.change(SERVERS, |memory| memory.add_server(server.clone())).await
    }

    pub(crate) async fn replace_server(&self, server: StoredServer) -> Result<bool, Error> {
        self.change(SERVERS, |memory| memory.replace_server(&server)).await
    }

    pub(crate) async fn remove_server(&self, name: &str) -> Result<bool, Error> {
        self.change(SERVERS, |memory| memory.remove_server(name)).await
    }

    pub(crate) async fn list_hooks(&self) -> Result<Vec<Hook>, Error> {
        self.look(Part::Hooks, Memory::list_hooks).await
    }

    pub(crate) async fn add_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        self.change_since(since, HOOKS, |memory| memory.add_hooks(hooks.clone(), None)).await
    }

    pub(crate) async fn replace_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        self.change_since(since, HOOKS, |memory| memory.replace_hooks(hooks.clone(), None)).await
    }

    pub(crate) async fn remove_hook(&self, id: &str, since: Since) -> Result<bool, Error> {
        self.change_since(since, HOOKS, |memory| memory.remove_hook(id, None)).await
    }

    pub(crate) async fn list_workflows(&self) -> Result<Vec<Workflow>, Error> {
        self.look(Part::Workflows, Memory::list_workflows).await
    }

    pub(crate) async fn add_workflow(&self, workflow: Workflow, since: Since) -> Result<(), Error> {
        self.change_since(since, WORKFLOWS, |memory| memory.add_workflow(workflow.clone(), None)).await
    }

    pub(crate) async fn replace_workflow(
        &self,
        workflow: Workflow,
        since: Since,
        freed: Option<&str>,
    ) -> Result<(), Error> {
        let replace = |memory: &Memory| memory.replace_workflow(workflow.clone(), None, None);
        self.change_freeing(freed, since, WORKFLOWS, replace).await
    }

    pub(crate) async fn remove_workflow(
        &self,
        id: &str,
        since: Since,
        freed: Option<&str>,
    ) -> Result<bool, Error> {
        let remove = |memory: &Memory| memory.remove_workflow(id, None, None);
        self.change_freeing(freed, since, WORKFLOWS, remove).await
    }

    pub(crate) async fn list_variables(&self, workflow: &str) -> Result<BTreeMap<String, String>, Error> {
        self.look(Part::Workflows, |memory| memory.list_variables(workflow)).await
    }

    pub(crate) async fn change_variables(
        &self,
        workflow: &str,
        changes: Vec<VariableChange>,
    ) -> Result<bool, Error> {
        self.change(VARIABLES, |memory| memory.change_variables(workflow, changes.clone())).await
    }

    pub(crate) async fn list_activities(&self) -> Result<Vec<StoredActivity>, Error> {
        self.look(Part::Activities, Memory::list_activities).await
    }

    pub(crate) async fn get_activity(&self, name: &str) -> Result<Option<StoredActivity>, Error> {
        self.look(Part::Activities, |memory| memory.get_activity(name)).await
    }

    pub(crate) async fn put_activity(
        &self,
        activity: StoredActivity,
        before: Option<u64>,
        since: Since,
    ) -> Result<bool, Error> {
        self.change_since(since, ACTIVITIES, |memory| memory.put_activity(activity.clone(), before, None))
            .await
    }

    pub(crate) async fn delete_activity(&self, name: &str, since: Since) -> Result<bool, Error> {
        self.change_since(since, ACTIVITIES, |memory| memory.delete_activity(name, None)).await
    }

    pub(crate) async fn list_schedules(&self) -> Result<Vec<StoredSchedule>, Error> {
        self.look(Part::Schedules, Memory::list_schedules).await
    }

    pub(crate) async fn get_schedule(&self, id: &str) -> Result<Option<StoredSchedule>, Error> {
        self.look(Part::Schedules, |memory| memory.get_schedule(id)).await
    }

    pub(crate) async fn put_schedule(&self, schedule: StoredSchedule, since: Since) -> Result<(), Error> {
        self.change_since(since, SCHEDULES, |memory| memory.put_schedule(schedule.clone(), None)).await
    }

    pub(crate) async fn delete_schedule(&self, id: &str, since: Since) -> Result<bool, Error> {
        self.change_since(since, SCHEDULES, |memory| memory.delete_schedule(id, None)).await
    }

    pub(crate) async fn due_schedules(&self, now: i64, limit: usize) -> Result<Vec<StoredSchedule>, Error> {
        self.look(Part::Schedules, |memory| memory.due_schedules(now, limit)).await
    }

    pub(crate) async fn advance_schedule(
        &self,
        id: &str,
        expected: i64,
        next: Option<i64>,
        refused: Option<&str>,
    ) -> Result<bool, Error> {
        self.change(FIRING, |memory| memory.advance_schedule(id, expected, next, refused)).await
    }

    pub(crate) async fn list_templates(&self) -> Result<Vec<StoredTemplate>, Error> {
        self.look(Part::Templates, Memory::list_templates).await
    }

    pub(crate) async fn get_template(&self, id: &str) -> Result<Option<StoredTemplate>, Error> {
        self.look(Part::Templates, |memory| memory.get_template(id)).await
    }

    pub(crate) async fn add_template(&self, template: StoredTemplate) -> Result<(), Error> {
        self.change(TEMPLATES, |memory| memory.add_template(template.clone())).await
    }

    pub(crate) async fn remove_template(&self, id: &str) -> Result<bool, Error> {
        self.change(TEMPLATES, |memory| memory.remove_template(id)).await
    }

    pub(crate) async fn add_version(&self, version: StoredVersion) -> Result<(), Error> {
        self.change(VERSIONS, |memory| memory.add_version(version.clone())).await
    }

    pub(crate) async fn list_versions(
        &self,
        workflow: &str,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredVersion>, Error> {
        self.look(Part::Versions, |memory| memory.list_versions(workflow, limit, offset)).await
    }

    pub(crate) async fn get_version(
        &self,
        workflow: &str,
        revision: u64,
    ) -> Result<Option<StoredVersion>, Error> {
        self.look(Part::Versions, |memory| memory.get_version(workflow, revision)).await
    }

    pub(crate) async fn delete_version(&self, workflow: &str, revision: u64) -> Result<bool, Error> {
        self.change(VERSIONS, |memory| memory.delete_version(workflow, revision)).await
    }

    pub(crate) async fn delete_versions(&self, workflow: &str) -> Result<u64, Error> {
        self.change(VERSIONS, |memory| memory.delete_versions(workflow)).await
    }

    pub(crate) async fn versioned_workflows(&self) -> Result<Vec<String>, Error> {
        self.look(Part::Versions, Memory::versioned_workflows).await
    }

    pub(crate) async fn secret(&self, name: &str, fresh: &str) -> Result<String, Error> {
        self.change(SECRETS, |memory| memory.secret(name, fresh)).await
    }

    pub(crate) async fn get_secret(&self, name: &str) -> Result<Option<String>, Error> {
        self.look(Part::Secrets, |memory| memory.get_secret(name)).await
    }

    pub(crate) async fn put_secret(&self, name: &str, value: &str) -> Result<(), Error> {
        self.change(SECRETS, |memory| memory.put_secret(name, value)).await
    }

    pub(crate) async fn replace_secret(&self, name: &str, was: &str, value: &str) -> Result<bool, Error> {
        self.change(SECRETS, |memory| memory.replace_secret(name, was, value)).await
    }

    pub(crate) async fn take_secret(&self, name: &str) -> Result<Option<String>, Error> {
        self.change(SECRETS, |memory| memory.take_secret(name)).await
    }

    pub(crate) async fn secrets(&self) -> Result<Vec<(String, String)>, Error> {
        self.look(Part::Secrets, Memory::secrets).await
    }

    pub(crate) async fn list_keys(&self) -> Result<Vec<StoredKey>, Error> {
        self.look(Part::Keys, Memory::list_keys).await
    }

    pub(crate) async fn add_key(&self, key: StoredKey) -> Result<(), Error> {
        self.change(KEYS, |memory| memory.add_key(key.clone())).await
    }

    pub(crate) async fn remove_key(&self, name: &str) -> Result<bool, Error> {
        self.change(KEYS, |memory| memory.remove_key(name)).await
    }
}
