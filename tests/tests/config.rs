//! The config file and the environment: lookup, rules, lines of refusal (spec 1.11, 1.12; examples 30, 31).

use serde_json::json;
use testkit::{Builder, Folder, Server, TestGateway};

/// The gateway refuses this config with exactly this one line, before any child is started.
#[track_caller]
fn refused(builder: &Builder, line: &str) {
    let folder = Folder::new();
    let output = builder.expect_failure_in(&folder);
    output.expect_code(1);
    assert_eq!(output.lines(), [line], "{output:#?}");
    assert!(!folder.join("started").exists(), "no child is started");
}

/// The same with a line of which only a part is laid down.
#[track_caller]
fn refused_at(builder: &Builder, path: &str) {
    let output = builder.expect_failure();
    output.expect_code(1);
    let lines = output.lines();
    assert_eq!(lines.len(), 1, "{output:#?}");
    assert!(lines[0].starts_with("Error: Invalid config.yaml: "), "{lines:?}");
    assert!(lines[0].contains(path), "{path} is not in {lines:?}");
}

/// A good first server that leaves a mark, and a second one as the closure says.
fn second(edit: impl FnOnce(Server) -> Server) -> Builder {
    marked().server("second", edit)
}

fn marked() -> Builder {
    TestGateway::builder().server("first", |s| s.shell("touch started; exec FIXTURE"))
}

fn one(edit: impl FnOnce(Server) -> Server) -> Builder {
    TestGateway::builder().server("test-server", edit)
}

#[test]
fn the_documented_problems_have_their_documented_lines() {
    refused(
        &second(|s| s.timeout(400_000)),
        "Error: Invalid config.yaml: servers[1].timeout exceeds maximum value (300000)",
    );
    refused(
        &marked().server("first", |s| s),
        "Error: Invalid config.yaml: Server name 'first' is duplicated",
    );
    refused(
        &second(|s| s.raw("name", "\"a.b\"")),
        "Error: Invalid config.yaml: servers[1].name contains invalid characters",
    );
    let either = "Error: Invalid config.yaml: servers[1] must have either 'command' or 'url'";
    refused(&second(|s| s.raw("command", "")), either);
    refused(&second(|s| s.raw("url", "\"http://127.0.0.1:9/mcp\"")), either);
}

#[test]
fn the_health_interval_and_the_restart_policy_have_lines_of_their_own() {
    for value in ["4999", "300001", "0", "-1"] {
        refused(
            &marked().setting(&format!("healthCheckInterval: {value}")),
            &format!("invalid healthCheckInterval in YAML: {value} (must be between 5000 and 300000)"),
        );
    }
    refused(
        &marked().env("HEALTH_CHECK_INTERVAL", "4999"),
        "invalid HEALTH_CHECK_INTERVAL: 4999 (must be between 5000 and 300000)",
    );
    refused(&marked().env("HEALTH_CHECK_INTERVAL", "soon"), "invalid HEALTH_CHECK_INTERVAL format: soon");
    let policy = |v: &str| format!("invalid restart policy: {v} (must be 'never' or 'on-failure')");
    refused(&marked().setting("restartPolicy: always"), &policy("always"));
    refused(&marked().env("MCP_SERVER_RESTART_POLICY", "sometimes"), &policy("sometimes"));
}

#[test]
fn yaml_goes_before_the_environment() {
    let gateway = one(|s| s)
        .setting("healthCheckInterval: 5000\nrestartPolicy: never")
        .env("HEALTH_CHECK_INTERVAL", "300000")
        .env("MCP_SERVER_RESTART_POLICY", "on-failure")
        .start();
    gateway.call("test-server", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    gateway.wait_status("test-server", "crashed");
    let gateway = one(|s| s).env("MCP_SERVER_RESTART_POLICY", "on-failure").start();
    gateway.call("test-server", "crash", json!({"code": 1})).expect_code(502, "SERVER_CRASHED");
    gateway.wait_status("test-server", "restarting");
    gateway.wait_status("test-server", "running");
}

#[test]
fn every_other_problem_names_its_field() {
    let long = "x".repeat(1001);
    let many: Vec<_> = (0..51).map(|n| json!({"name": format!("N{n}"), "value": ""})).collect();
    for (builder, path) in [
        (one(|s| s.raw("timeout", "0")), "servers[0].timeout"),
        (one(|s| s.raw("timeout", "-5")), "servers[0].timeout"),
        (one(|s| s.raw("timeout", "\"5000\"")), "servers[0].timeout"),
        (one(|s| s.raw("timeout", "1.5")), "servers[0].timeout"),
        (one(|s| s.raw("name", "")), "servers[0].name"),
        (one(|s| s.raw("name", &"a".repeat(51))), "servers[0].name"),
        (one(|s| s.args(&[&long])), "servers[0].args"),
        (one(|s| s.args(&[&long[..500], &long[..501]])), "servers[0].args"),
        (one(|s| s.raw("args", "[[1]]")), "servers[0].args"),
        (one(|s| s.raw("envs", "{ A: b }")), "servers[0].envs"),
        (one(|s| s.raw("envs", &json!(many).to_string())), "servers[0].envs"),
        (one(|s| s.env("lower", "x")), "servers[0].envs[0].name"),
        (one(|s| s.env("OK", "x").env("A-B", "x")), "servers[0].envs[1].name"),
        (one(|s| s.env("A", &long)), "servers[0].envs[0].value"),
        (one(|s| s.raw("env", "{ low: x }")), "servers[0].env"),
        (one(|s| s.raw("required", "maybe")), "servers[0].required"),
        (one(|s| s.raw("command", "").raw("url", "\"ftp://127.0.0.1:9/\"")), "servers[0].url"),
        (one(|s| s).setting("startup: { onServerFailure: panic }"), "startup.onServerFailure"),
        (one(|s| s).setting("http: { timeoutStatus: 500 }"), "http.timeoutStatus"),
        (one(|s| s).setting("http: { resultMode: half }"), "http.resultMode"),
        (one(|s| s).setting("tools: { refresh: never }"), "tools.refresh"),
        (one(|s| s).setting("limits: { depth: -1 }"), "limits.depth"),
        (TestGateway::builder().config_text("servers: []"), "servers"),
        (TestGateway::builder().config_text("restartPolicy: never"), "servers"),
    ] {
        refused_at(&builder, path);
    }
}

#[test]
fn values_equal_to_a_limit_pass() {
    let long = "x".repeat(1000);
    let mut envs: Vec<_> = (0..49).map(|n| json!({"name": format!("N{n}"), "value": ""})).collect();
    envs.push(json!({"name": "LONG", "value": long}));
    let builder = TestGateway::builder()
        .server(&"a".repeat(50), |s| {
            let s = s.timeout(300_000).args(&[&long[..400], &long[..600]]);
            s.raw("envs", &json!(envs).to_string())
        })
        .setting("healthCheckInterval: 300000");
    builder.run(&["check"]).expect_code(0);
    one(|s| s.timeout(1)).setting("healthCheckInterval: 5000").run(&["check"]).expect_code(0);
}

#[test]
fn a_timeout_above_the_maximum_of_the_environment_is_refused() {
    refused(
        &second(|s| s.timeout(401)).env("MAX_TIMEOUT", "400"),
        "Error: Invalid config.yaml: servers[1].timeout exceeds maximum value (400)",
    );
}

#[test]
fn text_that_is_not_yaml_is_refused() {
    for text in ["servers: [", "\tservers: x", "just a word", ""] {
        let output = TestGateway::builder().config_text(text).expect_failure();
        output.expect_code(1).expect_text("Error: Invalid config.yaml: ");
    }
}

#[test]
fn the_config_is_looked_for_in_order_and_a_given_path_is_not_replaced() {
    let folder = Folder::new();
    let config = |name: &str| testkit::Config::new().server(name, |s| s).yaml();
    let builder = TestGateway::builder();
    let check = |builder: &Builder, args: &[&str]| {
        let mut command = builder.command(&folder);
        testkit::Output::of(command.arg("check").args(args))
    };
    let missing = check(&builder, &[]);
    missing.expect_code(1).expect_text("Config file not found: ");
    for path in ["./lockgate.yaml", "./config/config.yaml", "/config/config.yaml"] {
        missing.expect_text(path);
    }
    folder.write("config/config.yaml", &config("from-config-folder"));
    check(&builder, &[]).expect_code(0).expect_text("from-config-folder");
    folder.write("lockgate.yaml", &config("from-here"));
    check(&builder, &[]).expect_code(0).expect_text("from-here");
    folder.write("by-variable.yaml", &config("from-variable"));
    let by_variable = builder.clone().env("CONFIG_PATH", "by-variable.yaml");
    check(&by_variable, &[]).expect_code(0).expect_text("from-variable");
    folder.write("by-flag.yaml", &config("from-flag"));
    check(&by_variable, &["--config", "by-flag.yaml"]).expect_code(0).expect_text("from-flag");
    check(&by_variable, &["--config", "gone.yaml"])
        .expect_code(1)
        .expect_text("Config file not found: gone.yaml");
    check(&builder.env("CONFIG_PATH", "lost.yaml"), &[])
        .expect_code(1)
        .expect_text("Config file not found: lost.yaml");
}

#[test]
fn arguments_are_a_list_or_one_string_and_nothing_in_them_is_expanded() {
    let gateway = TestGateway::builder()
        .server("list", |s| s.args(&["${HOME}", "$HOME", "a b", "'q'", "*", ""]))
        .server("line", |s| s.raw("args", r#"" --x  'a b'\t$HOME ""#))
        .server("none", |s| s)
        .env("HOME", "/nowhere/someone")
        .start();
    let argv = |server: &str| gateway.call(server, "argv", json!({})).result()["argv"].clone();
    assert_eq!(argv("list"), json!(["${HOME}", "$HOME", "a b", "'q'", "*", ""]));
    assert_eq!(argv("line"), json!(["--x", "'a", "b'", "$HOME"]));
    assert_eq!(argv("none"), json!([]));
}

#[test]
fn values_of_variables_are_expanded_from_the_gateways_environment() {
    let gateway = TestGateway::builder()
        .server("test-server", |s| {
            s.env("BRACED", "<${TOKEN}>").env("BARE", "$TOKEN/x").env("UNSET", "a${NOT_SET_HERE}b")
        })
        .server("map", |s| s.raw("env", r#"{ MAPPED: "${TOKEN}", PLAIN: "text" }"#))
        .env("TOKEN", "t0ken: {x} #y")
        .start();
    let env = gateway.call("test-server", "env", json!({})).result().clone();
    assert_eq!(env["BRACED"], "<t0ken: {x} #y>", "expansion comes after the YAML is parsed");
    assert_eq!(env["BARE"], "t0ken: {x} #y/x");
    assert_eq!(env["UNSET"], "ab");
    let env = gateway.call("map", "env", json!({})).result().clone();
    assert_eq!((&env["MAPPED"], &env["PLAIN"]), (&json!("t0ken: {x} #y"), &json!("text")));
}

#[test]
fn expansion_everywhere_reaches_arguments_too() {
    let gateway = one(|s| s.args(&["${WORD}", "x$WORD"]).env("V", "$WORD"))
        .setting("config: { expand: all }")
        .env("WORD", "hello")
        .start();
    assert_eq!(gateway.call("test-server", "argv", json!({})).result()["argv"], json!(["hello", "xhello"]));
    assert_eq!(gateway.call("test-server", "env", json!({})).result()["V"], "hello");
}

#[test]
fn a_command_may_be_relative_or_found_on_the_path() {
    let folder = Folder::new();
    std::os::unix::fs::symlink(testkit::fixture(), folder.join("my-server")).expect("a link can be made");
    let gateway = TestGateway::builder()
        .server("relative", |s| s.command("./my-server"))
        .server("found", |s| s.command("sh").args(&["-c", "exec ./my-server"]))
        .start_in(folder);
    for server in ["relative", "found"] {
        gateway.call(server, "plain", json!({})).expect_status(200);
    }
}

#[test]
fn the_port_may_come_from_the_environment_and_the_flag_goes_first() {
    // The kit always passes --port; a PORT that cannot be used shows that the flag wins.
    one(|s| s).env("PORT", "1").start().call("test-server", "plain", json!({})).expect_status(200);
    let port = testkit::Port::free();
    let folder = Folder::new();
    folder.write_config(&testkit::Config::new().server("test-server", |s| s).yaml());
    let mut command = TestGateway::builder().env("PORT", &port.number.to_string()).command(&folder);
    let mut child = command
        .args(["--config", "gateway.yaml"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the gateway can be started");
    let http = testkit::Http::at(port.number);
    let ready = testkit::within(std::time::Duration::from_secs(20), || {
        http.try_send(&testkit::Request::new("GET", "/health")).ok()
    });
    testkit::send_signal(child.id(), testkit::Signal::TERM);
    child.wait().expect("a child can be waited for");
    assert_eq!(ready.map(|reply| reply.status), Some(200));
}
