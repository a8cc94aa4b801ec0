//! Bodies of calls: some valid, most of them damaged.

use testkit::Random;

const CALL: &str =
    r#"{"server":"test-server","toolName":"echo","input":{"a":[1,2.5,"é"],"b":{"c":null}},"timeout":5000}"#;

/// A few of these pieces in a row.
pub(crate) fn noisy(random: &mut Random, pieces: &[&str]) -> String {
    let count = 1 + random.below(12);
    random.text(pieces, count)
}

pub(crate) fn body(random: &mut Random) -> Vec<u8> {
    let valid = CALL.as_bytes().to_vec();
    match random.below(10) {
        0 => flipped(random, valid),
        1 => valid[..random.below(valid.len())].to_vec(),
        2 => inserted(random, valid),
        3 => doubled(random),
        4 => nested(random),
        5 => with_input(&format!(r#"{{"n":{}}}"#, numeral(random))),
        6 => with_input(&format!(r#"{{"{0}":"{0}"}}"#, literal(random))),
        7 => shuffled(random),
        8 => {
            let count = random.below(400);
            random.bytes(count)
        }
        _ => valid,
    }
}

fn with_input(input: &str) -> Vec<u8> {
    testkit::body(input).into_bytes()
}

pub(crate) fn flipped(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
    bytes
}

fn inserted(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    let piece: &[u8] =
        random.pick(&[b"\0".as_slice(), b"\xff\xfe", b"\xed\xa0\x80", b"\"", b"\\", b"{", b"\n"]);
    let at = random.below(bytes.len());
    bytes.splice(at..at, piece.repeat(1 + random.below(4)));
    bytes
}

fn doubled(random: &mut Random) -> Vec<u8> {
    const FIELDS: [&str; 6] = [
        r#""server":"test-server""#,
        r#""toolName":"echo""#,
        r#""input":{"a":1,"a":{"a":2,"a":3}}"#,
        r#""input":{"\u0061":1,"a":2}"#,
        r#""timeout":4000"#,
        r#""other":{"x":1,"x":2}"#,
    ];
    let fields: Vec<&str> = (0..2 + random.below(6)).map(|_| random.pick(&FIELDS)).collect();
    format!("{{{}}}", fields.join(",")).into_bytes()
}

fn nested(random: &mut Random) -> Vec<u8> {
    let (open, close) = random.pick(&[("[", "]"), (r#"{"a":"#, "}"), (r#"[{"b":"#, "}]")]);
    let levels = random.pick(&[3, 8, 9, 10, 11, 126, 127, 128, 129, 5000, 60_000]);
    // Some are left open.
    let closed = if random.one_in(3) { random.below(levels) } else { levels };
    let tower = format!("{}0{}", open.repeat(levels), close.repeat(closed));
    if random.one_in(4) { tower.into_bytes() } else { with_input(&format!(r#"{{"a":{tower}}}"#)) }
}

fn numeral(random: &mut Random) -> String {
    let digits = "9".repeat(1 + random.below(2000));
    let forms =
        ["1e400", "-1e-400", "-0", "01", "+1", "1.", ".5", "NaN", "Infinity", "0x10", "1e", "1e+", "--1"];
    match random.below(3) {
        0 => digits,
        1 => format!("-{digits}.{digits}e{}{digits}", random.pick(&["", "+", "-"])),
        _ => random.pick(&forms).to_owned(),
    }
}

fn literal(random: &mut Random) -> String {
    const PIECES: [&str; 16] = [
        r"\ud800",
        r"\udc00",
        r"\ud83d\ude00",
        r"\u0000",
        "\u{0}",
        r"\u00",
        r"\x41",
        r"\/",
        "\u{feff}",
        "\u{202e}",
        "__proto__",
        r"\u005f",
        "\n",
        "é",
        "\u{10ffff}",
        r"\\",
    ];
    noisy(random, &PIECES)
}

/// Words of the language in no order, and fields of a wrong type.
fn shuffled(random: &mut Random) -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"server\"",
        "\"toolName\"",
        "\"input\"",
        "null",
        "true",
        "-1",
        "\"\"",
        " ",
        "\"test-server\"",
        "\u{feff}",
    ];
    const VALUES: [&str; 9] =
        ["null", "[]", "{}", "5", "true", "\"\"", "\"../../etc\"", "\"a b\"", "\"test-server\""];
    if random.one_in(2) {
        return noisy(random, &WORDS).into_bytes();
    }
    let [server, tool, input, timeout] = [(); 4].map(|()| random.pick(&VALUES));
    format!(r#"{{"server":{server},"toolName":{tool},"input":{input},"timeout":{timeout}}}"#).into_bytes()
}
