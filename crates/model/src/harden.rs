//! What a server's process may use and reach (Linux): resource limits, privileges, files, system calls.

use serde::{Deserialize, Serialize};

/// Bytes that `memory` may be.
pub const MEMORY: (u64, u64) = (1 << 20, 1 << 50);
/// Seconds that `cpuTime` may be.
pub const CPU_TIME: (u64, u64) = (1, 1 << 30);
/// Open files that `files` may be; fewer leave no room for the program itself.
pub const FILES: (u64, u64) = (8, 1 << 20);
/// Processes that `processes` may be.
pub const PROCESSES: (u64, u64) = (1, 1 << 20);

/// `servers[].harden`: every measure that is given is taken, or the server does not start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Harden {
    /// Bytes of memory that each process of the server may hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Seconds that each process of the server may compute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_time: Option<u64>,
    /// Files and connections that each process of the server may have open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Processes and threads that the user of the gateway may have when the server starts another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Whether programs that the server starts are kept from gaining rights, such as by `sudo`.
    pub no_new_privileges: bool,
    /// The files that the server reaches; all that the user of the gateway may reach when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landlock: Option<Landlock>,
    /// Whether system calls that no server needs are refused, such as mounting and tracing.
    pub seccomp: bool,
    /// Whether the server starts all the same where the system lacks a measure.
    pub optional: bool,
}

/// `servers[].harden.landlock`: full paths of folders and files, with all below them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Landlock {
    /// What may be read and executed, besides the system's own programs and libraries.
    pub read: Vec<String>,
    /// What may be read, executed and written.
    pub write: Vec<String>,
}

impl Default for Harden {
    fn default() -> Self {
        Self {
            memory: None,
            cpu_time: None,
            files: None,
            processes: None,
            no_new_privileges: true,
            landlock: None,
            seccomp: false,
            optional: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_empty_section_only_keeps_from_new_privileges() {
        let harden: Harden = serde_json::from_value(json!({})).expect("the shape is right");
        assert_eq!(harden, Harden::default());
        assert_eq!(
            serde_json::to_value(&harden).expect("it is data"),
            json!({"noNewPrivileges": true, "seccomp": false, "optional": false})
        );
        assert!(serde_json::from_value::<Harden>(json!({"memmory": 5})).is_err());
    }
}
