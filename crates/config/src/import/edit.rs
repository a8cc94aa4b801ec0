//! New items at the end of the `servers` list of a text, everything else left as it is.
//!
//! This looks at lines, not at YAML: whether the result says what was meant is checked afterwards by
//! reading it (see `apply`).

use super::{Error, emit};
use model::ServerEntry;

const FLOW: &str = "'servers' is written in one line; write each server as an item of its own below it";

/// The text with `servers` added.
pub(super) fn append(text: &str, servers: &[ServerEntry]) -> Result<String, Error> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let items = |indent: usize| -> String {
        servers.iter().map(|server| emit::item(server, indent, newline)).collect()
    };
    let mut keys = (0..lines.len()).filter(|i| after_key(lines[*i]).is_some());
    let Some(key) = keys.next() else {
        return Ok(format!("{}servers:{newline}{}", ended(text, newline), items(2)));
    };
    if keys.next().is_some() {
        return Err(Error::Unsafe { reason: "'servers' stands there more than once" });
    }
    let (value, comment) = split_comment(after_key(lines[key]).unwrap_or_default());
    let below = match value {
        "" => Block::find(&lines, key),
        "[]" | "~" | "null" | "[ ]" => Block { end: key + 1, indent: 2 },
        _ => return Err(Error::Unsafe { reason: FLOW }),
    };
    let mut result: String = lines[..key].concat();
    if value.is_empty() {
        result += lines[key];
    } else {
        let space = if comment.is_empty() { "" } else { " " };
        result += &format!("{}:{space}{comment}{newline}", key_text(lines[key]));
    }
    result += &lines[key + 1..below.end].concat();
    result = ended(&result, newline);
    Ok(result + &items(below.indent) + &lines[below.end..].concat())
}

/// Where the items of a block sequence end, and where their dashes stand.
struct Block {
    end: usize,
    indent: usize,
}

impl Block {
    fn find(lines: &[&str], key: usize) -> Self {
        let mut block = Self { end: key + 1, indent: 2 };
        let mut begun = false;
        for (i, line) in lines.iter().enumerate().skip(key + 1) {
            let content = line.trim();
            let indent = line.len() - line.trim_start_matches(' ').len();
            let is_comment = content.starts_with('#');
            if content.is_empty() || (is_comment && (!begun || indent <= block.indent)) {
                continue;
            }
            let is_item = content == "-" || content.starts_with("- ");
            if indent == 0 && !is_item {
                break;
            }
            if !begun {
                (begun, block.indent) = (true, indent);
            }
            block.end = i + 1;
        }
        block
    }
}

/// What follows `servers:` on a line that begins with it.
fn after_key(line: &str) -> Option<&str> {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    let rest = ["servers", "\"servers\"", "'servers'"].iter().find_map(|key| line.strip_prefix(key))?;
    let rest = rest.trim_start_matches(' ').strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])).then_some(rest)
}

fn key_text(line: &str) -> &str {
    line.split_once(':').map_or(line, |(key, _)| key)
}

fn split_comment(rest: &str) -> (&str, &str) {
    let at = rest.char_indices().find(|(i, c)| *c == '#' && (*i == 0 || rest[..*i].ends_with([' ', '\t'])));
    let (value, comment) = at.map_or((rest, ""), |(i, _)| rest.split_at(i));
    (value.trim(), comment.trim_end())
}

fn ended(text: &str, newline: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}{newline}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: &str) {
        let server: ServerEntry = serde_json::from_value(json!({"name": "new", "command": "c"})).unwrap();
        let found = append(text, &[server]).unwrap_or_else(|error| error.to_string());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn items_are_added_at_the_end_of_the_list_in_its_own_style() {
        let item = "  - name: new\n    command: c\n";
        check("", &format!("servers:\n{item}"));
        check("a: 1", &format!("a: 1\nservers:\n{item}"));
        check("servers:\n", &format!("servers:\n{item}"));
        check("servers:", &format!("servers:\n{item}"));
        check("servers: []\na: 1\n", &format!("servers:\n{item}a: 1\n"));
        check("servers: [] # none yet\n", &format!("servers: # none yet\n{item}"));
        check(
            "servers: # mine\n  - name: s\n\n# tail\na: 1\n",
            &format!("servers: # mine\n  - name: s\n{item}\n# tail\na: 1\n"),
        );
        check(
            "servers:\n- name: s\n  command: c\nb: 2\n",
            "servers:\n- name: s\n  command: c\n- name: new\n  command: c\nb: 2\n",
        );
        check(
            "servers:\n    - name: s\n      # deep\n    # shallow\n",
            "servers:\n    - name: s\n      # deep\n    - name: new\n      command: c\n    # shallow\n",
        );
        check("servers:\r\n  - name: s", "servers:\r\n  - name: s\r\n  - name: new\r\n    command: c\r\n");
        check("'servers': ~\n", &format!("'servers':\n{item}"));
        check("servers:\n  - name: s\n...\n", &format!("servers:\n  - name: s\n{item}...\n"));
    }

    #[test]
    fn a_list_in_one_line_is_left_alone() {
        let refused = format!("nothing was changed, the file cannot be edited safely: {FLOW}");
        check("servers: [{name: s, command: c}]\n", &refused);
        check("servers: &x\n  - name: s\n", &refused);
    }
}
