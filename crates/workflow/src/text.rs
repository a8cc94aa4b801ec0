//! JSON objects put together as text, so that nothing is parsed that nobody looks at.

/// The text of a JSON object with further members, each given as text without braces.
pub(crate) fn with(object: &str, more: &[&str]) -> String {
    let inner = members(object);
    let length = inner.len() + more.iter().map(|member| member.len() + 1).sum::<usize>() + 2;
    let mut out = String::with_capacity(length);
    out.push('{');
    for member in std::iter::once(&inner).chain(more).filter(|member| !member.is_empty()) {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(member);
    }
    out.push('}');
    out
}

/// The members of a JSON object, as text without braces.
pub(crate) fn members(object: &str) -> &str {
    object.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or("").trim()
}

/// Adds a string as JSON.
pub(crate) fn quote(out: &mut String, text: &str) {
    // A string always has a form in JSON.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_added_to_an_object() {
        assert_eq!(with("{}", &[]), "{}");
        assert_eq!(with(" { } ", &["\"a\":1", "", "\"b\":2"]), r#"{"a":1,"b":2}"#);
        assert_eq!(with(r#"{"x":{"y":"}"}}"#, &["\"a\":1"]), r#"{"x":{"y":"}"},"a":1}"#);
    }
}
