//! How loud each legacy client wants its log messages; modern servers are told with every request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What a client that did not say gets.
const USUAL: &str = "info";

/// How many clients are remembered; beyond that the usual level holds.
const CLIENTS_MAX: usize = 10_000;

/// Levels by client.
#[derive(Default)]
pub(super) struct Levels {
    by_guest: Mutex<HashMap<u64, String>>,
}

impl Levels {
    pub(super) fn set(&self, guest: u64, level: String) {
        let mut all = self.by_guest.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < CLIENTS_MAX || all.contains_key(&guest) {
            all.insert(guest, level);
        }
    }

    pub(super) fn get(&self, guest: u64) -> String {
        let all = self.by_guest.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&guest).cloned().unwrap_or_else(|| USUAL.to_owned())
    }

    pub(super) fn forget(&self, guest: u64) {
        self.by_guest.lock().unwrap_or_else(PoisonError::into_inner).remove(&guest);
    }
}
