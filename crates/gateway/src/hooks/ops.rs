//! What the admin API does with hooks: list, create, change, order, import, check.

use super::book::{Change, Entry, HookStats, LastError, Page, Tally, faults, now};
use crate::gateway::Gateway;
use crate::hub::News;
use model::{Code, Fault, HOOK_NAME_MAX, Hook, HookDraft, HookPatch};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What scripts see and may return, in TypeScript, for editors.
const TYPES: &str = include_str!("types.d.ts");

/// How many wrong ids an answer names.
const NAMED_MAX: usize = 20;

/// A hook as the admin API shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookView {
    /// Its definition.
    #[serde(flatten)]
    pub hook: Hook,
    /// Its executions since the gateway started.
    pub stats: HookStats,
    /// Whether it failed ten times in a row, and has not ended well, been edited or been reset since. It goes on running,
    /// unless it used up its time or memory each time: then it is passed over for 30 seconds, and tried again.
    pub tripped: bool,
    /// Its last failure since it was edited or reset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastError>,
}

/// Whether a script compiles.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Validity {
    /// Whether it does.
    pub valid: bool,
    /// Why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Where in the script, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Where in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl Gateway {
    /// Every hook, in the order in which they run.
    pub fn hooks(&self) -> Vec<HookView> {
        self.hooks.book.page().all().iter().map(|entry| view(entry)).collect()
    }

    /// One hook.
    pub fn hook(&self, id: &str) -> Result<HookView, Fault> {
        self.hooks.book.page().get(id).map(|entry| view(entry)).ok_or_else(|| faults::unknown(id))
    }

    /// The names and counters of all hooks, in the order in which they run.
    pub fn hook_tallies(&self) -> Vec<(String, Arc<Tally>)> {
        let page = self.hooks.book.page();
        page.all().iter().map(|entry| (entry.hook.name.clone(), entry.tally())).collect()
    }

    /// What scripts see and may return, in TypeScript, for editors.
    pub fn hook_types() -> &'static str {
        TYPES
    }

    /// Keeps a new hook.
    pub async fn create_hook(&self, draft: HookDraft) -> Result<HookView, Fault> {
        self.check_script(&draft.script, "script", "").await?;
        let id = fresh_id();
        let page = self.change_hooks(|page| {
            if page.all().iter().any(|entry| entry.hook.name == draft.name) {
                return Err(faults::taken(&draft.name));
            }
            let (place, time) = next(page);
            Ok(Change::Add(vec![Hook::new(id.clone(), draft.clone(), place, time)]))
        });
        shown(&*page.await?, &id)
    }

    /// Keeps new hooks, all or none; a name that is taken gets a number. One that was given alone, not in a list, is
    /// not named by its place.
    pub async fn import_hooks(&self, drafts: Vec<HookDraft>, alone: bool) -> Result<Vec<HookView>, Fault> {
        for (i, draft) in drafts.iter().enumerate() {
            let field = if alone { "script".to_owned() } else { format!("hooks[{i}].script") };
            let label = format!("{}: ", draft.name);
            self.check_script(&draft.script, &field, &label).await?;
        }
        let ids: Vec<String> = drafts.iter().map(|_| fresh_id()).collect();
        let page = self.change_hooks(|page| Ok(Change::Add(numbered(page, drafts.clone(), &ids))));
        let page = page.await?;
        ids.iter().map(|id| shown(&page, id)).collect()
    }

    /// Changes what the patch names, of the hook at that version where one is given; a patch that names nothing
    /// changes nothing.
    pub async fn change_hook(
        &self,
        id: &str,
        patch: HookPatch,
        version: Option<u64>,
    ) -> Result<HookView, Fault> {
        // What others changed shows before anything is said of it.
        self.settle(|_| async { Ok(()) }).await?;
        let present = self.hook(id)?;
        faults::check_version(&present.hook, version)?;
        if patch.is_empty() {
            return Ok(present);
        }
        if let Some(script) = &patch.script {
            self.check_script(script, "script", "").await?;
        }
        let page = self.change_hooks(|page| {
            let entry = page.get(id).ok_or_else(|| faults::unknown(id))?;
            faults::check_version(&entry.hook, version)?;
            let hook = entry.hook.patched(patch.clone(), now());
            let others = page.all().iter().filter(|other| other.hook.id != id);
            if others.into_iter().any(|other| other.hook.name == hook.name) {
                return Err(faults::taken(&hook.name));
            }
            Ok(Change::Edit(hook))
        });
        shown(&*page.await?, id)
    }

    /// Forgets a hook, at that version where one is given, unless a workflow uses it.
    pub async fn remove_hook(&self, id: &str, version: Option<u64>) -> Result<(), Fault> {
        let page = self.change_hooks(|page| {
            if let Some(name) = self.graphs.user_of(id) {
                let message = format!("Hook '{id}' is used by the workflow '{name}'; change that one first");
                return Err(Fault::new(Code::Conflict, message).with("id", id).with("workflow", name));
            }
            let entry = page.get(id).ok_or_else(|| faults::unknown(id))?;
            faults::check_version(&entry.hook, version)?;
            Ok(Change::Remove(id.to_owned()))
        });
        page.await.map(drop)
    }

    /// Numbers the hooks 0 to n-1 in the order of `ids`, which names every one exactly once.
    pub async fn reorder_hooks(&self, ids: &[String]) -> Result<Vec<HookView>, Fault> {
        let page = self.change_hooks(|page| moved(page, ids).map(Change::Move)).await?;
        Ok(page.all().iter().map(|entry| view(entry)).collect())
    }

    /// Forgets the failures of a hook, so that it runs again.
    pub fn reset_hook(&self, id: &str) -> Result<HookView, Fault> {
        let page = self.hooks.book.page();
        let entry = page.get(id).ok_or_else(|| faults::unknown(id))?;
        entry.reset();
        self.around.hub.tell(News::Hooks);
        Ok(view(entry))
    }

    /// Tells whether a script compiles in the form in which it runs.
    pub async fn validate_script(&self, script: &str) -> Result<Validity, Fault> {
        if let Err(error) = model::check_script(script) {
            return Ok(Validity { valid: false, error: Some(error.under("")), line: None, column: None });
        }
        match self.hooks.sandbox.check(script).await {
            Ok(()) => Ok(Validity { valid: true, error: None, line: None, column: None }),
            Err(error) => {
                let fault = faults::invalid(&error, "script", "");
                if fault.code != Code::ValidationError {
                    return Err(fault);
                }
                let (line, column) = (error.line, error.column);
                Ok(Validity { valid: false, error: Some(error.message), line, column })
            }
        }
    }

    async fn check_script(&self, script: &str, field: &str, label: &str) -> Result<(), Fault> {
        let checked = self.hooks.sandbox.check(script).await;
        checked.map_err(|error| faults::invalid(&error, field, label))
    }

    async fn change_hooks(
        &self,
        decide: impl Fn(&Page) -> Result<Change, Fault>,
    ) -> Result<Arc<Page>, Fault> {
        let page = self.settle(|since| self.hooks.book.change(since, &decide)).await?;
        if !page.all().is_empty() {
            self.hooks.sandbox.warm();
        }
        self.around.hub.tell(News::Hooks);
        // Lists may pass through other scripts now.
        (self.around.changed)();
        Ok(page)
    }
}

fn view(entry: &Entry) -> HookView {
    HookView {
        hook: entry.hook.clone(),
        stats: entry.stats(),
        tripped: entry.is_tripped(),
        last_error: entry.last_error(),
    }
}

fn shown(page: &Page, id: &str) -> Result<HookView, Fault> {
    page.get(id).map(|entry| view(entry)).ok_or_else(|| faults::unknown(id))
}

/// Where and when the next hook comes: after all others, in both respects, so that ties are decided.
fn next(page: &Page) -> (serde_json::Number, i64) {
    let hooks = || page.all().iter().map(|entry| &entry.hook);
    let last = hooks().map(|hook| hook.created_at.saturating_add(1)).max();
    (Hook::place_after(hooks()), now().max(last.unwrap_or(i64::MIN)))
}

/// New hooks from drafts, with names that are free.
fn numbered(page: &Page, drafts: Vec<HookDraft>, ids: &[String]) -> Vec<Hook> {
    let mut names: HashSet<String> = page.all().iter().map(|entry| entry.hook.name.clone()).collect();
    let (_, mut time) = next(page);
    let mut hooks: Vec<Hook> = Vec::with_capacity(drafts.len());
    for (mut draft, id) in drafts.into_iter().zip(ids) {
        draft.name = free_name(draft.name, |name| names.contains(name));
        names.insert(draft.name.clone());
        let place = Hook::place_after(page.all().iter().map(|entry| &entry.hook).chain(&hooks));
        hooks.push(Hook::new(id.clone(), draft.clone(), place, time));
        time = time.saturating_add(1);
    }
    hooks
}

/// The name itself, or the first of `name_1`, `name_2`, … that is free; cut where it would be too long.
fn free_name(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&name) {
        return name;
    }
    let numbered = (1_u64..).map(|n| {
        let suffix = format!("_{n}");
        let stem: String = name.chars().take(HOOK_NAME_MAX - suffix.len()).collect();
        stem + &suffix
    });
    numbered.into_iter().find(|name| !is_taken(name)).expect("there are more numbers than hooks")
}

/// The hooks whose place changes when they are ordered like `ids`.
fn moved(page: &Page, ids: &[String]) -> Result<Vec<Hook>, Fault> {
    let known: HashMap<&str, &Hook> =
        page.all().iter().map(|entry| (entry.hook.id.as_str(), &entry.hook)).collect();
    let mut seen = HashSet::new();
    let twice: Vec<&str> = ids.iter().map(String::as_str).filter(|id| !seen.insert(*id)).collect();
    let unknown: Vec<&str> = ids.iter().map(String::as_str).filter(|id| !known.contains_key(id)).collect();
    let all = page.all().iter().map(|entry| entry.hook.id.as_str());
    let missing: Vec<&str> = all.filter(|id| !seen.contains(id)).collect();
    let problems = [("twice", "name a hook twice", twice), ("unknown", "name an unknown hook", unknown)];
    let problems = problems.into_iter().chain([("missing", "leave a hook out", missing)]);
    for (key, words, wrong) in problems {
        if let Some(first) = wrong.first() {
            let message = format!("ids {words}: '{first}'; give every id exactly once");
            let fault = Fault::new(Code::ValidationError, message).with("field", "ids");
            return Err(fault.with(key, serde_json::json!(&wrong[..wrong.len().min(NAMED_MAX)])));
        }
    }
    let now = now();
    let placed = (0_u64..).zip(ids).filter_map(|(place, id)| Some((place, *known.get(id.as_str())?)));
    let moved = placed.filter(|(place, hook)| hook.execution_order != (*place).into());
    Ok(moved.map(|(place, hook)| hook.moved(place.into(), now)).collect())
}

/// 16 random bytes as hexadecimal digits.
pub(crate) fn fresh_id() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    model::text::hex(&bytes)
}

#[cfg(test)]
mod tests;
