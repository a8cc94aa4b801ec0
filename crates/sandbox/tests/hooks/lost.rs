//! Workers that hang, crash, lie or are killed; and what a confined process can do.

use crate::support::{FakeHost, error, is_through, new_sandbox, pre, runtime};
use lockgate_sandbox::{End, ErrorCode, Options, Sandbox, Verdict};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

crate::tests![
    the_steps_after_a_hang_run_elsewhere,
    a_hang_stops_the_job_when_it_is_to,
    a_hang_ends_soon_after_its_deadline,
    a_loop_that_throws_ends_with_its_time,
    a_killed_worker_is_replaced,
    a_worker_killed_in_the_middle_of_a_job_fails_only_that_step,
    the_scripts_of_a_lost_worker_are_checked_elsewhere,
    a_runaway_leaves_the_processors_to_others,
    a_worker_that_lies_is_killed,
    the_last_word_of_a_worker_that_hears_no_answer_stands,
    a_worker_that_never_starts_is_told,
    a_worker_ends_with_the_gateway,
    a_confined_process_can_compute_and_nothing_else,
];

/// The mode in which this binary does one thing in a process of its own.
pub(crate) const ALONE: &str = "alone";

/// Does one thing in a process of its own, where all children are known.
pub(crate) fn alone(what: &str) {
    let status = Command::new(std::env::current_exe().unwrap()).args([ALONE, what]).status().unwrap();
    assert!(status.success(), "{what}: {status}");
}

const HANG: &str = "[].reverse.call({length: 2**53-1})";

fn the_steps_after_a_hang_run_elsewhere() {
    for hang in [HANG, "for (;;);", "const a = []; for (;;) a.push(new ArrayBuffer(1 << 20))"] {
        let ran = pre(&[
            "context.request.params.a = 1; context.metadata.shared.s = 1",
            hang,
            "context.request.params.b = context.request.params.a + context.metadata.shared.s",
            hang,
            "context.request.params.c = 3",
        ])
        .params("{}")
        .limit(Duration::from_secs(1))
        .run();
        assert!(ran.end == End::Through);
        assert_eq!(ran.params.as_deref(), Some(r#"{"a":1,"b":2,"c":3}"#), "{hang}: {:?}", ran.reports);
        let failed: Vec<bool> =
            ran.reports.iter().map(|report| matches!(report.verdict, Verdict::Failed(_))).collect();
        assert_eq!(failed, [false, true, false, true, false], "{hang}");
    }
}

fn a_hang_stops_the_job_when_it_is_to() {
    for hang in [HANG, "for (;;);"] {
        let ran = pre(&["context.request.params.a = 1", hang, "throw 1"])
            .limit(Duration::from_secs(1))
            .stopping()
            .run();
        assert_eq!((ran.end, ran.reports.len()), (End::Failed { step: 1 }, 2), "{hang}");
    }
}

fn a_hang_ends_soon_after_its_deadline() {
    // One of many will do, so that a busy machine does not matter.
    let soon = (0..30).any(|_| {
        let start = Instant::now();
        let ran = pre(&[HANG]).limit(Duration::from_millis(500)).run();
        assert_eq!(error(&ran).code, ErrorCode::Timeout);
        start.elapsed() < Duration::from_millis(600)
    });
    assert!(soon);
}

fn a_loop_that_throws_ends_with_its_time() {
    for throws in ["throw 1", "if (0) throw 1; null.x", "[1].forEach(() => { throw 1 })"] {
        let script = format!("for (;;) try {{ {throws} }} catch {{}}");
        let ran = pre(&[&script]).limit(Duration::from_millis(500)).run();
        assert_eq!(error(&ran).code, ErrorCode::Timeout, "{throws}: {:?}", error(&ran));
    }
}

pub(crate) fn children() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let texts = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    texts
        .flat_map(|text| text.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>())
        .collect()
}

pub(crate) fn kill(pid: u32) {
    signal(pid, rustix::process::Signal::KILL);
}

fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// A warm sandbox, and the processes that are its own.
pub(crate) async fn warm(workers: usize) -> (Sandbox, Vec<u32>) {
    let before = children();
    let sandbox = new_sandbox(workers);
    sandbox.warm();
    until("all are ready", || sandbox.workers().idle == workers + 1).await;
    (sandbox, children().into_iter().filter(|pid| !before.contains(pid)).collect())
}

fn a_killed_worker_is_replaced() {
    alone("replaced");
}

fn replaced() {
    runtime().block_on(async {
        let (sandbox, workers) = warm(1).await;
        kill(workers[0]);
        assert_eq!(pre(&[""]).run_in(&sandbox).await.end, End::Through, "the other one serves at once");
        until("a new one is ready", || sandbox.workers().started == 3 && sandbox.workers().idle == 2).await;
        assert_eq!(sandbox.workers().killed, 1);
        sandbox.stop().await;
    });
}

fn a_runaway_leaves_the_processors_to_others() {
    alone("runaway");
}

/// The niceness of a process.
fn niceness(pid: u32) -> Option<i32> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap())?;
    rustix::process::getpriority_process(Some(pid)).ok()
}

fn runaway() {
    runtime().block_on(async {
        let (sandbox, workers) = warm(1).await;
        let own = niceness(std::process::id());
        let call = pre(&["for (;;);"]).limit(Duration::from_secs(5));
        let (inner, running) = (sandbox.clone(), call.clone());
        let job = tokio::spawn(async move { running.run_in(&inner).await });
        let back = || workers.iter().filter(|pid| niceness(**pid) == Some(19)).count();
        until("it steps back", || back() == 1).await;
        assert_eq!(workers.iter().filter(|pid| niceness(**pid) == own).count(), 1, "nobody else does");
        assert_eq!(error(&job.await.unwrap()).code, ErrorCode::Timeout);
        until("it is not used again", || sandbox.workers().idle == 2 && back() == 0).await;
        assert!(is_through(&pre(&[""]).run_in(&sandbox).await));

        let slept = pre(&["await sleep(1000)"]).limit(Duration::from_secs(30)).run_in(&sandbox).await;
        assert!(is_through(&slept));
        let left = children().into_iter().filter(|pid| niceness(*pid) == Some(19));
        assert_eq!(left.count(), 0, "one that sleeps is in nobody's way");
        sandbox.stop().await;
    });
}

fn a_worker_killed_in_the_middle_of_a_job_fails_only_that_step() {
    alone("middle");
}

fn middle() {
    runtime().block_on(async {
        let (sandbox, workers) = warm(0).await;
        let call =
            pre(&["context.request.params = {a: 1}", "await sleep(1000)", "context.request.params.b = 2"]);
        let (inner, running) = (sandbox.clone(), call.clone());
        let job = tokio::spawn(async move { running.run_in(&inner).await });
        until("it runs", || sandbox.workers().busy == 1).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        workers.iter().for_each(|pid| kill(*pid));
        let ran = job.await.unwrap();
        // Nobody can tell at which step it was, so all run again, one by one.
        assert_eq!(ran.params.as_deref(), Some(r#"{"a":1,"b":2}"#), "{:?}", ran.reports);
        assert!(ran.reports.iter().all(|report| matches!(report.verdict, Verdict::Continue { .. })));

        let (inner, running) = (sandbox.clone(), pre(&["await sleep(1000)"]));
        let job = tokio::spawn(async move { running.run_in(&inner).await });
        until("it runs", || sandbox.workers().busy == 1).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        children().into_iter().for_each(kill);
        let ran = job.await.unwrap();
        assert_eq!(error(&ran).code, ErrorCode::ExecutionError);
        assert_eq!(error(&ran).message, "the sandbox worker ended while the script ran");
        sandbox.stop().await;
    });
}

fn the_scripts_of_a_lost_worker_are_checked_elsewhere() {
    alone("checks");
}

fn checks() {
    runtime().block_on(async {
        let (sandbox, workers) = warm(0).await;
        let inner = sandbox.clone();
        // It stands still, so that it has them all when it ends.
        workers.iter().for_each(|pid| signal(*pid, rustix::process::Signal::STOP));
        let job = tokio::spawn(async move { inner.check_all(&["return 1", "return (", "return 2"]).await });
        until("it has them", || sandbox.workers().busy == 1).await;
        workers.iter().for_each(|pid| kill(*pid));
        let results = job.await.unwrap();
        assert_eq!((&results[0], &results[2], results.len()), (&Ok(()), &Ok(()), 3));
        let error = results[1].as_ref().unwrap_err();
        assert!(error.message.contains("SyntaxError"), "{error:?}");
        assert_eq!(sandbox.workers().killed, 1);
        sandbox.stop().await;
    });
}

fn is_worker(pid: u32) -> bool {
    let name = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    name.starts_with("lockgate-sandbox")
}

/// What a copy of this binary with such a name does as a worker.
const LIES: [&str; 8] = ["silent", "garbage", "huge", "early", "unready", "ask", "notjson", "notshown"];

/// Behaves badly when this binary is a copy that is named so.
pub(crate) fn misbehaves() -> bool {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(lie) = name.strip_prefix("liar-") else { return false };
    let mut socket =
        std::os::unix::net::UnixStream::from(rustix::stdio::stdin().try_clone_to_owned().unwrap());
    let frame = |head: &[u8], body: &[u8]| {
        let mut frame = (head.len() as u32).to_le_bytes().to_vec();
        frame.extend((body.len() as u32).to_le_bytes());
        frame.extend(head);
        frame.extend(body);
        frame
    };
    if lie == "unready" {
        return true;
    }
    socket.write_all(&frame(&[1], b"")).unwrap();
    if lie == "early" {
        socket.write_all(b"unasked").unwrap();
    }
    let mut input = [0; 65536];
    while socket.read(&mut input).is_ok_and(|read| read > 0) {
        let zero = [0_u8; 8];
        // Behind the lengths and the kind of the message.
        let number = &input[9..17];
        let outcome = |shown: &[u8], params: &[u8]| {
            // One report that goes on and shows what it changed, changed parameters, nothing else.
            let mut head = [&[3], number, &[1, 0, 0, 0, 0, 0, 0, 0, 1]].concat();
            head.extend([zero, zero, zero].concat());
            head.push(0);
            for text in [shown, params] {
                head.push(1);
                head.extend((text.len() as u64).to_le_bytes());
            }
            head.extend([0, 0, 0, 0, 0]);
            frame(&head, &[shown, params].concat())
        };
        let reply = match lie {
            "garbage" => vec![0x5a; 5000],
            "huge" => [[0xff; 8].to_vec(), vec![0; 1000]].concat(),
            "ask" => frame(&[2, 9], b""),
            // It asks, does not listen, and says what came of the job.
            "deaf" => {
                socket.shutdown(std::net::Shutdown::Read).unwrap();
                [frame(&[&[2, 0][..], &zero].concat(), b""), outcome(b"{}", b"{\"by\":\"hand\"}")].concat()
            }
            "notjson" => outcome(b"{}", b"{not json"),
            "notshown" => outcome(b"{not json", b"{}"),
            "honest" => outcome(b"{}", b"{\"by\":\"hand\"}"),
            _ => Vec::new(),
        };
        let _ = socket.write_all(&reply);
    }
    true
}

fn liar(folder: &Path, lie: &str) -> Sandbox {
    let copy = folder.join(format!("liar-{lie}"));
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    Sandbox::new(Options { launcher: process::Launcher::new(copy), workers: 0, host: Arc::new(FakeHost) })
}

fn a_worker_that_lies_is_killed() {
    let folder = std::env::temp_dir().join(format!("lockgate-sandbox-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    runtime().block_on(async {
        // The liar itself is able to speak the truth: then all is well.
        let honest = liar(&folder, "honest");
        assert_eq!(pre(&[""]).run_in(&honest).await.params.as_deref(), Some("{\"by\":\"hand\"}"));
        honest.stop().await;
        for lie in LIES.into_iter().filter(|lie| *lie != "unready") {
            let sandbox = liar(&folder, lie);
            let gone = || sandbox.workers().killed >= 1 || sandbox.workers().started == 0;
            let start = Instant::now();
            // A call whose time is over before the worker has started gives it nothing to lie about.
            loop {
                let ran = pre(&[""]).limit(Duration::from_millis(300)).run_in(&sandbox).await;
                assert!(matches!(ran.reports[0].verdict, Verdict::Failed(_)), "{lie}: {:?}", ran.reports);
                assert_eq!((ran.params, ran.response), (None, None), "{lie}");
                tokio::time::sleep(Duration::from_millis(10)).await;
                if gone() {
                    break;
                }
                assert!(start.elapsed() < Duration::from_secs(20), "{lie}: {:?}", sandbox.workers());
            }
            sandbox.stop().await;
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

fn the_last_word_of_a_worker_that_hears_no_answer_stands() {
    let folder = std::env::temp_dir().join(format!("lockgate-sandbox-deaf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    runtime().block_on(async {
        let deaf = liar(&folder, "deaf");
        let ran = pre(&[""]).run_in(&deaf).await;
        assert_eq!(ran.params.as_deref(), Some("{\"by\":\"hand\"}"), "{:?}", ran.reports);
        deaf.stop().await;
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

fn a_worker_that_never_starts_is_told() {
    runtime().block_on(async {
        let launcher = process::Launcher::new("/bin/true".into());
        let sandbox = Sandbox::new(Options { launcher, workers: 1, host: Arc::new(FakeHost) });
        let ran = pre(&["", ""]).run_in(&sandbox).await;
        assert_eq!(error(&ran).code, ErrorCode::ExecutionError);
        assert!(error(&ran).message.contains("could not be started"));
        assert_eq!(ran.reports.len(), 2);
    });
}

fn a_worker_ends_with_the_gateway() {
    // A process that starts a worker, has it hang, and is killed.
    let mut gateway = Command::new(std::env::current_exe().unwrap())
        .args([ALONE, "gateway"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(gateway.stdout.as_mut().unwrap()), &mut text)
        .unwrap();
    let workers: Vec<u32> = text.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    assert!(!workers.is_empty());
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    let start = Instant::now();
    // One that is not reaped by anybody, as in a container without an init, has ended all the same.
    while workers.iter().any(|pid| is_worker(*pid)) {
        assert!(start.elapsed() < Duration::from_secs(10), "the workers stay");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn hang_and_tell() {
    runtime().block_on(async {
        let (sandbox, workers) = warm(1).await;
        let call = pre(&[HANG]).limit(Duration::from_secs(60));
        let inner = sandbox.clone();
        tokio::spawn(async move { call.run_in(&inner).await });
        until("it hangs", || sandbox.workers().busy == 1).await;
        let pids: Vec<String> = workers.iter().map(ToString::to_string).collect();
        println!("{}", pids.join(" "));
        std::future::pending::<()>().await;
    });
}

/// What this binary does alone: a test, or something after it gave up all privileges.
pub(crate) fn enter(what: &str) {
    match what {
        "gateway" => return hang_and_tell(),
        "replaced" => return replaced(),
        "middle" => return middle(),
        "checks" => return checks(),
        "runaway" => return runaway(),
        "flat" => return crate::pool::flat(),
        "rested" => return crate::pool::rested(),
        "others" => return crate::sharing::others(),
        _ => {}
    }
    lockgate_sandbox::worker::confine().unwrap();
    match what {
        "compute" => assert_eq!((0..1000).map(|n| n.to_string().len()).sum::<usize>(), 2890),
        "open" => drop(std::fs::File::open("/etc/passwd")),
        "socket" => drop(std::net::TcpListener::bind("127.0.0.1:0")),
        "connect" => drop(std::os::unix::net::UnixStream::connect("/run/x")),
        "spawn" => drop(Command::new("/bin/true").status()),
        "thread" => drop(std::thread::Builder::new().spawn(|| 1)),
        "signal" => drop(rustix::process::kill_process(
            rustix::process::getppid().unwrap(),
            rustix::process::Signal::WINCH,
        )),
        "unlink" => drop(std::fs::remove_file("/nonexistent")),
        _ => panic!("{what} is unknown"),
    }
    std::process::exit(0);
}

fn a_confined_process_can_compute_and_nothing_else() {
    let run =
        |what: &str| Command::new(std::env::current_exe().unwrap()).args([ALONE, what]).status().unwrap();
    assert_eq!(run("compute").code(), Some(0));
    if !cfg!(target_os = "linux") {
        return;
    }
    const SIGSYS: i32 = 31;
    for what in ["open", "socket", "connect", "spawn", "thread", "signal", "unlink"] {
        assert_eq!(run(what).signal(), Some(SIGSYS), "{what}");
    }
}
