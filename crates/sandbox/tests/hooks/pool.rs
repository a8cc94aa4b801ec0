//! The workers: how many, for whom, and what becomes of them.

use crate::lost::children;
use crate::support::{Call, error, is_through, new_sandbox, pre, runtime, step};
use lockgate_sandbox::{ErrorCode, Limit, Rank, Sandbox, Script, Step, Verdict};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio::time::sleep;

crate::tests![
    nothing_is_started_before_it_is_needed,
    a_warm_sandbox_has_its_workers_and_a_spare,
    runaway_scripts_do_not_block_others,
    sleeping_scripts_do_not_block_others,
    too_many_slow_scripts_are_told_so,
    what_is_no_part_of_a_request_leaves_workers_to_requests,
    many_jobs_share_few_workers,
    a_job_that_nobody_waits_for_takes_its_worker_along,
    a_worker_is_replaced_when_it_has_done_enough,
    memory_stays_flat,
    a_worker_that_rests_gives_back_the_code_it_needed,
    a_version_of_a_script_is_compiled_once,
    a_stopped_sandbox_says_so,
];

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        sleep(Duration::from_millis(2)).await;
    }
}

async fn warm(workers: usize) -> Sandbox {
    let sandbox = new_sandbox(workers);
    sandbox.warm();
    until("all workers are ready", || sandbox.workers().idle == workers + 1).await;
    sandbox
}

fn nothing_is_started_before_it_is_needed() {
    runtime().block_on(async {
        let sandbox = new_sandbox(1);
        assert_eq!(sandbox.workers(), Default::default());
        assert!(is_through(&pre(&[""]).run_in(&sandbox).await));
        until("the spare is ready too", || sandbox.workers().idle == 2).await;
        sandbox.stop().await;
    });
}

fn a_warm_sandbox_has_its_workers_and_a_spare() {
    runtime().block_on(async {
        let sandbox = warm(2).await;
        let workers = sandbox.workers();
        assert_eq!((workers.started, workers.busy, workers.killed), (3, 0, 0));
        sandbox.stop().await;
        assert_eq!(sandbox.workers().idle, 0);
    });
}

/// Runs `slow` many times over, and meanwhile a quick one.
fn others_are_served(slow: &str, count: usize) {
    let slow = slow.to_owned();
    runtime().block_on(async {
        let sandbox = warm(1).await;
        let many: Vec<_> = (0..count)
            .map(|_| {
                let (sandbox, call) = (sandbox.clone(), pre(&[&slow]).limit(Duration::from_secs(60)));
                tokio::spawn(async move { call.run_in(&sandbox).await })
            })
            .collect();
        until("all slow ones run", || sandbox.workers().busy == count).await;
        let ran = pre(&["context.request.params.ok = 1"]).run_in(&sandbox).await;
        assert!(ran.params.is_some(), "{:?}", ran.reports);
        assert!(many.iter().all(|one| !one.is_finished()), "served before any slow one ended");
        sandbox.stop().await;
        for one in many {
            one.await.unwrap();
        }
    });
}

fn runaway_scripts_do_not_block_others() {
    others_are_served("for (;;);", 3);
}

fn sleeping_scripts_do_not_block_others() {
    others_are_served("for (let n = 0; n < 10; n++) await sleep(5000)", 10);
}

fn too_many_slow_scripts_are_told_so() {
    runtime().block_on(async {
        let sandbox = warm(1).await;
        // Longer than any machine takes to start all workers.
        let slow = pre(&["for (let n = 0; n < 10; n++) await sleep(5000)"]).limit(Duration::from_secs(60));
        let many: Vec<_> = (0..64)
            .map(|_| {
                let (sandbox, call) = (sandbox.clone(), slow.clone());
                tokio::spawn(async move { call.run_in(&sandbox).await })
            })
            .collect();
        until("the pool is full", || sandbox.workers().busy == 64).await;
        let ran = pre(&["", ""]).limit(Duration::from_millis(50)).run_in(&sandbox).await;
        assert_eq!((error(&ran).code, error(&ran).limit), (ErrorCode::ExecutionError, Some(Limit::Workers)));
        assert!(matches!(ran.reports[1].verdict, Verdict::Failed(_)));
        assert!(many.iter().all(|one| !one.is_finished()));
        many.iter().for_each(JoinHandle::abort);
        sandbox.stop().await;
    });
}

fn what_is_no_part_of_a_request_leaves_workers_to_requests() {
    runtime().block_on(async {
        let sandbox = warm(1).await;
        let start = |rank: Rank| {
            let asleep = pre(&["for (let n = 0; n < 10; n++) await sleep(5000)"]);
            let (sandbox, call) = (sandbox.clone(), Call { rank, ..asleep.limit(Duration::from_secs(60)) });
            tokio::spawn(async move { call.run_in(&sandbox).await })
        };
        let quick = pre(&["context.request.params.ok = 1"]).limit(Duration::from_millis(50));
        let refused = async |rank: Rank| {
            let ran = Call { rank, ..quick.clone() }.run_in(&sandbox).await;
            error(&ran).limit == Some(Limit::Workers)
        };
        let mut many: Vec<_> = (0..64).map(|_| start(Rank::Side)).collect();
        until("those of nobody have half of the workers", || sandbox.workers().busy >= 32).await;
        assert!(refused(Rank::Side).await);
        many.extend((0..64).map(|_| start(Rank::Work)));
        until("all but requests have three quarters", || sandbox.workers().busy >= 48).await;
        assert!(refused(Rank::Side).await && refused(Rank::Work).await);
        let ran = quick.clone().limit(Duration::from_secs(10)).run_in(&sandbox).await;
        assert!(ran.params.is_some(), "{:?}", ran.reports);
        until("it has left its worker", || sandbox.workers().busy == 48).await;
        sandbox.stop().await;
        for one in many {
            one.await.unwrap();
        }
    });
}

fn many_jobs_share_few_workers() {
    runtime().block_on(async {
        let sandbox = warm(2).await;
        let jobs = (0..200).map(|n| {
            let (sandbox, call) =
                (sandbox.clone(), pre(&[&format!("context.request.params.n = {n}")]).params("{}"));
            tokio::spawn(async move { (n, call.run_in(&sandbox).await) })
        });
        for job in jobs.collect::<Vec<_>>() {
            let (n, ran) = job.await.unwrap();
            assert_eq!(ran.params.as_deref(), Some(&*format!("{{\"n\":{n}}}")));
        }
        assert!(sandbox.workers().started < 30, "{:?}", sandbox.workers());
        sandbox.stop().await;
    });
}

fn a_job_that_nobody_waits_for_takes_its_worker_along() {
    runtime().block_on(async {
        let sandbox = warm(1).await;
        let (inner, call) = (sandbox.clone(), pre(&["await sleep(5000)"]));
        let job = tokio::spawn(async move { call.run_in(&inner).await });
        until("it runs", || sandbox.workers().busy == 1).await;
        job.abort();
        until("it is killed", || sandbox.workers().killed == 1).await;
        assert!(is_through(&pre(&[""]).run_in(&sandbox).await));
        until("it is replaced", || sandbox.workers().idle == 2).await;
        sandbox.stop().await;
    });
}

fn a_worker_is_replaced_when_it_has_done_enough() {
    runtime().block_on(async {
        let (sandbox, first) = crate::lost::warm(0).await;
        let call = pre(&["context.request.params.n = 1"]).params("{}");
        let once = || async {
            let ran = call.run_in(&sandbox).await;
            assert_eq!(ran.params.as_deref(), Some("{\"n\":1}"), "{:?}", ran.reports);
        };
        // Where it was slow another one has done some of them in its place.
        for round in 1..30_000 {
            tokio::join!(once(), once(), once(), once());
            if round > 7_500 && round % 100 == 0 && !children().contains(&first[0]) {
                break;
            }
        }
        until("the first one is gone", || !children().contains(&first[0])).await;
        assert!(sandbox.workers().started >= 2, "{:?}", sandbox.workers());
        assert_eq!(sandbox.workers().killed, 0);
        sandbox.stop().await;
    });
}

fn memory_stays_flat() {
    crate::lost::alone("flat");
}

pub(crate) fn flat() {
    runtime().block_on(async {
        let sandbox = warm(0).await;
        let cycles = "const a = []; for (let i = 0; i < 200; i++) { const o = {a}; a.push(o) } class C {} new C(); \
                      context.request.params.f = (() => a.length)(); await Promise.resolve(); console.log('x')";
        let call = pre(&[cycles, "try { null.x } catch {}", "return {context: {...context}}"]);
        for _ in 0..300 {
            call.run_in(&sandbox).await;
        }
        let before = resident("RssAnon");
        for _ in 0..2500 {
            let ran = call.run_in(&sandbox).await;
            assert!(is_through(&ran));
        }
        let (after, workers) = (resident("RssAnon"), sandbox.workers());
        assert_eq!(workers.started, 1, "garbage did not make the worker be replaced");
        assert!(after <= before + 1024, "{before} KiB, then {after} KiB");
        sandbox.stop().await;
    });
}

fn a_worker_that_rests_gives_back_the_code_it_needed() {
    crate::lost::alone("rested");
}

pub(crate) fn rested() {
    runtime().block_on(async {
        let sandbox = warm(0).await;
        let code = || resident("RssFile");
        for round in 0..2 {
            let mut most = 0;
            for n in 0..60 {
                // Some need much of the engine and of its compiler, and none is compiled already.
                let script =
                    format!("[{round}, {n}].map((x) => /a+/.exec(`${{x}}a`)).sort(); JSON.parse('{{}}')");
                assert!(is_through(&pre(&[&script]).run_in(&sandbox).await));
                most = most.max(code());
            }
            until("it has given back half of it", || code() * 2 < most).await;
        }
        assert_eq!(sandbox.workers().started, 1);
        sandbox.stop().await;
    });
}

/// What all workers of this process hold of one kind, in KiB.
fn resident(kind: &str) -> u64 {
    let mut total = 0;
    for entry in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let children = std::fs::read_to_string(entry.path().join("children")).unwrap_or_default();
        for pid in children.split_whitespace() {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let line = status.lines().find(|line| line.starts_with(kind));
            total += line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    total
}

fn a_version_of_a_script_is_compiled_once() {
    runtime().block_on(async {
        let sandbox = warm(0).await;
        // Large enough that compiling it takes far longer than running it.
        let source = format!("if (context.x) {{ {} }}", "f(1, 2, 3);".repeat(10_000));
        let script = Script::new("large", source.as_str());
        let call = Call { steps: vec![Step::new(script, true)], ..pre(&[]) };
        let first = call.run_in(&sandbox).await.reports[0].micros;
        let second = call.run_in(&sandbox).await.reports[0].micros;
        assert!(second * 5 < first, "{first} us, then {second} us");
        // More scripts than a worker keeps: the first must be sent and compiled again, and works.
        for n in 0..150 {
            let call = Call { steps: vec![step(&format!("context.n = {n}"))], ..pre(&[]) };
            assert!(is_through(&call.run_in(&sandbox).await));
        }
        let third = call.run_in(&sandbox).await;
        assert!(
            matches!(third.reports[0].verdict, Verdict::Continue { changed: false }),
            "{:?}",
            third.reports
        );
        sandbox.stop().await;
    });
}

fn a_stopped_sandbox_says_so() {
    runtime().block_on(async {
        let sandbox = warm(0).await;
        sandbox.stop().await;
        let ran = pre(&[""]).run_in(&sandbox).await;
        assert_eq!(error(&ran).message, "the sandbox is stopped");
        assert!(sandbox.check("").await.is_err());
    });
}
