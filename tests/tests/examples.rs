//! What a reader copies works: the examples, the first call of the README, the replies in the documents.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use testkit::{Output, TestGateway, lockgate, repository};

const BMI: [&str; 3] = ["health-server", "calculate-bmi", r#"{"weight_kg": 70, "height_m": 1.75}"#];

fn read(path: &PathBuf) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What is in a folder of the repository, sorted.
fn entries(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository(folder)).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The gateway of `examples/demo`, with the built program on `PATH`.
fn demo() -> TestGateway {
    let folder = lockgate().parent().expect("a file has a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let text = read(&repository("examples/demo/lockgate.yaml"));
    TestGateway::builder().config_text(&text).env("PATH", &format!("{folder}:{path}")).start()
}

/// Runs a client of `examples/clients` against that gateway, with no proxy in between.
fn client(gateway: &TestGateway, program: &str, file: &str, words: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.arg(repository("examples/clients").join(file)).args(words).env_clear();
    command.envs(["PATH", "HOME"].iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.env("LOCKGATE_URL", format!("http://127.0.0.1:{}", gateway.http().port));
    Output::of(&mut command)
}

/// The blocks of a Markdown text that are fenced as JSON.
fn json_blocks(text: &str) -> Vec<&str> {
    let after = text.split("```json\n").skip(1);
    after.map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

#[test]
fn every_example_passes_the_check() {
    let files = entries("examples").into_iter().map(|folder| folder.join("lockgate.yaml"));
    let files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        let output = Output::of(Command::new(lockgate()).arg("check").arg("--config").arg(&file));
        assert_eq!(output.code, Some(0), "{}: {output:#?}", file.display());
    }
}

#[test]
fn the_first_call_of_the_readme_answers_as_it_says() {
    let readme = read(&repository("README.md"));
    let call = readme.split("-d '").nth(1).and_then(|rest| rest.split('\'').next()).expect("a first call");
    let reply = demo().post_raw("/mcp/call", "application/json", call);
    assert_eq!(reply.expect_status(200).text(), json_blocks(&readme)[0].trim_end());
}

#[test]
fn the_shell_client_calls_a_tool_and_fails_when_the_call_does() {
    let gateway = demo();
    let run = |words: &[&str]| client(&gateway, "sh", "rest.sh", words);
    let output = run(&BMI);
    assert_eq!(
        output.expect_code(0).stdout,
        "{\"success\":true,\"result\":{\"result\":22.857142857142858}}\n"
    );
    let output = run(&["health-server", "nothing"]);
    assert!(output.code != Some(0) && output.stdout.contains("TOOL_NOT_FOUND"), "{output:#?}");
    run(&[]).expect_code(2).expect_text("usage");
}

#[test]
fn the_python_client_lists_and_calls_tools_and_fails_when_the_call_does() {
    let gateway = demo();
    let run = |words: &[&str]| client(&gateway, "python3", "rest.py", words);
    let output = run(&["tools"]);
    output.expect_code(0).expect_text("health-server  calculate-bmi").expect_text("fetch-weather");
    let output = run(&["call", BMI[0], BMI[1], BMI[2]]);
    let value: Value = serde_json::from_str(&output.expect_code(0).stdout).expect("JSON is printed");
    assert_eq!(value["result"], 22.857142857142858);
    let output = run(&["call", "health-server", "fetch-weather", r#"{"city": "nowhere"}"#]);
    output.expect_code(1).expect_text("TOOL_EXECUTION_ERROR: Invalid city.");
    run(&["call", "nobody", "x"]).expect_code(1).expect_text("SERVER_NOT_FOUND");
    run(&[]).expect_code(2);
}

#[test]
fn every_reply_in_the_pages_of_the_codes_names_its_own_code() {
    let pages = entries("docs/errors");
    assert!(!pages.is_empty());
    for page in pages {
        let code = page.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let text = read(&page);
        let replies = json_blocks(&text);
        assert!(!replies.is_empty(), "{code} shows no reply");
        for reply in replies {
            let reply: Value = serde_json::from_str(reply).unwrap_or_else(|e| panic!("{code}: {e}: {reply}"));
            assert_eq!((&reply["success"], &reply["error"]["code"]), (&false.into(), &code.as_str().into()));
            assert!(
                reply["error"]["message"].is_string() && reply["error"]["details"].is_object(),
                "{reply}"
            );
        }
    }
}
