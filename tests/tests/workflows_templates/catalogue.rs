//! A shared catalogue: a folder, or an index at an address.

use super::*;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use testkit::Folder;

/// A template that answers every call with a word.
fn template(name: &str) -> Value {
    json!({"name": name, "description": "d", "parameters": [{"name": "word", "type": "string"}], "workflow": {
        "name": name, "workflowType": "tools/call",
        "nodes": [{"id": "s", "type": "start"}, {"id": "c", "type": "mcp-call"}, {"id": "e", "type": "end"},
            {"id": "h", "type": "hook", "data": {"hook": {"id": "h", "blocking": true,
                "script": "return {response: {content: [{type: 'text', text: parameters.word}]}}"}}}],
        "edges": [{"source": "s", "target": "h"}, {"source": "h", "target": "c"}, {"source": "c", "target": "e"}],
    }})
}

fn with(setting: &str) -> TestGateway {
    TestGateway::builder().server("test-server", |s| s).setting(setting).start()
}

#[test]
fn templates_of_a_folder_are_listed_and_used_and_a_bad_one_harms_nothing() {
    let folder = Folder::new();
    folder.write("shared/greet.template.json", &template("Greet").to_string());
    folder.write("shared/broken.json", "{");
    let mut strange = template("Strange");
    strange["workflow"]["nodes"][3]["type"] = json!("evil");
    folder.write("shared/strange.json", &strange.to_string());
    folder.write("shared/notes.txt", "not a template");
    let gateway = with(&format!("templates: {{catalogue: {}}}", json!(folder.join("shared"))));
    let all = listed(&gateway, "catalogue");
    let ids: Vec<_> = all.iter().map(|one| one["id"].as_str().unwrap_or_default()).collect();
    assert_eq!(ids, ["catalogue:broken", "catalogue:greet", "catalogue:strange"]);
    assert!(
        all[0]["error"].as_str().is_some_and(|text| text.contains("must be a JSON object")),
        "{}",
        all[0]
    );
    assert!(all[2]["error"].as_str().is_some_and(|text| text.contains("'evil' is not known")), "{}", all[2]);
    assert_eq!(all[1].get("error"), None);
    activate(&gateway, "catalogue:greet", json!({"word": "hi"}));
    assert_eq!(text(&gateway.call("test-server", "plain", json!({}))), "hi");
    let fault = gateway.post("/api/templates/catalogue:strange/create", json!({"parameters": {"word": "x"}}));
    assert!(fault.expect_code(400, "VALIDATION_ERROR").message.contains("cannot be used"));
    gateway.delete("/api/templates/catalogue:greet").expect_code(409, "CONFLICT");
    folder.write("shared/late.json", &template("Late").to_string());
    assert_eq!(listed(&gateway, "catalogue").len(), 4, "a new file is seen at once");
}

/// Serves these documents by path, for ever.
fn serve(documents: Vec<(&'static str, String)>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0) {
                head.extend(byte);
            }
            let head = String::from_utf8_lossy(&head);
            let path = head.split(' ').nth(1).unwrap_or_default();
            let found = documents.iter().find(|(known, _)| *known == path);
            let (status, body) = found.map_or(("404 Not Found", "{}"), |(_, body)| ("200 OK", body.as_str()));
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
        }
    });
    address
}

#[test]
fn templates_of_an_index_are_listed_and_used() {
    let links = [
        json!({"url": "more/linked.json", "name": "Linked"}),
        json!({"url": "https://example.com/x.json"}),
        json!({"url": "gone.json"}),
    ];
    let index = json!({"templates": [template("Greet"), links[0], links[1], links[2], 5]});
    let address = serve(vec![
        ("/team/index.json", index.to_string()),
        ("/team/more/linked.json", template("Linked").to_string()),
    ]);
    let gateway = with(&format!(
        "templates: {{catalogue: 'http://{address}/team/index.json'}}\noutbound: {{allow: ['http://{address}']}}"
    ));
    let all = listed(&gateway, "catalogue");
    let shown: Vec<(&str, &str)> = all
        .iter()
        .map(|one| (one["id"].as_str().unwrap_or_default(), one["error"].as_str().unwrap_or("fine")))
        .collect();
    assert_eq!(shown[..2], [("catalogue:greet", "fine"), ("catalogue:linked", "fine")], "{shown:?}");
    assert_eq!(shown[2].1, "its url must lead to the origin of the catalogue");
    assert_eq!(shown[3].1, "the server answered with HTTP status 404");
    assert!(shown[4].1.starts_with("body must be a JSON object"), "{shown:?}");
    activate(&gateway, "catalogue:linked", json!({"word": "there"}));
    assert_eq!(text(&gateway.call("test-server", "plain", json!({}))), "there");
}

#[test]
fn a_catalogue_that_cannot_be_read_says_why_and_the_others_stay() {
    let address = serve(vec![("/index.json", "[".to_owned())]);
    let place = |path: &str| format!("templates: {{catalogue: 'http://{address}{path}'}}");
    let allow = format!("outbound: {{allow: ['http://{address}']}}");
    for (setting, expected) in [
        (place("/index.json"), "is not permitted by outbound.allow"),
        (format!("{}\n{allow}", place("/nothing")), "HTTP status 404"),
        (format!("{}\n{allow}", place("/index.json")), "it is not JSON"),
        ("templates: {catalogue: /no/such/folder}".to_owned(), "No such file"),
    ] {
        let gateway = with(&setting);
        let all = listed(&gateway, "catalogue");
        let error = all[0]["error"].as_str().unwrap_or_default();
        assert!(all.len() == 1 && error.contains(expected), "{all:?}");
        assert_eq!(listed(&gateway, "shipped").len(), 11);
    }
}
