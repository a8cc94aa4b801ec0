//! A free port that no other test picks at the same time.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};

/// A port number, reserved among tests as long as this value lives.
pub struct Port {
    /// The number.
    pub number: u16,
    _lock: File,
}

impl Port {
    /// Lets the system name a free port and locks a file of that name, so that tests running in other
    /// processes do not get the same one between its release and its use.
    pub fn free() -> Self {
        let folder = std::env::temp_dir().join("lockgate-test-ports");
        std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
        loop {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
            let number = listener.local_addr().expect("a listener has an address").port();
            let lock = File::create(folder.join(number.to_string())).expect("a lock file can be made");
            if lock.try_lock().is_ok() {
                return Self { number, _lock: lock };
            }
        }
    }
}
