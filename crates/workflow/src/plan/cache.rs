//! Replies of read-only tools, kept for a while. They end with the compiled graph.

use crate::pass::Tool;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The longest arguments, and the longest reply, of which a reply is kept.
const ARGUMENTS_MAX: usize = 64 << 10;
const REPLY_MAX: usize = 1 << 20;

/// The most bytes of all that is kept.
const BYTES_MAX: usize = 32 << 20;

/// How deep arguments may be.
const DEPTH_MAX: usize = 64;

/// Replies by what was asked.
pub(crate) struct Cache {
    ttl: Duration,
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    replies: HashMap<Arc<str>, Reply>,
    /// The keys in the order in which their replies came, which is that in which they end. A key whose reply
    /// was replaced meanwhile is here twice, and its first place means nothing any more.
    order: VecDeque<(Arc<str>, u64)>,
    bytes: usize,
    serial: u64,
}

struct Reply {
    text: Box<RawValue>,
    until: Instant,
    serial: u64,
}

impl Cache {
    pub(crate) fn new(ttl: Duration, most: usize) -> Self {
        Self { ttl, most, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A half-done change can only lose or keep a reply, so a poisoned lock is still good.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply that is kept for this key.
    pub(crate) fn get(&self, key: &str) -> Option<Box<RawValue>> {
        let kept = self.kept();
        let reply = kept.replies.get(key)?;
        (Instant::now() < reply.until).then(|| reply.text.clone())
    }

    /// Keeps a reply, if it is one that can be given again.
    pub(crate) fn keep(&self, key: String, text: &RawValue) {
        if text.get().len() > REPLY_MAX || !is_whole(text) {
            return;
        }
        let now = Instant::now();
        let key: Arc<str> = key.into();
        let mut kept = self.kept();
        kept.serial += 1;
        let serial = kept.serial;
        kept.bytes += key.len() + text.get().len();
        kept.order.push_back((Arc::clone(&key), serial));
        let reply = Reply { text: text.to_owned(), until: now + self.ttl, serial };
        if let Some(old) = kept.replies.insert(Arc::clone(&key), reply) {
            kept.bytes -= key.len() + old.text.get().len();
        }
        kept.trim(self.most, now);
    }
}

impl Kept {
    /// Forgets what has ended, and the oldest of what is too much.
    fn trim(&mut self, most: usize, now: Instant) {
        while let Some((key, serial)) = self.order.front() {
            let reply = self.replies.get(key).filter(|reply| reply.serial == *serial);
            let full = self.replies.len() > most || self.bytes > BYTES_MAX;
            if reply.is_some_and(|reply| reply.until > now) && !full {
                return;
            }
            if let Some(reply) = reply {
                self.bytes -= key.len() + reply.text.get().len();
                self.replies.remove(&Arc::clone(key));
            }
            self.order.pop_front();
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("ttl", &self.ttl).field("most", &self.most).finish_non_exhaustive()
    }
}

/// Whether a result is the whole answer of a tool that did not fail: no question to the client, no task.
fn is_whole(text: &RawValue) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Result {
        content: Option<IgnoredAny>,
        structured_content: Option<IgnoredAny>,
        #[serde(default)]
        is_error: bool,
        result_type: Option<String>,
    }
    serde_json::from_str::<Result>(text.get()).is_ok_and(|result| {
        let told = result.content.is_some() || result.structured_content.is_some();
        told && !result.is_error && result.result_type.is_none_or(|word| word == "complete")
    })
}

/// What tells one call from another: server, tool and arguments, whose members may stand in any order. `None`
/// for a call that is more than that, or whose arguments are too long, too deep or ambiguous.
pub(crate) fn key(tool: &Tool, params: &str) -> Option<String> {
    let params: Members<'_> = serde_json::from_str(params).ok()?;
    let mut key = format!("{}\0{}\0", tool.server, tool.name);
    for (name, value) in &params.0 {
        match name.as_str() {
            "name" | "_meta" => {}
            "arguments" if value.get().len() > ARGUMENTS_MAX => return None,
            "arguments" => canonical(value, DEPTH_MAX, &mut key)?,
            _ => return None,
        }
    }
    Some(key)
}

/// Writes a value with the members of its objects in order and without blanks. Numbers stay as they were
/// written: what is not the same to the letter may not be the same to a server.
fn canonical(value: &RawValue, depth: usize, out: &mut String) -> Option<()> {
    let text = value.get();
    match text.as_bytes().first() {
        _ if depth == 0 => return None,
        Some(b'{') => {
            let Members(mut members) = serde_json::from_str(text).ok()?;
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return None;
            }
            out.push('{');
            for (name, value) in members {
                crate::text::quote(out, &name);
                canonical(value, depth - 1, out)?;
                out.push(',');
            }
            out.push('}');
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            out.push('[');
            for item in items {
                canonical(item, depth - 1, out)?;
                out.push(',');
            }
            out.push(']');
        }
        _ => out.push_str(text),
    }
    Some(())
}

/// The members of an object as they were written, those of the same name included.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = map.next_entry()? {
                    all.push(member);
                }
                Ok(Members(all))
            }
        }
        deserializer.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests;
