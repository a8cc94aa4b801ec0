//! One request of a client from its arrival to its answer: counted, traced, and kept in the log of requests.

use super::requests::RequestView;
use super::tally::Outcome;
use crate::caller::Caller;
use crate::endpoint::is_error;
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::waited::Footprint;
use mcp::{Body, Message, Word};
use model::Code;
use otlp::{Context, Span, Within};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The way a request came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The REST API.
    Rest,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE.
    Sse,
    /// Standard input.
    Stdio,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 4] = [Way::Rest, Way::Http, Way::Sse, Way::Stdio];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Way::Rest => "rest",
            Way::Http => "http",
            Way::Sse => "sse",
            Way::Stdio => "stdio",
        }
    }
}

/// Where a request may carry the context of its trace: `_meta` goes before headers, because it is nearer to whoever
/// asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carrier<'a> {
    /// The header `traceparent`.
    pub parent: Option<&'a str>,
    /// The header `tracestate`.
    pub state: Option<&'a str>,
    /// The parameters of an MCP request.
    pub params: Option<&'a RawValue>,
}

impl Carrier<'_> {
    /// The context, and whether it is to be handed on from a header. What stands in the parameters, whatever it is worth,
    /// reaches the server by itself.
    fn context(&self) -> Option<(Context, bool)> {
        let carried = self.params.and_then(in_meta).map(|context| (context, false));
        let own = || self.params.is_some_and(says_of_a_trace);
        carried.or_else(|| Some((Context::read(self.parent?, self.state)?, !own())))
    }
}

/// Whether `_meta` says anything of a trace.
fn says_of_a_trace(params: &RawValue) -> bool {
    let text = params.get();
    let meta = mcp::member_at(text, "_meta").map_or("", |at| &text[at]);
    mcp::members_at(meta, ["traceparent", "tracestate"]).iter().any(Option::is_some)
}

fn in_meta(params: &RawValue) -> Option<Context> {
    let text = params.get();
    // Most requests have no such word anywhere, and are not looked at any closer.
    static PARENT: Word = Word::new("traceparent");
    if !PARENT.is_in(text.as_bytes()) {
        return None;
    }
    let meta = &text[mcp::member_at(text, "_meta")?];
    let [parent, state] = mcp::members_at(meta, ["traceparent", "tracestate"]);
    let read = |at| serde_json::from_str::<String>(&meta[at]).ok();
    Context::read(&read(parent?)?, state.and_then(read).as_deref())
}

/// What is known of a request at its end.
#[derive(Clone, Copy, Default)]
pub struct Seen<'a> {
    /// Who made it.
    pub caller: Caller<'a>,
    /// The server it went to.
    pub server: Option<&'a str>,
    /// The tool that was called.
    pub tool: Option<&'a str>,
    /// Why it failed; `None` is a success.
    pub code: Option<Code>,
    /// The hooks that ran.
    pub hooks: Option<&'a Trace>,
}

/// A request under way. Dropped before its end, it counts as cancelled.
pub struct Visit<'a> {
    gateway: &'a Gateway,
    way: Way,
    method: &'a str,
    /// Who makes it, as far as that is known.
    caller: Caller<'a>,
    began: Instant,
    span: Option<Span>,
    /// The context that the client gave in a header, where nothing is traced here.
    carried: Option<Arc<Context>>,
    /// The trace that the client named, or that of its span.
    trace: Option<u128>,
    over: bool,
}

impl Gateway {
    /// A request of a client that came then.
    pub fn visit<'a>(&'a self, way: Way, method: &'a str, carrier: Carrier<'_>, began: Instant) -> Visit<'a> {
        self.sight.tally.begin();
        let (context, in_header) = carrier.context().unzip();
        let handed_on = context.clone().filter(|_| in_header == Some(true));
        let trace = context.as_ref().map(|context| context.trace);
        let tracer = self.sight.tracer.load();
        let span = tracer.as_ref().and_then(|tracer| tracer.begin(context, || short(method).to_owned()));
        let carried = handed_on.filter(|_| span.is_none()).map(Arc::new);
        let caller = Caller::default();
        Visit { gateway: self, way, method, caller, began, span, carried, trace, over: false }
    }

    /// A request that came then has left a call behind that nobody waits for.
    pub(crate) fn visited<'a>(&'a self, way: Way, method: &'a str, began: Instant) -> Visit<'a> {
        self.sight.tally.begin();
        let caller = Caller::default();
        Visit {
            gateway: self,
            way,
            method,
            caller,
            began,
            span: None,
            carried: None,
            trace: None,
            over: false,
        }
    }

    /// A message of a client that came then; `None` unless it is a request.
    pub fn visit_of<'a>(
        &'a self,
        way: Way,
        message: &'a Message<'_>,
        (parent, state): (Option<&str>, Option<&str>),
        began: Instant,
    ) -> Option<Visit<'a>> {
        match (&message.body, message.id) {
            (Body::Method(method, params), Some(_)) => {
                Some(self.visit(way, method, Carrier { parent, state, params: *params }, began))
            }
            _ => None,
        }
    }
}

impl<'a> Visit<'a> {
    /// The same request, made by this caller, who may leave before there is an answer.
    #[must_use]
    pub fn by(mut self, caller: Caller<'a>) -> Self {
        self.caller = caller;
        self
    }

    /// Work that is done for it.
    pub fn within<F: Future>(visit: Option<&Self>, work: F) -> Within<F> {
        match visit.and_then(|visit| visit.span.as_ref()) {
            Some(span) => span.within(work),
            None => Within::carrying(visit.and_then(|visit| visit.carried.as_ref()), work),
        }
    }

    /// The request has its answer.
    pub fn close(mut self, seen: &Seen<'_>) {
        self.end(Outcome::Done(seen.code), seen);
    }

    /// The request of an MCP client has this answer; a failure that nobody noted is read from it, and given back.
    /// Without one the client has cancelled it.
    pub fn close_with(self, seen: &Seen<'_>, reply: Option<&[u8]>) -> Option<Code> {
        let code = seen.code.or_else(|| code_in(reply?));
        if reply.is_some() {
            self.close(&Seen { code, ..*seen });
        }
        code
    }

    fn end(&mut self, outcome: Outcome, seen: &Seen<'_>) {
        let took = self.count(outcome, seen);
        self.gateway.sight.requests.add(|view| self.tell(view, outcome, seen, took));
    }

    /// Nobody waits for the request any more. The log of requests has it when all hooks that ran are known.
    fn leave(&mut self, left: &Footprint) {
        let (outcome, seen) = (Outcome::Cancelled, left.seen(self.caller));
        let took = self.count(outcome, &seen);
        let mut entry = RequestView::default();
        self.tell(&mut entry, outcome, &seen, took);
        let requests = Arc::clone(&self.gateway.sight.requests);
        left.record(move |hooks| {
            entry.hooks = hooks.marks().to_vec();
            entry.hooks_us = micros(hooks.spent().hooks);
            requests.add(|view| *view = entry);
        });
    }

    /// Counts the request, and ends its span. Says how long it took.
    fn count(&mut self, outcome: Outcome, seen: &Seen<'_>) -> Duration {
        self.over = true;
        let took = self.began.elapsed();
        self.gateway.sight.tally.end(self.way, self.method, outcome, took);
        if let Some(span) = self.span.take() {
            self.trace = Some(span.context().trace);
            self.describe(span, outcome, seen);
        }
        took
    }

    /// What the log of requests has of it.
    fn tell(&self, view: &mut RequestView, outcome: Outcome, seen: &Seen<'_>, took: Duration) {
        let spent = seen.hooks.map(Trace::spent).unwrap_or_default();
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Every field: it was another request's before.
        let RequestView {
            id: _,
            at,
            way,
            client,
            method,
            server,
            tool,
            outcome: word,
            duration_us,
            server_us,
            hooks_us,
            hooks,
            trace_id,
        } = view;
        *at = u64::try_from(now().as_millis()).unwrap_or(u64::MAX);
        *way = self.way.as_str();
        short(seen.caller.id()).clone_into(client);
        short(self.method).clone_into(method);
        put(server, seen.server);
        put(tool, seen.tool);
        *word = outcome.word();
        *duration_us = micros(took);
        *server_us = spent.server.map(micros);
        *hooks_us = micros(spent.hooks);
        *hooks = seen.hooks.map(|hooks| hooks.marks().to_vec()).unwrap_or_default();
        *trace_id = self.trace.map(|trace| format!("{trace:032x}"));
    }

    fn describe(&self, mut span: Span, outcome: Outcome, seen: &Seen<'_>) {
        if let Some(tool) = seen.tool {
            span.rename(format!("{} {tool}", self.method));
            span.set("gen_ai.tool.name", tool);
        }
        span.set("mcp.method.name", short(self.method));
        span.set("lockgate.way", self.way.as_str());
        span.set("lockgate.client", short(seen.caller.id()));
        if let Some(server) = seen.server {
            span.set("lockgate.server", server);
        }
        if outcome != Outcome::Done(None) {
            span.fail(outcome.word());
        }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        match self.caller.footprint() {
            _ if self.over => {}
            Some(left) => self.leave(left),
            None => self.end(Outcome::Cancelled, &Seen { caller: self.caller, ..Seen::default() }),
        }
    }
}

/// Puts a text in the place of another.
fn put(place: &mut Option<String>, text: Option<&str>) {
    match (place, text) {
        (Some(place), Some(text)) => text.clone_into(place),
        (place, text) => *place = text.map(str::to_owned),
    }
}

fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

/// The most bytes of a name that a client made up.
const NAME_MAX: usize = 200;

/// Names that clients make up may be as long as a request; what is kept of them is not.
fn short(name: &str) -> &str {
    &name[..name.floor_char_boundary(NAME_MAX)]
}

/// The code of an error reply: the one it names, else the nearest to its number.
pub fn code_in(reply: &[u8]) -> Option<Code> {
    let Body::Error(error) = is_error(reply).then(|| Message::parse(reply))??.body else { return None };
    let named = mcp::member_at(error.get(), "data").and_then(|at| {
        let data = &error.get()[at];
        let code = serde_json::from_str::<String>(&data[mcp::member_at(data, "code")?]).ok()?;
        Code::ALL.into_iter().find(|known| known.name() == code)
    });
    named.or(Some(Code::of_jsonrpc(mcp::RpcError::read(error).code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_of_meta_goes_before_that_of_the_headers() {
        let parent = |n: u8| format!("00-4bf92f3577b34da6a3ce929d0e0e473{n}-00f067aa0ba902b7-01");
        let text = format!(r#"{{"_meta":{{"traceparent":"{}","tracestate":"a=1"}}}}"#, parent(1));
        let params = RawValue::from_string(text).expect("JSON");
        let header = parent(2);
        let both = Carrier { parent: Some(&header), state: Some("b=2"), params: Some(&params) };
        let (context, in_header) = both.context().expect("a context");
        assert_eq!((context.parent(), context.state.as_deref()), (parent(1), Some("a=1")));
        assert!(!in_header);
        let (context, in_header) = Carrier { params: None, ..both }.context().expect("a context");
        assert_eq!((context.parent(), context.state.as_deref()), (parent(2), Some("b=2")));
        assert!(in_header);
        let odd =
            RawValue::from_string(r#"{"_meta":{"traceparent":5},"x":"traceparent"}"#.into()).expect("JSON");
        assert!(Carrier { params: Some(&odd), ..Carrier::default() }.context().is_none());
        let own = RawValue::from_string(r#"{"_meta":{"tracestate":"mine=1"}}"#.into()).expect("JSON");
        let nothing = RawValue::from_string("{}".into()).expect("JSON");
        for (params, handed_on) in [(&odd, false), (&own, false), (&nothing, true)] {
            let (_, in_header) = Carrier { params: Some(params), ..both }.context().expect("a context");
            assert_eq!(in_header, handed_on, "{params}");
        }
    }

    #[test]
    fn of_a_long_name_only_the_beginning_is_kept() {
        assert_eq!(short("tools/call"), "tools/call");
        assert_eq!(short(&"é".repeat(NAME_MAX)), "é".repeat(NAME_MAX / 2));
    }

    #[test]
    fn the_code_of_a_reply_is_the_one_it_names() {
        let check = |reply: &str, expected| assert_eq!(code_in(reply.as_bytes()), expected, "{reply}");
        check(r#"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":1}}}"#, None);
        for id in [r#""a,\"error\":""#, r#""\\""#, "null", "-1.5e3", &format!("\"{}\"", "é".repeat(1000))] {
            check(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"error":{{"code":1}}}}}}"#), None);
            let error = r#""error":{"code":-32601,"message":"m"}"#;
            check(&format!(r#"{{"jsonrpc":"2.0","id":{id},{error}}}"#), Some(Code::NotFound));
        }
        check(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}"#, Some(Code::NotFound));
        check(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m","data":{"code":"TOOL_NOT_FOUND"}}}"#,
            Some(Code::ToolNotFound),
        );
    }
}
