//! What an append costs: through the store, and as bare SQL, which is the floor.
//!
//! `cargo run --release -p lockgate-store --example floor -- <folder> <idle sessions>` prints appends per second,
//! the median, and the processor time of the thread that writes, for 1 and for 64 appenders of one event of 300
//! bytes each; then the time of one page of the list and of the statistics among the idle sessions.
#![allow(clippy::print_stdout, reason = "it prints its report")]

use lockgate_store::{Claim, Location, SessionFilter, SessionLimits, SessionRow, Store, open};
use rusqlite::{Connection, TransactionBehavior, params};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

const SPAN: Duration = Duration::from_secs(3);
const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("name a folder for the database and a number of idle sessions")?;
    let idle: usize = args.next().as_deref().unwrap_or("0").parse()?;
    let path = Path::new(&folder).join("floor.db");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let store = runtime.block_on(open(&Location::Sqlite(path.clone())))?;
    runtime.block_on(fill(&store, idle))?;
    for appenders in [1, 64] {
        let cpu = writer_cpu();
        let times = runtime.block_on(append(&store, appenders))?;
        report(&format!("store, {appenders}"), times, writer_cpu() - cpu);
    }
    runtime.block_on(look(&store))?;
    runtime.block_on(store.close());
    for group in [1, 64] {
        let path = path.clone();
        let thread = std::thread::Builder::new().name("store".into());
        let bare = thread.spawn(move || Outcome::Ok((bare_appends(&path, group)?, writer_cpu())))?;
        let (times, cpu) = bare.join().map_err(|_| "the thread failed")??;
        report(&format!("bare SQL, {group}"), times, cpu);
    }
    Ok(())
}

fn row(id: &str, updated_at: i64) -> SessionRow {
    let definition = "0123456789abcdef".repeat(4);
    SessionRow { caller: "ann".into(), updated_at, definition, ..SessionRow::started(id, "calc", 0) }
}

/// A name that falls anywhere in the order of names, as those of real sessions do.
fn name(n: usize) -> String {
    let mixed = (n as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    format!("{mixed:032x}")
}

/// Makes 64 sessions to append to, and the idle ones.
async fn fill(store: &Store, idle: usize) -> Outcome<()> {
    let start = Instant::now();
    let tasks: Vec<_> = (0..64)
        .map(|task| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in (task..idle + 64).step_by(64) {
                    let one = SessionRow { started_at: n as i64, ..row(&name(n), 0) };
                    store.sessions().create(one, None, vec!["{}".into(); 3], FREE, Claim::Free).await?;
                }
                Ok::<_, lockgate_store::Error>(())
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    println!("{} sessions made in {:?}", idle + 64, start.elapsed());
    Ok(())
}

async fn append(store: &Store, appenders: usize) -> Outcome<Vec<Duration>> {
    let end = Instant::now() + SPAN;
    let tasks: Vec<_> = (0..appenders)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                let known =
                    store.sessions().events_after(&name(n), 0).await?.unwrap_or_default().len() as u64;
                let mut times = Vec::new();
                while Instant::now() < end {
                    let (start, at) = (Instant::now(), known + times.len() as u64);
                    store
                        .sessions()
                        .append(row(&name(n), at as i64), at, vec!["e".repeat(300)], Claim::Free)
                        .await?;
                    times.push(start.elapsed());
                }
                Ok::<_, lockgate_store::Error>(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    Ok(times)
}

async fn look(store: &Store) -> Outcome<()> {
    let any = SessionFilter::default();
    for (what, filter, offset) in [
        ("first page", any, 0),
        ("page at 90,000", any, 90_000),
        ("page of a status", SessionFilter { status: Some("failed"), ..any }, 0),
        ("page of a caller", SessionFilter { caller: Some("bob"), ..any }, 0),
    ] {
        let start = Instant::now();
        let found = store.sessions().list(filter, 50, offset).await?.len();
        println!("{what}: {found} in {:?}", start.elapsed());
    }
    let start = Instant::now();
    let lines = store.sessions().stats().await?.len();
    println!("statistics: {lines} in {:?}", start.elapsed());
    let start = Instant::now();
    let mut last = None;
    let mut count = 0;
    while let Some(id) = store.sessions().unfinished(last.as_deref(), 1000).await?.pop() {
        (last, count) = (Some(id), count + 1);
    }
    println!("unfinished: {count} pages in {:?}", start.elapsed());
    Ok(())
}

/// The same statements on a connection of its own, `group` appends in one transaction.
fn bare_appends(path: &Path, group: usize) -> Outcome<Vec<Duration>> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
    let (mut times, end) = (Vec::new(), Instant::now() + SPAN);
    while Instant::now() < end {
        let start = Instant::now();
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for n in 0..group {
            let sql = "SELECT number, events, last FROM sessions WHERE id = ?1";
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            let (number, at, last): (i64, i64, i64) = tx.prepare_cached(sql)?.query_row([name(n)], read)?;
            let sql = "INSERT INTO session_events (session, seq, before, event) VALUES (?1, ?2, ?3, ?4)";
            let last = tx.prepare_cached(sql)?.insert(params![number, at, last, "e".repeat(300)])?;
            let sql = "UPDATE sessions SET events = ?2, updated_at = ?2, last = ?3 WHERE number = ?1";
            tx.prepare_cached(sql)?.execute(params![number, at + 1, last])?;
        }
        tx.commit()?;
        times.extend(std::iter::repeat_n(start.elapsed(), group));
    }
    Ok(times)
}

fn report(what: &str, mut times: Vec<Duration>, cpu: Duration) {
    times.sort_unstable();
    let count = times.len().max(1);
    let rate = count as f64 / SPAN.as_secs_f64();
    let median = times.get(count / 2).copied().unwrap_or_default();
    println!("{what}: {rate:.0}/s, median {median:?}, {:?} of the writer each", cpu / count as u32);
}

/// The processor time of the threads that are named as the store names its own.
fn writer_cpu() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of = |task: std::fs::DirEntry| {
        let name = std::fs::read_to_string(task.path().join("comm")).ok()?;
        let spent = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        let spent: u64 = spent.split(' ').next()?.parse().ok()?;
        (name.trim() == "store").then_some(spent)
    };
    Duration::from_nanos(tasks.filter_map(of).sum())
}
