//! Workflow graphs that passed as definitions: whatever their shape, the validator comes to an end, says what it
//! found, and the diagram can be drawn; and plug-ins, which add types of nodes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model::{Workflow, WorkflowDraft};
use workflow::{KIND_NAMES, Plugin, diagram, reason, validate};

fuzz_target!(|text: &str| {
    if let Ok(plugin) = Plugin::parse(text) {
        assert!(!plugin.name().is_empty());
    }
    let Ok(draft) = WorkflowDraft::sketch(text, &KIND_NAMES) else { return };
    let workflow = Workflow::new("w".into(), draft, 0);
    let problems = validate(&workflow);
    let _ = reason(&problems);
    assert!(diagram::svg(&workflow, None).starts_with("<svg"));
    assert!(!diagram::mermaid(&workflow, None).is_empty());
});
