//! Measures what hooks cost: `cargo run --release -p lockgate-sandbox --example figures`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints, and stops at any trouble")]

use lockgate_sandbox::{Form, Host, Job, Options, Phase, Rank, Sandbox, Script, Step};
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Nobody;

impl Host for Nobody {
    fn is_key(&self, _: &str) -> bool {
        false
    }

    fn server_info(&self, _: &str) -> Option<String> {
        None
    }
}

/// Calls in one batch; the system's own counters are read between batches.
const BATCH: usize = 500;

const BRANCH: &str = "if (context.request.params.arguments.user.role === 'guest') return {continue:false}";
const MODIFY: &str = "context.request.params.arguments.lang = 'ja'; return {continue:true, context}";
const REDACT: &str = "context.request.params.text = redact(context.request.params.text)";

fn main() {
    lockgate_sandbox::worker::enter();
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(50_000);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(all(count));
}

async fn all(count: usize) {
    let launcher = match std::env::args().nth(2).filter(|binary| binary != "-") {
        Some(binary) => process::Launcher::new(binary.into()),
        None => process::Launcher::this_binary().unwrap(),
    };
    let sandbox = Sandbox::new(Options { launcher, workers: 2, host: Arc::new(Nobody) });
    sandbox.warm();
    while sandbox.workers().idle < 3 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let small = small();
    let large = format!("{{\"text\":\"{}\"}}", "a word for b@example.org here ".repeat(10_240 / 30));
    println!("parameters: {} bytes, for redact {} bytes; {count} calls each", small.len(), large.len());
    println!("to compare machines: serde_json parses these parameters in {:.1} us (quiet)", parsing(&small));
    println!(
        "CPU of gateway and worker together, us per call: in a quiet batch, in the median batch, the worker's part"
    );
    println!("{:24}{:>12}{:>12}{:>12}{:>12}{:>12}", "", "quiet", "median", "worker", "p50 wall", "p99 wall");
    for (name, scripts, params) in [
        ("one no-op", vec![""], &small),
        ("reads and branches", vec![BRANCH], &small),
        ("changes an argument", vec![MODIFY], &small),
        ("five no-ops", vec!["", " ", "  ", "   ", "    "], &small),
        ("redacts 10 KB", vec![REDACT], &large),
    ] {
        if std::env::args().nth(3).is_some_and(|only| !name.contains(&only)) {
            continue;
        }
        let steps: Vec<Step> = scripts.iter().map(|source| step(source)).collect();
        measure(&sandbox, name, &steps, params, count).await;
    }
    for pid in children() {
        println!("worker {pid}: {} KiB resident", resident(pid));
    }
    renewal(&sandbox).await;
    sandbox.stop().await;
}

fn step(source: &str) -> Step {
    Step::new(Script::new("figure", source), false)
}

fn small() -> String {
    let items: Vec<String> = (0..8)
        .map(|n| format!("{{\"id\":{n},\"title\":\"item number {n}\",\"tags\":[\"red\",\"blue\"],\"price\":{n}.5,\"open\":true}}"))
        .collect();
    format!(
        "{{\"name\":\"orders.create\",\"arguments\":{{\"user\":{{\"id\":42,\"name\":\"Ann Example\",\"role\":\"admin\",\
         \"mail\":\"ann@example.org\"}},\"note\":\"please deliver in the morning, before nine, at the back door\",\
         \"items\":[{}],\"lang\":\"en\"}}}}",
        items.join(",")
    )
}

async fn measure(sandbox: &Sandbox, name: &str, steps: &[Step], params: &str, count: usize) {
    let job = Job {
        phase: Phase::Pre,
        steps,
        show: false,
        form: Form::Hook,
        rank: Rank::Request,
        limit: Duration::from_secs(5),
        method: "tools/call",
        params,
        response: None,
        metadata: r#"{"clientId":"c1","serverName":"shop","serverId":"shop","startTime":1763164800000}"#,
        shared: None,
        variables: None,
        top: r#"{"requestType":"CallTool","toolName":"orders.create","serverName":"shop"}"#,
        results: "",
        follow: None,
        left: None,
    };
    let count = if params.len() > 5000 { count / 4 } else { count };
    for _ in 0..1000 {
        sandbox.run(&job).await;
    }
    let mut times = Vec::with_capacity(count);
    let mut batches = Vec::new();
    for _ in 0..count / BATCH {
        let (own, workers) = (own_cpu(), workers_cpu());
        for _ in 0..BATCH {
            let start = Instant::now();
            sandbox.run(&job).await;
            times.push(start.elapsed());
        }
        let workers = workers_cpu().saturating_sub(workers);
        batches.push((own_cpu() - own + workers, workers));
    }
    times.sort();
    batches.sort();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let each = |total: u64| total as f64 / 1000.0 / BATCH as f64;
    println!(
        "{name:24}{:12.1}{:12.1}{:12.1}{:12.1}{:12.1}",
        each(batches[batches.len() / 20].0),
        each(batches[batches.len() / 2].0),
        each(batches[batches.len() / 20].1),
        micros(times[times.len() / 2]),
        micros(times[times.len() * 99 / 100]),
    );
}

/// A yardstick: the time of a known piece of work, the quickest of many tries.
fn parsing(text: &str) -> f64 {
    let once = || {
        let start = Instant::now();
        for _ in 0..100 {
            std::hint::black_box(
                serde_json::from_str::<serde_json::Value>(std::hint::black_box(text)).unwrap(),
            );
        }
        start.elapsed()
    };
    (0..200).map(|_| once()).min().unwrap().as_secs_f64() * 1e6 / 100.0
}

/// How long it takes until a killed worker is replaced, and what the next call notices of it.
async fn renewal(sandbox: &Sandbox) {
    let steps = [step("[].reverse.call({length: 2**53-1})")];
    let quick = [step("")];
    let job = |steps| Job {
        phase: Phase::Pre,
        steps,
        show: false,
        form: Form::Hook,
        rank: Rank::Request,
        limit: Duration::from_millis(100),
        method: "tools/call",
        params: "{}",
        response: None,
        metadata: "{}",
        shared: None,
        variables: None,
        top: "{}",
        results: "",
        follow: None,
        left: None,
    };
    let start = Instant::now();
    sandbox.run(&job(&steps)).await;
    let ended = start.elapsed();
    let next = Instant::now();
    sandbox.run(&job(&quick)).await;
    let served = next.elapsed();
    while sandbox.workers().idle < 3 {
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    let ready = next.elapsed();
    println!(
        "a native hang with a deadline of 100 ms ended after {ended:?}; next call {served:?}; new worker {ready:?}"
    );
}

fn own_cpu() -> u64 {
    threads(std::process::id()).into_iter().map(|task| runtime_of(&task)).sum()
}

/// Of those that run, and of those that were replaced meanwhile.
fn workers_cpu() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    let gone = ticks * 10_000_000;
    gone + children().into_iter().flat_map(threads).map(|task| runtime_of(&task)).sum::<u64>()
}

fn threads(pid: u32) -> Vec<String> {
    let folder = std::fs::read_dir(format!("/proc/{pid}/task"));
    folder.map_or(Vec::new(), |all| all.flatten().map(|it| it.path().display().to_string()).collect())
}

/// Nanoseconds on a core.
fn runtime_of(task: &str) -> u64 {
    let text = std::fs::read_to_string(format!("{task}/schedstat")).unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn children() -> Vec<u32> {
    let own = threads(std::process::id());
    let texts =
        own.iter().map(|task| std::fs::read_to_string(format!("{task}/children")).unwrap_or_default());
    texts
        .flat_map(|text| text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default().to_owned();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}
