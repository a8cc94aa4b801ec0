//! What a server says of itself: its name as a resource, and who gives tokens for it (RFC 9728).

use super::challenge::Challenge;
use super::error::OauthError;
use super::wire::Wire;
use model::Address;
use serde::Deserialize;

const WHAT: &str = "server's metadata";
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// A server as a resource.
#[derive(Clone, Debug, Deserialize)]
pub struct Resource {
    /// Its name, as tokens for it are asked for.
    pub resource: String,
    /// Who gives tokens for it.
    #[serde(default)]
    pub authorization_servers: Vec<String>,
    /// What tokens for it may permit.
    #[serde(default)]
    pub scopes_supported: Vec<String>,
}

impl Resource {
    /// Reads the metadata of a server: where the challenge says, else at the usual places. `None` when there is none.
    pub async fn find(
        wire: &Wire,
        server: &Address,
        challenge: &Challenge,
    ) -> Result<Option<Self>, OauthError> {
        for place in places(server, challenge) {
            let Some(found) = wire.read::<Self>(WHAT, &place).await? else { continue };
            return if found.covers(server) { Ok(Some(found)) } else { Err(OauthError::Resource) };
        }
        Ok(None)
    }

    /// Whether the metadata is about this server: its very address, or one above it at the same origin.
    fn covers(&self, server: &Address) -> bool {
        let Ok(named) = Address::parse(&self.resource) else { return false };
        let (path, below) = (bare(&named).trim_end_matches('/'), bare(server));
        let rest = below.strip_prefix(path);
        named.origin() == server.origin() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

fn places(server: &Address, challenge: &Challenge) -> Vec<String> {
    let base = format!("{}://{}", server.scheme(), server.authority());
    let path = bare(server).trim_end_matches('/');
    let mut places: Vec<String> = challenge.resource_metadata.iter().cloned().collect();
    places.push(format!("{base}{WELL_KNOWN}{path}"));
    places.push(format!("{base}{WELL_KNOWN}"));
    places.dedup();
    places
}

fn bare(address: &Address) -> &str {
    address.path.split('?').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Address {
        Address::parse(url).expect("an address")
    }

    #[test]
    fn metadata_is_looked_for_where_the_server_says_and_then_at_the_usual_places() {
        let none = Challenge::default();
        let usual = [
            "https://h/.well-known/oauth-protected-resource/mcp",
            "https://h/.well-known/oauth-protected-resource",
        ];
        assert_eq!(places(&address("https://h/mcp?k=1"), &none), usual);
        assert_eq!(places(&address("https://h"), &none), [usual[1]]);
        let told = Challenge { resource_metadata: Some("https://h/custom".into()), ..none };
        assert_eq!(places(&address("https://h/mcp"), &told)[0], "https://h/custom");
    }

    #[test]
    fn metadata_of_another_server_is_not_taken() {
        let resource = |name: &str| Resource {
            resource: name.into(),
            authorization_servers: Vec::new(),
            scopes_supported: Vec::new(),
        };
        for (name, expected) in [
            ("https://h/mcp", true),
            ("https://H:443/mcp", true),
            ("https://h/mcp/", true),
            ("https://h", true),
            ("https://h/", true),
            ("https://h/mc", false),
            ("https://h/mcp/other", false),
            ("http://h/mcp", false),
            ("https://evil.example/mcp", false),
            ("mcp", false),
        ] {
            assert_eq!(resource(name).covers(&address("https://h/mcp")), expected, "{name}");
        }
    }
}
