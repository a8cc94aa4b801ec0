//! A TCP proxy that hands connections out in turn, and that can be cut.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How often a connection looks whether the line is cut.
const LOOK: Duration = Duration::from_millis(20);

/// A proxy on loopback; it ends with the value.
pub struct Proxy {
    /// Where it listens.
    pub port: u16,
    line: Arc<Line>,
}

struct Line {
    targets: Mutex<Vec<u16>>,
    turn: AtomicUsize,
    cut: AtomicBool,
    over: AtomicBool,
}

impl Proxy {
    /// A proxy to these ports on loopback, each in its turn.
    pub fn to(targets: &[u16]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
        let port = listener.local_addr().expect("a listener has an address").port();
        let line = Arc::new(Line {
            targets: Mutex::new(targets.to_vec()),
            turn: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            over: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&line);
        thread::spawn(move || {
            for client in listener.incoming() {
                if accepting.over.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(client) = client {
                    let line = Arc::clone(&accepting);
                    thread::spawn(move || line.join(client));
                }
            }
        });
        Self { port, line }
    }

    /// Other targets, for connections from now on.
    pub fn retarget(&self, targets: &[u16]) {
        *self.line.targets.lock().expect("no panic") = targets.to_vec();
    }

    /// From now on nothing passes in either direction, and nobody is told.
    pub fn cut(&self) {
        self.line.cut.store(true, Ordering::SeqCst);
    }

    /// What comes from now on passes again. Connections that were there are closed, as after a long silence.
    pub fn heal(&self) {
        self.line.cut.store(false, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.line.over.store(true, Ordering::SeqCst);
        // The listener looks up.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl Line {
    /// Joins a client with the target whose turn it is.
    fn join(self: &Arc<Self>, client: TcpStream) {
        if self.swallow(&client) {
            return;
        }
        let targets = self.targets.lock().expect("no panic").clone();
        let turn = self.turn.fetch_add(1, Ordering::SeqCst);
        // A target that is down is passed over, as a load balancer does.
        let open = (0..targets.len()).find_map(|next| {
            let port = targets[(turn + next) % targets.len()];
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()
        });
        let Some(target) = open else { return };
        let (Ok(here), Ok(there)) = (client.try_clone(), target.try_clone()) else { return };
        let line = Arc::clone(self);
        thread::spawn(move || line.carry(here, there));
        self.carry(target, client);
    }

    fn carry(&self, mut from: TcpStream, mut to: TcpStream) {
        let _ = from.set_read_timeout(Some(LOOK));
        let mut bytes = [0; 16 * 1024];
        loop {
            if self.swallow(&from) {
                break;
            }
            match from.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => {
                    if self.swallow(&from) || to.write_all(&bytes[..count]).is_err() {
                        break;
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => break,
            }
        }
        let _ = to.shutdown(Shutdown::Write);
        if self.over.load(Ordering::SeqCst) {
            let _ = from.shutdown(Shutdown::Both);
        }
    }

    /// While the line is cut, waits in silence; says whether it was, because what was on its way is lost then.
    fn swallow(&self, connection: &TcpStream) -> bool {
        if !self.cut.load(Ordering::SeqCst) {
            return false;
        }
        while self.cut.load(Ordering::SeqCst) && !self.over.load(Ordering::SeqCst) {
            thread::sleep(LOOK);
        }
        let _ = connection.shutdown(Shutdown::Both);
        true
    }
}
