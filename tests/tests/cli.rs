//! The command line (spec 1.2).

use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::{Answered, Builder, Folder, Output, Served, TestGateway};

fn one() -> Builder {
    TestGateway::builder().server("test-server", |s| s.env("API_KEY", "${SECRET}"))
}

fn plain(args: &[&str]) -> Output {
    let folder = Folder::new();
    Output::of(TestGateway::builder().command(&folder).args(args))
}

#[test]
fn help_names_every_command_and_flag() {
    let help = plain(&["--help"]);
    help.expect_code(0);
    for word in ["serve", "check", "import", "tools", "call", "doctor", "demo-server"] {
        help.expect_text(word);
    }
    for flag in ["--config", "--data", "--port", "--host"] {
        help.expect_text(flag);
    }
    plain(&["--version"]).expect_code(0).expect_text("lockgate");
}

#[test]
fn an_unknown_command_or_flag_is_refused() {
    for args in [&["dance"][..], &["--dance"], &["check", "--dance"], &["--port", "many"]] {
        let output = plain(args);
        assert!(output.code.is_some_and(|code| code != 0), "{output:#?}");
        assert!(!output.stderr.is_empty(), "{output:#?}");
    }
}

#[test]
fn check_prints_the_effective_settings_without_secrets() {
    let folder = Folder::new();
    let output = one()
        .server("other", |s| s.shell("touch started; exec FIXTURE").timeout(4321))
        .setting("restartPolicy: on-failure")
        .env("SECRET", "s3cret-value")
        .run_in(&folder, &["check"]);
    output.expect_code(0).refuse_text("s3cret-value");
    for part in ["test-server", "other", "4321", "on-failure", "API_KEY"] {
        output.expect_text(part);
    }
    assert!(!folder.join("started").exists(), "no server is started");
}

#[test]
fn check_names_the_place_of_the_store_and_refuses_one_that_is_none() {
    let folder = Folder::new();
    let place = format!("\"sqlite:{}\"", folder.data().join("lockgate.db").display());
    one().run_in(&folder, &["check"]).expect_code(0).expect_text(&place);
    for command in ["check", "serve"] {
        let output = one().setting("store: {url: 'postgres://'}").run(&[command]);
        output.expect_code(1).expect_text("Error: Invalid config.yaml: store.url needs a host");
    }
}

#[test]
fn check_compiles_the_scripts_and_says_line_and_column() {
    let activity = |script: &str| json!([{"name": "a", "description": "a", "run": {"script": script}}]);
    let checked = |activities: &Value, step: Value| {
        let workflows = json!([{"name": "w", "description": "w", "steps": [step, {"activity": "a"}]}]);
        one().setting(&format!("activities: {activities}\nworkflows: {workflows}")).run(&["check"])
    };
    let good = activity("return {data: 1}");
    checked(&good, json!({"activity": "a"})).expect_code(0).expect_text("\"servers\"");
    let output = checked(&activity("const x = 1;\nreturn {data: x +* 2}"), json!({"activity": "a"}));
    output.expect_code(1).expect_text("Invalid config.yaml: activities[0].run.script does not compile: ");
    output.expect_text("(line 2, column 18)");
    let output = checked(&good, json!({"activity": "a", "condition": "memory.x ==* 1"}));
    output.expect_code(1).expect_text("workflows[0].steps[0].condition does not compile: ");
    output.expect_text("(line 1, column 12)");
    let output = checked(&good, json!({"activity": "a", "inputMapper": "({ a: 1"}));
    output.expect_code(1).expect_text("workflows[0].steps[0].inputMapper does not compile: ");
}

#[test]
fn check_refuses_with_the_line_of_the_gateway() {
    let output = one().server("late", |s| s.timeout(400_000)).run(&["check"]);
    output
        .expect_code(1)
        .expect_text("Error: Invalid config.yaml: servers[1].timeout exceeds maximum value (300000)");
}

#[test]
fn check_refuses_the_variables_that_serve_refuses() {
    for (name, value, told) in [
        ("TOKIO_WORKER_THREADS", "0", "TOKIO_WORKER_THREADS must be a whole number from 1, and is '0'"),
        ("LOCKGATE_SECRET_KEY", "s3cret", "at least 32 characters"),
    ] {
        for command in ["check", "serve"] {
            let output = one().env(name, value).run(&[command]);
            output.expect_code(1).expect_text(name).expect_text(told).refuse_text("s3cret");
        }
    }
}

#[test]
fn tools_are_listed() {
    let output = one().run(&["tools"]);
    output.expect_code(0);
    for name in ["calculate-bmi", "fetch-weather", "internal_x", "public_y", "test-server"] {
        assert!(output.stdout.contains(name), "{name} is missing in {output:#?}");
    }
}

fn json_of(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e} in {output:#?}"))
}

#[test]
fn one_call_is_made_and_its_result_printed() {
    let output = one().run(&["call", "test-server", "echo", r#"{"a":[1,"é"]}"#]);
    output.expect_code(0);
    assert!(json_of(&output).to_string().contains(r#""a":[1,"é"]"#), "{output:#?}");
    let output = one().run(&["call", "test-server", "plain"]);
    output.expect_code(0);
    assert!(output.stdout.contains("hello"), "the input may be left out: {output:#?}");
}

#[test]
fn tools_of_workflows_are_listed_and_published_activities_are_called() {
    let double = json!({"name": "double", "description": "Doubles", "publish": true,
        "run": {"script": "return {data: {result: context.input.n * 2}}"}});
    let bmi = json!({"name": "bmi", "description": "b", "publish": true,
        "run": {"tool": {"server": "test-server", "name": "calculate-bmi"}}});
    let workflow = json!({"name": "w", "description": "W", "steps": [{"activity": "double"}]});
    let definitions = format!("activities: {}\nworkflows: {}", json!([double, bmi]), json!([workflow]));
    let gateway = one().setting(&definitions);
    let output = gateway.run(&["tools"]);
    output.expect_code(0);
    for listed in [["test-server", "echo"], ["lockgate", "w_start"], ["lockgate", "double"]] {
        let mut lines = output.stdout.lines().map(|line| line.split_whitespace().take(2));
        assert!(lines.any(|words| words.eq(listed)), "{listed:?}: {output:#?}");
    }
    let output = gateway.run(&["tools", "lockgate", "--json"]);
    output.expect_code(0);
    let tools = json_of(&output)["tools"].as_array().expect("a list").clone();
    assert_eq!(tools.len(), 7, "{tools:?}");
    let tool = tools.iter().find(|tool| tool["name"] == "double").expect("the activity");
    assert_eq!(
        (&tool["server"], &tool["outputSchema"], &tool["timeout"]),
        (&json!("lockgate"), &json!(null), &json!(30_000))
    );
    for (tool, input, result) in [
        ("double", r#"{"n":4}"#, json!({"result": 8})),
        ("bmi", r#"{"weight_kg":70,"height_m":1.75}"#, json!({"result": 22.857_142_857_142_858})),
    ] {
        let output = gateway.run(&["call", "lockgate", tool, input]);
        assert_eq!(json_of(output.expect_code(0)), result);
    }
    for (tool, part) in [("w_start", "works on a session"), ("nothing", "Tool 'nothing' not found")] {
        gateway.run(&["call", "lockgate", tool]).expect_code(1).expect_text(part);
    }
}

#[test]
fn a_call_that_fails_says_why_and_ends_with_1() {
    for (words, part) in [
        (&["call", "test-server", "nothing", "{}"][..], "Tool 'nothing' not found"),
        (&["call", "nobody", "echo", "{}"], "MCP Server 'nobody' not found"),
        (&["call", "test-server", "fetch-weather", r#"{"city":"x"}"#], "Invalid city."),
        (&["call", "test-server", "echo", "[1]"], "input must be a JSON object"),
        (&["call", "test-server", "echo", r#"{"constructor":1}"#], "input contains forbidden key"),
    ] {
        one().run(words).expect_code(1).expect_text(part);
    }
    one().run(&["call", "test-server", "echo", "{"]).expect_code(1);
}

#[test]
fn a_command_leaves_no_child_behind() {
    let folder = Folder::new();
    let builder = TestGateway::builder().server("test-server", |s| s.shell("echo $$ > pid; exec FIXTURE"));
    builder.run_in(&folder, &["call", "test-server", "plain"]).expect_code(0);
    let pid = folder.read("pid").trim().parse().expect("the server left its process id");
    testkit::wait_gone(&[pid]);
}

const DESKTOP: &str = r#"{"mcpServers": {
    "files": {"command": "npx", "args": ["-y", "a server", "/tmp"], "env": {"TOKEN": "t"}},
    "time": {"command": "uvx", "args": ["mcp-server-time"]}
}}"#;

#[test]
fn import_shows_what_it_would_add_and_changes_nothing_unless_told() {
    let folder = Folder::new();
    folder.write("desktop.json", DESKTOP);
    let builder = one();
    let output = builder.run_in(&folder, &["import", "desktop.json"]);
    output.expect_code(0);
    for part in ["files", "time", "--write"] {
        assert!(output.stderr.contains(part), "{part} is missing in {output:#?}");
    }
    let entries: Value = serde_saphyr::from_str(&output.stdout).expect("standard output is YAML");
    assert_eq!(
        entries,
        json!({"servers": [
            {"name": "files", "command": "npx", "args": ["-y", "a server", "/tmp"], "env": {"TOKEN": "t"},
                "inheritEnv": ["PATH", "HOME"]},
            {"name": "time", "command": "uvx", "args": ["mcp-server-time"], "inheritEnv": ["PATH", "HOME"]},
        ]})
    );
    folder.write("new.yaml", &output.stdout);
    let mut check = TestGateway::builder().command(&folder);
    Output::of(check.args(["check", "--config", "new.yaml"])).expect_code(0);
    assert!(!folder.read("gateway.yaml").contains("uvx"), "a dry run by default");
}

#[test]
fn import_can_write_the_entries_into_the_config() {
    let folder = Folder::new();
    folder.write("desktop.json", DESKTOP);
    let builder = one();
    builder.run_in(&folder, &["import", "desktop.json", "--write"]).expect_code(0);
    let config = folder.read("gateway.yaml");
    for part in ["npx", "a server", "TOKEN", "mcp-server-time", "inheritEnv", "PATH", "HOME"] {
        assert!(config.contains(part), "{part} is missing in {config}");
    }
    let mut check = TestGateway::builder().command(&folder);
    let output = Output::of(check.args(["check", "--config", "gateway.yaml"]));
    output.expect_code(0);
    for part in ["test-server", "files", "time", "HOME"] {
        output.expect_text(part);
    }
}

#[test]
fn import_leaves_out_the_entry_by_which_a_client_reaches_the_gateway() {
    const REASON: &str = "skipped  this is Lockgate itself";
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/clients");
    for file in ["claude-code.json", "claude-desktop.json", "cursor.json", "vscode.json"] {
        let file = examples.join(file);
        let output = one().run(&["import", file.to_str().expect("UTF-8")]);
        output.expect_code(0).expect_text(REASON).expect_text("Nothing to add.");
    }
    let gate = |url: &str| json!({"mcpServers": {"gate": {"url": url}}}).to_string();
    let folder = Folder::new();
    for (url, port, skipped) in [
        ("http://localhost:3001/sse", None, true),
        ("http://[::1]:4000/mcp?x=1", Some("4000"), true),
        ("http://127.0.0.1:3001/mcp", Some("4000"), false),
        ("http://127.0.0.1:3001/other", None, false),
        ("http://gate.example:3001/mcp", None, false),
    ] {
        folder.write("client.json", &gate(url));
        let words = ["import", "client.json", "--port", port.unwrap_or("3001")];
        let output = one().run_in(&folder, &words[..if port.is_some() { 4 } else { 2 }]);
        assert_eq!(output.expect_code(0).stderr.contains(REASON), skipped, "{url}: {output:#?}");
    }
    folder.write("client.json", &gate("http://127.0.0.1:4000/mcp"));
    let mut bare = TestGateway::builder().env("PORT", "4000").command(&folder);
    bare.args(["import", "client.json", "--config", "none.yaml"]);
    Output::of(&mut bare).expect_code(0).expect_text(REASON);
}

#[test]
fn an_import_over_the_api_leaves_it_out_too() {
    let gateway = TestGateway::with(|s| s);
    let url = format!("http://127.0.0.1:{}/mcp", gateway.http().port);
    let text = json!({"mcpServers": {"gate": {"url": url}}}).to_string();
    let reply = gateway.post("/api/servers/import?dryRun=true", json!({"text": text}));
    reply.expect_status(200);
    assert_eq!(reply.body[0]["verdict"], "skipped", "{}", reply.text());
}

#[test]
fn import_refuses_what_it_cannot_read() {
    let folder = Folder::new();
    folder.write("broken.json", "{");
    for file in ["broken.json", "absent.json"] {
        let output = one().run_in(&folder, &["import", file]);
        assert!(output.code.is_some_and(|code| code != 0), "{output:#?}");
        assert!(!output.stderr.is_empty(), "{output:#?}");
    }
}

#[test]
fn doctor_finds_the_reason_why_a_server_would_not_start() {
    one().env("SECRET", "s3cret-value").run(&["doctor"]).expect_code(0).refuse_text("s3cret-value");
    let output = one().server("broken", |s| s.command("no-such-program-anywhere")).run(&["doctor"]);
    output.expect_code(1).expect_text("broken").expect_text("no-such-program-anywhere");
}

#[test]
fn doctor_names_a_fix_for_a_status_also_where_the_server_says_more() {
    for (status, fix) in
        [(401, "`headers`"), (403, "`headers`"), (404, "/mcp or /sse"), (405, "/mcp or /sse")]
    {
        let elsewhere = Served::start(move |_, _| {
            Answered::json(status, &json!({"error": {"code": "X", "message": "not this way"}}))
        });
        let url = json!(elsewhere.url()).to_string();
        let there = TestGateway::builder().server("there", |s| s.raw("command", "").raw("url", &url));
        let output = there.run(&["doctor"]);
        output.expect_code(1).expect_text(&format!("not this way (HTTP status {status})")).expect_text(fix);
    }
}

#[test]
fn doctor_names_the_status_with_which_a_list_was_refused() {
    let elsewhere = Served::start(|request, _| {
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let welcome = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "there", "version": "1"}});
        match body["method"].as_str().unwrap_or_default() {
            "initialize" => {
                Answered::json(200, &json!({"jsonrpc": "2.0", "id": body["id"], "result": welcome}))
            }
            "notifications/initialized" => Answered::json(202, &json!({})),
            "tools/list" => Answered::json(403, &json!({"error": {"code": "X", "message": "not for you"}})),
            _ => Answered::json(404, &json!({})),
        }
    });
    let url = json!(elsewhere.url()).to_string();
    let there = TestGateway::builder().server("there", |s| s.raw("command", "").raw("url", &url));
    let output = there.run(&["doctor"]);
    output.expect_code(1).expect_text("tools/list: not for you (HTTP status 403)").expect_text("`headers`");
}

#[test]
fn the_demo_server_has_two_tools() {
    let lockgate = testkit::lockgate();
    let gateway = TestGateway::builder()
        .server("demo", |s| s.command(lockgate.to_str().expect("UTF-8")).args(&["demo-server"]))
        .start();
    let tools: Vec<String> = gateway.tools().into_iter().map(|(_, name)| name).collect();
    assert_eq!(tools, ["calculate-bmi", "fetch-weather"]);
    let bmi = gateway.call("demo", "calculate-bmi", json!({"weight_kg": 70, "height_m": 1.75}));
    assert_eq!(bmi.result()["result"], 22.857142857142858);
    gateway.call("demo", "fetch-weather", json!({"city": "tokyo"})).expect_status(200);
}

#[test]
fn the_demo_server_ends_with_its_input() {
    let mut demo = testkit::Stdio::start(Command::new(testkit::lockgate()).arg("demo-server"), &[]);
    let answer = demo.ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}}));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    demo.close_input();
    assert_eq!(demo.wait_exit(), Some(0));
}

#[test]
fn serve_may_be_said_or_left_out() {
    let folder = Folder::new();
    folder.write_config("servers: []");
    for words in [&["serve", "--config", "gateway.yaml"][..], &["--config", "gateway.yaml"]] {
        let output = Output::of(TestGateway::builder().command(&folder).args(words));
        output.expect_code(1).expect_text("Error: Invalid config.yaml: ");
    }
}

/// How a command ends whose standard output is that.
fn ended(folder: &Folder, words: &[&str], stdout: impl Into<Stdio>) -> (Option<i32>, String) {
    let mut command = one().command(folder);
    command.args(words).arg("--config").arg(folder.config()).arg("--data").arg(folder.data());
    let output = command.stdout(stdout).output().expect("the program can be started");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_command_whose_output_is_lost_fails() {
    let folder = Folder::new();
    one().run_in(&folder, &["check"]).expect_code(0);
    let full = || File::options().write(true).open("/dev/full").expect("/dev/full");
    for words in [&["check"][..], &["tools"], &["completions", "bash"], &["key", "list"]] {
        if words[0] == "key" {
            one().run_in(&folder, &["key", "create", "kept"]).expect_code(0);
        }
        let (code, told) = ended(&folder, words, full());
        assert_eq!(code, Some(1), "{words:?}: {told}");
        assert!(told.contains("Error: cannot write to standard output: "), "{words:?}: {told}");
        // Whoever reads only the beginning has what he wanted.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        assert_eq!(ended(&folder, words, writer).0, Some(0), "{words:?}");
    }
}

#[test]
fn a_key_that_nobody_saw_is_not_kept() {
    let folder = Folder::new();
    one().run_in(&folder, &["check"]).expect_code(0);
    let (reader, gone) = std::io::pipe().expect("a pipe");
    drop(reader);
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    for (name, stdout) in [("full", Stdio::from(full)), ("gone", Stdio::from(gone))] {
        let (code, told) = ended(&folder, &["key", "create", name], stdout);
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("Error: cannot write to standard output"), "{told}");
        one().run_in(&folder, &["key", "list"]).expect_code(0).refuse_text(name);
    }
}

/// A server that colours all that it says, and refuses to start where `REFUSES` is `yes`.
const COLOURFUL: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
  case "$REFUSES$line" in
    yes*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"\\u001b[31mred\\nnext \\u009b2J"}}\n' "$id" ;;
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a\\u001b[2J\\nb","description":"\\u001b]0;title\\u0007 first\\nsecond","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

#[track_caller]
fn assert_plain(text: &str) {
    let odd = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(odd), "{text:?}");
}

#[test]
fn what_a_server_says_reaches_the_terminal_without_control_characters() {
    let server = |refuses: &'static str| {
        TestGateway::builder().server("s", |s| s.shell(COLOURFUL).env("REFUSES", refuses))
    };
    let output = server("no").run(&["tools"]);
    output.expect_code(0);
    assert_plain(&output.text());
    assert_eq!(output.stdout, "s  a\\u{1b}[2J\\nb  \\u{1b}]0;title\\u{7} first\n");
    const REASON: &str = "the server refused initialize: \\u{1b}[31mred\\nnext \\u{9b}2J";
    for words in [&["tools"][..], &["doctor"], &["call", "s", "x"], &["serve", "--port", "0"]] {
        let output = server("yes").run(words);
        output.expect_code(1).expect_text(REASON);
        assert_plain(&output.text());
    }
    let gateway = server("yes").setting("startup: {onServerFailure: degrade}").start();
    assert_eq!(gateway.get("/api/servers").body[0]["lastError"], REASON);
}

#[test]
fn a_call_says_why_its_server_did_not_start() {
    let output = TestGateway::builder().server("s", |s| s.shell("exit 3")).run(&["call", "s", "echo"]);
    output.expect_code(1);
    assert_eq!(json_of(&output)["error"]["code"], "SERVER_NOT_RUNNING", "{output:#?}");
    let why = "Error: MCP Server 's' could not be started: the server ended before it was ready";
    assert!(output.stderr.contains(why), "{output:#?}");
}
