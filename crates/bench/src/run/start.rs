//! How soon Lockgate answers: after its own start, and after the last of its servers is ready.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Lab, Results, Running, Spec, Start};

/// Starts Lockgate several times with one server and with a hundred. Every echo server writes down when
/// it listed its tools, which is the last thing it is asked before it counts as running.
pub(super) fn measure_all(lab: &Lab, results: &mut Results) -> anyhow::Result<()> {
    if lab.lockgate.is_none() {
        return Ok(());
    }
    for (name, count) in [("lockgate", 1), ("lockgate, 100 servers", 100)] {
        for turn in 0..5 {
            eprintln!("start {}/5 with {count} servers", turn + 1);
            let stamps = lab.folder.path().join(format!("stamps-{count}-{turn}"));
            fs::create_dir(&stamps)?;
            let servers: Vec<String> = (0..count).map(|n| format!("echo-{n}")).collect();
            let spec = Spec::lockgate(lab, &servers, &["echo", "--stamp", &stamps.to_string_lossy()])?;
            let running = Running::start(&spec, lab)?;
            let answered = SystemTime::now().duration_since(UNIX_EPOCH)?;
            let after_ready =
                last_stamp(&stamps)?.map(|ready| (answered.saturating_sub(ready)).as_secs_f64() * 1e3);
            let cold = running.cold.as_secs_f64() * 1e3;
            results.starts.push(Start { name: name.into(), cold, after_ready });
        }
    }
    Ok(())
}

/// When the last server listed its tools.
fn last_stamp(folder: &Path) -> anyhow::Result<Option<Duration>> {
    let mut last = None;
    for entry in fs::read_dir(folder)? {
        let nanos = fs::read_to_string(entry?.path())?.parse()?;
        last = last.max(Some(Duration::from_nanos(nanos)));
    }
    Ok(last)
}
