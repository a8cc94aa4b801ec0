//! The MCP endpoint as clients of both eras see it, over every transport (spec 1.4 and part 6).

mod asked;
mod away;
mod catalog;
mod door;
mod errors;
mod faults;
mod fidelity;
mod itself;
mod legacy;
mod modern;
mod names;
mod owners;
mod progress;
mod remote;
mod resume;
mod rounds;
mod said;
mod scope;
mod sessions;
mod sparse;
mod sse;
mod standing;
mod stdio;
mod subscriptions;
mod tasks;
mod together;
mod translation;

use serde_json::Value;
use testkit::{Builder, Folder, Server, TestGateway};

/// A gateway whose only server is the fixture, as `one`, set up by the closure.
#[track_caller]
fn one(edit: impl FnOnce(Server) -> Server) -> TestGateway {
    TestGateway::builder().server("one", edit).start()
}

/// A gateway whose servers are shell scripts, each under its name, and more.
#[track_caller]
fn scripted(servers: &[(&str, String)], more: impl FnOnce(Builder) -> Builder) -> TestGateway {
    let folder = Folder::new();
    let add = |builder: Builder, (name, script): &(&str, String)| {
        let path = folder.write(&format!("{name}.sh"), script);
        let path = path.to_str().expect("the path of a folder is UTF-8");
        builder.server(name, |s| s.command("sh").args(&[path]))
    };
    more(servers.iter().fold(TestGateway::builder(), add)).start_in(folder)
}

/// A legacy server as a shell script, which answers as these cases say: `reply` takes the members of a result. What is
/// none of them is an error.
fn answering(cases: &str) -> String {
    const SERVER: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$id" "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$line" in
    CASES
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;
    // An argument has at most 1,000 characters.
    SERVER.replace("CASES", cases).lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

/// A server that speaks the modern era.
fn in_modern(server: Server) -> Server {
    server.env("FX_ERA", "modern")
}

/// The first text of a result.
#[track_caller]
fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"))
}
