//! Finds the declaration that could not take its value apart.
//!
//! The engine notes the places of names, calls and statements, and none of patterns: of `const {a} = b`, where `b` is
//! undefined, it tells only what stood last before it. The pattern is the next one from there. This reads the text of a
//! script that has compiled, after it has failed.

/// A word or a number, a mark, or what stands in quotes, of which the text is left out.
struct Token<'a> {
    text: &'a str,
    start: usize,
    /// The other bracket.
    mate: Option<usize>,
}

/// The line and column of the pattern, in bytes from 1, if not those that the engine tells; without any, nothing stood
/// before it. `iterated` says that it is an array's, which are not the only ones to whom the same happens.
pub(crate) fn place(source: &str, told: Option<(u32, u32)>, iterated: bool) -> Option<(u32, u32)> {
    let lines = |line: u32| source.split_inclusive('\n').take(line as usize - 1).map(str::len).sum::<usize>();
    let at = after(source, told.map(|(line, column)| lines(line) + column as usize - 1), iterated)?;
    let before = &source[..at];
    let line = before.matches('\n').count() + 1;
    let column = at - before.rfind('\n').map_or(0, |end| end + 1) + 1;
    Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?))
}

/// Where it begins.
fn after(source: &str, place: Option<usize>, iterated: bool) -> Option<usize> {
    let tokens = Tokens::read(source);
    let mut at = match place {
        Some(place) => tokens.from(tokens.0.iter().position(|token| token.start >= place)?)?,
        None => 0,
    };
    let first = at;
    while let Some(token) = tokens.0.get(at) {
        let opened = token.mate.filter(|mate| *mate < first);
        match (token.text, opened) {
            ("const" | "let" | "var", _) if matches!(tokens.text(at + 1), "{" | "[") => {
                return tokens.0.get(at + 1).map(|token| token.start);
            }
            // What another function takes apart is none of this one's.
            ("{", _) if tokens.is_body(at) => at = token.mate?,
            ("}", Some(open)) if tokens.is_body(open) => return None,
            (")" | "]", Some(open)) if tokens.is_gone_through(open, first, iterated) => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

struct Tokens<'a>(Vec<Token<'a>>);

impl<'a> Tokens<'a> {
    fn read(source: &'a str) -> Self {
        let (mut all, mut open, mut at) = (Self(Vec::new()), Vec::new(), 0);
        while let Some(byte) = source.as_bytes().get(at).copied() {
            let start = at;
            at = all.end(source, at);
            if byte.is_ascii_whitespace()
                || source[start..].starts_with("//")
                || source[start..].starts_with("/*")
            {
                continue;
            }
            let quoted = at > start + 1 && matches!(byte, b'"' | b'\'' | b'`' | b'/');
            let text = if quoted { "" } else { &source[start..at] };
            let mut mate = None;
            match text {
                "(" | "[" | "{" => open.push(all.0.len()),
                ")" | "]" | "}" => mate = open.pop(),
                _ => {}
            }
            if let Some(mate) = mate {
                all.0[mate].mate = Some(all.0.len());
            }
            all.0.push(Token { text, start, mate });
        }
        all
    }

    /// Where what begins here ends.
    fn end(&self, source: &str, at: usize) -> usize {
        let rest = &source[at..];
        let until = |end: Option<usize>| end.map_or(source.len(), |end| at + end);
        match rest.as_bytes()[0] {
            b'/' if rest.starts_with("//") => until(rest.find('\n')),
            b'/' if rest.starts_with("/*") => until(rest.find("*/").map(|end| end + 2)),
            b'/' if self.may_be_regex() => regex_end(source, at),
            quote @ (b'"' | b'\'') => quoted_end(source, at, quote),
            b'`' => template_end(source, at),
            b'=' => until(rest.find(|c| c != '=' && c != '>')),
            byte if is_word(byte) => until(rest.bytes().position(|byte| !is_word(byte))),
            _ => at + 1,
        }
    }

    /// Whether a stroke that comes next cannot divide.
    fn may_be_regex(&self) -> bool {
        const BEFORE: [&str; 7] = ["return", "typeof", "case", "in", "of", "await", "else"];
        self.0.last().is_none_or(|last| match last.text {
            "" | ")" | "]" | "}" => false,
            text => BEFORE.contains(&text) || !text.bytes().all(is_word),
        })
    }

    fn text(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| token.text)
    }

    /// The text before this one.
    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |at| self.text(at))
    }

    /// The place behind the bracket that belongs to this one.
    fn behind(&self, at: usize) -> Option<usize> {
        Some(self.0.get(at)?.mate? + 1)
    }

    /// Whether this brace opens the body of a function.
    fn is_body(&self, open: usize) -> bool {
        const OTHERS: [&str; 7] = ["if", "for", "await", "while", "switch", "catch", "with"];
        let arguments = || self.0.get(open.checked_sub(1)?)?.mate;
        self.text(open) == "{"
            && match self.before(open) {
                "=>" => true,
                ")" => arguments().is_some_and(|at| !OTHERS.contains(&self.before(at))),
                _ => false,
            }
    }

    /// Where to look from what the engine tells. Where it tells of a function, nothing in that has a place yet: the
    /// pattern is among its parameters, or else in its body. Nowhere where the engine means what stands here.
    fn from(&self, at: usize) -> Option<usize> {
        if let Some((parameters, body)) = self.function(at) {
            let plain = !self.0[parameters..body].iter().any(|token| matches!(token.text, "{" | "["));
            return (plain && self.text(body) == "{").then_some(body + 1);
        }
        let assigned = |at| self.behind(at).is_some_and(|behind| self.text(behind) == "=");
        match self.text(at) {
            "(" if assigned(at + 1) => None,
            "[" if assigned(at) => None,
            _ => Some(at + 1),
        }
    }

    /// Where the parameters and the body of the function begin that begins here.
    fn function(&self, at: usize) -> Option<(usize, usize)> {
        let next = at + 1;
        match self.text(at) {
            "async" => self.function(next),
            "function" => {
                let open = next + self.0.get(next..)?.iter().position(|token| token.text == "(")?;
                Some((open, self.behind(open)?))
            }
            "(" => self.behind(at).filter(|behind| self.text(*behind) == "=>").map(|arrow| (at, arrow + 1)),
            _ if self.text(next) == "=>" => Some((at, next + 1)),
            _ => self.behind(next).filter(|behind| self.is_body(*behind)).map(|body| (next, body)),
        }
    }

    /// Whether what stands in these brackets is gone through one by one, which is what failed.
    fn is_gone_through(&self, open: usize, until: usize, iterated: bool) -> bool {
        let inside = &self.0[open..until];
        let is_loop = matches!(self.before(open), "for" | "await");
        let spreads = inside.windows(3).any(|three| three.iter().all(|token| token.text == "."));
        is_loop && inside.iter().any(|token| token.text == "of") || iterated && spreads
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#') || !byte.is_ascii()
}

fn quoted_end(source: &str, at: usize, quote: u8) -> usize {
    let mut bytes = source.bytes().enumerate().skip(at + 1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            byte if byte == quote => return at + 1,
            _ => {}
        }
    }
    source.len()
}

fn regex_end(source: &str, at: usize) -> usize {
    let mut in_class = false;
    let mut bytes = source.bytes().enumerate().skip(at + 1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return at + 1,
            _ => {}
        }
    }
    source.len()
}

/// A template holds expressions, which hold others; how many the engine has read is limited.
fn template_end(source: &str, at: usize) -> usize {
    let bytes = source.as_bytes();
    let (mut at, mut depth) = (at + 1, 0_usize);
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'`' if depth == 0 => return at + 1,
            b'`' => template_end(source, at),
            quote @ (b'"' | b'\'') if depth > 0 => quoted_end(source, at, *quote),
            b'\\' => at + 2,
            b'$' if depth == 0 && bytes.get(at + 1) == Some(&b'{') => {
                depth = 1;
                at + 2
            }
            b'{' if depth > 0 => {
                depth += 1;
                at + 1
            }
            b'}' if depth > 0 => {
                depth -= 1;
                at + 1
            }
            _ => at + 1,
        };
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn the_next_pattern_of_the_same_function_is_found() {
        for (source, told, expected) in [
            ("const {a} = b", None, Some((1, 7))),
            ("const a = b / 2; const s = '/{'; var [c] = null", Some((1, 11)), Some((1, 38))),
            (
                "f({});\nfunction f(a) { const {b} = a }\nif (1) {\n  let {c} = 1\n}",
                Some((1, 3)),
                Some((4, 7)),
            ),
            ("const f = () => 3, r = /[/{]const {/;\nconst {a} = 1", None, Some((2, 7))),
            ("`${`${{a:1}.a}`} const {`; const {b} = null // '", Some((1, 1)), Some((1, 34))),
            ("/* é { */ 'x\\'{'; const é = \"{\"; const {é} = 1", None, Some((1, 42))),
            ("f(...a);\nconst {b} = 1", Some((1, 6)), Some((2, 7))),
            ("const f = (a, b) => {\n  const {c} = a\n}", Some((1, 11)), Some((2, 9))),
            ("async function f(a) {\n  let {c} = a\n}", Some((1, 1)), Some((2, 7))),
            // The engine means these.
            ("const f = ({a}) => a;\nconst {b} = {}", Some((1, 11)), None),
            ("const f = a => a.b;\nconst {c} = {}", Some((1, 11)), None),
            ("const o = { m([x]) { const {y} = x } };\nconst {a} = {}", Some((1, 13)), None),
            ("({a} = b);\nconst {c} = {}", Some((1, 1)), None),
            ("for (const {a} of b) {\n  const {c} = a\n}", Some((1, 19)), None),
            // Those that follow belong to another function.
            ("const f = (a) => { g(a) };\nconst {b} = {}", Some((1, 22)), None),
        ] {
            assert_eq!(place(source, told, false), expected, "{source}");
        }
        assert_eq!(place("const a = [...b];\nconst {c} = {}", Some((1, 15)), true), None);
    }

    #[test]
    fn any_text_can_be_looked_at() {
        for source in ["", "}}{)const {", "`${", "`\\", "'", "\\", "/", "/*", "/[", "é`é${é", "=>", "const"]
        {
            place(source, None, true);
            place(source, Some((1, 1)), true);
            place(source, Some((9, 9)), false);
        }
    }
}
