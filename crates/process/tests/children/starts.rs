//! Starting: what a child gets, and what a user reads when there is none.

use crate::support::{PATH, command, launcher, line, read, sh, trial};
use libtest_mimic::Trial;
use lockgate_process::{Error, Exit, Launcher};
use std::os::unix::fs::PermissionsExt;
use tokio::io::AsyncWriteExt;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("bytes_pass_through_the_pipes_and_end_of_file_reaches_both_sides", pipes),
        trial("the_environment_is_exact", environment),
        trial("arguments_arrive_as_they_are", arguments),
        trial("a_child_sees_only_its_three_descriptors", descriptors),
        trial("a_child_starts_with_ordinary_signals", signals),
        trial("a_missing_interpreter_is_named_as_the_cause", interpreter),
        trial("a_program_that_cannot_be_executed_is_refused", refused),
        trial("a_missing_guard_is_an_error", no_guard),
        trial("a_command_is_printed_without_its_values", debug),
    ]
}

async fn pipes() {
    let mut child = launcher().start(&command("/bin/cat", &[])).await.expect("cat starts");
    child.stdin.write_all(b"hello\n").await.expect("cat reads");
    assert_eq!(line(&mut child.stdout).await, "hello");
    drop(child.stdin);
    assert_eq!(read(child.stdout).await, "");
    assert_eq!(read(child.stderr).await, "");
    assert_eq!(child.control.exited().await, Exit::Code(0));
}

async fn environment() {
    let mut command = command("/usr/bin/env", &[]);
    command.env.push(("KEY".into(), "a=b\nc".into()));
    command.env.push(("EMPTY".into(), String::new()));
    let child = launcher().start(&command).await.expect("env starts");
    let mut lines: Vec<String> = read(child.stdout).await.lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["EMPTY=", "KEY=a=b", &format!("PATH={PATH}"), "c"]);

    // The variable that a guard may have for itself belongs to the child when the child is given one.
    command.env = vec![("MIMALLOC_ALLOW_THP".into(), "1".into())];
    let child = launcher().start(&command).await.expect("env starts");
    assert_eq!(read(child.stdout).await, "MIMALLOC_ALLOW_THP=1\n");

    command.env.clear();
    let child = launcher().start(&command).await.expect("env starts");
    assert_eq!(read(child.stdout).await, "");
}

async fn arguments() {
    let args = ["-c", "printf '[%s]' \"$@\"", "sh", "", "a b", "*", "$HOME", "--", "é"];
    let child = launcher().start(&command("/bin/sh", &args)).await.expect("sh starts");
    assert_eq!(read(child.stdout).await, "[][a b][*][$HOME][--][é]");
}

async fn descriptors() {
    // A descriptor that is open for every program, as some parents leave behind.
    let stray = std::fs::File::open("/dev/null").expect("/dev/null opens");
    rustix::io::fcntl_setfd(&stray, rustix::io::FdFlags::empty()).expect("the flag is cleared");
    // `ls` opens the folder itself as 3; a shell's glob would leave it open as well.
    let child = launcher().start(&command("/bin/ls", &["/proc/self/fd"])).await.expect("ls starts");
    let found = read(child.stdout).await;
    assert_eq!(found.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
    let test = "for fd in 0 1 2 3 4 5 6 7 8 9; do test -e /proc/$$/fd/$fd && echo $fd; done";
    let found = read(sh(test).await.stdout).await;
    assert_eq!(found.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2"]);
}

async fn signals() {
    let child = launcher().start(&command("/bin/cat", &["/proc/self/status"])).await.expect("cat starts");
    let status = read(child.stdout).await;
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).expect("the field is there");
        u64::from_str_radix(line[name.len()..].trim(), 16).expect("a mask")
    };
    let bits = [1, 2, 3, 13, 15, 17].iter().fold(0, |mask, signal| mask | 1_u64 << (signal - 1));
    assert_eq!((field("SigBlk:"), field("SigIgn:") & bits, field("SigCgt:")), (0, 0, 0));
}

async fn interpreter() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = start_script(folder.path(), "#!/nowhere/python\n", 0o755).await;
    assert!(matches!(error, Error::NoInterpreter { .. }), "{error:?}");
    assert!(error.to_string().ends_with("the interpreter or loader that it names does not exist"), "{error}");
}

async fn refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = start_script(folder.path(), "#!/bin/sh\n", 0o644).await;
    assert!(matches!(error, Error::NotExecutable { .. }), "{error:?}");
    let file = folder.path().join("server");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("the mode is set");
    let open = std::fs::File::options().append(true).open(&file).expect("the script opens");
    let busy = command(file.to_str().expect("a plain path"), &[]);
    let error = launcher().start(&busy).await.expect_err("a file that is written to cannot be executed");
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    drop(open);
    let error = launcher().start(&command("/nowhere/server", &[])).await.expect_err("there is no such file");
    assert!(matches!(error, Error::Missing { .. }), "{error:?}");
}

async fn start_script(folder: &std::path::Path, text: &str, mode: u32) -> Error {
    let file = folder.join("server");
    std::fs::write(&file, text).expect("the script is written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("the mode is set");
    let program = file.to_str().expect("a plain path");
    launcher().start(&command(program, &[])).await.expect_err("it cannot be executed")
}

async fn no_guard() {
    let error = Launcher::new("/nowhere/lockgate".into()).start(&command("/bin/true", &[])).await;
    assert!(matches!(error, Err(Error::NoProcess(_))), "{error:?}");
    // A binary that does not know the mode ends without a word.
    let error = Launcher::new("/bin/true".into()).start(&command("/bin/true", &[])).await;
    assert!(matches!(error, Err(Error::GuardLost)), "{error:?}");
}

async fn debug() {
    let mut command = command("/bin/true", &["--token=s3cret"]);
    command.env.push(("KEY".into(), "s3cret".into()));
    assert_eq!(format!("{command:?}"), r#"Command { program: "/bin/true", env: ["PATH", "KEY"], .. }"#);
}
