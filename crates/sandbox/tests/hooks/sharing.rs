//! Jobs that share a worker: none waits for long, is lost or gets what another one's script gave.

use crate::lost::{alone, kill, until, warm};
use crate::support::{Call, is_through, pre, runtime};
use lockgate_sandbox::{ErrorCode, Ran, Sandbox, Verdict};
use std::time::Duration;
use tokio::task::JoinHandle;

crate::tests![
    short_jobs_share_one_worker,
    results_never_swap,
    answers_reach_the_script_that_asked,
    a_job_behind_a_runaway_is_answered_in_time,
    a_job_behind_a_native_hang_is_answered_in_time,
    the_other_jobs_of_a_killed_worker_are_answered,
    the_other_jobs_of_a_worker_that_is_replaced_are_answered,
    messages_larger_than_the_socket_pass,
];

/// Does what its parameters say, so that one script can be quick first and slow later.
const SCRIPT: &str = "const p = context.request.params; \
     if (p.do === 'loop') for (;;); \
     if (p.do === 'hang') [].reverse.call({length: 2**53-1}); \
     if (p.do === 'throw') throw Error('no ' + p.n); \
     if (p.do === 'sleep') await sleep(2000); \
     if (p.do === 'grow') { const a = []; for (;;) a.push(new ArrayBuffer(1 << 20)); } \
     if (p.do === 'ask') p.known = await validateToken(p.token); \
     p.twice = 2 * p.n";

fn params(what: &str, n: usize) -> String {
    format!(r#"{{"do":"{what}","n":{n}}}"#)
}

/// A call that does this.
fn of(call: &Call, what: &str, n: usize) -> Call {
    call.clone().params(&params(what, n))
}

fn spawn(sandbox: &Sandbox, call: Call) -> JoinHandle<Ran> {
    let sandbox = sandbox.clone();
    tokio::spawn(async move { call.run_in(&sandbox).await })
}

fn doubled(what: &str, n: usize) -> Option<String> {
    Some(format!(r#"{{"do":"{what}","n":{n},"twice":{}}}"#, 2 * n))
}

/// A call whose script is known to be quick.
async fn known_as_quick(sandbox: &Sandbox) -> Call {
    let call = pre(&[SCRIPT]).limit(Duration::from_secs(3));
    for n in 0..50 {
        let ran = of(&call, "", n).run_in(sandbox).await;
        assert_eq!(ran.params.as_deref(), doubled("", n).as_deref(), "{:?}", ran.reports);
    }
    call
}

fn short_jobs_share_one_worker() {
    runtime().block_on(async {
        let (sandbox, _) = warm(0).await;
        let call = known_as_quick(&sandbox).await;
        for _ in 0..20 {
            let jobs: Vec<_> = (0..10).map(|n| spawn(&sandbox, of(&call, "", n))).collect();
            for (n, job) in jobs.into_iter().enumerate() {
                assert_eq!(job.await.unwrap().params.as_deref(), doubled("", n).as_deref());
            }
        }
        assert_eq!(sandbox.workers().killed, 0);
        sandbox.stop().await;
    });
}

fn results_never_swap() {
    runtime().block_on(async {
        let (sandbox, _) = warm(1).await;
        let call = known_as_quick(&sandbox).await.limit(Duration::from_secs(6));
        let what = |n: usize| match n % 100 {
            17 | 61 => "throw",
            33 => "loop",
            50 => "hang",
            80 => "grow",
            _ => "",
        };
        let jobs: Vec<_> = (0..400).map(|n| spawn(&sandbox, of(&call, what(n), n))).collect();
        for (n, job) in jobs.into_iter().enumerate() {
            let ran = job.await.unwrap();
            match (what(n), &ran.reports[0].verdict) {
                ("", Verdict::Continue { changed: true }) => {
                    assert_eq!(ran.params.as_deref(), doubled("", n).as_deref())
                }
                ("throw", Verdict::Failed(error)) => assert_eq!(error.message, format!("no {n}")),
                ("loop" | "hang", Verdict::Failed(error)) => assert_eq!(error.code, ErrorCode::Timeout),
                ("grow", Verdict::Failed(_)) => {}
                (what, other) => panic!("{n} {what}: {other:?}"),
            }
        }
        sandbox.stop().await;
    });
}

fn answers_reach_the_script_that_asked() {
    runtime().block_on(async {
        let (sandbox, _) = warm(0).await;
        let call = known_as_quick(&sandbox).await;
        let token = |n: usize| if n.is_multiple_of(3) { "right key" } else { "wrong key" };
        for _ in 0..10 {
            let asks = (0..12).map(|n| {
                let params = format!(r#"{{"do":"ask","n":{n},"token":"{}"}}"#, token(n));
                (spawn(&sandbox, call.clone().params(&params)), spawn(&sandbox, of(&call, "", n)))
            });
            for (n, (ask, other)) in asks.collect::<Vec<_>>().into_iter().enumerate() {
                let known = token(n) == "right key";
                let told = format!(r#""token":"{}","known":{known},"twice":{}}}"#, token(n), 2 * n);
                let ran = ask.await.unwrap();
                assert!(ran.params.as_ref().is_some_and(|it| it.ends_with(&told)), "{n}: {:?}", ran.params);
                assert_eq!(other.await.unwrap().params.as_deref(), doubled("", n).as_deref());
            }
        }
        sandbox.stop().await;
    });
}

/// Sends a job that does not come to an end, and many quick ones behind it.
fn others_are_answered(slow: &str) {
    runtime().block_on(async {
        let (sandbox, _) = warm(0).await;
        let call = known_as_quick(&sandbox).await;
        let runaway = spawn(&sandbox, of(&call, slow, 0));
        let jobs: Vec<_> = (1..20).map(|n| spawn(&sandbox, of(&call, "", n))).collect();
        for (n, job) in (1..20).zip(jobs) {
            assert_eq!(job.await.unwrap().params.as_deref(), doubled("", n).as_deref());
        }
        assert!(!runaway.is_finished(), "it runs until its deadline");
        let ran = runaway.await.unwrap();
        assert!(
            matches!(&ran.reports[0].verdict, Verdict::Failed(error) if error.code == ErrorCode::Timeout)
        );
        sandbox.stop().await;
    });
}

fn a_job_behind_a_runaway_is_answered_in_time() {
    others_are_answered("loop");
}

fn a_job_behind_a_native_hang_is_answered_in_time() {
    others_are_answered("hang");
}

fn the_other_jobs_of_a_killed_worker_are_answered() {
    alone("others");
}

pub(crate) fn others() {
    runtime().block_on(async {
        let (sandbox, workers) = warm(0).await;
        let call = known_as_quick(&sandbox).await;
        let mut jobs = vec![spawn(&sandbox, of(&call, "sleep", 0))];
        jobs.extend((1..20).map(|n| spawn(&sandbox, of(&call, "", n))));
        until("they run", || sandbox.workers().busy >= 1).await;
        workers.iter().for_each(|pid| kill(*pid));
        for (n, job) in jobs.into_iter().enumerate() {
            let ran = job.await.unwrap();
            match &ran.reports[0].verdict {
                // Alone on its worker by then, it is what the worker was killed with.
                Verdict::Failed(error) if n == 0 => assert_eq!(error.code, ErrorCode::ExecutionError),
                _ => {
                    let expected = doubled(if n == 0 { "sleep" } else { "" }, n);
                    assert_eq!(ran.params.as_deref(), expected.as_deref(), "{n}");
                }
            }
        }
        sandbox.stop().await;
    });
}

fn the_other_jobs_of_a_worker_that_is_replaced_are_answered() {
    runtime().block_on(async {
        let (sandbox, _) = warm(0).await;
        let call = known_as_quick(&sandbox).await;
        for round in 0..5 {
            let hog = spawn(&sandbox, of(&call, "grow", 0));
            let jobs: Vec<_> = (1..20).map(|n| spawn(&sandbox, of(&call, "", n))).collect();
            for (n, job) in (1..20).zip(jobs) {
                assert_eq!(job.await.unwrap().params.as_deref(), doubled("", n).as_deref(), "{round}");
            }
            assert!(matches!(hog.await.unwrap().reports[0].verdict, Verdict::Failed(_)));
        }
        sandbox.stop().await;
    });
}

fn messages_larger_than_the_socket_pass() {
    runtime().block_on(async {
        let (sandbox, _) = warm(0).await;
        let call = known_as_quick(&sandbox).await;
        let large = "x".repeat(3 << 20);
        let jobs = (0..4).map(|n| {
            let params = format!(r#"{{"do":"","n":{n},"large":"{large}"}}"#);
            (spawn(&sandbox, call.clone().params(&params)), spawn(&sandbox, of(&call, "", n)))
        });
        for (n, (job, other)) in jobs.collect::<Vec<_>>().into_iter().enumerate() {
            let ran = job.await.unwrap();
            let expected = format!(r#"{{"do":"","n":{n},"large":"{large}","twice":{}}}"#, 2 * n);
            assert!(is_through(&ran) && ran.params.as_deref() == Some(&*expected), "{:?}", ran.reports);
            assert_eq!(other.await.unwrap().params.as_deref(), doubled("", n).as_deref());
        }
        sandbox.stop().await;
    });
}
