//! An entry as YAML text that reads back identically.

use model::ServerEntry;
use std::fmt::Write;

/// The entry as an item of a block sequence whose dashes stand at `indent`.
pub(super) fn item(entry: &ServerEntry, indent: usize, newline: &str) -> String {
    let mut lines = vec![format!("name: {}", scalar(&entry.name))];
    if let Some(command) = &entry.command {
        lines.push(format!("command: {}", scalar(command)));
    }
    if let Some(url) = &entry.url {
        lines.push(format!("url: {}", scalar(url)));
    }
    if !entry.args.is_empty() {
        lines.push(format!("args: {}", list(&entry.args.to_vec())));
    }
    if let Some(folder) = &entry.cwd {
        lines.push(format!("cwd: {}", scalar(folder)));
    }
    for (field, map) in [("env", &entry.env), ("headers", &entry.headers)] {
        if !map.is_empty() {
            lines.push(format!("{field}:"));
            lines.extend(map.iter().map(|(name, value)| format!("  {}: {}", scalar(name), quoted(value))));
        }
    }
    if let Some(names) = &entry.inherit_env {
        lines.push(format!("inheritEnv: {}", list(names)));
    }
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        let lead = if i == 0 { "- " } else { "  " };
        let _ = write!(text, "{:indent$}{lead}{line}{newline}", "");
    }
    text
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| scalar(item)).collect();
    format!("[{}]", items.join(", "))
}

/// A word as it is when nobody can read it as anything else; otherwise quoted.
fn scalar(text: &str) -> String {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && text.len() < 200
        && !reserved.contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_owned() } else { quoted(text) }
}

/// A double-quoted string on one line.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            // Breaks of other YAML versions and marks that nobody sees are written as numbers.
            '\u{a0}'..='\u{fffd}' if !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => out.push(c),
            '\u{0}'..='\u{ffff}' => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            _ => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Args;

    fn entry(name: &str, command: &str, args: &[String], value: &str) -> ServerEntry {
        ServerEntry {
            name: name.into(),
            command: Some(command.into()),
            args: if args.is_empty() { Args::None } else { Args::List(args.to_vec()) },
            env: [("KEY".to_owned(), value.to_owned()), ("1".to_owned(), String::new())].into(),
            inherit_env: Some(vec!["PATH".into(), "HOME".into()]),
            cwd: Some(format!("/{command}")),
            headers: [("X-Key".to_owned(), value.to_owned())].into(),
            ..ServerEntry::default()
        }
    }

    fn reads_back(entry: &ServerEntry, indent: usize) -> bool {
        let text = format!("servers:\n{}", item(entry, indent, "\n"));
        let root = crate::yaml::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found =
            crate::server::shaped(&root["servers"][0]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        &found == entry
    }

    #[test]
    fn an_entry_is_written_the_way_a_person_would() {
        let written = item(&entry("fs", "npx", &["-y".into(), "@s/fs".into(), "/data".into()], "v"), 2, "\n");
        assert_eq!(
            written,
            "  - name: fs\n    command: npx\n    args: [\"-y\", \"@s/fs\", \"/data\"]\n    cwd: \"/npx\"\n    env:\n      \
             \"1\": \"\"\n      KEY: \"v\"\n    headers:\n      X-Key: \"v\"\n    inheritEnv: [PATH, HOME]\n"
        );
    }

    #[test]
    fn every_awkward_text_reads_back_identically() {
        let awkward = [
            "",
            " ",
            "true",
            "NULL",
            "~",
            "12",
            "1e3",
            "0x1F",
            "-",
            "- a",
            "a: b",
            "a #b",
            "#",
            "&a",
            "*a",
            "!t",
            "|",
            ">",
            "%x",
            "@x",
            "`x`",
            "'",
            "\"",
            "\\",
            "\\n",
            "a\nb\n",
            "\r\n",
            "\t",
            "{a}",
            "[a]",
            ",",
            "?",
            "日本語",
            "\u{85}",
            "\u{2028}",
            "\u{feff}",
            "\u{7f}",
            "\u{1}",
            "\u{1F600}",
            "\u{10FFFF}",
            "\u{FFFE}",
            "---",
            "...",
            "<<",
            "=",
            ".inf",
            "2026-11-01",
            "on",
            "$HOME",
            "a  b ",
            "NaN",
            "inf",
        ];
        for text in awkward {
            let args = [text.to_owned(), "x".into()];
            for name in ["s", "true", "123", "null", "1e3", "-", "_"] {
                assert!(reads_back(&entry(name, text, &args, text), 2), "{name} {text:?}");
            }
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(128))]

        #[test]
        fn any_text_reads_back_identically(a in proptest::prelude::any::<String>(), b in "\\PC{0,40}", indent in 0usize..9) {
            let args = [b.clone(), a.clone()];
            proptest::prop_assert!(reads_back(&entry("s", &b, &args, &a), indent));
        }
    }
}
