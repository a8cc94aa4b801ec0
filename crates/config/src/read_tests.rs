//! The rules of the whole file, over text and environment.

use super::*;
use model::settings::Expand;

const SERVER: &str = "servers:\n  - name: s\n    command: c\n";

fn env(pairs: &[(&str, &str)]) -> Environment {
    Environment::from_pairs(pairs.iter().copied())
}

fn good(text: &str, pairs: &[(&str, &str)]) -> Parsed {
    parse(text, &env(pairs)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn check(text: &str, pairs: &[(&str, &str)], expected: &str) {
    let found = parse(text, &env(pairs)).map_or_else(|error| error.to_string(), |_| "ok".into());
    assert_eq!(found, expected, "{text}");
    assert!(!found.contains('\n'));
}

fn invalid(text: &str, expected: &str) {
    check(text, &[], &format!("Error: Invalid config.yaml: {expected}"));
}

#[test]
fn the_example_of_the_documentation_is_read() {
    let text = "healthCheckInterval: 30000\nrestartPolicy: on-failure\nservers:\n  - name: health-server\n    \
                command: lockgate\n    args: [demo-server]\n    envs:\n      \
                - { name: API_KEY, value: \"${HEALTH_KEY}\" }\n    timeout: 60000\n    required: false\n\
                store: { url: \"sqlite:./data/lockgate.db\" }\n";
    let parsed = good(text, &[("HEALTH_KEY", "k")]);
    let server = &parsed.servers[0];
    assert_eq!(
        (server.name.as_str(), server.timeout, server.required),
        ("health-server", Some(60_000), Some(false))
    );
    assert_eq!(server.args.to_vec(), ["demo-server"]);
    assert_eq!(server.envs[0].value, "k");
    assert_eq!(parsed.settings.restart_policy, RestartPolicy::OnFailure);
    assert_eq!(parsed.settings.store.url.as_deref(), Some("sqlite:./data/lockgate.db"));
}

#[test]
fn a_file_with_servers_only_has_every_default() {
    assert_eq!(good(SERVER, &[]).settings, Settings::default());
}

#[test]
fn sessions_on_restate_need_to_know_where_it_is() {
    let text = format!("{SERVER}workflow: {{engine: restate}}\n");
    invalid(&text, "restate.ingress is required with workflow.engine: restate");
    let text = format!("{text}restate:\n  ingress: http://127.0.0.1:8080\n");
    invalid(&text, "restate.admin is required with workflow.engine: restate");
    good(&format!("{text}  admin: http://127.0.0.1:9070\n"), &[]);
}

#[test]
fn at_least_one_server_is_required() {
    for text in ["", "# nothing\n", "servers:\n", "healthCheckInterval: 30000\n"] {
        invalid(text, "servers is required");
    }
    invalid("servers: []\n", "servers must have at least one entry");
    invalid("servers: {a: {command: c}}\n", "servers must be a list");
    invalid("servers: [a]\n", "servers[0] must be a map with 'name' and 'command' or 'url'");
}

#[test]
fn the_lines_of_the_table_are_exact() {
    let two = "servers:\n  - {name: a, command: c}\n  - ";
    invalid(&format!("{two}{{name: a, command: c}}\n"), "Server name 'a' is duplicated");
    invalid(&format!("{two}{{name: a.b, command: c}}\n"), "servers[1].name contains invalid characters");
    invalid(
        &format!("{two}{{name: b, command: c, timeout: 400000}}\n"),
        "servers[1].timeout exceeds maximum value (300000)",
    );
    invalid(&format!("{two}{{name: b}}\n"), "servers[1] must have either 'command' or 'url'");
    invalid(
        &format!("{two}{{name: b, command: c, url: u}}\n"),
        "servers[1] must have either 'command' or 'url'",
    );
    let range = "(must be between 5000 and 300000)";
    for value in ["4999", "300001", "-1", "0", "1.5", "true", "null", "\"30000\"", "soon"] {
        let line = format!("invalid healthCheckInterval in YAML: {value} {range}");
        check(&format!("healthCheckInterval: {value}\n{SERVER}"), &[], &line);
    }
    let line = |value| format!("invalid restart policy: {value} (must be 'never' or 'on-failure')");
    for value in ["always", "Never", "5", "null"] {
        check(&format!("restartPolicy: {value}\n{SERVER}"), &[], &line(value));
    }
    check(SERVER, &[("MCP_SERVER_RESTART_POLICY", "always")], &line("always"));
    check(
        SERVER,
        &[("HEALTH_CHECK_INTERVAL", "4999")],
        &format!("invalid HEALTH_CHECK_INTERVAL: 4999 {range}"),
    );
    check(SERVER, &[("HEALTH_CHECK_INTERVAL", "abc")], "invalid HEALTH_CHECK_INTERVAL format: abc");
}

#[test]
fn the_first_entry_at_fault_is_reported_first() {
    invalid(
        "servers:\n  - {name: a, command: c, timeout: 0}\n  - {name: b, comand: c}\n",
        "servers[0].timeout must be a positive integer",
    );
    invalid(
        "servers:\n  - {name: a, command: c}\n  - {name: a, command: c}\n  - {name: '', command: c}\n",
        "Server name 'a' is duplicated",
    );
}

#[test]
fn the_file_goes_before_the_environment_and_that_before_the_default() {
    let pairs = [("HEALTH_CHECK_INTERVAL", "7000"), ("MCP_SERVER_RESTART_POLICY", "on-failure")];
    let settings = good(SERVER, &pairs).settings;
    assert_eq!((settings.health_check_interval, settings.restart_policy), (7000, RestartPolicy::OnFailure));
    let text = format!("healthCheckInterval: 6000\nrestartPolicy: never\n{SERVER}");
    let settings = good(&text, &pairs).settings;
    assert_eq!((settings.health_check_interval, settings.restart_policy), (6000, RestartPolicy::Never));
    good(&text, &[("HEALTH_CHECK_INTERVAL", "abc"), ("MCP_SERVER_RESTART_POLICY", "x")]);
}

#[test]
fn timeouts_and_the_test_switch_come_from_the_environment() {
    let pairs = [("DEFAULT_TIMEOUT", "900"), ("MAX_TIMEOUT", "800"), ("DISABLE_VALIDATION", "true")];
    let settings = good(SERVER, &pairs).settings;
    assert_eq!(
        (settings.default_timeout, settings.max_timeout, settings.validation_disabled),
        (800, 800, true)
    );
    let text = format!("{SERVER}    timeout: 801\n");
    check(&text, &pairs, "Error: Invalid config.yaml: servers[0].timeout exceeds maximum value (800)");
    check(&text, &[("MAX_TIMEOUT", "801")], "ok");
}

#[test]
fn only_values_of_variables_are_expanded_unless_all_is_asked_for() {
    let text = "servers:\n  - name: s\n    command: $A\n    args: ['${A}', $A]\n    env: {K: 'x$A'}\n    \
                envs: [{name: L, value: '${B}'}]\n";
    let pairs = [("A", "1"), ("B", "$A")];
    let server = &good(text, &pairs).servers[0];
    assert_eq!(server.args.to_vec(), ["${A}", "$A"]);
    assert_eq!(server.command.as_deref(), Some("$A"));
    assert_eq!((server.env["K"].as_str(), server.envs[0].value.as_str()), ("x1", "$A"));

    let all = good(&format!("config: {{expand: all}}\n{text}"), &pairs);
    assert_eq!(all.settings.config.expand, Expand::All);
    let server = &all.servers[0];
    assert_eq!(server.args.to_vec(), ["1", "1"]);
    assert_eq!(server.command.as_deref(), Some("1"));
    assert_eq!((server.env["K"].as_str(), server.envs[0].value.as_str()), ("x1", "$A"));
}

#[test]
fn an_expanded_value_cannot_change_the_structure_of_the_file() {
    let text = "servers:\n  - name: s\n    command: c\n    env:\n      K: $A\n";
    let parsed = good(text, &[("A", "v\n  - name: t\n    command: \"x")]);
    assert_eq!(parsed.servers.len(), 1);
    assert_eq!(parsed.servers[0].env["K"], "v\n  - name: t\n    command: \"x");
}

#[test]
fn no_line_holds_the_value_of_a_variable() {
    let secret = [("KEY", "s3cret value")];
    for text in [
        "config: {expand: all}\nrestartPolicy: $KEY\nservers: [{name: s, command: c}]\n",
        "config: {expand: all}\nhealthCheckInterval: $KEY\nservers: [{name: s, command: c}]\n",
        "config: {expand: all}\nservers: [{name: $KEY, command: c}]\n",
        "config: {expand: all}\nstore: {url: $KEY}\nservers: [{name: s, command: c}]\n",
        "config: {expand: all}\ntools: {refresh: $KEY}\nservers: [{name: s, command: c}]\n",
        "servers: [{name: s, command: c, envs: {A: s3cret}}]\n",
        "servers: [{name: s, command: c, envs: [s3cret]}]\n",
        "servers: [{name: s, command: c, env: s3cret}]\n",
        "servers: [{name: s, command: c, timeout: s3cret}]\n",
        "mcp: {sessionKey: [s3cret]}\nservers: [{name: s, command: c}]\n",
        "servers: [{name: s, command: c, env: {A: s3cret, A: s3cret}}]\n",
        "servers: [{name: s, command: c, env: {A: \"s3cret}}]\n",
    ] {
        let error = parse(text, &env(&secret)).err().unwrap_or_else(|| panic!("{text}"));
        for form in [error.to_string(), format!("{error:?}")] {
            assert!(!form.contains("s3cret"), "{form}");
            assert!(!form.contains('\n'), "{form}");
        }
    }
}

#[test]
fn flags_go_before_variables() {
    let pairs = [("PORT", "4000"), ("HOST", "0.0.0.0"), ("LOG_LEVEL", "WARN")];
    let config = Config::from_text("lockgate.yaml", SERVER, &env(&pairs)).unwrap();
    assert_eq!((config.port, config.host.to_string().as_str()), (4000, "0.0.0.0"));
    assert_eq!(config.log.level, crate::Level::Warn);
    let flagged = config.clone().with_flags(Some(0), Some(IpAddr::from([127, 0, 0, 1])));
    assert_eq!((flagged.port, flagged.host.to_string().as_str()), (0, "127.0.0.1"));
    assert!(config.clone().with_flags(None, None) == config);
    let line = Config::from_text("x", SERVER, &env(&[("PORT", "x")])).err().unwrap().to_string();
    assert_eq!(line, "invalid PORT: x (must be an integer between 0 and 65535)");
}

#[test]
fn a_file_is_loaded_from_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any-name.yml");
    let source = Source { path: Some(path.clone()) };
    let line = load(&source, &env(&[])).err().unwrap().to_string();
    assert_eq!(line, format!("Config file not found: {}", path.display()));
    std::fs::write(&path, SERVER).unwrap();
    let config = load(&source, &env(&[])).ok().unwrap();
    assert_eq!((config.path, config.servers.len(), config.port), (path.clone(), 1, 3001));
    std::fs::write(&path, "servers: [").unwrap();
    let line = load(&source, &env(&[])).err().unwrap().to_string();
    assert!(line.starts_with("Error: Invalid config.yaml: line "), "{line}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
        let _ = parse(&text, &env(&[]));
    }

    #[test]
    fn no_yaml_like_text_makes_the_reader_panic_or_print_two_lines(
        text in "([ \n\t:\\-\\[\\]{},#&*!|>'\"%@`$0-9a-c~\\\\?]|servers:|name: |\n  - |env: |\r\n){0,80}"
    ) {
        if let Err(error) = parse(&text, &env(&[])) {
            proptest::prop_assert!(!error.to_string().contains('\n'));
        }
    }

    #[test]
    fn no_change_of_one_place_makes_the_reader_panic(at in 0usize..80, with in "\\PC{0,3}") {
        let mut text = format!("{SERVER}    args: [\"$A\", b]\n    env: {{A: '1'}}\nlimits: {{body: 5}}\n");
        let at = at.min(text.len());
        text.replace_range(at..(at + 1).min(text.len()), &with);
        if let Err(error) = parse(&text, &env(&[])) {
            proptest::prop_assert!(!error.to_string().contains('\n'));
        }
    }
}
