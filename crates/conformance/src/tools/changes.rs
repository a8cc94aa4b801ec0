//! Tools that announce a changed list, and the ways the announcement takes to clients of both eras.

use super::plain;
use crate::call::{Call, text};
use crate::fixture::Change;
use rmcp::model::{CallToolResponse, ResourceUpdatedNotificationParam};
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// The resource that can be subscribed to.
const WATCHED: &str = "test://watched-resource";

pub(super) fn definitions() -> Value {
    json!([
        plain("test_trigger_tool_change", "Announces a changed list of tools"),
        plain("test_trigger_prompt_change", "Announces a changed list of prompts"),
        plain("test_trigger_resource_update", "Announces an update of the watched resource"),
    ])
}

/// The result, when the tool is one of these.
pub(super) fn call(name: &str, call: &Call<'_>) -> Option<CallToolResponse> {
    let change = match name {
        "test_trigger_tool_change" => Change::Tools,
        "test_trigger_prompt_change" => Change::Prompts,
        "test_trigger_resource_update" => Change::Resource,
        _ => return None,
    };
    // Nobody listens: then nobody has to be told.
    let _ = call.fixture.changes.send(change);
    Some(text("Announced"))
}

/// Tells the changes to one `subscriptions/listen` until it ends.
pub(crate) async fn forward(mut changes: broadcast::Receiver<Change>, subscription: &SubscriptionContext) {
    loop {
        let change = tokio::select! {
            () = subscription.cancelled() => return,
            change = changes.recv() => change,
        };
        // The sink refuses what this subscription did not ask for.
        let _ = match change {
            Ok(Change::Tools) => subscription.sink().notify_tool_list_changed().await,
            Ok(Change::Prompts) => subscription.sink().notify_prompt_list_changed().await,
            Ok(Change::Resource) => subscription.sink().notify_resource_updated(WATCHED).await,
            Err(_) => return,
        };
    }
}

/// Tells the changes to one legacy client until it is gone.
pub(crate) async fn announce(mut changes: broadcast::Receiver<Change>, peer: Peer<RoleServer>) {
    while let Ok(change) = changes.recv().await {
        let told = match change {
            Change::Tools => peer.notify_tool_list_changed().await,
            Change::Prompts => peer.notify_prompt_list_changed().await,
            Change::Resource => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(WATCHED)).await
            }
        };
        if told.is_err() {
            return;
        }
    }
}
