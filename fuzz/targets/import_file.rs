//! The configuration of a desktop client: no text makes the import panic or hang, a refusal is one
//! line, and what would be added keeps the rules, and would not be added twice.

#![no_main]

use config::import::{Verdict, plan};
use libfuzzer_sys::fuzz_target;
use model::ServerEntry;
use std::collections::HashSet;

fuzz_target!(|text: &str| match plan(text, &[]) {
    Ok(plan) => {
        let new: Vec<ServerEntry> = plan.new_servers().cloned().collect();
        let names: HashSet<&str> = new.iter().map(|server| server.name.as_str()).collect();
        assert_eq!(names.len(), new.len());
        assert!(new.iter().all(|server| server.check(u64::MAX).is_ok()));
        for entry in &plan.entries {
            assert_eq!(entry.server.is_some(), entry.verdict == Verdict::New);
            assert_eq!(entry.reason.is_none(), entry.verdict == Verdict::New);
        }
        let again = config::import::plan(text, &new).expect("the same text is read again");
        assert_eq!(again.new_servers().count(), 0);
    }
    Err(error) => {
        let line = error.to_string();
        assert!(!line.is_empty() && !line.contains(['\n', '\r']), "{line:?}");
    }
});
