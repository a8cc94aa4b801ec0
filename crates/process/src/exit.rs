//! How a child ended.

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It ended by itself with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It is gone, but nobody could tell how: its guard was ended from outside.
    Unknown,
}

impl Exit {
    /// Whether it ended by itself with code 0.
    pub const fn is_clean(self) -> bool {
        matches!(self, Exit::Code(0))
    }

    /// The exit code, when there is one.
    pub const fn code(self) -> Option<i32> {
        match self {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::Unknown => None,
        }
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
            Exit::Unknown => f.write_str("unknown exit status"),
        }
    }
}
