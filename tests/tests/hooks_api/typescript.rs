//! Scripts in TypeScript, wherever scripts may stand.

use super::{create, hook, list, text, with};
use serde_json::{Value, json};
use testkit::TestGateway;

const GUARD: &str = "interface Input { path?: string; seen?: string }
const {name, arguments: input = {}} = context.request.params as {name: string; arguments?: Input}
type Verdict = Readonly<HookVerdict>
const block = (message: string): Verdict => ({continue: false, error: {code: 'NO', message}})
if (input.path?.startsWith('/etc')) return block(`${name} may not read ${input.path!}`)
input.seen = (await sleep(0) as unknown, context.metadata.clientId)
return {continue: true, context} satisfies Verdict";

#[test]
fn a_hook_may_be_written_in_typescript() {
    let gateway = TestGateway::start();
    let kept = create(&gateway, with("script", json!(GUARD)));
    assert_eq!(kept["script"], GUARD, "it comes back as it was written");
    let reply = gateway.call("test-server", "echo", json!({"path": "/tmp"}));
    assert_eq!(reply.result(), &json!({"path": "/tmp", "seen": "anonymous"}));
    let fault =
        gateway.call("test-server", "echo", json!({"path": "/etc/x"})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.message, "echo may not read /etc/x");
    assert_eq!(gateway.post("/api/hooks/validate", json!({"script": GUARD})).body, json!({"valid": true}));

    let draft = json!({"script": "const a: any = null\nreturn a.b as any", "phase": "pre", "context": {}});
    let tried = gateway.post("/api/hooks/test", draft).body;
    assert_eq!((&tried["error"]["line"], &tried["error"]["column"]), (&json!(2), &json!(8)), "{tried}");

    let refused = gateway.post("/api/hooks", with("script", json!("let a: number = 1\n  enum E { A }")));
    let fault = refused.expect_code(400, "VALIDATION_ERROR");
    assert!(fault.message.starts_with("Invalid hook script: SyntaxError: an enum"), "{}", fault.message);
    assert_eq!((&fault.details["line"], &fault.details["column"]), (&json!(2), &json!(3)));
    assert_eq!(list(&gateway).len(), 1);
    assert!(gateway.get("/api/hooks/types.d.ts").text().contains("TypeScript"));
}

#[test]
fn nodes_and_expressions_may_be_written_in_typescript() {
    let gateway = TestGateway::start();
    let module = create(&gateway, {
        let mut module = hook("module");
        module["enabled"] = json!(false);
        module["script"] = json!("(context.request.params.arguments as any).module = 1 as number");
        module
    });
    let node = |id: &str, kind: &str, data: Value| json!({"id": id, "type": kind, "data": data});
    let nodes = json!([
        node("s", "start", json!({})),
        node(
            "v",
            "variable",
            json!({"set": [{"name": "n", "expression": "(current as number | null) ?? 41"}]})
        ),
        node(
            "h",
            "hook",
            json!({"hook": {"id": "h", "blocking": true,
            "script": "const add = <T extends number>(n: T): number => n + 1\nconst {arguments: given}: any = context.request.params\ngiven.n = add(context.variables!.n)"}})
        ),
        node(
            "m",
            "hook",
            json!({"hook": {"id": "m", "blocking": true, "hookModuleId": text(&module["id"])}})
        ),
        node("c", "mcp-call", json!({})),
        node("e", "end", json!({})),
    ]);
    let list = nodes.as_array().expect("nodes");
    let edges: Vec<Value> =
        list.windows(2).map(|pair| json!({"source": pair[0]["id"], "target": pair[1]["id"]})).collect();
    let graph =
        json!({"name": "w", "workflowType": "tools/call", "enabled": true, "nodes": nodes, "edges": edges});
    gateway.post("/api/workflows", graph).expect_status(201);
    assert_eq!(gateway.call("test-server", "echo", json!({})).result(), &json!({"n": 42, "module": 1}));
}
