//! The items of the library's table (spec 4.10), made from outside.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    Activity, ActivityContext, ActivityResult, CallHttp, CallTool, Code, Continue, Definition, Effect,
    HttpActivity, HttpReply, HttpRequest, Kit, PostgresStore, RedisStore, RunScripts, Running,
    ScriptActivity, SessionManager, SessionManagerOptions, Start, ToolActivity, ToolRequest, Workflow,
    sandbox, written,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        once("an_activity_is_executed_and_shown_as_a_tool", tool),
        once("activities_of_every_kind_are_made_from_outside", kinds),
        once("definitions_that_are_looked_at_or_replaced_take_no_room", room),
        once("a_store_is_opened_at_an_address_of_its_kind_only", addresses),
    ]
}

async fn tool() {
    let activity: Arc<dyn Activity> = Arc::new(add());
    let mut context = ActivityContext::standalone(Some(json!({"a": 1, "b": 2})), 0);
    assert_eq!(activity.execute(&mut context).await.data, Some(json!({"result": 3})));
    let result = activity.execute_with_retry(&mut context).await;
    assert_eq!(result.data, Some(json!({"result": 3})));
    let tool = activity.to_tool();
    assert_eq!((tool.name, &tool.input_schema["type"]), ("add", &json!("object")));
    let reply = tool.call(Some(json!({"a": 1, "b": 2})), 0).await;
    assert_eq!((&reply["structuredContent"], &reply["isError"]), (&json!({"result": 3}), &json!(false)));
    assert_eq!(tool.call(Some(json!({"a": "x"})), 0).await["isError"], true);
}

/// Stands in for everything that is outside.
struct Outside;

impl CallHttp for Outside {
    fn send<'a>(&'a self, request: HttpRequest) -> Running<'a, Result<HttpReply, String>> {
        let body = json!({"url": request.url}).to_string().into_bytes();
        Box::pin(std::future::ready(Ok(HttpReply { status: 200, body })))
    }
}

impl CallTool for Outside {
    fn call<'a>(&'a self, request: ToolRequest<'a>) -> Running<'a, Result<Value, String>> {
        Box::pin(std::future::ready(Ok(json!({"tool": request.tool}))))
    }

    fn effect(&self, _server: &str, _tool: &str) -> Effect {
        Effect::None
    }
}

impl RunScripts for Outside {
    fn run<'a>(&'a self, _job: &'a sandbox::Job<'a>) -> Running<'a, sandbox::Ran> {
        let report = sandbox::Report {
            verdict: sandbox::Verdict::Continue { changed: false },
            micros: 0,
            memory: 0,
            console: Vec::new(),
            returned: None,
            changes: None,
        };
        Box::pin(std::future::ready(sandbox::Ran {
            end: sandbox::End::Through,
            params: None,
            response: sandbox::Json::try_from(r#"{"data":7}"#.to_owned()).ok(),
            shared: None,
            variables: None,
            reports: vec![report],
        }))
    }

    fn check<'a>(&'a self, sources: &'a [&'a str]) -> Running<'a, Vec<Result<(), sandbox::ScriptError>>> {
        Box::pin(std::future::ready(vec![Ok(()); sources.len()]))
    }
}

fn kit() -> Kit {
    let limit = Duration::from_secs(5);
    Kit {
        scripts: Arc::new(Outside),
        limit,
        call_limit: limit,
        tools: Arc::new(Outside),
        http: Arc::new(Outside),
    }
}

async fn kinds() {
    let limit = Duration::from_secs(5);
    let scripts: Arc<dyn RunScripts> = Arc::new(Outside);
    let code = Code::body("script", "return {data: 7}", &[], &(scripts, limit));
    let request = serde_json::from_value(json!({"url": "http://localhost/{{input.id}}"})).unwrap();
    let script = ScriptActivity::new("script", code);
    let http = HttpActivity::new("http", request, limit, Arc::new(Outside));
    let tool = ToolActivity::new("tool", "server", "echo", None, Arc::new(Outside));
    let all: [(&dyn Activity, Value); 3] = [
        (&script, json!(7)),
        (&http, json!({"url": "http://localhost/5?id=5"})),
        (&tool, json!({"tool": "echo"})),
    ];
    for (activity, expected) in all {
        let mut context = ActivityContext::standalone(Some(json!({"id": 5})), 0);
        let result: ActivityResult = activity.execute(&mut context).await;
        assert_eq!(result.data, Some(expected), "{}", activity.name());
    }
    let manager = SessionManager::new(SessionManagerOptions { kit: Some(kit()), ..Default::default() });
    let workflow = Workflow::define(&manager, definition("w")).unwrap();
    let session = id(&workflow.start(json!({})).await.unwrap());
    let reply = workflow.continue_session(&session, None, Value::Null).await.unwrap();
    assert_eq!(structured(&reply)["results"]["a"], 7);
}

/// The workflow `w` of two steps.
fn definition(description: &str) -> Definition {
    let run = written::Run::Script("return {data: 7}".into());
    let activities = BTreeMap::from([("a".to_owned(), written::Activity::of("a".into(), run))]);
    let step = || written::Step { activity: "a".into(), ..written::Step::default() };
    let named = written::Procedure { description: description.into(), ..written::Procedure::named("w") };
    let procedure = written::Procedure { steps: vec![step(), step()], ..named };
    Definition::new(procedure, &activities, None)
}

async fn room() {
    let manager = SessionManager::new(SessionManagerOptions { kit: Some(kit()), ..Default::default() });
    let engine = manager.engine();
    let looked_at = Arc::downgrade(&engine.plan(definition("a draft")).unwrap());
    assert!(looked_at.upgrade().is_none(), "nobody uses it");
    let plan = engine.plan(definition("first")).unwrap();
    let first = Arc::downgrade(&plan);
    engine.offer([plan]);
    assert!(std::ptr::eq(&*engine.plan(definition("first")).unwrap(), first.as_ptr()), "it is in use");
    let session = id(&engine.start("w", Start::default()).await.unwrap());
    engine.offer([engine.plan(definition("second")).unwrap()]);
    assert!(first.upgrade().is_none(), "another one took its place");
    let request = Continue { session: Some(session), ..Continue::default() };
    let reply = engine.proceed("w", request).await.unwrap();
    assert_eq!(structured(&reply)["status"], "completed", "the session stays on its own");
}

async fn addresses() {
    let error = PostgresStore::open("redis://localhost/0").await.unwrap_err().to_string();
    assert_eq!(error, "This is no postgres address: redis://localhost:6379/0");
    let error = RedisStore::open("sqlite:x.db").await.unwrap_err().to_string();
    assert_eq!(error, "This is no redis address: sqlite:x.db");
    assert!(PostgresStore::open("nowhere").await.unwrap_err().to_string().starts_with("This is no postgres"));
}
