//! What scripts may ask of the gateway (spec 2.6): little, and never a command, an address or a secret.

use crate::access::{Access, Presented};
use crate::registry::Registry;
use arc_swap::ArcSwap;
use model::access::Digest;
use serde_json::json;
use std::sync::Arc;

/// Answers the helpers of scripts.
pub(super) struct Host {
    registry: Arc<ArcSwap<Registry>>,
    access: Arc<Access>,
}

impl Host {
    pub(super) fn new(registry: Arc<ArcSwap<Registry>>, access: Arc<Access>) -> Self {
        Self { registry, access }
    }
}

impl sandbox::Host for Host {
    fn is_key(&self, token: &str) -> bool {
        matches!(self.access.find(&Digest::of(token.as_bytes())), Presented::Good(_))
    }

    fn server_info(&self, id: &str) -> Option<String> {
        let registry = self.registry.load();
        let server = registry.get(id)?;
        let kind = if server.entry().url.is_some() { "http" } else { "stdio" };
        let info = json!({
            "id": server.name(),
            "name": server.name(),
            "type": kind,
            "status": server.status(),
            "enabled": true,
        });
        Some(info.to_string())
    }
}
