//! Tests of keeping runs.

use super::*;
use crate::testing::{Setup, line, workflow};
use serde_json::Value;
use tokio::sync::oneshot;

async fn memory() -> Store {
    store::open(&store::Location::Memory).await.expect("opened")
}

fn options(store: &Store, mask: Option<Mask>) -> Options {
    let limits = Limits { most: 1000, age: Duration::from_secs(3600) };
    Options { store: store.clone(), limits, mask }
}

fn read(record: &str) -> Value {
    serde_json::from_str(record).expect("a record is JSON")
}

#[tokio::test]
async fn a_run_can_be_read_at_once_and_is_filled_in_later() {
    let store = memory().await;
    let (recorder, handle) = Recorder::new(options(&store, None));
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(recorder.run(async move {
        let _ = stopped.await;
    }));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    let graph = workflow(&["s start", "c mcp-call", "e end", "f side wait"], &["s c", "c e", "s f"]);
    let passed = setup.pass(&graph).await;
    let found = handle.list(Some("w"), 10, 0).await.expect("read");
    assert_eq!(found.len(), 1);
    let first = read(&found[0]);
    assert_eq!(
        (first["id"].as_str(), &first["status"]),
        (Some(passed.run.id().to_string().as_str()), &"completed".into())
    );
    assert_eq!(first["results"]["f"]["state"], "running");
    setup.fake.gate.add_permits(1);
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let later = handle.get(passed.run.id()).await.expect("read").expect("there");
        if read(&later)["results"]["f"]["state"] == "completed" {
            break;
        }
        assert!(Instant::now() < deadline, "{later}");
        tokio::task::yield_now().await;
    }
    assert_eq!(handle.count(None).await.expect("a count"), 1);
    assert_eq!(handle.list(Some("other"), 10, 0).await.expect("read").len(), 0);
    drop(stop);
    task.await.expect("ended");
    assert_eq!(store.runs().count(None).await.expect("a count"), 1);
    assert_eq!(handle.dropped(), 0);
}

#[tokio::test]
async fn what_is_queued_is_written_at_the_stop() {
    let store = memory().await;
    let (recorder, handle) = Recorder::new(options(&store, None));
    let setup = Setup { recorder: Some(handle), ..Setup::default() };
    for _ in 0..600 {
        setup.pass(&line(&[], &[])).await;
    }
    recorder.run(std::future::ready(())).await;
    assert_eq!(store.runs().count(None).await.expect("a count"), 600);
}

#[tokio::test]
async fn a_full_queue_drops_and_counts_and_holds_up_nobody() {
    let store = memory().await;
    let (recorder, handle) = Recorder::new(options(&store, None));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    let graph = setup.pass(&line(&[], &[])).await.run.graph().clone();
    for _ in 0..BYTES >> 20 {
        handle.queue(&Run::begin(&graph, Some("x".repeat(1 << 20)), true));
    }
    assert_eq!(handle.dropped(), 1, "the first one was small");
    recorder.run(std::future::ready(())).await;
    assert_eq!(store.runs().count(None).await.expect("a count"), BYTES as u64 >> 20);
}

#[tokio::test]
async fn of_a_flood_only_those_are_written_that_are_kept() {
    let store = memory().await;
    let (recorder, handle) = Recorder::new(options(&store, None));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    let graph = line(&[], &[]);
    let mut last = Vec::new();
    for _ in 0..2500 {
        last.push(setup.pass(&graph).await.run.id().to_string());
    }
    assert_eq!(handle.shared.queue().len(), 1000, "those before them would be forgotten at once");
    recorder.run(std::future::ready(())).await;
    assert_eq!(handle.dropped(), 0);
    let kept = store.runs().list(None, 2000, 0).await.expect("read");
    let kept: Vec<String> = kept.iter().rev().map(|run| run.id.to_string()).collect();
    assert_eq!(kept, last[1500..]);
}

#[tokio::test]
async fn a_run_that_nobody_waits_for_is_recorded_as_cancelled() {
    let store = memory().await;
    let (recorder, handle) = Recorder::new(options(&store, None));
    tokio::spawn(recorder.run(std::future::pending()));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    let graph = line(&["a hook wait"], &[]);
    {
        let pass = setup.pass(&graph);
        tokio::pin!(pass);
        assert!(futures_poll(pass.as_mut()).await.is_none(), "it waits");
        let live = handle.list(None, 10, 0).await.expect("read");
        assert_eq!(read(&live[0])["status"], "running");
    }
    let left = handle.list(None, 10, 0).await.expect("read");
    assert_eq!(left.len(), 1);
    let record = read(&left[0]);
    assert_eq!(record["status"], "cancelled");
    assert_eq!(record["error"], "The request was cancelled before the run ended");
    assert_eq!(
        (&record["results"]["a"]["state"], &record["results"]["c"]["state"]),
        (&"error".into(), &"skipped".into())
    );
    assert_eq!(setup.ended.load(std::sync::atomic::Ordering::Relaxed), 1, "whoever listens is told");
    assert_eq!(setup.calls(), 0);
}

/// Lets a future go as far as it can.
async fn futures_poll<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        std::task::Poll::Ready(output) => std::task::Poll::Ready(Some(output)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

#[tokio::test]
async fn requests_and_replies_are_kept_without_secrets() {
    let store = memory().await;
    let mask: Mask = |text| text.contains("arguments").then(|| "{\"hidden\":true}".into());
    let (recorder, handle) = Recorder::new(options(&store, Some(mask)));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    let passed = setup.pass(&line(&["a hook set"], &[])).await;
    recorder.run(std::future::ready(())).await;
    let kept = store.runs().get(passed.run.id()).await.expect("read").expect("there").record;
    assert!(!kept.contains("arguments"), "{kept}");
    let hidden = serde_json::json!({"hidden": true});
    assert_eq!((&read(&kept)["context"], &read(&kept)["mcpResult"]), (&hidden, &hidden));
    assert_eq!(read(&kept)["results"]["a"]["changes"], hidden);
}

#[tokio::test]
async fn whoever_reads_finds_the_newest_and_no_more_than_are_kept() {
    let store = memory().await;
    let limits = Limits { most: 3, ..options(&store, None).limits };
    let (recorder, handle) = Recorder::new(Options { limits, ..options(&store, None) });
    let task = tokio::spawn(recorder.run(std::future::pending()));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    let mut last = Vec::new();
    for _ in 0..5 {
        last.push(setup.pass(&line(&[], &[])).await.run.id().to_string());
        let found = handle.list(None, 10, 0).await.expect("read");
        let found: Vec<String> =
            found.iter().rev().map(|run| read(run)["id"].as_str().expect("an id").into()).collect();
        assert_eq!(found, last[last.len().saturating_sub(3)..]);
    }
    assert_eq!(handle.count(None).await.expect("read"), 3);
    task.abort();
}

#[tokio::test]
async fn other_limits_take_effect_at_once() {
    let store = memory().await;
    let (recorder, handle) = Recorder::new(options(&store, None));
    let task = tokio::spawn(recorder.run(std::future::pending()));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    for _ in 0..20 {
        setup.pass(&line(&[], &[])).await;
    }
    assert_eq!(handle.count(None).await.expect("a count"), 20);
    handle.limit(Limits { most: 5, age: Duration::from_secs(3600) });
    handle.flush().await;
    assert_eq!(handle.count(None).await.expect("a count"), 5);
    task.abort();
}

#[tokio::test]
async fn a_run_that_takes_long_is_written_before_it_ends_and_broken_off_when_its_process_is_gone() {
    let store = memory().await;
    let (recorder, handle) = Recorder::new(options(&store, None));
    tokio::spawn(recorder.run(std::future::pending()));
    let setup = Setup { recorder: Some(handle.clone()), ..Setup::default() };
    let graph = line(&["a hook wait"], &[]);
    let pass = setup.pass(&graph);
    tokio::pin!(pass);
    assert!(futures_poll(pass.as_mut()).await.is_none(), "it waits");
    while store.runs().count(None).await.expect("a count") == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let status = async |handle: &Handle| {
        assert_eq!(handle.count(None).await.expect("a count"), 1);
        let all = handle.list(None, 10, 0).await.expect("read");
        assert_eq!(all.len(), 1);
        read(&all[0])["status"].as_str().expect("a word").to_owned()
    };
    assert_eq!(status(&handle).await, "running");
    while gone::now() <= handle.shared.made_at + 1 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (recorder, other) = Recorder::new(options(&store, None));
    tokio::spawn(recorder.run(std::future::pending()));
    assert_eq!(status(&other).await, "running", "whoever writes it may still be there");
    other.alone();
    let left = read(&other.list(None, 10, 0).await.expect("read")[0]);
    assert_eq!((&left["status"], &left["results"]["a"]["state"]), (&"error".into(), &"error".into()));
    assert_eq!(left["error"], "The gateway stopped before the run ended");
    setup.fake.gate.add_permits(1);
    pass.await;
    assert_eq!(status(&handle).await, "completed");
    assert_eq!(status(&other).await, "completed");
}
