//! A server at an address: connecting takes the place of spawning.

use super::Origin;
use super::audience::Owner;
use super::control::Control;
use super::launch::{Around, EVENTS_MAX, Running, StartFailure};
use super::lists::Lists;
use crate::outbound::{Reach, Refusal, permits};
use crate::visa::Visa;
use mcp::oauth::Tokens;
use mcp::{Remote, Target};
use model::{Address, ServerEntry, Settings};
use std::sync::Arc;
use tokio::sync::mpsc;

/// The header by which a gateway knows that it is asked by itself.
pub const INSTANCE: &str = "lockgate-instance";

/// Connects once, with the token that is kept for the server, and says what it wants when that is not enough.
pub(super) async fn enter(
    place: (&ServerEntry, &str),
    origin: Origin,
    settings: &Settings,
    around: Around<'_>,
) -> Result<Running, StartFailure> {
    let Around { owner, instance, .. } = around;
    let Some(visa) = around.visa else {
        return connect(place, origin, settings, instance, (None, Some(owner))).await;
    };
    visa.prepare().await;
    let outcome = connect(place, origin, settings, instance, (Some(visa.clone()), Some(owner))).await;
    match (outcome, visa.problem()) {
        (Ok(running), _) => {
            visa.entered();
            Ok(running)
        }
        (Err(_), Some(problem)) => Err(StartFailure::Token(problem)),
        (Err(_), None) if visa.is_wanted() => Err(StartFailure::SignIn),
        (Err(failure), None) => Err(failure),
    }
}

/// Connects once. Dropping the future closes the connection.
async fn connect(
    (entry, url): (&ServerEntry, &str),
    origin: Origin,
    settings: &Settings,
    instance: &str,
    (visa, owner): (Option<Arc<Visa>>, Option<&Owner>),
) -> Result<Running, StartFailure> {
    // What stands in the config file is permitted by standing there.
    let reach = match origin {
        Origin::Config => Reach::Origin,
        Origin::Api => permits(&settings.outbound.allow, url)?,
    };
    let given = entry.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    let target = Target {
        address: Address::parse(url).map_err(Refusal::Url)?,
        headers: given.chain([(INSTANCE.to_owned(), instance.to_owned())]).collect(),
        admits: reach.admits(),
        tokens: visa.map(|visa| visa as Arc<dyn Tokens>),
    };
    let (send_event, events) = mpsc::channel(EVENTS_MAX);
    let Remote { client, peer, hold } = mcp::connect(&target, send_event).await?;
    client.call_it(&entry.name);
    owner.into_iter().for_each(|owner| owner.hear(&client));
    let control = Control::Remote { _hold: hold, client: client.clone() };
    let lists = Lists::tools(&client, &peer).await?;
    let (reader, writer) = (client.clone(), client.clone());
    Ok(Running {
        control,
        client,
        peer,
        lists,
        reader: tokio::spawn(async move { reader.ended().await }),
        // There is no pipe that could break.
        writer: tokio::spawn(async move {
            writer.ended().await;
            false
        }),
        events,
        subscription: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn refusal(url: &str, origin: Origin, allow: &[&str]) -> String {
        let entry = serde_json::json!({"name": "s", "url": url, "headers": {"A": "s3cret"}});
        let entry: ServerEntry = serde_json::from_value(entry).expect("an entry");
        let mut settings = Settings::default();
        settings.outbound.allow = allow.iter().map(|entry| (*entry).to_owned()).collect();
        match connect((&entry, url), origin, &settings, "i", (None, None)).await {
            Ok(_) => panic!("connected"),
            Err(failure) => failure.to_string(),
        }
    }

    #[tokio::test]
    async fn a_server_of_the_api_needs_permission_and_one_of_the_file_does_not() {
        let url = "http://u:s3cret@127.0.0.1:1/s3cret";
        let refused = refusal(url, Origin::Api, &["example.com"]).await;
        assert!(refused.starts_with("its url is not permitted by outbound.allow"), "{refused}");
        let tried = [
            refusal(url, Origin::Config, &[]).await,
            refusal(url, Origin::Api, &["http://127.0.0.1:1"]).await,
        ];
        for failure in tried {
            assert!(failure.starts_with("the server cannot be reached: "), "{failure}");
            assert!(!failure.contains("s3cret"), "{failure}");
        }
    }

    #[tokio::test]
    async fn a_permitted_host_that_resolves_to_a_private_address_is_not_reached() {
        let refused = refusal("https://localhost/mcp", Origin::Api, &["localhost"]).await;
        assert_eq!(
            refused,
            "the server cannot be reached: its address is private, which outbound.allow does not permit"
        );
    }
}
