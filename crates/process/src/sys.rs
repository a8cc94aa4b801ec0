//! The two things that the standard library offers only as `unsafe`, in safe clothes.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the kernel end the command's process with SIGKILL when the calling process ends.
///
/// The kernel ties this to the calling thread, so the caller must have no other.
pub(crate) fn end_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let hook = move || {
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // The parent may have ended before the call above; then nobody would ever send the signal.
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(io::Error::from(rustix::io::Errno::SRCH))
        }
    };
    // SAFETY: the hook runs between fork and exec. It makes two system calls, allocates nothing, takes
    // no lock and touches no memory but its own copy of `parent`.
    unsafe { command.pre_exec(hook) };
}

/// Keeps every open descriptor above standard error from the programs this process executes.
///
/// Whoever started the gateway may have left descriptors open in it; a server must not see them.
pub(crate) fn keep_descriptors() {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return };
    for entry in entries.flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(number @ 3..) = number {
            // SAFETY: the directory lists open descriptors of this process, which has one thread, and
            // nothing is closed while `entries` is read. The borrow ends with this statement.
            let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(number) };
            // A failure leaves the descriptor as it was inherited, which harms nobody but the curious.
            let _ = rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::CLOEXEC);
        }
    }
}
