//! Where a call goes that hooks gave another name.

use crate::endpoint::Target;
use crate::errand::Errand;
use crate::faults;
use crate::gateway::Gateway;
use model::Fault;

impl Gateway {
    /// What a name stands for that hooks gave a request; nothing where nobody has it.
    pub(crate) fn lead(&self, errand: &Errand<'_>, name: &str) -> Result<Option<Target>, Fault> {
        let found = self.catalog_of(&errand.caller).target(errand.kind(), name);
        if found.is_none() && errand.is_call() && self.has_own(&errand.caller, name) {
            return Err(faults::led_astray(name, "the gateway itself", "a server"));
        }
        Ok(found)
    }

    /// The same for a call that names its server apart: what that server has stays with it.
    pub(crate) fn led(&self, errand: &Errand<'_>, name: &str) -> Result<Target, Fault> {
        let server = &errand.target.server;
        let stays = server.tools().is_none_or(|tools| tools.get(name).is_some());
        let other = if stays { None } else { self.lead(errand, name)? };
        Ok(other.unwrap_or_else(|| Target { server: server.clone(), own: name.into() }))
    }
}
