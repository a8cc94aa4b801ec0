//! Writes a regular expression of JavaScript in the dialect of the host's matcher.
//!
//! The two look alike, and where they do not mean the same a match would be left standing without a word: what a word
//! and a digit is, where a line ends, what `&&` says inside of a class. So every part is read as JavaScript reads it
//! and written anew, and what has no counterpart is refused. One thing is not as there: a character beyond U+FFFF is
//! one character, as it is with the flag `u`.

mod case;

/// Sets of JavaScript that have a letter.
const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Z_a-z";
const SPACE: &str = r"\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";

/// What a dot does not find.
const LINE_ENDS: &str = r"\n\r\x{2028}\x{2029}";

const BACK_REFERENCE: &str = "back-references, and escapes that could be one, are not supported";

/// An expression in the host's dialect.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) source: String,
    /// Whether it looks for the beginning or the end of a line.
    pub(super) lines: bool,
}

/// Translates an expression, or says why that cannot be.
pub(super) fn translate(source: &str, flags: &str) -> Result<Translated, String> {
    let mut modes = Modes::default();
    let mut unicode = false;
    for flag in flags.chars() {
        match flag {
            'u' => unicode = true,
            // These say where and how often to look.
            'g' | 'y' | 'd' => {}
            mode => modes.set(mode, true).ok_or_else(|| format!("the flag '{mode}' is not supported"))?,
        }
    }
    let named = source.contains("(?<");
    let out = Translated { source: String::with_capacity(2 * source.len()), lines: false };
    let mut translator = Translator {
        whole: source,
        rest: source,
        unicode,
        named,
        modes,
        groups: Vec::new(),
        repeatable: false,
        out,
    };
    while let Some(c) = translator.next() {
        translator.term(c)?;
    }
    if translator.groups.is_empty() { Ok(translator.out) } else { Err("unclosed group".to_owned()) }
}

#[derive(Clone, Copy, Default)]
struct Modes {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
}

impl Modes {
    /// Nothing for a letter that is no mode.
    fn set(&mut self, letter: char, on: bool) -> Option<()> {
        match letter {
            'i' => self.ignore_case = on,
            'm' => self.multiline = on,
            's' => self.dot_all = on,
            _ => return None,
        }
        Some(())
    }
}

/// One part of a class, or what an escape stands for.
enum Atom {
    Char(char),
    /// What the host writes inside of a class.
    Set(String),
}

struct Translator<'a> {
    whole: &'a str,
    rest: &'a str,
    unicode: bool,
    /// Whether groups may have names, so that a reference by name is one.
    named: bool,
    modes: Modes,
    /// The modes around each group that is open.
    groups: Vec<Modes>,
    /// Whether what was written last can be repeated.
    repeatable: bool,
    out: Translated,
}

impl<'a> Translator<'a> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.strip_prefix(text);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    /// Takes the text up to a sign, and the sign.
    fn until(&mut self, end: char) -> Option<&'a str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn push(&mut self, text: &str) {
        self.out.source.push_str(text);
        self.repeatable = true;
    }

    fn term(&mut self, c: char) -> Result<(), String> {
        match c {
            '^' => self.edge(r"\A", "(?:(?m:^)|(?mR:^))"),
            '$' => self.edge(r"\z", "(?:(?m:$)|(?mR:$))"),
            '.' if self.modes.dot_all => self.push("(?s:.)"),
            '.' => self.push(&format!("[^{LINE_ENDS}]")),
            '(' => self.open()?,
            ')' => {
                self.modes = self.groups.pop().ok_or("unopened group")?;
                self.push(")");
            }
            '|' => {
                self.push("|");
                self.repeatable = false;
            }
            '[' => self.class()?,
            '\\' => self.escape()?,
            '*' | '+' | '?' => self.repeat(&c.to_string())?,
            '{' => match self.bounds() {
                Some(bounds) => self.repeat(&format!("{{{bounds}}}"))?,
                None => self.literal('{'),
            },
            c => self.literal(c),
        }
        Ok(())
    }

    /// The beginning or the end, of the text or of a line.
    fn edge(&mut self, of_text: &str, of_line: &str) {
        self.assertion(if self.modes.multiline { of_line } else { of_text });
        self.out.lines |= self.modes.multiline;
    }

    fn repeat(&mut self, times: &str) -> Result<(), String> {
        if !self.repeatable {
            return Err("nothing to repeat".to_owned());
        }
        self.push(times);
        if self.eat("?") {
            self.push("?");
        }
        self.repeatable = false;
        Ok(())
    }

    /// How often something is repeated. A brace that says nothing of this kind is a brace.
    fn bounds(&mut self) -> Option<&'a str> {
        let (text, rest) = self.rest.split_once('}')?;
        let (least, most) = text.split_once(',').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if least.is_empty() || !digits(least) || !digits(most) {
            return None;
        }
        self.rest = rest;
        Some(text)
    }

    fn open(&mut self) -> Result<(), String> {
        let around = self.modes;
        if self.eat("?") {
            match self.next() {
                Some(':') => {}
                Some('<') if !self.rest.starts_with(['=', '!']) => {
                    self.until('>').ok_or("unclosed name of a group")?;
                }
                Some('=' | '!' | '<') => return Err("look-around is not supported".to_owned()),
                Some(c) => self.change_modes(c)?,
                None => return Err("unclosed group".to_owned()),
            }
        }
        self.groups.push(around);
        self.push("(?:");
        self.repeatable = false;
        Ok(())
    }

    fn change_modes(&mut self, first: char) -> Result<(), String> {
        let (mut on, mut letter) = (true, first);
        while letter != ':' {
            match letter {
                '-' => on = false,
                letter => self.modes.set(letter, on).ok_or("unknown kind of group")?,
            }
            letter = self.next().ok_or("unclosed group")?;
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        match (self.modes.ignore_case, self.unicode) {
            (true, false) if case::has_others(c) => self.set(&[(c, c)], "", false),
            (true, true) => self.push(&format!("(?i:{})", written(c))),
            _ => self.push(&written(c)),
        }
    }

    fn escape(&mut self) -> Result<(), String> {
        match self.next().ok_or("incomplete escape")? {
            // Only ASCII makes words. With `i` and `u` two further letters do, which is not worth a refusal.
            'b' => self.assertion(r"(?-u:\b)"),
            'B' => self.assertion(r"(?-u:\B)"),
            '1'..='9' => return Err(BACK_REFERENCE.to_owned()),
            'k' if self.unicode || self.named => return Err(BACK_REFERENCE.to_owned()),
            c => match self.escaped(c, false)? {
                Atom::Char(c) => self.literal(c),
                Atom::Set(set) => self.set(&[], &set, false),
            },
        }
        Ok(())
    }

    fn assertion(&mut self, text: &str) {
        self.push(text);
        self.repeatable = false;
    }

    /// What a backslash and the sign behind it stand for.
    fn escaped(&mut self, c: char, in_class: bool) -> Result<Atom, String> {
        let plain = |set: &str| Atom::Set(set.to_owned());
        let negated = |set: &str| Atom::Set(format!("[^{set}]"));
        Ok(match c {
            'd' => plain(DIGIT),
            'D' => negated(DIGIT),
            'w' => plain(WORD),
            'W' => negated(WORD),
            's' => plain(SPACE),
            'S' => negated(SPACE),
            'p' | 'P' if self.unicode => Atom::Set(self.property(c)?),
            '0'..='9' if c != '0' || self.rest.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(BACK_REFERENCE.to_owned());
            }
            'b' if in_class => Atom::Char('\u{8}'),
            c => Atom::Char(self.character(c, in_class)?),
        })
    }

    fn property(&mut self, letter: char) -> Result<String, String> {
        let name = if self.eat("{") { self.until('}') } else { None }.ok_or("incomplete property")?;
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'=') {
            return Err("unknown property".to_owned());
        }
        if letter == 'P' && self.modes.ignore_case {
            return Err("a negated property is not supported where case is ignored".to_owned());
        }
        Ok(format!("\\{letter}{{{name}}}"))
    }

    /// The character that an escape stands for.
    fn character(&mut self, c: char, in_class: bool) -> Result<char, String> {
        Ok(match c {
            '0' => '\0',
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'c' => self.control(in_class),
            'x' => self.hex(2).and_then(char::from_u32).unwrap_or('x'),
            'u' => match self.unit() {
                Some(code) => char::from_u32(code).ok_or("half a surrogate pair is not supported")?,
                None => 'u',
            },
            c => c,
        })
    }

    fn control(&mut self, in_class: bool) -> char {
        let letter = self.rest.chars().next().unwrap_or(' ');
        let more = in_class && !self.unicode && (letter.is_ascii_digit() || letter == '_');
        if letter.is_ascii_alphabetic() || more {
            self.next();
            return char::from(letter as u8 & 0x1f);
        }
        // It is a backslash then, and the letter stands for itself.
        self.again("c");
        '\\'
    }

    /// Takes back what was read last.
    fn again(&mut self, read: &str) {
        let start = self.whole.len() - self.rest.len() - read.len();
        self.rest = &self.whole[start..];
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text =
            self.rest.get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.rest = &self.rest[digits..];
        u32::from_str_radix(text, 16).ok()
    }

    /// What stands behind `\u`: four digits, a pair of them, or any number in braces.
    fn unit(&mut self) -> Option<u32> {
        if self.unicode && self.eat("{") {
            return self.until('}').and_then(|text| u32::from_str_radix(text, 16).ok());
        }
        let high = self.hex(4)?;
        let before = self.rest;
        if (0xD800..0xDC00).contains(&high) && self.eat("\\u") {
            match self.hex(4) {
                Some(low @ 0xDC00..0xE000) => {
                    return Some(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                }
                _ => self.rest = before,
            }
        }
        Some(high)
    }

    fn class(&mut self) -> Result<(), String> {
        let negated = self.eat("^");
        let (mut ranges, mut sets) = (Vec::new(), String::new());
        loop {
            let first = match self.next().ok_or("unclosed class")? {
                ']' => break,
                c => self.class_atom(c)?,
            };
            let last = match self.rest.strip_prefix('-').and_then(|rest| rest.chars().next()) {
                None | Some(']') => None,
                Some(c) => {
                    self.rest = &self.rest[1 + c.len_utf8()..];
                    Some(self.class_atom(c)?)
                }
            };
            match (first, last) {
                (Atom::Char(first), Some(Atom::Char(last))) if first > last => {
                    return Err("a range is out of order".to_owned());
                }
                (Atom::Char(first), Some(Atom::Char(last))) => ranges.push((first, last)),
                // No range, so the sign between them stands for itself.
                (first, last) => {
                    ranges.extend(last.is_some().then_some(('-', '-')));
                    for atom in [Some(first), last].into_iter().flatten() {
                        match atom {
                            Atom::Char(c) => ranges.push((c, c)),
                            Atom::Set(set) => sets.push_str(&set),
                        }
                    }
                }
            }
        }
        self.set(&ranges, &sets, negated);
        Ok(())
    }

    fn class_atom(&mut self, c: char) -> Result<Atom, String> {
        match c {
            '\\' => {
                let escape = self.next().ok_or("incomplete escape")?;
                self.escaped(escape, true)
            }
            c => Ok(Atom::Char(c)),
        }
    }

    /// Writes a class. The host is told to ignore case only where it does so as JavaScript does.
    fn set(&mut self, ranges: &[(char, char)], sets: &str, negated: bool) {
        if ranges.is_empty() && sets.is_empty() {
            return self.push(if negated { "(?s:.)" } else { super::NOTHING });
        }
        let more = if self.modes.ignore_case && !self.unicode { case::others(ranges) } else { Vec::new() };
        let mut class = String::from(if negated { "[^" } else { "[" });
        for (first, last) in ranges.iter().chain(&more) {
            class.push_str(&written(*first));
            if last > first {
                class.push('-');
                class.push_str(&written(*last));
            }
        }
        class.push_str(sets);
        class.push(']');
        match self.modes.ignore_case && self.unicode {
            true => self.push(&format!("(?i:{class})")),
            false => self.push(&class),
        }
    }
}

/// A character that stands for itself, also inside of a class.
fn written(c: char) -> String {
    if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\x{{{:X}}}", u32::from(c)) }
}
