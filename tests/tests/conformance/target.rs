//! What the suite is pointed at: the running fixture, or a running gateway in front of it.

use crate::cell::{Cell, Place, Transport};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use testkit::{Server, TestGateway, conformance_fixture};

/// Processes that end with this value.
pub(crate) struct Target {
    gateway: Option<TestGateway>,
    fixture: Option<Fixture>,
}

/// The fixture on a port of its own.
struct Fixture {
    child: Child,
    port: u16,
}

impl Target {
    pub(crate) fn start(cell: Cell) -> Self {
        let fixture = (cell.transport != Transport::Stdio).then(|| Fixture::start(cell));
        let gateway = (cell.place == Place::Gateway).then(|| {
            let edit = |server| Self::server(cell, fixture.as_ref(), server);
            TestGateway::builder().server("fixture", edit).start()
        });
        Self { gateway, fixture }
    }

    /// The address of the endpoint.
    pub(crate) fn url(&self) -> String {
        let gateway = self.gateway.as_ref().map(|gateway| gateway.http().port);
        let port = gateway.or(self.fixture.as_ref().map(|fixture| fixture.port));
        format!("http://127.0.0.1:{}/mcp", port.expect("the fixture alone has no endpoint over stdio"))
    }

    /// The entry of the fixture in the gateway's config.
    fn server(cell: Cell, fixture: Option<&Fixture>, server: Server) -> Server {
        let Some(fixture) = fixture else {
            let program = conformance_fixture();
            let program = program.to_str().expect("the path of the build is UTF-8");
            return server.command(program).args(&["--stdio", "--era", &cell.server.to_string()]);
        };
        let path = if cell.transport == Transport::Sse { "sse" } else { "mcp" };
        let url = format!("http://127.0.0.1:{}/{path}", fixture.port);
        server.raw("command", "").raw("url", &json!(url).to_string())
    }
}

impl Fixture {
    /// Starts the fixture and waits for its port.
    fn start(cell: Cell) -> Self {
        let mut command = Command::new(conformance_fixture());
        command.arg(format!("--{}", cell.transport)).args(["0", "--era", &cell.server.to_string()]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the fixture can be started");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the fixture can be read");
        let port = line.trim().parse().expect("the fixture prints its port");
        Self { child, port }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
