//! Splits Rust text into tokens with their lines, without comments and test-only code. It is not a parser: it only
//! distinguishes code from comments and strings.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier, keyword or number.
    Word,
    /// The inside of a string literal, with escapes as written.
    Text,
    /// `::` or a single character.
    Sign,
}

/// A token and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// Counts from 1.
    pub(crate) line: usize,
}

impl Token<'_> {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }
}

/// Returns every token of a file, including test code.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = source[at..].chars().next() {
        let (kind, skip, length, after) = next(&source[at..], first);
        if let Some(kind) = kind {
            found.push(Token { kind, text: &source[at + skip..at + skip + length], line });
        }
        let end = at + skip + length + after;
        line += source[at..end].matches('\n').count();
        at = end;
    }
    found
}

/// The token at the start of `rest`: its kind (`None` for space and comments), then the number of bytes before its
/// text, in it, and after it.
fn next(rest: &str, first: char) -> (Option<Kind>, usize, usize, usize) {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if first.is_whitespace() {
        (None, first.len_utf8(), 0, 0)
    } else if rest.starts_with("//") {
        (None, rest.find('\n').unwrap_or(rest.len()), 0, 0)
    } else if rest.starts_with("/*") {
        (None, block_comment(rest), 0, 0)
    } else if let Some((skip, length, after)) = string(rest) {
        (Some(Kind::Text), skip, length, after)
    } else if first == '\'' {
        // A lifetime is a quote and a word with no quote after it; anything else is a character literal.
        let name = word(&rest[1..]);
        if name > 0 && !rest[1 + name..].starts_with('\'') {
            (Some(Kind::Sign), 0, 1 + name, 0)
        } else {
            let start = if rest[1..].starts_with('\\') { 3 } else { 1 };
            let end = rest.get(start..).and_then(|tail| tail.find('\'')).map_or(rest.len(), |end| start + end + 1);
            (Some(Kind::Sign), 0, end, 0)
        }
    } else if first.is_alphanumeric() || first == '_' {
        (Some(Kind::Word), 0, word(rest), 0)
    } else if rest.starts_with("::") {
        (Some(Kind::Sign), 0, 2, 0)
    } else {
        (Some(Kind::Sign), 0, first.len_utf8(), 0)
    }
}

/// The length of the (nested) block comment at the start.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let step = match rest.as_bytes()[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// The string literal at the start (plain, raw, byte or C): the number of bytes before its text, in it, and after it.
fn string(rest: &str) -> Option<(usize, usize, usize)> {
    let prefix = rest.bytes().take_while(|b| matches!(b, b'b' | b'c' | b'r')).count().min(2);
    let raw = rest[..prefix].ends_with('r');
    let hashes = if raw { rest[prefix..].bytes().take_while(|b| *b == b'#').count() } else { 0 };
    let start = prefix + hashes + 1;
    if !rest[prefix + hashes..].starts_with('"') {
        return None;
    }
    if raw {
        let close = format!("\"{}", "#".repeat(hashes));
        let length = rest[start..].find(&close).unwrap_or(rest.len() - start);
        return Some((start, length, close.len().min(rest.len() - start - length)));
    }
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(start) {
        match byte {
            b'"' if !escaped => return Some((start, at - start, 1)),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    Some((start, rest.len() - start, 0))
}

/// Returns the tokens that ship: without items under `#[cfg(test)]` (also `all(test, …)`).
pub(crate) fn shipped<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let attribute = tokens[at].is("#") && tokens.get(at + 1).is_some_and(|token| token.is("["));
        let end = if attribute { closing(tokens, at + 1) } else { at };
        if attribute && is_test_only(&tokens[at + 2..end]) {
            at = item_end(tokens, end + 1);
        } else {
            kept.extend_from_slice(&tokens[at..=end.min(tokens.len() - 1)]);
            at = end + 1;
        }
    }
    kept
}

fn is_test_only(attribute: &[Token<'_>]) -> bool {
    let word = |at: usize, text| attribute.get(at).is_some_and(|token: &Token<'_>| token.is(text));
    word(0, "test") || (word(0, "cfg") && (word(2, "test") || (word(2, "all") && word(4, "test"))))
}

/// The index of the bracket that closes the one at `open`, or the last index.
fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is("[") || token.is("(") || token.is("{") {
            depth += 1;
        } else if token.is("]") || token.is(")") || token.is("}") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len().saturating_sub(1)
}

/// The index after the item that starts at `at`: after its braces or its semicolon, or before the end of the enclosing
/// block.
fn item_end(tokens: &[Token<'_>], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        if token.is("{") {
            return closing(tokens, at) + 1;
        } else if token.is(";") || token.is("}") {
            return at + usize::from(token.is(";"));
        }
        at = if token.is("(") || token.is("[") { closing(tokens, at) + 1 } else { at + 1 };
    }
    tokens.len()
}

#[test]
fn code_is_distinguished_from_comments_and_strings() {
    let source =
        "use a::b; // c::d\n/* e /* f */ g */ let s = \"h \\\" i\"; 'x: loop { '\\'' } r#\"j \" k\"# b'\"' 'l'";
    let texts = |kind| tokens(source).into_iter().filter(|t| t.kind == kind).map(|t| t.text).collect::<Vec<_>>();
    assert_eq!(texts(Kind::Word), ["use", "a", "b", "let", "s", "loop", "b"]);
    assert_eq!(texts(Kind::Text), ["h \\\" i", "j \" k"]);
    assert_eq!(tokens(source).last().map(|t| (t.text, t.line)), Some(("'l'", 2)));
    assert_eq!(tokens("\"never closed").len(), 1);
}

#[test]
fn only_test_only_items_are_left_out() {
    let source = "#[derive(A)] struct B; #[cfg(test)] #[allow(c, reason = \"d\")] mod e { fn f() { g } } fn h() {}
        #[cfg(all(test, unix))] use i::j; #[cfg(unix)] use k::l; #[test] fn m() -> [u8; 2] { n }
        struct P { #[cfg(test)] q: R } const O: u8 = 1;";
    let all = tokens(source);
    let words: Vec<_> = shipped(&all).into_iter().filter(|t| t.kind == Kind::Word).map(|t| t.text).collect();
    assert_eq!(
        words,
        [
            "derive", "A", "struct", "B", "fn", "h", "cfg", "unix", "use", "k", "l", "struct", "P", "const", "O", "u8",
            "1"
        ]
    );
}
