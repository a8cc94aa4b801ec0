//! Which hooks ran for a request, in order, for the log and, where wanted, for the reply.

use serde::Serialize;
use std::fmt;
use std::time::Duration;
use workflow::{Named, NodeMark};

/// The most bytes of a header; clients refuse much longer ones.
const HEADER_MAX: usize = 4096;

/// Room for the word on what did not fit.
const MARKER: usize = r#",{"more":}]"#.len() + 20;

/// One hook that ran.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// Its name.
    pub hook: String,
    /// Its version, which counts its changes.
    pub version: u64,
    /// `pre` or `post`.
    pub phase: &'static str,
    /// What came of it.
    pub verdict: &'static str,
    /// How long it ran, in microseconds.
    pub duration_us: u64,
}

impl From<NodeMark> for Mark {
    fn from(NodeMark { name, version, phase, verdict, micros, .. }: NodeMark) -> Self {
        Self { hook: name.to_string(), version, phase, verdict, duration_us: micros }
    }
}

/// Where the time of a request went; what is left of it is the gateway's own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// At the server, from the request to its reply.
    pub(crate) server: Option<Duration>,
    /// In hooks and nodes, with the way to their worker and back.
    pub(crate) hooks: Duration,
}

/// The hooks that ran, in order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    marks: Vec<Mark>,
    run: Option<workflow::Run>,
    spent: Spent,
    left: Left,
}

/// What hooks left of a request, for those that will see the result of its task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    /// The parameters: JSON text, empty where no hook saw them.
    pub(crate) params: String,
    /// `metadata.shared`: JSON text.
    pub(crate) shared: Option<String>,
    /// What the request is for since hooks gave it another name.
    pub(crate) named: Option<Named>,
}

impl Trace {
    /// Of a request that met no hook, and was at the server for so long, if it got there.
    pub(crate) fn straight(server: Option<Duration>) -> Self {
        Self { spent: Spent { server, ..Spent::default() }, ..Self::default() }
    }

    /// Adds time that the server took.
    pub(crate) fn add_server(&mut self, took: Duration) {
        *self.spent.server.get_or_insert_default() += took;
    }

    /// Puts in front what ran in the rounds before.
    pub(crate) fn follow(&mut self, earlier: Self) {
        self.marks.splice(..0, earlier.marks);
        self.spent.hooks += earlier.spent.hooks;
        earlier.spent.server.into_iter().for_each(|took| self.add_server(took));
    }

    /// The request did not get to the server.
    pub(super) fn clear_server(&mut self) {
        self.spent.server = None;
    }

    pub(super) fn add_hooks(&mut self, took: Duration) {
        self.spent.hooks += took;
    }

    /// Where the time went.
    pub(crate) fn spent(&self) -> Spent {
        self.spent
    }

    pub(crate) fn add(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// Adds one in its place among the others.
    pub(super) fn add_at(&mut self, place: usize, mark: Mark) {
        self.marks.insert(place.min(self.marks.len()), mark);
    }

    /// Adds one that was known only later.
    pub(crate) fn add_late(&mut self, mark: Mark) {
        self.add_hooks(Duration::from_micros(mark.duration_us));
        self.add(mark);
    }

    pub(super) fn keep_run(&mut self, run: workflow::Run) {
        self.run = Some(run);
    }

    /// The run of the graph that the request passed through.
    pub(crate) fn run(&self) -> Option<&workflow::Run> {
        self.run.as_ref()
    }

    pub(super) fn keep_left(mut self, left: Left) -> Self {
        self.left = left;
        self
    }

    /// What hooks left of the request.
    pub(crate) fn left(&self) -> &Left {
        &self.left
    }

    /// The server and the tool that the request was for in the end, where hooks gave it another name.
    pub fn led_to(&self) -> Option<(&str, &str)> {
        let named = self.left.named.as_ref()?;
        Some((named.server.as_deref()?, named.own.as_deref()?))
    }

    /// The hooks, in order.
    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Whether none ran.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// As JSON, without times: the same road reads the same.
    pub fn to_json(&self) -> String {
        format!("[{}]", self.marks.iter().map(Mark::told).collect::<Vec<_>>().join(","))
    }

    /// The same for a header, which is short: behind the first of many it says how many more there are.
    pub fn to_header(&self) -> String {
        let mut out = String::from("[");
        for (i, mark) in self.marks.iter().enumerate() {
            let (comma, told) = (if i > 0 { "," } else { "" }, mark.told());
            let rest = self.marks.len() - i;
            let room = if rest == 1 { 1 } else { MARKER };
            if out.len() + comma.len() + told.len() + room > HEADER_MAX {
                out += &format!("{comma}{{\"more\":{rest}}}");
                break;
            }
            out += comma;
            out += &told;
        }
        out + "]"
    }
}

impl Mark {
    /// As JSON that any header can hold.
    fn told(&self) -> String {
        #[derive(Serialize)]
        struct Told<'a> {
            hook: &'a str,
            version: u64,
            phase: &'a str,
            verdict: &'a str,
        }
        let Self { hook, version, phase, verdict, .. } = self;
        let json = serde_json::to_string(&Told { hook, version: *version, phase, verdict });
        let json = json.unwrap_or_default();
        let mut out = String::with_capacity(json.len());
        for c in json.chars() {
            match c {
                ' '..='~' => out.push(c),
                _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}")),
            }
        }
        out
    }
}

/// For the log: `guard@2 pre continue; mask@1 post changed`.
impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mark) in self.marks.iter().enumerate() {
            let separator = if i > 0 { "; " } else { "" };
            write!(f, "{separator}{}@{} {} {}", mark.hook, mark.version, mark.phase, mark.verdict)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_reads_in_order_and_fits_into_a_header() {
        let mut trace = Trace::default();
        let mark = |hook: &str, phase, verdict| Mark {
            hook: hook.into(),
            version: 2,
            phase,
            verdict,
            duration_us: 7,
        };
        trace.add(mark("guard", "pre", "continue"));
        trace.add(mark("検査", "post", "changed"));
        assert_eq!(trace.to_string(), "guard@2 pre continue; 検査@2 post changed");
        let json = trace.to_json();
        assert!(json.is_ascii(), "{json}");
        let read: serde_json::Value = serde_json::from_str(&json).expect("json");
        assert_eq!(read[1]["hook"], "検査");
        let first = serde_json::json!({"hook": "guard", "version": 2, "phase": "pre", "verdict": "continue"});
        assert_eq!(read[0], first);
        assert_eq!(trace.to_header(), json);
    }

    #[test]
    fn a_header_is_bounded_and_says_what_it_leaves_out() {
        let mark =
            |hook: String| Mark { hook, version: 1, phase: "pre", verdict: "continue", duration_us: 0 };
        let read = |trace: &Trace| {
            let header = trace.to_header();
            assert!(header.len() <= HEADER_MAX, "{}", header.len());
            serde_json::from_str::<Vec<serde_json::Value>>(&header).expect("json")
        };
        for name in ["h".to_owned(), "😀".repeat(100)] {
            let mut trace = Trace::default();
            for count in 1..200 {
                trace.add(mark(name.clone()));
                let told = read(&trace);
                let last = told.last().expect("one");
                match last["more"].as_u64() {
                    Some(more) => assert_eq!(told.len() - 1 + more as usize, count),
                    None => assert_eq!(told.len(), count),
                }
            }
            assert!(read(&trace).last().expect("one")["more"].is_u64(), "{name}");
        }
    }
}
