//! What is told to clients that listen, and what each hears in its place.

use super::SUBSCRIPTION;
use mcp::{Splice, member_at};

/// What a server said, or the gateway itself.
pub(super) struct Told<'a> {
    pub(super) server: &'a str,
    pub(super) session: Option<u64>,
    pub(super) method: &'a str,
    pub(super) params: Option<&'a str>,
}

impl Told<'_> {
    pub(super) fn params(&self) -> &str {
        self.params.unwrap_or("{}")
    }

    /// The parameters with another address, and with the client's subscription in place of the gateway's.
    pub(super) fn params_as(&self, address: Option<&str>, subscription: Option<&str>) -> String {
        let params = self.params();
        // What is no object has no place for more.
        if !params.starts_with('{') {
            return params.to_owned();
        }
        let mut splice = Splice::new(params);
        if let (Some(address), Some(at)) = (address, member_at(params, "uri")) {
            let mut quoted = Vec::new();
            mcp::quote(address, &mut quoted);
            splice.replace(at, quoted);
        }
        let tag = subscription.map(|id| format!(r#""{SUBSCRIPTION}":{id}"#));
        match member_at(params, "_meta") {
            Some(at) if !params[at.clone()].starts_with('{') => {
                tag.iter().for_each(|tag| splice.replace(at.clone(), format!("{{{tag}}}").into_bytes()));
            }
            Some(at) if member_at(&params[at.clone()], SUBSCRIPTION).is_some() => {
                let kept = mcp::without(&params[at.clone()], |name| name == SUBSCRIPTION);
                let mut meta = Splice::new(&kept);
                tag.iter().for_each(|tag| meta.insert_members(0, tag));
                let mut out = Vec::with_capacity(kept.len() + 64);
                meta.write(&mut out);
                splice.replace(at, out);
            }
            Some(at) => tag.iter().for_each(|tag| splice.insert_members(at.start, tag)),
            None => tag.iter().for_each(|tag| splice.insert_members(0, &format!(r#""_meta":{{{tag}}}"#))),
        }
        let mut out = Vec::new();
        splice.write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}
