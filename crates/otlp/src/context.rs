//! The context of a trace as it travels between processes (W3C Trace Context).

use std::sync::Arc;

/// The longest `tracestate` that is carried on.
const STATE_MAX: usize = 512;

/// The flag of a trace that is recorded.
pub(crate) const SAMPLED: u8 = 1;

/// Which trace a request belongs to, and which span asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The trace.
    pub trace: u128,
    /// The span.
    pub span: u64,
    /// What is said of the trace, one bit each: the first is whether it is recorded.
    pub flags: u8,
    /// `tracestate`: what others along the way want to be carried on.
    pub state: Option<Arc<str>>,
}

impl Context {
    /// Reads `traceparent` and, where it is there, `tracestate`. `None` for anything that is not in form.
    pub fn read(parent: &str, state: Option<&str>) -> Option<Self> {
        let (version, rest) = parent.split_once('-')?;
        let (trace, rest) = rest.split_once('-')?;
        let (span, rest) = rest.split_once('-')?;
        let (flags, more) = rest.split_once('-').map_or((rest, None), |(flags, more)| (flags, Some(more)));
        let version = hex(version, 2)?;
        // Later versions may say more; the first says exactly this.
        if version == 0xff || (version == 0 && more.is_some()) {
            return None;
        }
        let (trace, span) = (hex(trace, 32)?, u64::try_from(hex(span, 16)?).ok()?);
        let flags = u8::try_from(hex(flags, 2)?).ok()?;
        let fits = |state: &&str| {
            (1..=STATE_MAX).contains(&state.len()) && state.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        };
        let state = state.filter(fits).map(Arc::from);
        (trace != 0 && span != 0).then_some(Self { trace, span, flags, state })
    }

    /// Whether it is recorded.
    pub fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// Writes `traceparent`.
    pub fn parent(&self) -> String {
        format!("00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// A number of exactly so many hexadecimal digits, all of them small.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let small = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (text.len() == digits && small).then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_context_is_read_as_it_was_written() {
        let context = Context::read(GOOD, Some("a=1,b=2")).expect("it is in form");
        assert_eq!(context.parent(), GOOD);
        assert!(context.is_sampled());
        assert_eq!(context.state.as_deref(), Some("a=1,b=2"));
        let other = GOOD.replace("-01", "-00");
        assert!(!Context::read(&other, None).expect("it is in form").is_sampled());
        let more = GOOD.replace("-01", "-03");
        assert_eq!(Context::read(&more, None).expect("it is in form").parent(), more);
        let later = GOOD.replace("00-4", "cc-4") + "-what-comes";
        assert!(Context::read(&later, None).is_some());
    }

    #[test]
    fn anything_else_is_nothing() {
        for wrong in [
            "",
            "00",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-+0f067aa0ba902b7-01",
        ] {
            assert_eq!(Context::read(wrong, None), None, "{wrong}");
        }
        for state in ["", "a\nb", &"x".repeat(513)] {
            assert_eq!(Context::read(GOOD, Some(state)).expect("it is in form").state, None);
        }
    }
}
