//! Processes below the fixture, for tests that no descendant outlives the gateway.

use std::process::{Child, Command, Stdio};

/// The grandchildren of the gateway; they are left alone when the fixture ends.
pub(crate) struct Descendants(Vec<Child>);

impl Descendants {
    /// Starts an ordinary one and one in a session of its own, or none.
    pub(crate) fn start(wanted: bool) -> Self {
        if !wanted {
            return Self(Vec::new());
        }
        let plain = spawn(Command::new("sleep").arg("1000"));
        let apart = spawn(Command::new("setsid").args(["sleep", "1000"]));
        Self(vec![plain, apart])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn pids(&self) -> Vec<u32> {
        self.0.iter().map(Child::id).collect()
    }
}

/// Without the pipes of the gateway: a descendant that held them would hide the end of the fixture.
fn spawn(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sleep and setsid are on PATH")
}
