//! Prepares the bytes of a feed for the parser. The parser reads UTF-8 and the encoding in an XML declaration, three
//! versions of RSS, and ids that are texts; real feeds have more. A body that needs no change stays as it is.

use std::borrow::Cow;

use super::entry_limit::with_first_entries;
use super::json_feed::with_readable_items;
use super::namespaces::with_a_known_namespace;
use super::xml_text::{after, attribute, root};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Versions of RSS that the parser knows. All others are read as 2.0, which contains the earlier ones.
const KNOWN: [&[u8]; 3] = [b"2.0", b"0.91", b"0.92"];

/// Prepares the body of a reply with this `Content-Type`. Returns also how many of its entries are left out because there
/// are too many.
pub(super) fn normalize_body<'b>(body: &'b [u8], content_type: Option<&str>) -> (Cow<'b, [u8]>, usize) {
    let body = in_utf8(body, content_type);
    match body.trim_ascii_start().first() {
        Some(b'{') => with_readable_items(body),
        _ => {
            let (body, left_out) = with_first_entries(body);
            (with_readable_references(with_a_known_version(with_a_known_namespace(body))), left_out)
        }
    }
}

/// Converts to UTF-8 if something outside the document gives its encoding: a byte order mark comes first, then the
/// header (RFC 7303, section 3), then the document's own declaration, which the parser follows.
fn in_utf8<'b>(body: &'b [u8], content_type: Option<&str>) -> Cow<'b, [u8]> {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return decoded(encoding, body.get(mark..).unwrap_or_default());
    }
    match body {
        // UTF-16 without a mark is recognised by its first character.
        [b'<' | b'{', 0, ..] => return decoded(UTF_16LE, body),
        [0, b'<' | b'{', ..] => return decoded(UTF_16BE, body),
        _ => {}
    }
    let readable = std::str::from_utf8(body).is_ok();
    match content_type.and_then(charset) {
        Some(encoding) if encoding == UTF_8 && readable => Cow::Borrowed(without_xml_declaration(body)),
        // Valid UTF-8 is UTF-8, whatever the server says of all its files; but bytes of ASCII alone may be ISO-2022-JP.
        Some(encoding) if encoding != UTF_8 && (!readable || (encoding == ISO_2022_JP && body.is_ascii())) => {
            decoded(encoding, body)
        }
        // Its bytes may also look like `<` and `&`, which the next steps would take for markup.
        _ if (!readable || body.is_ascii()) && declared(body) == Some(ISO_2022_JP) => decoded(ISO_2022_JP, body),
        _ if !readable => not_quite_utf8(body).unwrap_or(Cow::Borrowed(body)),
        // The same holds for the document's own declaration: text in another encoding is hardly ever valid UTF-8.
        _ if !body.is_ascii() && declares_another(body) => Cow::Borrowed(without_xml_declaration(body)),
        _ => Cow::Borrowed(body),
    }
}

/// Whether a document declares another encoding than UTF-8.
fn declares_another(body: &[u8]) -> bool {
    declared(body).is_some_and(|encoding| encoding != UTF_8)
}

/// Returns the encoding that a document declares.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let prolog = root(body).and_then(|root| body.get(..body.len() - root.len())).unwrap_or_default();
    // There may be blanks around the `=`.
    let value = after(prolog, b"encoding").and_then(|rest| rest.trim_ascii_start().strip_prefix(b"="));
    let value = value.and_then(|rest| rest.trim_ascii_start().get(1..));
    value.and_then(|rest| rest.split(|byte| matches!(byte, b'"' | b'\'')).next()).and_then(Encoding::for_label)
}

/// Converts a body that is not quite UTF-8, and declares no other encoding. With characters of UTF-8 beyond ASCII only
/// some of it is broken; without any it is in the encoding that the web assumes (<https://encoding.spec.whatwg.org>).
fn not_quite_utf8(body: &[u8]) -> Option<Cow<'_, [u8]>> {
    if declares_another(body) {
        return None;
    }
    let is_latin = body.utf8_chunks().all(|chunk| chunk.valid().is_ascii());
    Some(decoded(if is_latin { WINDOWS_1252 } else { UTF_8 }, body))
}

/// Escapes each `&` that begins no reference, as in `Q&A`: the parser would drop the text. Resolves references to
/// invalid characters, for which it would refuse the whole feed. A CDATA section has no references.
fn with_readable_references(body: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let (mut readable, mut kept, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = body.get(at..).and_then(|rest| rest.iter().position(|byte| matches!(byte, b'&' | b'<'))) {
        at += found;
        let rest = body.get(at..).unwrap_or_default();
        if let Some(data) = rest.strip_prefix(b"<![CDATA[") {
            at = after(data, b"]]>").map_or(body.len(), |left| body.len() - left.len());
            continue;
        }
        let unreadable = if rest.first() == Some(&b'&') { unreadable_reference(rest) } else { None };
        let Some((length, written)) = unreadable else {
            at += 1;
            continue;
        };
        readable.extend_from_slice(body.get(kept..at).unwrap_or_default());
        readable.extend_from_slice(written.as_bytes());
        at += length;
        kept = at;
    }
    if kept == 0 {
        return body;
    }
    readable.extend_from_slice(body.get(kept..).unwrap_or_default());
    Cow::Owned(readable)
}

/// If the parser cannot read the `&` at the start of a text, returns its length and its replacement.
fn unreadable_reference(text: &[u8]) -> Option<(usize, Cow<'static, str>)> {
    let Some(name) = reference(text) else { return Some((1, "&amp;".into())) };
    let (code, length) = (number(name)?, name.len() + 2);
    let other_half = || {
        let next = reference(text.get(length..)?)?;
        Some((number(next)?, next.len() + 2))
    };
    match (code, char::from_u32(code)) {
        (0, _) | (0xdc00..=0xdfff, None) | (0x11_0000.., None) => Some((length, "\u{fffd}".into())),
        // The parser reads only `x`.
        (_, Some(c)) => name.starts_with(b"#X").then(|| (length, format!("&#{};", u32::from(c)).into())),
        // Some programs write one character as the two halves that it has in UTF-16.
        (high, None) => match other_half() {
            Some((low @ 0xdc00..=0xdfff, more)) => {
                let c = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
                Some((length + more, c.to_string().into()))
            }
            _ => Some((length, "\u{fffd}".into())),
        },
    }
}

/// Returns the name between `&` and `;` of the reference at the start of a text: `amp`, `#38`, `#x26`.
fn reference(text: &[u8]) -> Option<&[u8]> {
    let end = text.strip_prefix(b"&")?.iter().take(40).position(|byte| *byte == b';')?;
    let name = text.get(1..=end)?;
    let is_one = match name {
        [b'#', b'x' | b'X', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
        [b'#', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        name => !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric),
    };
    is_one.then_some(name)
}

/// Returns the number of a reference by number. One that is too large for any character becomes the largest number.
fn number(reference: &[u8]) -> Option<u32> {
    let (digits, radix) = match reference {
        [b'#', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'#', digits @ ..] => (digits, 10),
        _ => return None,
    };
    Some(u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).unwrap_or(u32::MAX))
}

fn decoded<'b>(encoding: &'static Encoding, text: &'b [u8]) -> Cow<'b, [u8]> {
    match encoding.decode_without_bom_handling(text).0 {
        Cow::Borrowed(text) => Cow::Borrowed(without_xml_declaration(text.as_bytes())),
        Cow::Owned(text) => Cow::Owned(without_xml_declaration(text.as_bytes()).to_vec()),
    }
}

/// Returns the charset that a content type names.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    let name = content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })?;
    Encoding::for_label(name.as_bytes())
}

/// Removes the XML declaration, since its encoding no longer is that of the text.
fn without_xml_declaration(text: &[u8]) -> &[u8] {
    let begin = text.trim_ascii_start();
    match begin.starts_with(b"<?xml").then(|| after(begin, b"?>")).flatten() {
        Some(rest) => rest,
        None => text,
    }
}

/// Replaces a version of RSS that the parser does not know.
fn with_a_known_version(body: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let Some(root) = root(&body) else { return body };
    let begin = body.len() - root.len();
    let (from, to, written) = match version(root) {
        Some(Version::Other(from, to)) => (begin + from, begin + to, "2.0"),
        Some(Version::Missing) => (begin + RSS.len(), begin + RSS.len(), " version=\"2.0\""),
        Some(Version::Known) | None => return body,
    };
    let (before, after) = (body.get(..from).unwrap_or_default(), body.get(to..).unwrap_or_default());
    Cow::Owned([before, written.as_bytes(), after].concat())
}

const RSS: &[u8] = b"<rss";

/// The version of an `<rss …>` element.
enum Version {
    Known,
    /// Another version, at this range of bytes.
    Other(usize, usize),
    Missing,
}

fn version(root: &[u8]) -> Option<Version> {
    if !root.starts_with(RSS) || !root.get(RSS.len()).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'>') {
        return None;
    }
    let Some((from, to)) = attribute(root, b"version") else { return Some(Version::Missing) };
    let known = KNOWN.contains(&root.get(from..to)?);
    Some(if known { Version::Known } else { Version::Other(from, to) })
}
