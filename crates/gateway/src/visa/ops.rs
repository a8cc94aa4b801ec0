//! Signing in to servers: begun over the API, ended where the person comes back.

use super::Visa;
use crate::gateway::{Gateway, unstored};
use crate::hub::News;
use crate::server::Server;
use mcp::oauth::{Answer, Challenge, Identity};
use model::{Code, Fault, Status};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// How often it is looked whether another process signed in.
const LOOK: Duration = Duration::from_secs(2);

impl Gateway {
    /// Begins a sign-in to a server; gives the address for a person to open.
    pub async fn begin_sign_in(&self, name: &str, identity: &Identity) -> Result<String, Fault> {
        let server = self.server(name)?;
        let visa = visa(&server)?;
        let conflict = |message: &str| Fault::new(Code::Conflict, message).with_server(name);
        if visa.signs_in_by_itself() {
            return Err(conflict("The gateway signs in to this server by itself (oauth.grant)"));
        }
        let (challenge, kept) = {
            let held = visa.lock();
            (
                held.wanted.clone().unwrap_or(Challenge { status: 401, ..Challenge::default() }),
                held.kept.clone(),
            )
        };
        let begun = visa.wish(&challenge, kept.as_ref()).begin(&visa.wire, identity, name).await;
        let (pending, address) =
            begun.map_err(|error| conflict(&format!("Nobody can sign in to this server: {error}")))?;
        visa.drawer.begin(name, &visa.address, &pending).await.map_err(|error| unstored(&error))?;
        Ok(address)
    }

    /// Ends a sign-in with what the person brought back; gives the name of the server.
    pub async fn complete_sign_in(&self, answer: &Answer) -> Result<String, Fault> {
        let stale = || {
            let message = "This sign-in is not known, was used already, or took longer than ten minutes; begin it again";
            Fault::new(Code::ValidationError, message).with("field", "state")
        };
        let state = answer.state.as_deref().unwrap_or_default();
        let (name, _) = state.split_once('.').ok_or_else(stale)?;
        let server = self.server(name).map_err(|_| stale())?;
        let visa = visa(&server).map_err(|_| stale())?;
        let pending = visa.drawer.finish(name, &visa.address, state).await.ok_or_else(stale)?;
        let kept = pending.complete(&visa.wire, answer).await.map_err(|error| {
            tracing::warn!(server = name, reason = %error, "a sign-in failed");
            Fault::new(Code::ValidationError, format!("The sign-in failed: {error}")).with_server(name)
        })?;
        visa.accept(kept).await;
        tracing::info!(server = name, "signed in to the server");
        self.enter_again(&server).await;
        Ok(name.to_owned())
    }

    /// Forgets the sign-in to a server.
    pub async fn sign_out(&self, name: &str) -> Result<(), Fault> {
        let server = self.server(name)?;
        let visa = visa(&server)?;
        visa.drawer.forget(name).await.map_err(|error| unstored(&error))?;
        *visa.lock() = super::Held::default();
        server.restart().await;
        Ok(())
    }

    /// Looks again and again whether another process signed in where this one waits for it.
    pub(crate) async fn watch_sign_ins(gateway: Weak<Self>) {
        loop {
            tokio::time::sleep(LOOK).await;
            let Some(gateway) = gateway.upgrade() else { return };
            for server in gateway.registry().servers() {
                let waits = server.visa().filter(|visa| visa.is_wanted());
                if let Some(visa) = waits
                    && visa.look().await
                {
                    gateway.enter_again(server).await;
                }
            }
        }
    }

    /// A server that runs goes on with the new token; another is started.
    async fn enter_again(&self, server: &Arc<Server>) {
        if server.status() != Status::Running {
            server.restart().await;
        }
        (self.around.changed)();
        self.around.hub.tell(News::Status(server.name().into(), server.status()));
    }
}

fn visa(server: &Server) -> Result<&Arc<Visa>, Fault> {
    server.visa().ok_or_else(|| {
        let message = "This server is not one to sign in to: it has no url, or brings credentials of its own";
        Fault::new(Code::Conflict, message).with_server(server.name())
    })
}
