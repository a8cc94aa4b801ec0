//! The things that the standard library offers only as `unsafe`, in safe clothes.
#![allow(unsafe_code)]

use crate::harden::Restraint;
use std::io;
use std::os::fd::OwnedFd;
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

/// Makes the command's process give up what the restraint says before it executes its program.
///
/// The caller must have no other thread, so that the process is born with every lock free.
pub(crate) fn restrain(command: &mut Command, mut restraint: Restraint) {
    // SAFETY: the hook runs between fork and exec, in a copy of a process with one thread. It makes system calls
    // with what was made ready before, and whatever it allocates or frees meets no lock that somebody holds.
    unsafe { command.pre_exec(move || restraint.apply()) };
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

/// Closes every descriptor above standard error, whoever opened it.
///
/// The caller must be at the start of its process: it has one thread and owns no descriptor yet.
pub(crate) fn close_descriptors() {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let open = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for number in open.collect::<Vec<i32>>() {
        // SAFETY: the borrow only asks whether the number is open still: the folder's own was closed with
        // it. By the promise of the caller nothing in this process uses what is closed here.
        unsafe {
            let fd = std::os::fd::BorrowedFd::borrow_raw(number);
            if number > 2 && rustix::io::fcntl_getfd(fd).is_ok() {
                rustix::io::close(number);
            }
        }
    }
}

/// Lets the runtime wait for a descriptor.
pub(crate) fn waitable(descriptor: OwnedFd) -> io::Result<tokio::io::unix::AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open for as long as it lives and is closed by nobody else, and the returned
    // value takes it out of the runtime before it closes it.
    unsafe { tokio::io::unix::AsyncFd::register(descriptor) }.map_err(Into::into)
}

/// Gives back the memory that holds this program's code, most of which only its start needed. What is used again comes
/// back from the file that it was read from.
pub fn forget_code() {
    #[cfg(target_os = "linux")]
    if let Some((start, length)) = code() {
        // SAFETY: the range is one mapping that holds the code of this program, read-only and private: nobody ever
        // wrote to it, so whoever reads it next finds the same bytes, those of the file.
        let _ = unsafe { rustix::mm::madvise(start as *mut _, length, rustix::mm::Advice::LinuxDontNeed) };
    }
}

/// The mapping that this function itself is in: where it begins, and its length. Code that could be written to is none.
#[cfg(target_os = "linux")]
fn code() -> Option<(usize, usize)> {
    let here = code as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        ((start..end).contains(&here) && rest.starts_with("r-xp")).then_some((start, end - start))
    })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// How much of the mapping with the code is in memory, in KiB.
    fn held() -> u64 {
        let (start, _) = code().expect("the code is somewhere");
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells");
        let mut lines = maps.lines().skip_while(|line| !line.starts_with(&format!("{start:x}-")));
        let rss = lines.find_map(|line| line.strip_prefix("Rss:")).expect("every mapping has one");
        rss.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    #[test]
    fn code_that_was_given_back_takes_no_memory_and_runs_as_before() {
        let (_, length) = code().expect("the code is somewhere");
        let before = held();
        forget_code();
        let after = held();
        assert!(after < before, "{before} KiB before and {after} KiB after, of {length} bytes");
    }
}
