//! Bodies that define hooks and workflows: no text makes a reader panic, a refusal names its field, and what
//! passes can be exported and taken in again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model::{HookDraft, HookPatch, SCRIPT_MAX, Workflow, WorkflowDraft, WorkflowError, WorkflowPatch};
use serde_json::Value;

const KINDS: [&str; 7] = ["start", "end", "mcp-call", "hook", "condition", "variable", "activity"];

fuzz_target!(|text: &str| {
    match WorkflowDraft::parse(text, &KINDS) {
        Ok(draft) => stored(draft),
        Err(error) => named(&error),
    }
    let _ = WorkflowDraft::sketch(text, &KINDS);
    let _ = WorkflowPatch::parse(text, &KINDS);
    let Ok(body) = serde_json::from_str::<Value>(text) else { return };
    let errors = [HookDraft::parse(&body).err(), HookPatch::parse(&body).err()];
    errors.iter().flatten().for_each(|error| assert!(!error.path.is_empty()));
    if let Ok(drafts) = HookDraft::parse_all(&body) {
        assert!(drafts.iter().all(|draft| !draft.name.is_empty() && draft.script.len() <= SCRIPT_MAX));
    }
});

fn named(error: &WorkflowError) {
    assert!(!error.to_string().is_empty());
}

fn stored(draft: WorkflowDraft) {
    let workflow = Workflow::new("w".into(), draft, 0);
    let export = workflow.export();
    let again = WorkflowDraft::parse(&export, &KINDS).expect("an export can be taken in");
    assert_eq!(Workflow::new("w".into(), again, 0).export(), export);
    if let Ok(procedure) = workflow.procedure() {
        assert!(!procedure.name.is_empty());
    }
}
