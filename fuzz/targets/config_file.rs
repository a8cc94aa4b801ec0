//! The config file: no text makes the reader panic or hang, a refusal is one line, and what passes
//! keeps the rules of a server.

#![no_main]

use config::Environment;
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

fuzz_target!(|text: &str| {
    match config::parse(text, &Environment::default()) {
        Ok(parsed) => {
            let max = parsed.settings.max_timeout;
            let names: HashSet<&str> = parsed.servers.iter().map(|server| server.name.as_str()).collect();
            assert_eq!(names.len(), parsed.servers.len());
            assert!(!names.is_empty());
            assert!(parsed.servers.iter().all(|server| server.check(max).is_ok()));
        }
        Err(error) => {
            let line = error.to_string();
            assert!(!line.is_empty() && !line.contains(['\n', '\r']), "{line:?}");
        }
    }
});
