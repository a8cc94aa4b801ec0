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

#[test]
fn a_run_is_drawn_on_the_version_that_it_used() {
    let gateway = start();
    let id = active(&gateway, graph("First", &[hook("before", "return")], &[]));
    let other = create(&gateway, graph("Other", &[], &[]));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    let run = runs(&gateway, &id)[0]["id"].as_str().expect("an id").to_owned();
    let changed = graph("Second", &[hook("later", "return")], &[]);
    let body = json!({"name": "Second", "nodes": changed["nodes"], "edges": changed["edges"]});
    patch(&gateway, &id, body).expect_status(200);
    let drawn = |id: &str| gateway.get(&format!("/api/workflows/{id}/diagram?format=mermaid&run={run}"));
    let text = drawn(&id).text();
    assert!(text.contains("before") && !text.contains("later") && text.contains("completed"), "{text}");
    drawn(&other).expect_code(404, "NOT_FOUND");
    // From the command line too, as soon as the run is kept.
    let draw =
        |words: &[&str]| TestGateway::builder().server("test-server", |s| s).run_in(gateway.folder(), words);
    let out = eventually("the run is kept", || {
        let out = draw(&["diagram", "Second", "--run", &run]);
        (out.code == Some(0)).then_some(out)
    });
    assert_eq!(out.stdout.trim_end(), text.trim_end());
    for (words, message) in [
        (["diagram", &other, "--run", &run], "is one of another workflow"),
        (["diagram", &id, "--run", "0000000000000001"], "not found; it may have been trimmed"),
        (["diagram", &id, "--run", "none"], "not found; it may have been trimmed"),
    ] {
        let out = draw(&words);
        assert!(out.code == Some(1) && out.stderr.contains(message), "{words:?}: {out:?}");
    }
    // A version that is gone leaves the current one.
    gateway.delete(&format!("/api/workflows/{id}/versions/1")).expect_status(204);
    assert!(drawn(&id).text().contains("later"), "{}", drawn(&id).text());
    assert!(draw(&["diagram", &id, "--run", &run]).stdout.contains("later"));
}
