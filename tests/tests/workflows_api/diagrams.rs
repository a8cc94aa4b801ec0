//! Workflows as pictures, over the API and from the command line.

use super::*;

#[test]
fn a_workflow_is_drawn_alone_and_with_a_run() {
    let gateway = start();
    let id = active(&gateway, graph("My graph", &[hook("guard", "return")], &[]));
    let path = format!("/api/workflows/{id}/diagram");
    let svg = gateway.get(&path);
    assert_eq!((svg.status, svg.header("content-type")), (200, "image/svg+xml"));
    assert!(svg.text().starts_with("<svg") && svg.text().contains("guard"), "{}", svg.text());
    let mermaid = gateway.get(&format!("{path}?format=mermaid"));
    assert_eq!((mermaid.status, mermaid.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert!(
        mermaid.text().contains("flowchart") && !mermaid.text().contains("completed"),
        "{}",
        mermaid.text()
    );
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let run = runs(&gateway, &id)[0]["id"].as_str().expect("an id").to_owned();
    let drawn = gateway.get(&format!("{path}?format=mermaid&run={run}"));
    assert!(drawn.text().contains("completed"), "{}", drawn.text());
    gateway.get(&format!("{path}?format=png")).expect_code(400, "VALIDATION_ERROR");
    gateway.get(&format!("{path}?run=0000000000000001")).expect_code(404, "NOT_FOUND");
}

#[test]
fn a_workflow_is_drawn_from_the_command_line() {
    let gateway = start();
    let id = create(&gateway, graph("My graph", &[hook("guard", "return")], &[]));
    let draw =
        |words: &[&str]| TestGateway::builder().server("test-server", |s| s).run_in(gateway.folder(), words);
    for words in [vec!["diagram", "My graph"], vec!["diagram", &id, "--format", "mermaid"]] {
        let out = draw(&words);
        assert!(out.code == Some(0) && out.stdout.contains("flowchart"), "{words:?}: {out:?}");
    }
    assert!(draw(&["diagram", &id, "--format", "svg"]).stdout.starts_with("<svg"));
    let missing = draw(&["diagram", "nothing"]);
    assert!(missing.code == Some(1) && missing.stderr.contains("'nothing' not found"), "{missing:?}");
    create(&gateway, graph("My graph", &[], &[]));
    let twice = draw(&["diagram", "My graph"]);
    assert!(twice.stderr.contains("several workflows are named 'My graph'"), "{twice:?}");
    let own = "activities: [{name: a, description: d, run: {script: 'return {}'}}]\n\
               workflows: [{name: filed, steps: [{activity: a}]}]";
    let filed = TestGateway::builder().setting(own).server("test-server", |s| s);
    for name in ["filed", "config:filed"] {
        let out = filed.clone().run_in(gateway.folder(), &["diagram", name]);
        assert!(out.code == Some(0) && out.stdout.contains("flowchart"), "{out:?}");
    }
}
