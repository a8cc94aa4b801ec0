//! The things that the standard library offers only as `unsafe`, in safe clothes.
#![allow(unsafe_code)]

use crate::harden::Restraint;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

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
pub(crate) fn waitable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open for as long as it lives and is closed by nobody else, and the returned
    // value takes it out of the runtime before it closes it.
    unsafe { AsyncFd::register(descriptor) }.map_err(Into::into)
}

/// Lets the runtime wait for one thing of a socket, and be woken by nothing else that happens to it.
pub fn awaited(socket: UnixStream, interest: Interest) -> io::Result<AsyncFd<UnixStream>> {
    socket.set_nonblocking(true)?;
    // SAFETY: as in `waitable`: a `UnixStream` owns its descriptor.
    unsafe { AsyncFd::register_with_interest(socket, interest) }.map_err(Into::into)
}

/// What was read of the files of this program and its libraries, most of which only its start needed.
#[derive(Debug, Default)]
pub struct Code(Vec<(usize, usize)>);

impl Code {
    /// Finds it, which needs a file that not every process can read for as long as it lives.
    pub fn find() -> Self {
        #[cfg(target_os = "linux")]
        return Self(pristine());
        #[cfg(not(target_os = "linux"))]
        Self::default()
    }

    /// Gives back the memory that holds it. What is used again comes back from the files.
    pub fn forget(&self) {
        #[cfg(target_os = "linux")]
        for (start, length) in &self.0 {
            // SAFETY: the range is a mapping of a file that cannot be written to and of which no page differs from the
            // file, so whoever reads it next finds the same bytes.
            let _ =
                unsafe { rustix::mm::madvise(*start as *mut _, *length, rustix::mm::Advice::LinuxDontNeed) };
        }
    }
}

/// The mappings of files that are as the files are, code among them: where each begins, and its length.
#[cfg(target_os = "linux")]
fn pristine() -> Vec<(usize, usize)> {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let all = Mapping::all(&maps).into_iter();
    let same = all.filter(|one| one.file.1 != "0" && !one.writable && !one.dirty);
    same.map(|one| (one.start, one.end - one.start)).collect()
}

/// A mapping as the kernel tells of it.
#[cfg(target_os = "linux")]
struct Mapping<'a> {
    start: usize,
    end: usize,
    writable: bool,
    /// Device and number of its file.
    file: (&'a str, &'a str),
    /// Whether a page of it is a copy that was written to, or may be one.
    dirty: bool,
}

#[cfg(target_os = "linux")]
impl<'a> Mapping<'a> {
    fn all(maps: &'a str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in maps.lines() {
            if let Some(mapping) = Self::read(line) {
                all.push(mapping);
            } else if let (Some(amount), Some(last)) = (line.strip_prefix("Anonymous:"), all.last_mut()) {
                last.dirty = amount.trim() != "0 kB";
            }
        }
        all
    }

    /// The first line of a mapping: addresses, rights, offset, device, number of the file, path.
    fn read(line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        let (rights, _, device, number) = (words.next()?, words.next()?, words.next()?, words.next()?);
        Some(Self { start, end, writable: rights.contains('w'), file: (device, number), dirty: true })
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// How much of the mappings is in memory, in KiB.
    fn held(ranges: &[(usize, usize)]) -> u64 {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells");
        let of = |start: usize| {
            let mut lines = maps.lines().skip_while(|line| !line.starts_with(&format!("{start:x}-")));
            let rss = lines.find_map(|line| line.strip_prefix("Rss:")).expect("every mapping has one");
            rss.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
        };
        ranges.iter().map(|(start, _)| of(*start)).sum()
    }

    #[test]
    fn what_was_given_back_takes_no_memory_and_is_there_as_before() {
        let ranges = pristine();
        let here = pristine as *const () as usize;
        assert!(
            ranges.iter().any(|(start, length)| (*start..start + length).contains(&here)),
            "code is among it"
        );
        let before = held(&ranges);
        Code::find().forget();
        let after = held(&ranges);
        assert!(after < before, "{before} KiB before and {after} KiB after");
    }

    #[test]
    fn what_was_written_to_is_not_given_back() {
        let maps = "1000-2000 r--p 00000000 08:01 7 /x\nRss: 4 kB\nAnonymous:             0 kB\n\
                    2000-3000 r-xp 00001000 08:01 7 /x\nAnonymous:             0 kB\n\
                    3000-4000 r--p 00002000 08:01 7 /x\nAnonymous:             4 kB\n\
                    4000-5000 rw-p 00003000 08:01 7 /x\nAnonymous:             0 kB\n\
                    5000-6000 r--p 00003000 08:01 8 /y\n";
        let all = Mapping::all(maps);
        let told: Vec<(usize, bool, bool)> =
            all.iter().map(|one| (one.start, one.writable, one.dirty)).collect();
        let expected = [
            (0x1000, false, false),
            (0x2000, false, false),
            (0x3000, false, true),
            (0x4000, true, false),
            (0x5000, false, true),
        ];
        assert_eq!(told, expected);
        assert_eq!(all[3].file, ("08:01", "7"));
    }
}
