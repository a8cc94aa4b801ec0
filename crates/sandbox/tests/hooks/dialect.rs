//! A regular expression that a script gives to `redact` finds what it finds in JavaScript.

use crate::support::value;

crate::tests![
    an_expression_finds_what_it_finds_in_javascript,
    an_expression_finds_the_same_in_texts_of_any_kind,
    expressions_of_any_kind_find_the_same,
    what_cannot_be_found_in_linear_time_is_refused,
    a_text_that_is_no_whole_pattern_is_refused,
];

/// Says where `redact` and the engine's own `replace` make different things of a text.
const DIFFER: &str = r"
const differ = [];
const check = (expression, text) => {
    const expected = text.replace(new RegExp(expression.source, expression.flags + 'g'), '#');
    let got;
    try { got = redact(text, expression, '#') } catch (e) { got = e.message }
    if (got !== expected) differ.push(String(expression), text, got, expected);
};
";

fn an_expression_finds_what_it_finds_in_javascript() {
    let table = r"
    for (const [expression, ...texts] of [
        [/\b\d{9}\b/, '番号123456789です', 'a123456789', '1234567890', '٣123456789'],
        [/\Bb\B/, 'aéb', 'ébé', 'aba', 'b'],
        [/token=[a-z&&=]+/, 'token=ab&cd', 'token=&'],
        [/[a~~b]/, 'a~b'], [/[!--c]/, 'abc-', '+./0'], [/[[a]/, '[a]'], [/[x&&y&]/, 'a&b'], [/[&-~]/, 'a&~!'],
        [/\W/, 'é', 'a_1', '\u017f\u212a'], [/\w+/, 'naïve', '٣3'],
        [/\D/, '٣', '3'], [/\d/, '٣3'],
        [/\s/, '\ufeff\u00a0\u180e\u0085\u3000x\v\u2028'], [/\S+/, '\ufeffa\u0085b\u2029'],
        [/[\s\d]+/, 'a 1\ufeff٣'], [/[^\S\n]+/, 'a \n\ufeffb'], [/[\w-]+/, 'a-é_b'], [/[\w-z]+/, '-z~'], [/[\d-x]+/, '1-xw'],
        [/^y$/m, 'x\ry', 'x\r\ny\r\nz', 'x\ny', 'x\u2028y\u2029z', 'y', 'xy'], [/^y$/, 'y\n', 'y', 'x\ny'],
        [/y\r$/m, 'y\r\n'], [/^/m, ''], [/^[^\n]$/m, 'a\nb'],
        [/a.b/, 'a\rb', 'a\u2028b', 'a\u0085b', 'a\nb', 'aéb'], [/a.b/s, 'a\rb', 'a\nb'],
        [/a[^]b/, 'a\nb'], [/a[]|b/, 'ab'],
        [/a\/b/, 'a/b'], [/a{/, 'a{b'], [/a{,2}/, 'a{,2}aa'], [/a{2,/, 'a{2,'], [/a{1,2}?b/, 'aaab'], [/x{2,}/, 'xxx'], [/a]b}/, 'a]b}'],
        [/\u0041\x42\cA\0/, 'AB\x01\0'], [/\u{2}/, 'uu'], [/\x4/, 'x4'], [/\c1/, '\\c1'], [/[\c1\cA\b]/, '\x11\x01\b'],
        [/\u{1F600}+/u, '😀😀'], [/\ud83d\ude00/, 'a😀'], [/[\ud83d\ude00x]/u, 'x😀'], [/^.$/u, '😀'],
        [/\p{L}+/u, 'é1'], [/\p{L}/, 'p{L}'], [/[\p{Lu}1]/u, 'aA1'], [/\P{L}/u, 'é1'], [/\p{Script=Greek}/u, 'aα'], [/[^\P{L}a]/u, 'ab1'],
        [/\-|\_|\a|\A|\z|\Q|\e|\</, 'a-b_cAzQe<'], [/[\-\]\^]/, 'a-]^'],
        [/a b#c/, 'a b#c'], [/ab|abcd/, 'abcd'], [/a.*?X/, 'aXbXc'], [/(?<q>a)(?<r>b)/, 'ab'], [/(a|(b))+/, 'aabbc'],
        [/k/i, 'Kk\u212a', 's'], [/[^k]/i, 'Kk\u212a'], [/[^a-z]/i, 'aS\u017f\u212aé'], [/\W/i, '\u017f\u212aS'], [/é|[à-ê]/i, 'É Ê À'], [/ß|ẞ/i, 'ßẞ'],
        [/å/i, 'Å\u212b'], [/σ/i, 'Σςσ'], [/[^σ]/i, 'Σςσa'], [/ǆ/i, 'Ǆǅǆ'],
        [/k/iu, 'K\u212a'], [/[^k]/iu, 'K\u212ax'], [/å/iu, 'Å\u212b'], [/\w/iu, '\u017f\u212aé'], [/\p{Lu}/iu, 'aA1'],
        [/a(?i:b)c/, 'aBc', 'ABc'], [/a(?-i:b)c/i, 'AbC', 'aBc'], [/(?s:.)./, '\n\n'], [/(?m:^a)|^b/, 'x\na\nb'],
        [/x/imsud, 'aXb'],
    ]) for (const text of texts) check(expression, text);
    return differ";
    assert_eq!(value(&format!("{DIFFER}{table}")), "[]");
}

fn an_expression_finds_the_same_in_texts_of_any_kind() {
    let random = r"
    const signs = [...'ab1_KkSs .-&~[]^$\\/\n\r\t', 'é', 'É', '٣', '番', 'σ', 'ς', '\u017f', '\u212a', '\ufeff', '\u00a0', '\u2028', '\u2029'];
    const some = [
        /\b\w+\b/, /\B[^\s]/, /\W+/, /[^\W\d]+/, /\s\S/, /[\s&&a]+/, /[a-z--9]/, /[~~^]+/, /[[-\]]+/, /a.?b/, /.+1/, /a.b/s,
        /^[ab]/, /[ab]$/, /[kσ]+/i, /[^kσ]+/i, /[^a-z]/i, /[à-ɏ]/i, /\w{2,3}?/i, /(?:a|b1|_)+/, /[kσ]+/iu, /[^kσ]+/iu, /\p{L}{2}/u,
        /\bk\B/i, /\D\d/, /k|s/i, /[\u0080-\uffff]/i, /[^\u0080-\uffff]/i,
    ];
    let seed = 7;
    const roll = (sides) => (seed = (seed * 48271) % 2147483647) % sides;
    for (const expression of some) for (let i = 0; i < 150; i++) {
        let text = '';
        for (let left = roll(12); left > 0; left--) text += signs[roll(signs.length)];
        check(expression, text);
    }
    return differ.slice(0, 40)";
    assert_eq!(value(&format!("{DIFFER}{random}")), "[]");
}

fn expressions_of_any_kind_find_the_same() {
    let random = r"
    const signs = [...'ab1_KkSs .-&~[]^$\\/\n\r\t{},', 'é', 'É', '٣', '番', 'σ', 'ς', '\u017f', '\u212a', '\ufeff', '\u00a0', '\u0085'];
    const atoms = ['a', 'k', 'S', '1', '.', 'é', 'σ', ' ', '-', '&', '{', '}', ']', ',', '{,2}', '\\b', '\\B', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S',
        '\\.', '\\[', '\\n', '\\r', '\\-', '\\u0061', '\\x6b', '\\t', '[ab]', '[^ab]', '[\\w-]', '[k-s]', '[^\\s]', '[\\W_]', '[&&a]', '[a~~]', '[[]',
        '[^]', '[é-σ]', '[^k]', '[+--]', '[\\b\\]]', '^', '$', '(?:a|b)', '(k)', '(?<x>1)', '(?i:k)', '(?-i:s)', '(?s:.)', '|'];
    const counts = ['', '', '', '', '*', '+', '?', '{2}', '{1,2}', '*?', '+?', '{1,}?'];
    const flags = ['', '', 'i', 's', 'u', 'iu', 'm', 'im'];
    let seed = SEED, tried = 0;
    const roll = (sides) => (seed = (seed * 48271) % 2147483647) % sides;
    while (tried < 60) {
        let source = '';
        for (let left = 1 + roll(4); left > 0; left--) source += atoms[roll(atoms.length)] + counts[roll(counts.length)];
        let expression;
        try { expression = new RegExp(source, flags[roll(flags.length)]) } catch { continue }
        // With both flags two letters more make words.
        if (expression.flags === 'iu' && /\\b/i.test(source)) continue;
        tried++;
        for (let i = 0; i < 20; i++) {
            let text = '';
            for (let left = roll(12); left > 0; left--) text += signs[roll(signs.length)];
            // A line does not begin inside of this end of a line.
            if (expression.multiline && text.includes('\r\n')) continue;
            // An empty match right behind another counts only there.
            if ([...text.matchAll(new RegExp(expression.source, expression.flags + 'g'))].some(([it]) => it === '')) continue;
            check(expression, text);
        }
    }
    return differ.slice(0, 40)";
    for seed in 1..=6 {
        let random = random.replace("SEED", &(seed * 7919).to_string());
        assert_eq!(value(&format!("{DIFFER}{random}")), "[]", "{seed}");
    }
}

/// What `redact` says of a pattern.
fn says(pattern: &str) -> String {
    value(&format!("try {{ return redact('ab', {pattern}, '#') }} catch (e) {{ return e.message }}"))
}

fn what_cannot_be_found_in_linear_time_is_refused() {
    for (pattern, reason) in [
        ("/a(?=b)/", "look-around"),
        ("/a(?!b)/", "look-around"),
        ("/(?<=a)b/", "look-around"),
        ("/(?<!a)b/", "look-around"),
        (r"/(a)\1/", "back-references"),
        (r"/(?<n>a)\k<n>/", "back-references"),
        (r"/[\ud800-\udbff]/", "half a surrogate pair"),
        (r"/\udc00/u", "half a surrogate pair"),
        (r"/\P{Lu}/iu", "negated property"),
        ("/[a&&b]/v", "flag 'v'"),
        ("/(?:a{1000}){1000}/", "size limit"),
        ("{source: 'a)(b', flags: ''}", "unopened group"),
        ("{source: '(a', flags: ''}", "unclosed group"),
        ("{source: '[a', flags: ''}", "unclosed"),
        ("{source: '*a', flags: ''}", "nothing to repeat"),
        (r"{source: 'a\\', flags: ''}", "incomplete"),
        ("{source: '[b-a]', flags: ''}", "range"),
    ] {
        let said = says(pattern);
        assert!(said.contains("redact") && said.contains(reason), "{pattern}: {said}");
    }
}

fn a_text_that_is_no_whole_pattern_is_refused() {
    for pattern in ["'a)(b'", "['email', 'a)(b']", "['a)', '(b']", "'a)|(?:b'"] {
        assert!(says(pattern).contains("redact cannot use the pattern 'a)"), "{pattern}: {}", says(pattern));
    }
    assert_eq!(says("['a|x', '(?i)B']"), "\"##\"");
}
