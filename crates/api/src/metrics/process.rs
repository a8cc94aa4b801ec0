//! The gateway's own process, under the names that every exporter uses. Where the system does not tell, there are
//! no lines.

use super::text::Text;
use std::fs;

/// Ticks of the kernel's clock per second, the same on every Linux that is in use.
const TICKS: f64 = 100.0;

pub(super) fn write(text: &mut Text) {
    gauge(text, "process_resident_memory_bytes", "Memory that is held.", resident("self"));
    gauge(text, "process_open_fds", "Files and connections that are open.", open_files());
    gauge(text, "process_max_fds", "Files and connections that may be open.", most_files());
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    gauge(text, "process_threads", "Threads.", field(&stat, 17));
    if let (Some(user), Some(system)) = (field(&stat, 11), field(&stat, 12)) {
        text.family("process_cpu_seconds_total", "counter", "Time of computing.");
        text.sample("process_cpu_seconds_total", &[], (user + system) as f64 / TICKS);
    }
}

/// Bytes that a process holds in memory.
pub(super) fn resident(pid: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn gauge(text: &mut Text, name: &str, help: &str, value: Option<u64>) {
    if let Some(value) = value {
        text.family(name, "gauge", help);
        text.sample(name, &[], value);
    }
}

fn open_files() -> Option<u64> {
    fs::read_dir("/proc/self/fd").ok().map(|entries| entries.count() as u64)
}

fn most_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A field of `stat` after the name of the program, which may hold anything.
fn field(stat: &str, number: usize) -> Option<u64> {
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_tells_of_itself() {
        let mut text = Text::default();
        write(&mut text);
        let text = text.finish();
        for name in [
            "process_resident_memory_bytes ",
            "process_open_fds ",
            "process_threads ",
            "process_cpu_seconds_total ",
        ] {
            let value =
                text.lines().find_map(|line| line.strip_prefix(name)).and_then(|v| v.parse::<f64>().ok());
            assert!(value.is_some_and(|value| value >= 0.0), "{name}: {text}");
        }
        assert_eq!(field("1 (a) b) S 2 3", 1), Some(2));
        assert_eq!(resident("0"), None);
    }
}
