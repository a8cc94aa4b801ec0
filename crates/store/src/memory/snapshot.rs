//! Areas as text, for a store that keeps them whole elsewhere and works on them here.

use super::sessions::Kept;
use super::{Data, Memory};
use crate::{
    SessionRow, StoredActivity, StoredKey, StoredSchedule, StoredServer, StoredSession, StoredTemplate,
    StoredVersion,
};
use model::{Hook, Workflow};
use serde_json::{Error, Value, from_str, from_value, to_string};
use std::collections::BTreeMap;

/// Areas that are kept whole. Each is small, and seldom changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Servers,
    Hooks,
    /// With their variables, which go when they do.
    Workflows,
    Activities,
    Schedules,
    Templates,
    Versions,
    Secrets,
    Keys,
}

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Servers => "servers",
            Part::Hooks => "hooks",
            Part::Workflows => "workflows",
            Part::Activities => "activities",
            Part::Schedules => "schedules",
            Part::Templates => "templates",
            Part::Versions => "versions",
            Part::Secrets => "secrets",
            Part::Keys => "keys",
        }
    }
}

impl Memory {
    /// A store that holds one part and nothing else.
    pub(crate) fn load(part: Part, text: &str) -> Result<Self, Error> {
        let memory = Self::default();
        if let Some(data) = memory.lock().as_deref_mut().filter(|_| !text.is_empty()) {
            data.load(part, text)?;
        }
        Ok(memory)
    }

    /// The text of a part.
    pub(crate) fn save(&self, part: Part) -> Result<String, Error> {
        self.lock().as_deref().map_or(Ok(String::new()), |data| data.save(part))
    }

    /// A store that holds sessions without their events, each with its key.
    pub(crate) fn of_sessions(sessions: Vec<(SessionRow, Option<String>)>) -> Self {
        let memory = Self::default();
        if let Some(data) = memory.lock().as_deref_mut() {
            data.sessions = sessions
                .into_iter()
                .map(|(row, key)| {
                    let session = StoredSession { row, events: Vec::new() };
                    (session.row.id.clone(), Kept { session, key, held: None })
                })
                .collect();
        }
        memory
    }

    /// The ids of all sessions.
    pub(crate) fn session_ids(&self) -> Vec<String> {
        self.lock().as_deref().map_or_else(Vec::new, |data| data.sessions.keys().cloned().collect())
    }
}

impl Data {
    fn save(&self, part: Part) -> Result<String, Error> {
        match part {
            Part::Servers => {
                to_string(&self.servers.iter().map(|s| (&s.entry, s.created_at)).collect::<Vec<_>>())
            }
            Part::Hooks => to_string(&self.hooks),
            Part::Workflows => to_string(&(&self.workflows, &self.variables)),
            Part::Activities => {
                let row = |a: &StoredActivity| {
                    (a.name.clone(), a.body.clone(), a.revision, a.created_at, a.updated_at)
                };
                to_string(&self.activities.iter().map(row).collect::<Vec<_>>())
            }
            Part::Schedules => {
                let row = |s: &StoredSchedule| {
                    let texts = (s.id.clone(), s.workflow.clone(), s.body.clone());
                    (texts, s.next, s.paused, s.created_at, s.updated_at, s.refused.clone())
                };
                to_string(&self.schedules.iter().map(row).collect::<Vec<_>>())
            }
            Part::Templates => {
                let row = |t: &StoredTemplate| (t.id.clone(), t.body.clone(), t.created_at);
                to_string(&self.templates.iter().map(row).collect::<Vec<_>>())
            }
            Part::Versions => {
                let row = |v: &StoredVersion| (v.workflow.clone(), v.revision, v.body.clone(), v.made_at);
                to_string(&self.versions.values().flat_map(BTreeMap::values).map(row).collect::<Vec<_>>())
            }
            Part::Secrets => to_string(&self.secrets),
            Part::Keys => {
                let row = |k: &StoredKey| (k.name.clone(), k.digest.clone(), k.grant.clone(), k.created_at);
                to_string(&self.keys.iter().map(row).collect::<Vec<_>>())
            }
        }
    }

    fn load(&mut self, part: Part, text: &str) -> Result<(), Error> {
        match part {
            Part::Servers => {
                let rows: Vec<_> = from_str(text)?;
                self.servers =
                    rows.into_iter().map(|(entry, created_at)| StoredServer { entry, created_at }).collect();
            }
            Part::Hooks => self.hooks = from_str::<Vec<Hook>>(text)?,
            Part::Workflows => (self.workflows, self.variables) = from_str::<(Vec<Workflow>, _)>(text)?,
            Part::Activities => {
                let rows: Vec<(String, String, u64, i64, i64)> = from_str(text)?;
                let one = |(name, body, revision, created_at, updated_at)| StoredActivity {
                    name,
                    body,
                    revision,
                    created_at,
                    updated_at,
                };
                self.activities = rows.into_iter().map(one).collect();
            }
            Part::Schedules => {
                type Row = ((String, String, String), Option<i64>, bool, i64, i64, Option<String>);
                let mut rows: Vec<Vec<Value>> = from_str(text)?;
                // Those that were written before a schedule said why a time passed unused.
                rows.iter_mut().for_each(|row| row.resize(6, Value::Null));
                let one = |((id, workflow, body), next, paused, created_at, updated_at, refused): Row| {
                    StoredSchedule { id, workflow, body, next, paused, created_at, updated_at, refused }
                };
                let read = |row| from_value::<Row>(Value::Array(row)).map(one);
                self.schedules = rows.into_iter().map(read).collect::<Result<_, _>>()?;
            }
            Part::Templates => {
                let rows: Vec<_> = from_str(text)?;
                let one = |(id, body, created_at)| StoredTemplate { id, body, created_at };
                self.templates = rows.into_iter().map(one).collect();
            }
            Part::Versions => {
                for (workflow, revision, body, made_at) in from_str::<Vec<(String, u64, String, i64)>>(text)?
                {
                    let version = StoredVersion { workflow: workflow.clone(), revision, body, made_at };
                    self.versions.entry(workflow).or_default().insert(revision, version);
                }
            }
            Part::Secrets => self.secrets = from_str(text)?,
            Part::Keys => {
                let rows: Vec<_> = from_str(text)?;
                let one = |(name, digest, grant, created_at)| StoredKey { name, digest, grant, created_at };
                self.keys = rows.into_iter().map(one).collect();
            }
        }
        Ok(())
    }
}
