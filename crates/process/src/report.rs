//! What is said on the line between the gateway and a guard.
//!
//! The guard speaks in short text lines, the gateway in single bytes. End of file says the most: from
//! the gateway's side "end everything", from the guard's side "nothing is left".

use crate::Exit;

/// With the first byte comes the descriptor of the child's standard input.
pub(crate) const STDIN: u8 = b'S';
/// SIGTERM for the child's process group.
pub(crate) const TERMINATE: u8 = b'T';
/// SIGKILL for everything below the guard.
pub(crate) const KILL: u8 = b'K';

/// One line from a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The command runs under this process id.
    Started(u32),
    /// The system refused to execute the command, with this error number.
    Failed(i32),
    /// The child ended.
    Ended(Exit),
}

impl Report {
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (word, number) = line.trim_end().split_once(' ')?;
        match word {
            "started" => number.parse().ok().map(Report::Started),
            "failed" => number.parse().ok().map(Report::Failed),
            "exited" => number.parse().ok().map(|code| Report::Ended(Exit::Code(code))),
            "signalled" => number.parse().ok().map(|signal| Report::Ended(Exit::Signal(signal))),
            _ => None,
        }
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Report::Started(pid) => writeln!(f, "started {pid}"),
            Report::Failed(errno) => writeln!(f, "failed {errno}"),
            Report::Ended(Exit::Code(code)) => writeln!(f, "exited {code}"),
            Report::Ended(Exit::Signal(signal)) => writeln!(f, "signalled {signal}"),
            Report::Ended(Exit::Unknown) => writeln!(f, "unknown 0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        for report in [
            Report::Started(42),
            Report::Failed(2),
            Report::Ended(Exit::Code(3)),
            Report::Ended(Exit::Signal(9)),
        ] {
            assert_eq!(Report::parse(&report.to_string()), Some(report));
        }
        for line in ["", "started", "started x", "hello 1"] {
            assert_eq!(Report::parse(line), None);
        }
    }
}
