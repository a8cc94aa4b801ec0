//! Servers, their tools and their processes.

use super::process;
use super::text::Text;
use gateway::{Gateway, Server};
use model::Status;
use std::sync::Arc;

pub(super) fn write(text: &mut Text, gateway: &Gateway) {
    let registry = gateway.registry();
    let servers = registry.servers();
    text.family("lockgate_server_up", "gauge", "1 while the server is running.");
    for server in servers {
        let up = u8::from(server.status() == Status::Running);
        text.sample("lockgate_server_up", &[("server", server.name())], up);
    }
    text.family("lockgate_server_restarts_total", "counter", "How often the server was started again.");
    for server in servers {
        text.sample("lockgate_server_restarts_total", &[("server", server.name())], server.view().restarts);
    }
    load(text, servers);
    memory(text, servers);
    calls(text, servers);
}

fn load(text: &mut Text, servers: &[Arc<Server>]) {
    let loads: Vec<_> = servers.iter().map(|server| (server.name(), server.load())).collect();
    let name = "lockgate_server_requests_in_flight";
    text.family(name, "gauge", "Requests that wait for the server's reply.");
    for (server, (in_flight, _)) in &loads {
        text.sample(name, &[("server", server)], in_flight);
    }
    let name = "lockgate_server_queue_bytes";
    text.family(name, "gauge", "Bytes that the server's process has not read yet.");
    for (server, (_, waiting)) in &loads {
        text.sample(name, &[("server", server)], waiting);
    }
}

fn memory(text: &mut Text, servers: &[Arc<Server>]) {
    let name = "lockgate_server_resident_memory_bytes";
    text.family(name, "gauge", "Memory of the server's own process; what it started is not counted.");
    for server in servers {
        if let Some(bytes) = server.view().pid.and_then(|pid| process::resident(&pid.to_string())) {
            text.sample(name, &[("server", server.name())], bytes);
        }
    }
}

fn calls(text: &mut Text, servers: &[Arc<Server>]) {
    let name = "lockgate_calls_total";
    text.family(name, "counter", "Calls that reached a server, by outcome.");
    for server in servers {
        for (tool, outcome, count) in server.outcomes() {
            text.sample(name, &[("server", server.name()), ("tool", &tool), ("outcome", outcome)], count);
        }
    }
    let name = "lockgate_call_duration_seconds";
    text.family(name, "histogram", "Time from the request to the server's reply.");
    for server in servers {
        text.histogram(name, &[("server", server.name())], server.times());
    }
    let name = "lockgate_tool_duration_seconds";
    text.family(name, "summary", "The same by tool, as a number and a sum.");
    for server in servers {
        for (tool, count, sum) in server.tool_times() {
            text.summary(name, &[("server", server.name()), ("tool", &tool)], count, sum);
        }
    }
}
