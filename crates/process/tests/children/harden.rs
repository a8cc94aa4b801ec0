//! Hardened children: what they may use and reach, and that nobody else is touched.

use crate::support::{command, launcher, line, read, sh, trial};
use libtest_mimic::Trial;
use lockgate_process::{Child, Command, Error, Exit};
use model::{Harden, Landlock};
use tokio::io::AsyncWriteExt;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("a_child_starts_in_its_folder", folder),
        trial("a_folder_that_is_not_there_is_named", no_folder),
        trial("limits_hold_for_the_child_and_what_it_starts", limits),
        trial("a_child_that_eats_memory_ends_and_another_goes_on", memory),
        trial("a_child_that_computes_too_long_is_ended", cpu_time),
        trial("a_child_gains_no_privileges_unless_told_so", privileges),
        trial("a_child_reaches_only_the_files_it_was_given", files),
        trial("a_place_that_is_not_there_is_named", no_place),
        trial("system_calls_that_no_server_needs_are_refused", calls),
        trial("a_measure_that_the_system_lacks_is_named_or_left_out_as_told", lacking),
        trial("a_hardened_child_leaves_nothing_behind", cleared),
    ]
}

fn hardened(script: &str, harden: Harden) -> Command {
    Command { harden: Some(harden), ..command("/bin/sh", &["-c", script]) }
}

async fn start(script: &str, harden: Harden) -> Child {
    launcher().start(&hardened(script, harden)).await.expect("sh starts")
}

async fn folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path");
    let start = Command { cwd: Some(path.clone()), ..command("/bin/sh", &["-c", "pwd"]) };
    let child = launcher().start(&start).await.expect("sh starts");
    assert_eq!(read(child.stdout).await.trim_end(), path.display().to_string());

    // A program by a relative path is meant from where the gateway is.
    let here = std::env::current_dir().expect("a folder");
    let up = "../".repeat(here.components().count());
    let start = Command { program: format!("{up}bin/sh").into(), ..start };
    let child = launcher().start(&start).await.expect("sh starts");
    assert_eq!(read(child.stdout).await.trim_end(), path.display().to_string());
}

async fn no_folder() {
    let start = Command { cwd: Some("/nowhere/at/all".into()), ..command("/bin/true", &[]) };
    let error = launcher().start(&start).await.expect_err("there is no such folder");
    assert_eq!(error.to_string(), "cwd names a place that does not exist, or that cannot be used for this");
}

async fn limits() {
    let harden = Harden { memory: Some(64 << 20), cpu_time: Some(77), files: Some(33), ..Harden::default() };
    let child = start("sh -c 'ulimit -d; ulimit -t; ulimit -n'; ulimit -n 99 || echo refused", harden).await;
    let text = read(child.stdout).await;
    assert!(text.starts_with("65536\n77\n33\n"), "{text}");
}

async fn memory() {
    let mut other = launcher().start(&command("/bin/cat", &[])).await.expect("cat starts");
    let eater = "a=0123456789abcdef; while :; do a=$a$a; done";
    let child = start(eater, Harden { memory: Some(32 << 20), ..Harden::default() }).await;
    let exit = child.control.exited().await;
    assert!(!exit.is_clean(), "{exit}");
    other.stdin.write_all(b"still here\n").await.expect("cat reads");
    assert_eq!(line(&mut other.stdout).await, "still here");
}

async fn cpu_time() {
    let child = start("while :; do :; done", Harden { cpu_time: Some(1), ..Harden::default() }).await;
    let exit = child.control.exited().await;
    assert!(matches!(exit, Exit::Signal(_)), "{exit}");
}

async fn privileges() {
    let status = "grep NoNewPrivs /proc/self/status";
    assert_eq!(read(sh(status).await.stdout).await, "NoNewPrivs:\t0\n");
    assert_eq!(read(start(status, Harden::default()).await.stdout).await, "NoNewPrivs:\t1\n");
    let open = Harden { no_new_privileges: false, ..Harden::default() };
    assert_eq!(read(start(status, open).await.stdout).await, "NoNewPrivs:\t0\n");
}

async fn files() {
    let (given, shown, closed) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    for folder in [&given, &shown, &closed] {
        std::fs::write(folder.path().join("old"), "text").expect("a file");
    }
    let path = |folder: &tempfile::TempDir| folder.path().display().to_string();
    let landlock = Landlock { read: vec![path(&shown)], write: vec![path(&given)] };
    let script = format!(
        "try() {{ if sh -c \"$2\" 2>/dev/null; then echo $1 yes; else echo $1 no; fi; }}
         try write-given 'echo x > {given}/new'
         try read-given 'cat {given}/old >/dev/null'
         try read-shown 'cat {shown}/old >/dev/null'
         try write-shown 'echo x > {shown}/new'
         try read-closed 'cat {closed}/old >/dev/null'
         try write-closed 'echo x > {closed}/new'
         try remove-closed 'rm {closed}/old'
         try null 'echo x > /dev/null'
         try others 'cat /proc/{gateway}/environ >/dev/null'",
        given = path(&given),
        shown = path(&shown),
        closed = path(&closed),
        gateway = std::process::id(),
    );
    let child = start(&script, Harden { landlock: Some(landlock), ..Harden::default() }).await;
    let expected = "write-given yes\nread-given yes\nread-shown yes\nwrite-shown no\nread-closed no\n\
                    write-closed no\nremove-closed no\nnull yes\nothers no\n";
    assert_eq!(read(child.stdout).await, expected);
    assert!(given.path().join("new").exists() && closed.path().join("old").exists());
}

async fn no_place() {
    let landlock = Landlock { read: vec!["/usr".into(), "/nowhere/s3cret".into()], write: Vec::new() };
    let harden = Harden { landlock: Some(landlock), ..Harden::default() };
    let error = launcher().start(&hardened("true", harden)).await.expect_err("there is no such place");
    let text = error.to_string();
    assert!(text.starts_with("harden.landlock.read[1] names a place that does not exist"), "{text}");
    assert!(!text.contains("s3cret"));
}

async fn calls() {
    let script = "grep ^Seccomp: /proc/self/status; if unshare --user true 2>/dev/null; then echo in; else echo out; fi";
    let child = start(script, Harden { seccomp: true, ..Harden::default() }).await;
    assert_eq!(read(child.stdout).await, "Seccomp:\t2\nout\n");
}

async fn lacking() {
    let harden = Harden { processes: Some(100_000), ..Harden::default() };
    let outcome = launcher().start(&hardened("ulimit -p 2>/dev/null || ulimit -u", harden.clone())).await;
    if rustix::process::geteuid().is_root() {
        let error = outcome.expect_err("the kernel does not count the processes of root");
        assert!(matches!(error, Error::Lacks { field: "processes", .. }), "{error}");
        assert!(error.to_string().contains("harden.optional: true"), "{error}");
    } else {
        assert_eq!(read(outcome.expect("sh starts").stdout).await, "100000\n");
    }
    let child = start("echo started", Harden { optional: true, ..harden }).await;
    assert_eq!(read(child.stdout).await, "started\n");
}

async fn cleared() {
    let landlock = Landlock { read: Vec::new(), write: vec!["/tmp".into()] };
    let harden = Harden { landlock: Some(landlock), seccomp: true, ..Harden::default() };
    let mark = "986.543";
    let child = start(&format!("sleep {mark} & setsid sleep {mark} & exec sleep {mark}"), harden).await;
    crate::support::eventually("all of them run", || crate::support::marked(mark) == 3).await;
    child.control.kill();
    child.control.gone().await;
    assert_eq!(crate::support::marked(mark), 0);
}
