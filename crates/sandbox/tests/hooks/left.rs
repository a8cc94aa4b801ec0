//! Jobs for which nobody waits any more: what their scripts did is told all the same.

use crate::lost::until;
use crate::support::{Call, is_through, pre, runtime, sandbox_of};
use lockgate_sandbox::{ConsoleLine, Estate, Heir, Host, Left, Ran, Sandbox, Verdict};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

crate::tests![
    what_a_script_wrote_is_told_however_many_jobs_stand_behind_it,
    what_earlier_parts_did_is_told_when_nobody_waits_for_the_next,
];

/// A host that notes that it was asked.
#[derive(Default)]
struct Asked(AtomicBool);

impl Host for Asked {
    fn is_key(&self, _: &str) -> bool {
        self.0.store(true, SeqCst);
        false
    }

    fn server_info(&self, _: &str) -> Option<String> {
        None
    }
}

/// Where what is left of a job is put.
#[derive(Clone, Default)]
struct Will(Arc<Mutex<Option<Estate>>>);

impl Will {
    fn heir(&self) -> Heir {
        let place = self.clone();
        Box::new(move |estate| *place.0.lock().unwrap() = Some(estate))
    }

    async fn opened(&self) -> Estate {
        until("it is left to somebody", || self.0.lock().unwrap().is_some()).await;
        self.0.lock().unwrap().take().unwrap()
    }
}

/// Goes on with a job as far as it goes without waiting.
fn push(job: &mut Pin<Box<impl Future<Output = Ran>>>) {
    let waits = job.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
    assert!(waits, "it has come to its end");
}

fn texts(lines: &[ConsoleLine]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

/// A script that is known to be quick, and waits when it is told to.
async fn known_as_quick(sandbox: &Sandbox) -> Call {
    const SCRIPT: &str = "if (context.request.params.wait) { console.log('written'); validateToken(''); for (;;) await sleep(5000) }";
    let call = pre(&[SCRIPT]).limit(Duration::from_secs(60));
    for _ in 0..50 {
        assert!(is_through(&call.run_in(sandbox).await));
    }
    call
}

fn what_a_script_wrote_is_told_however_many_jobs_stand_behind_it() {
    runtime().block_on(async {
        let host = Arc::new(Asked::default());
        let sandbox = sandbox_of(0, host.clone());
        let call = known_as_quick(&sandbox).await;
        let (will, front) = (Will::default(), call.clone().params(r#"{"wait":true}"#));
        let heir = || will.heir();
        let mut job = Box::pin(front.run_left(&sandbox, Left(&heir)));
        push(&mut job);
        // More than a worker reads at once, so that it stands there unread.
        let large = call.clone().params(&format!(r#"{{"large":"{}"}}"#, "x".repeat(1 << 20)));
        let mut behind = Box::pin(large.run_in(&sandbox));
        push(&mut behind);
        until("the script has written", || host.0.load(SeqCst)).await;
        drop(job);
        let estate = will.opened().await;
        let broken = estate.broken.expect("it was under way");
        assert_eq!(texts(&broken.console), ["written"]);
        assert!(is_through(&behind.await), "the other one is done elsewhere");
        sandbox.stop().await;
    });
}

fn what_earlier_parts_did_is_told_when_nobody_waits_for_the_next() {
    runtime().block_on(async {
        let sandbox = sandbox_of(0, Arc::new(Asked::default()));
        let hang = "console.log('second'); [].reverse.call({length: 2**53-1})";
        let call = pre(&["console.log('first')", hang, ""]).limit(Duration::from_secs(1));
        let will = Will::default();
        let heir = || will.heir();
        let mut job = Box::pin(call.run_left(&sandbox, Left(&heir)));
        until("the worker of the first part is lost", || {
            push(&mut job);
            sandbox.workers().killed == 1
        })
        .await;
        push(&mut job);
        drop(job);
        let estate = will.opened().await;
        let told: Vec<&str> = estate.reports.iter().flat_map(|report| texts(&report.console)).collect();
        assert_eq!(told, ["first", "second"], "{estate:?}");
        assert!(matches!(&estate.reports[1].verdict, Verdict::Failed(_)));
        sandbox.stop().await;
    });
}
