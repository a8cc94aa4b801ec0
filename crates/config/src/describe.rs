//! The effective configuration for people, secrets masked.

use crate::read::{Config, Parsed};
use model::session::{Activity, Procedure, Step};
use model::{Args, ServerEntry};
use serde_json::{Value, json};

const MASK: &str = "***";

impl Config {
    /// Every setting with its effective value. Servers are shown as written, every value of their
    /// variables masked; so are `mcp.sessionKey`, `tracing.headers`, passwords in addresses, and arguments that look
    /// like secrets. Of activities and workflows only the outline is shown.
    pub fn describe(&self) -> Value {
        let mut settings = serde_json::to_value(&self.settings).unwrap_or_default();
        if self.settings.mcp.session_key.is_some() {
            settings["mcp"]["sessionKey"] = json!(MASK);
        }
        for value in
            settings["tracing"]["headers"].as_object_mut().into_iter().flat_map(|map| map.values_mut())
        {
            *value = json!(MASK);
        }
        for (section, field) in [
            ("tracing", "otlp"),
            ("templates", "catalogue"),
            ("restate", "ingress"),
            ("restate", "admin"),
            ("oauth", "jwks"),
        ] {
            if let Some(address) = settings[section][field].as_str().map(mask_address) {
                settings[section][field] = json!(address);
            }
        }
        for key in settings["keys"].as_array_mut().into_iter().flatten() {
            key["key"] = json!(MASK);
        }
        let url = self.settings.store.url.as_deref().map(mask_store);
        settings["store"]["url"] = json!(url.unwrap_or_else(|| "sqlite:<data>/lockgate.db".into()));
        json!({
            "path": self.path.to_string_lossy(),
            "port": self.port,
            "host": self.host.to_string(),
            "log": self.log,
            "defaultTimeout": self.settings.default_timeout,
            "maxTimeout": self.settings.max_timeout,
            "validationDisabled": self.settings.validation_disabled,
            "settings": settings,
            "servers": self.written.iter().map(mask_server).collect::<Vec<_>>(),
            "activities": self.activities.iter().map(outline).collect::<Vec<_>>(),
            "workflows": self.procedures.iter().map(steps).collect::<Vec<_>>(),
        })
    }
}

/// An activity by what tells it apart. Its scripts, addresses and headers may hold secrets.
fn outline(activity: &Activity) -> Value {
    json!({"name": activity.name, "run": activity.run.kind(), "publish": activity.publish})
}

/// A session workflow by the activities of its steps; those of a group stand in a list.
fn steps(procedure: &Procedure) -> Value {
    let step = |step: &Step| match step.parallel.is_empty() {
        true => json!(step.activity),
        false => step.parallel.iter().map(|member| json!(member.activity)).collect(),
    };
    json!({"name": procedure.name, "steps": procedure.steps.iter().map(step).collect::<Vec<_>>()})
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Config {}", self.describe())
    }
}

impl std::fmt::Debug for Parsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Parsed({} servers)", self.servers.len())
    }
}

/// An entry with every value of its variables and headers masked.
pub(crate) fn mask_server(entry: &ServerEntry) -> Value {
    let mut entry = entry.clone();
    entry.envs.iter_mut().for_each(|variable| variable.value = MASK.into());
    let values = entry.env.values_mut().chain(entry.headers.values_mut());
    values.for_each(|value| *value = MASK.into());
    if let Some(oauth) = &mut entry.oauth {
        let secrets = [&mut oauth.client_secret, &mut oauth.private_key].into_iter().flatten();
        secrets.for_each(|value| *value = MASK.into());
    }
    entry.url = entry.url.as_deref().map(mask_address);
    entry.args = match entry.args {
        Args::Line(line) => {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            Args::Line(mask_arguments(&words).join(" "))
        }
        Args::List(list) => Args::List(mask_arguments(&list)),
        Args::None => Args::None,
    };
    serde_json::to_value(entry).unwrap_or_default()
}

fn mask_arguments(arguments: &[String]) -> Vec<String> {
    let mut masked = Vec::with_capacity(arguments.len());
    let mut secret_follows = false;
    for argument in arguments {
        let (name, value) = argument.split_once('=').map_or((argument.as_str(), None), |(n, v)| (n, Some(v)));
        let is_secret = sounds_secret(name);
        masked.push(match value {
            _ if secret_follows && !argument.starts_with('-') => MASK.to_owned(),
            Some(_) if is_secret => format!("{name}={MASK}"),
            _ => mask_password(argument),
        });
        secret_follows = is_secret && value.is_none() && argument.starts_with('-');
    }
    masked
}

fn sounds_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let words = ["key", "token", "secret", "password", "passwd", "credential", "auth"];
    words.iter().any(|word| name.contains(word))
        && !name.contains("://")
        && !name.contains(char::is_whitespace)
}

/// The text with the password of an address inside it masked: `scheme://user:password@host`.
fn mask_password(text: &str) -> String {
    let Some(begin) = text.find("://").map(|at| at + 3) else { return text.to_owned() };
    let authority = &text[begin..];
    let end = authority.find(['/', '?', '#']).unwrap_or(authority.len());
    // A password that holds `/`, `?` or `#` ends at the last `@` all the same.
    let Some(at) = authority[..end].rfind('@').or_else(|| authority.rfind('@')) else {
        return text.to_owned();
    };
    match authority[..at].find(':') {
        Some(colon) => format!("{}{}:{MASK}{}", &text[..begin], &authority[..colon], &authority[at..]),
        None => text.to_owned(),
    }
}

/// The same for the address of a database, whose password may stand in its query too.
fn mask_store(url: &str) -> String {
    let masked = mask_password(url);
    let Some((before, query)) = masked.split_once('?') else { return masked };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if sounds_secret(name) => format!("{name}={MASK}"),
        _ => pair.to_owned(),
    });
    format!("{before}?{}", pairs.collect::<Vec<_>>().join("&"))
}

/// The same for the address of a remote server, whose query often holds a key.
fn mask_address(url: &str) -> String {
    let masked = mask_password(url);
    match masked.split_once('?') {
        Some((before, _)) => format!("{before}?{MASK}"),
        None => masked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    #[test]
    fn a_password_in_an_address_is_masked() {
        for (text, expected) in [
            ("postgres://u:s3cret@h:5432/d?x=1", "postgres://u:***@h:5432/d?x=1"),
            ("redis://:s3cret@h", "redis://:***@h"),
            ("postgres://u:s3/cr@et@h/d", "postgres://u:***@h/d"),
            ("postgres://u:p@h/a@b", "postgres://u:***@h/a@b"),
            ("https://h:80/x", "https://h:80/x"),
            ("https://u@h", "https://u@h"),
            ("sqlite:./data/l.db", "sqlite:./data/l.db"),
            ("@scope/pkg", "@scope/pkg"),
        ] {
            assert_eq!(mask_password(text), expected);
        }
    }

    #[test]
    fn a_password_in_the_query_of_a_store_is_masked() {
        for (text, expected) in [
            ("postgres://u:s3cret@h/d?sslmode=disable", "postgres://u:***@h/d?sslmode=disable"),
            (
                "postgres://u@h/d?password=s3cret&sslmode=disable",
                "postgres://u@h/d?password=***&sslmode=disable",
            ),
            ("postgres:///d?host=h&user=u&PASSWORD=s3/cr?t", "postgres:///d?host=h&user=u&PASSWORD=***"),
            ("sqlite:./data/l.db", "sqlite:./data/l.db"),
        ] {
            assert_eq!(mask_store(text), expected);
        }
    }

    #[test]
    fn a_remote_entry_is_shown_without_headers_password_and_query() {
        let entry =
            json!({"name": "s", "url": "https://u:s3cret@h/mcp?k=s3cret", "headers": {"A": "s3cret"}});
        let entry: ServerEntry = serde_json::from_value(entry).unwrap();
        let expected = json!({"name": "s", "url": "https://u:***@h/mcp?***", "headers": {"A": "***"}});
        assert_eq!(mask_server(&entry), expected);
    }

    #[test]
    fn an_entry_is_shown_with_its_scope() {
        let entry = json!({"name": "s", "command": "c", "scope": "client", "idleTimeout": 5000});
        assert_eq!(mask_server(&serde_json::from_value(entry.clone()).unwrap()), entry);
    }

    #[test]
    fn arguments_that_look_like_secrets_are_masked() {
        let check = |arguments: &[&str], expected: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
            assert_eq!(mask_arguments(&arguments), expected);
        };
        check(&["-y", "@scope/pkg", "--port", "80"], &["-y", "@scope/pkg", "--port", "80"]);
        check(&["--api-key", "s3cret", "x"], &["--api-key", "***", "x"]);
        check(&["--token=s3cret", "API_KEY=s3cret"], &["--token=***", "API_KEY=***"]);
        check(&["postgresql://u:s3cret@h/d"], &["postgresql://u:***@h/d"]);
        check(&["--auth", "--verbose"], &["--auth", "--verbose"]);
    }

    #[test]
    fn a_description_has_every_setting_and_no_secret() {
        let text = "config: {expand: all}\nmcp: {sessionKey: s3cret-a-0123456789-0123456789-012}\ntracing: {otlp: 'http://u:s3cret@h:1', headers: {A: s3cret-e}}\ntemplates: {catalogue: 'https://u:s3cret@h/t?k=s3cret'}\nservers:\n  - name: $NAME\n    command: c\n    \
                    args: ['${KEY}', --token, s3cret-b]\n    env: {A: s3cret-c}\n    \
                    envs: [{name: B, value: '$KEY'}]\n";
        let env = Environment::from_pairs([("KEY", "s3cret-d"), ("PORT", "0"), ("NAME", "s")]);
        let config = Config::from_text("lockgate.yaml", text, &env).unwrap();
        assert_eq!(config.servers[0].args.to_vec()[0], "s3cret-d");
        let described = config.describe();
        let printed = format!("{described} {config:?} {:?}", crate::parse(text, &env).unwrap());
        assert!(!printed.contains("s3cret"), "{printed}");
        assert_eq!(described["servers"][0]["name"], "s");
        assert_eq!(described["servers"][0]["args"], json!(["${KEY}", "--token", "***"]));
        assert_eq!(described["servers"][0]["env"]["A"], MASK);
        assert_eq!(described["servers"][0]["envs"][0], json!({"name": "B", "value": MASK}));
        assert_eq!(described["settings"]["mcp"]["sessionKey"], MASK);
        assert_eq!(described["settings"]["tracing"]["headers"], json!({"A": MASK}));
        assert_eq!(described["settings"]["limits"]["depth"], 10);
        assert_eq!(described["settings"]["store"]["url"], "sqlite:<data>/lockgate.db");
        assert_eq!(described["log"], json!({"level": "info", "includeStack": false}));
        assert_eq!((&described["port"], &described["maxTimeout"]), (&json!(0), &json!(300_000)));
    }
}
