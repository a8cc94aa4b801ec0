//! Definitions in files, with the examples of the specification as they stand there.

use crate::{Config, Environment, Parsed, parse};
use model::session::{Branches, Face, Run, TimeoutScope};
use serde_json::json;

const SERVER: &str = "servers: [{name: health-server, command: c}]\n";

/// The examples of spec 4.9, and what they name besides.
const EXAMPLE: &str = include_str!("example.yaml");

fn good(text: &str, pairs: &[(&str, &str)]) -> Parsed {
    let env = Environment::from_pairs(pairs.iter().copied());
    parse(&format!("{SERVER}{text}"), &env).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn invalid(text: &str, expected: &str) {
    let env = Environment::from_pairs([("X", "y")]);
    let error = parse(&format!("{SERVER}{text}"), &env).err().unwrap_or_else(|| panic!("read: {text}"));
    assert_eq!(error.to_string(), format!("Error: Invalid config.yaml: {expected}"), "{text}");
}

#[test]
fn the_examples_of_the_documentation_are_read() {
    let parsed = good(EXAMPLE, &[]);
    let names: Vec<&str> = parsed.activities.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["score", "bmi", "register", "review", "look"]);
    let kinds: Vec<&str> = parsed.activities.iter().map(|one| one.run.kind()).collect();
    assert_eq!(kinds, ["script", "tool", "http", "workflow", "script"]);
    let score = &parsed.activities[0];
    let retry = score.retry.unwrap();
    assert_eq!((score.timeout, retry.max_attempts, retry.backoff_ms), (Some(2000), 2, 200));
    assert!(score.publish && score.on_success.as_deref().unwrap().starts_with("console.log("));
    let Run::Http(http) = &parsed.activities[2].run else { panic!("a request") };
    assert_eq!(
        (http.method.as_str(), http.url.as_str()),
        ("POST", "https://api.example.com/people/{{input.id}}")
    );
    assert_eq!(http.body, Some(json!({"ratio": "{{memory.lastRatio}}", "source": "lockgate"})));

    let intake = &parsed.procedures[0];
    assert_eq!((intake.name.as_str(), intake.timeout, intake.steps.len()), ("intake", Some(600_000), 4));
    assert_eq!(intake.timeout_scope, Some(TimeoutScope::Wall));
    assert_eq!(intake.tools.as_ref().unwrap().titles[&Face::Start], "Begin intake");
    assert_eq!(intake.faces(&[]), Face::ALL);
    assert!(
        matches!(&intake.steps[0].branches, Some(Branches::Patterns(map)) if map.contains_key("valid:false"))
    );
    assert_eq!(intake.steps[1].condition.as_deref(), Some("memory.score.valid === true"));
    assert!(
        matches!(&intake.steps[2].branches, Some(Branches::Predicates(list)) if list[0].call == "advice_start")
    );
    assert!(intake.steps[2].optional);
    assert_eq!(intake.on_failure.as_deref(), Some("console.error(error)"));
}

#[test]
fn what_a_file_leaves_out_is_empty() {
    for text in ["", "activities:\nworkflows:\n", "activities: []\nworkflows: []\n"] {
        let parsed = good(text, &[]);
        assert!(parsed.activities.is_empty() && parsed.procedures.is_empty());
    }
}

#[test]
fn a_rule_that_is_broken_is_told_with_the_path() {
    for (text, expected) in [
        ("activities: {a: {}}\n", "activities must be a list"),
        ("workflows: intake\n", "workflows must be a list"),
        ("activities: [a]\n", "activities[0] must be an object"),
        (
            "activities: [{name: a b, run: {script: s}}]\n",
            "activities[0].name contains invalid characters (use a-z, A-Z, 0-9, - and _)",
        ),
        (
            "activities: [{name: a, run: {}}]\n",
            "activities[0].run must have exactly one of script, tool, http, workflow; it has none",
        ),
        (
            "activities: [{name: a, run: {script: s, tool: {server: s, name: t}}}]\n",
            "activities[0].run must have exactly one of script, tool, http, workflow; it has script and tool",
        ),
        (
            "workflows: [{name: w, steps: []}]\n",
            "workflows[0].steps is refused: Workflow must have at least one step",
        ),
        (
            "workflows: [{name: w, steps: [{activity: a}]}]\n",
            "workflows[0].steps[0].activity names the activity 'a', which does not exist",
        ),
        (
            "activities: [{name: a, run: {workflow: {name: w}}}]\nworkflows: [{name: w, steps: [{activity: a}]}]\n",
            "workflows[0] contains itself: w > w",
        ),
        (
            "activities: [{name: a, run: {script: s}}, {name: a, run: {script: s}}]\n",
            "activities[1].name is refused: Activity name 'a' is taken",
        ),
        (
            "activities: [{name: a, run: {script: s}, on_success: s}]\n",
            "activities[0].on_success is not a known field (did you mean 'onSuccess'?)",
        ),
    ] {
        invalid(text, expected);
    }
}

const VARIABLES: &str = "
activities:
  - name: s
    description: ${X}
    run: { script: 'return `${X} $X`' }
    onSuccess: log(`${X}`)
    onFailure: log(`${X}`)
    onComplete: log(`${X}`)
  - name: h
    run:
      http: { url: 'https://h/${X}', headers: { Authorization: 'Bearer ${X}' }, body: { k: $X } }
workflows:
  - name: w
    description: ${X}
    steps:
      - activity: s
        input: { condition: '${X}' }
        condition: '`${X}`'
        inputMapper: '`${X}`'
        branches: [{ when: '`${X}`', call: t, with: { a: $X } }]
        waitFor: { event: e-$X, filter: '`${X}`' }
      - parallel:
          - { activity: s, input: { a: $X } }
          - { activity: h, inputMapper: '`${X}`' }
    onSuccess: log(`${X}`)
    onFailure: log(`${X}`)
    onComplete: log(`${X}`)
";

#[test]
fn only_headers_are_expanded_unless_all_is_asked_for() {
    let parsed = good(VARIABLES, &[("X", "y")]);
    let Run::Http(http) = &parsed.activities[1].run else { panic!("a request") };
    assert_eq!(http.headers["Authorization"], "Bearer y");
    assert_eq!((http.url.as_str(), &http.body), ("https://h/${X}", &Some(json!({"k": "$X"}))));
    assert_eq!(parsed.activities[0].description, "${X}");
    assert_eq!(parsed.activities[0].scripts()[0].source, "return `${X} $X`");
    let procedure = &parsed.procedures[0];
    assert_eq!(procedure.description, "${X}");
    assert_eq!(procedure.steps[0].input, Some(json!({"condition": "${X}"})));
    assert!(procedure.scripts().iter().all(|script| script.source.contains("${X}")));
}

#[test]
fn scripts_and_expressions_are_never_expanded() {
    let parsed = good(&format!("config: {{expand: all}}{VARIABLES}"), &[("X", "y")]);
    let scripts: Vec<_> = parsed.activities.iter().flat_map(|one| one.scripts()).collect();
    let scripts: Vec<_> = scripts.into_iter().chain(parsed.procedures[0].scripts()).collect();
    assert_eq!(scripts.len(), 12);
    for script in scripts {
        assert!(script.source.contains("${X}"), "{}: {}", script.path, script.source);
    }
    let (activities, procedure) = (&parsed.activities, &parsed.procedures[0]);
    assert_eq!((activities[0].description.as_str(), procedure.description.as_str()), ("y", "y"));
    let Run::Http(http) = &activities[1].run else { panic!("a request") };
    assert_eq!((http.url.as_str(), &http.body), ("https://h/y", &Some(json!({"k": "y"}))));
    assert_eq!(procedure.steps[0].input, Some(json!({"condition": "y"})));
    assert_eq!(procedure.steps[0].wait_for.as_ref().unwrap().event, "e-y");
    assert_eq!(procedure.steps[1].parallel[0].input, Some(json!({"a": "y"})));
    let Some(Branches::Predicates(list)) = &procedure.steps[0].branches else { panic!("a list") };
    assert_eq!(list[0].with["a"], "y");
}

#[test]
fn a_description_names_the_definitions_and_holds_no_secret() {
    let text = format!("{SERVER}config: {{expand: all}}{VARIABLES}");
    let env = Environment::from_pairs([("X", "s3cret")]);
    let config = Config::from_text("lockgate.yaml", &text, &env).unwrap();
    let described = config.describe();
    assert!(!described.to_string().contains("s3cret"), "{described}");
    assert_eq!(described["activities"][1], json!({"name": "h", "run": "http", "publish": false}));
    assert_eq!(described["workflows"], json!([{"name": "w", "steps": ["s", ["s", "h"]]}]));
    let shown = serde_json::to_string(&config.activities[1].clone().masked()).unwrap();
    assert!(shown.contains(r#""headers":{"Authorization":"***"}"#), "{shown}");
}
