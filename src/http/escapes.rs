//! The ways in which a byte may be escaped in a text: percent-encoded, as in JSON, as in HTML, once or several times.

/// The maximum number of times that an escape may itself be escaped.
const DEEPEST: usize = 4;

/// Passes on the length of each way in which `text` may begin with the byte `wanted`.
pub(super) fn each_spelling(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let Some(&first) = text.first() else { return };
    if first == wanted || (first == b'+' && wanted == b' ') {
        found(1);
    }
    match first {
        b'%' => percent(text, wanted, found),
        b'\\' => json(text, wanted, found),
        b'&' => html(text, wanted, found),
        _ => {}
    }
}

/// Whether this end of a text is empty, or may be a cut escape.
pub(super) fn may_begin_an_escape(text: &[u8]) -> bool {
    const LONGEST: usize = 3 * DEEPEST;
    let Some(first) = text.first() else { return true };
    let mut rest = text.iter().skip_while(|byte| *byte == first);
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"#;".contains(byte);
    text.len() < LONGEST && b"%\\&".contains(first) && rest.all(inside)
}

/// Percent encoding: `%24`, and `%2524` for a `%24` that was encoded again.
fn percent(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let mut at = 1;
    for _ in 0..DEEPEST {
        if text.get(at..at + 2).and_then(hex) == Some(wanted) {
            found(at + 2);
        }
        if text.get(at..at + 2) != Some(b"25") {
            return;
        }
        at += 2;
    }
}

/// JSON escapes: `\"`, `\/`, `\u0022`, and more backslashes for JSON inside a JSON string.
fn json(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let run = text.iter().take(1 << DEEPEST).take_while(|byte| **byte == b'\\').count();
    if wanted == b'\\' {
        (1..=DEEPEST).map(|depth| 1 << depth).filter(|length| *length <= run).for_each(&mut *found);
    } else if text.get(run) == Some(&wanted) {
        found(run + 1);
    }
    if let Some([b'u', b'0', b'0', digits @ ..]) = text.get(run..run + 5)
        && hex(digits) == Some(wanted)
    {
        found(run + 5);
    }
}

/// HTML entities: `&quot;`, `&#34;`, `&#x22;`, and `&amp;quot;` for one that was escaped again.
fn html(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let mut at = 1;
    for _ in 0..DEEPEST {
        let rest = text.get(at..).unwrap_or_default();
        if let Some((byte, length)) = entity(rest)
            && byte == wanted
        {
            found(at + length);
        }
        if !rest.starts_with(b"amp;") {
            return;
        }
        at += 4;
    }
}

/// Returns the byte of an entity from its name or number after the `&`, and its length with the `;`.
fn entity(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().take(8).position(|byte| *byte == b';')?;
    let byte = match &text[..end] {
        b"quot" => b'"',
        b"apos" => b'\'',
        b"lt" => b'<',
        b"gt" => b'>',
        b"amp" => b'&',
        [b'#', b'x' | b'X', digits @ ..] => hex(digits)?,
        [b'#', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
        _ => return None,
    };
    Some((byte, end + 1))
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
