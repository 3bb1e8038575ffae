//! Finds places in the text of an XML document, without reading it whole: its first element, that element's attributes,
//! the name of an element.

/// Returns what follows the first `end`.
pub(super) fn after<'t>(text: &'t [u8], end: &[u8]) -> Option<&'t [u8]> {
    text.windows(end.len()).position(|window| window == end).and_then(|at| text.get(at + end.len()..))
}

/// Returns the text from the first element on, after declarations, comments and a document type.
pub(super) fn root(body: &[u8]) -> Option<&[u8]> {
    let mut rest = body.trim_ascii_start();
    loop {
        rest = match rest {
            [b'<', b'?', ..] => after(rest, b"?>")?,
            [b'<', b'!', b'-', b'-', ..] => after(rest, b"-->")?,
            [b'<', b'!', ..] => {
                let end = rest.iter().position(|byte| matches!(byte, b'>' | b'['))?;
                if rest.get(end) == Some(&b'[') { after(after(rest, b"]")?, b">")? } else { rest.get(end + 1..)? }
            }
            _ => return Some(rest),
        }
        .trim_ascii_start();
    }
}

/// Returns the name of the element at the start of a text, without its prefix; nothing for the end of one.
pub(super) fn local_name(text: &[u8]) -> &[u8] {
    let name = text.get(1..).unwrap_or_default();
    // No name goes beyond the next `<`. Without this limit, a text of many `<` would take hours.
    let end = name.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'<'));
    let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
    name.rsplit(|byte| *byte == b':').next().unwrap_or_default()
}

/// Returns the range of bytes of the value of an attribute in the element at the start of a text.
pub(super) fn attribute(element: &[u8], wanted: &[u8]) -> Option<(usize, usize)> {
    let mut at = element.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
    loop {
        at += element.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
        if matches!(element.get(at)?, b'>' | b'/') {
            return None;
        }
        let equals = at + element.get(at..)?.iter().position(|byte| *byte == b'=')?;
        let name = element.get(at..equals)?.trim_ascii();
        let quote = equals + 1 + element.get(equals + 1..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let mark = *element.get(quote).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let end = quote + 1 + element.get(quote + 1..)?.iter().position(|byte| *byte == mark)?;
        if name == wanted {
            return Some((quote + 1, end));
        }
        at = end + 1;
    }
}
