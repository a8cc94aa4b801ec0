//! `keys`: who may come in. A key is turned into its digest as soon as it is read, and never shown.

use crate::shape::{self, Fields, Shape, any, filled};
use crate::{Environment, Error, secret, settings};
use model::FieldError;
use model::access::{Digest, Grant, KEY_MIN, KeyEntry, Role, check_key_name};
use serde_json::{Map, Value};

/// What a key permits, and so does a scope.
pub(crate) const GRANT: Fields = &[
    ("servers", Shape::Texts(filled)),
    ("tools", Shape::Texts(filled)),
    ("readOnly", Shape::Flag),
    ("role", Shape::Word(Role::WORDS)),
    ("rate", Shape::Section(shape::RATE)),
    ("concurrency", Shape::Integer(0, shape::MANY)),
];

/// The role of a key that opens no admin route.
const NO_ROLE: &str = "none";

const FIELDS: Fields = &[
    ("name", Shape::Text(any)),
    ("key", Shape::Text(filled)),
    ("servers", Shape::Texts(filled)),
    ("tools", Shape::Texts(filled)),
    ("readOnly", Shape::Flag),
    ("role", Shape::Word(&[NO_ROLE, "viewer", "editor", "operator"])),
    ("rate", Shape::Section(shape::RATE)),
    ("concurrency", Shape::Integer(0, shape::MANY)),
    ("expires", Shape::Text(filled)),
];

/// The keys of a file, in its order.
pub(crate) fn read(root: &Map<String, Value>, env: &Environment) -> Result<Vec<KeyEntry>, Error> {
    let items = match root.get("keys") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Error::field_at("keys", "must be a list of keys, each with 'name' and 'key'")),
    };
    // With `config.expand: all` the strings are expanded already, and nothing is expanded twice.
    let nothing_left = settings::expands_all(root);
    let mut keys: Vec<KeyEntry> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let under = |error: FieldError| {
            let separator = if error.path.is_empty() { "" } else { "." };
            Error::field_at(format!("keys[{index}]{separator}{}", error.path), error.message)
        };
        let entry = entry(item, (!nothing_left).then_some(env)).map_err(under)?;
        if keys.iter().any(|other| other.name == entry.name) {
            return Err(under(FieldError::new("name", "is used by another key")));
        }
        if keys.iter().any(|other| other.key == entry.key) {
            return Err(under(FieldError::new("key", "is the same as that of another entry")));
        }
        keys.push(entry);
    }
    Ok(keys)
}

/// What a new key permits, as the body of a request or the command line gives it: every rule of the file, and one for
/// keys that are made, which nobody wants dead.
pub fn grant(value: &Value) -> Result<Grant, FieldError> {
    let grant = read_grant(value)?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    if grant.ends_at().is_some_and(|end| u128::from(end) <= now.as_millis()) {
        return Err(FieldError::new("expires", "must be in the future"));
    }
    Ok(grant)
}

fn read_grant(value: &Value) -> Result<Grant, FieldError> {
    let Value::Object(map) = value else { return Err(FieldError::new("", "must be a map of settings")) };
    if map.contains_key("key") {
        return Err(FieldError::new("key", "is made by the gateway and cannot be given"));
    }
    shape::check_map(FIELDS, "", map)?;
    let mut map = map.clone();
    map.remove("name");
    if map.get("role").is_some_and(|role| role == NO_ROLE) {
        map.remove("role");
    }
    shape::prune(&mut map);
    let grant: Grant =
        serde_json::from_value(Value::Object(map)).map_err(|_| FieldError::new("", "cannot be read"))?;
    grant.check()?;
    Ok(grant)
}

fn entry(item: &Value, env: Option<&Environment>) -> Result<KeyEntry, FieldError> {
    let Value::Object(map) = item else {
        return Err(FieldError::new("", "must be a map with 'name' and 'key'"));
    };
    shape::check_map(FIELDS, "", map)?;
    let name = map.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    check_key_name(&name)?;
    let Some(written) = map.get("key").and_then(Value::as_str) else {
        return Err(FieldError::new("key", "is required"));
    };
    let key = digest(written, env)?;
    let mut rest = map.clone();
    rest.remove("key");
    let mut grant = read_grant(&Value::Object(rest))?;
    // A name and a key open every route (spec 5.4). What limits a key is not for the key itself to lift.
    if !map.contains_key("role") && !grant.is_restricted() {
        grant.role = Some(Role::Operator);
    }
    Ok(KeyEntry { name, key, grant })
}

/// The digest of a key, which is written as itself, as `${NAME}`, as `file:/path` or as `sha256:<hex>`.
fn digest(written: &str, env: Option<&Environment>) -> Result<Digest, FieldError> {
    let wrong = |message: String| FieldError::new("key", message);
    if written.starts_with("sha256:") {
        return Digest::parse(written)
            .ok_or_else(|| wrong("must have 64 hexadecimal digits after sha256:".into()));
    }
    let key = secret::resolve(written, env).map_err(wrong)?;
    let hint = match key.is_empty() {
        true => "; it is empty: is its variable set?",
        false => "; `lockgate key create` makes a good one",
    };
    if key.chars().count() < KEY_MIN {
        return Err(wrong(format!("must have at least {KEY_MIN} characters{hint}")));
    }
    if !key.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(wrong("must be printable ASCII without spaces, as a header can carry it".into()));
    }
    Ok(Digest::of(key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "k3y-0123456789-0123456789-0123456789";

    fn outcome(keys: Value) -> Result<Vec<KeyEntry>, String> {
        let env = Environment::from_pairs([("GOOD", KEY), ("SHORT", "s3cret")]);
        let Value::Object(root) = json!({ "keys": keys }) else { unreachable!() };
        read(&root, &env).map_err(|error| error.message())
    }

    #[test]
    fn a_key_is_written_in_four_ways_and_kept_in_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{KEY}\n")).unwrap();
        let digest = Digest::of(KEY.as_bytes());
        for written in
            [KEY, "${GOOD}", &format!("file:{}", file.path().display()), &format!("sha256:{}", digest.hex())]
        {
            let keys = outcome(json!([{"name": "a", "key": written}])).unwrap();
            assert_eq!((keys[0].key, keys[0].name.as_str()), (digest, "a"));
            assert!(!format!("{keys:?}").contains("k3y"));
        }
    }

    #[test]
    fn a_key_that_nothing_limits_opens_every_route() {
        for (rest, expected) in [
            (json!({}), Some(Role::Operator)),
            (json!({"rate": {"perSecond": 5}, "servers": null}), Some(Role::Operator)),
            (json!({"servers": []}), None),
            (json!({"tools": []}), None),
            (json!({"role": "none"}), None),
            (json!({"role": "viewer"}), Some(Role::Viewer)),
            (json!({"servers": ["a"]}), None),
            (json!({"tools": ["a"]}), None),
            (json!({"readOnly": true}), None),
            (json!({"readOnly": true, "role": "editor"}), Some(Role::Editor)),
        ] {
            let mut entry = json!({"name": "a", "key": KEY});
            entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            let keys = outcome(json!([entry])).unwrap();
            assert_eq!(keys[0].grant.role, expected, "{rest}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_key_is_said_without_showing_it() {
        for (entry, expected) in [
            (
                json!({"name": "a", "key": "s3cret"}),
                "keys[0].key must have at least 32 characters; `lockgate key create` makes a good one",
            ),
            (
                json!({"name": "a", "key": "${SHORT}"}),
                "keys[0].key must have at least 32 characters; `lockgate key create` makes a good one",
            ),
            (
                json!({"name": "a", "key": "$UNSET"}),
                "keys[0].key must have at least 32 characters; it is empty: is its variable set?",
            ),
            (
                json!({"name": "a", "key": "sha256:12"}),
                "keys[0].key must have 64 hexadecimal digits after sha256:",
            ),
            (json!({"name": "a"}), "keys[0].key is required"),
            (json!({"key": KEY}), "keys[0].name is required"),
            (
                json!({"name": "a b", "key": KEY}),
                "keys[0].name contains invalid characters (use a-z, A-Z, 0-9, - and _)",
            ),
            (
                json!({"name": "a", "key": KEY, "role": "root"}),
                "keys[0].role must be one of none, viewer, editor, operator",
            ),
            (
                json!({"name": "a", "key": KEY, "rate": {"perSecond": "5"}}),
                "keys[0].rate.perSecond must be an integer between 0 and 10000000",
            ),
            (
                json!({"name": "a", "key": KEY, "rate": {"burst": 5}}),
                "keys[0].rate.burst needs 'perSecond' above 0 beside it",
            ),
            (
                json!({"name": "a", "key": KEY, "expires": "soon"}),
                "keys[0].expires must be a time such as 2027-01-31T00:00:00Z",
            ),
            (
                json!({"name": "a", "key": KEY, "severs": []}),
                "keys[0].severs is not a known field (did you mean 'servers'?)",
            ),
            (
                json!({"name": "a", "key": format!("{KEY} x")}),
                "keys[0].key must be printable ASCII without spaces, as a header can carry it",
            ),
            (json!("a"), "keys[0] must be a map with 'name' and 'key'"),
        ] {
            let message = outcome(json!([entry])).unwrap_err();
            assert_eq!(message, expected);
        }
        assert_eq!(
            outcome(json!({})).unwrap_err(),
            "keys must be a list of keys, each with 'name' and 'key'"
        );
        let missing = outcome(json!([{"name": "a", "key": "file:/nonexistent/key"}])).unwrap_err();
        assert!(missing.starts_with("keys[0].key names a file that cannot be read: "), "{missing}");
    }

    #[test]
    fn names_and_keys_are_given_once() {
        let two =
            |name: &str, key: &str| outcome(json!([{"name": "a", "key": KEY}, {"name": name, "key": key}]));
        assert_eq!(two("a", &format!("{KEY}2")).unwrap_err(), "keys[1].name is used by another key");
        assert_eq!(two("b", KEY).unwrap_err(), "keys[1].key is the same as that of another entry");
        assert_eq!(two("b", &format!("{KEY}2")).unwrap().len(), 2);
    }
}
