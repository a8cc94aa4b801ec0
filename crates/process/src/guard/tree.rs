//! Who stands directly below this process.

use rustix::process::{Pid, getpid};

/// The children of this process, which has one thread; `None` when the system does not tell.
pub(super) fn children() -> Option<Vec<Pid>> {
    match std::fs::read_to_string("/proc/thread-self/children") {
        Ok(list) => Some(list.split_ascii_whitespace().filter_map(pid).collect()),
        // Kernels without this list make us look at every process.
        Err(_) => walk(),
    }
}

fn walk() -> Option<Vec<Pid>> {
    let parent = getpid();
    let entries = std::fs::read_dir("/proc").ok()?;
    let all = entries.flatten().filter_map(|entry| pid(entry.file_name().to_str()?));
    Some(all.filter(|&child| parent_of(child) == Some(parent)).collect())
}

fn parent_of(child: Pid) -> Option<Pid> {
    let stat = std::fs::read(format!("/proc/{}/stat", child.as_raw_pid())).ok()?;
    // `pid (name) state ppid …`; the name may hold anything, also a parenthesis or broken UTF-8.
    let after = stat.iter().rposition(|&byte| byte == b')')? + 1;
    std::str::from_utf8(&stat[after..]).ok()?.split_ascii_whitespace().nth(1).and_then(pid)
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_looking_find_a_child() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep starts");
        let expected = Pid::from_child(&child);
        let (list, walk) = (children().expect("a list"), walk().expect("a list"));
        child.kill().expect("it is there");
        child.wait().expect("it ends");
        assert!(list.contains(&expected), "{list:?}");
        assert!(walk.contains(&expected), "{walk:?}");
    }
}
