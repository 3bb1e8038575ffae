//! Namespaces of feeds. The parser knows an element only in the namespace of its format's last version, or in none. It
//! reads a feed with another namespace as if it had no entries.

use std::borrow::Cow;

use super::xml_text::{after, attribute, local_name, root};

const RSS_1: &str = "http://purl.org/rss/1.0/";
const ATOM: &str = "http://www.w3.org/2005/Atom";

/// Namespaces of RSS 0.90, which is RSS 1.0 with fewer elements.
const RSS_090: [&str; 2] = ["http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/"];

/// Writes the namespace that the parser knows, or for RSS none, in the first element of a feed.
pub(super) fn with_a_known_namespace(body: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let Some(root) = root(&body) else { return body };
    let begin = body.len() - root.len();
    let Some((from, to)) = attribute(root, b"xmlns") else { return body };
    let Ok(namespace) = std::str::from_utf8(root.get(from..to).unwrap_or_default()) else { return body };
    let known = match local_name(root) {
        // RSS 0.91 to 2.0 has no namespace, whatever it says.
        name if name.eq_ignore_ascii_case(b"rss") => "",
        b"RDF" if RSS_090.contains(&namespace.trim()) => RSS_1,
        b"feed" if is_atom(namespace) => ATOM,
        _ => return body,
    };
    if known == namespace {
        return body;
    }
    let (before, after) = (body.get(..begin + from).unwrap_or_default(), body.get(begin + to..).unwrap_or_default());
    Cow::Owned([before, known.as_bytes(), after].concat())
}

/// Whether a document has elements with the names that formats give their entries.
pub(super) fn has_entries(mut text: &[u8]) -> bool {
    while let Some(at) = text.iter().position(|byte| *byte == b'<') {
        text = text.get(at..).unwrap_or_default();
        let end: Option<&[u8]> = match text {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            [b'<', b'!', b'[', ..] => Some(b"]]>"),
            _ => None,
        };
        let name = local_name(text);
        if name.eq_ignore_ascii_case(b"item") || name.eq_ignore_ascii_case(b"entry") {
            return true;
        }
        text = match end {
            Some(end) => after(text, end).unwrap_or_default(),
            None => text.get(1..).unwrap_or_default(),
        };
    }
    false
}

/// Whether this is Atom's namespace as people misspell it.
fn is_atom(namespace: &str) -> bool {
    let bare = |text: &str| {
        let text = text.trim().trim_end_matches('/').to_ascii_lowercase();
        text.strip_prefix("https://").or(text.strip_prefix("http://")).unwrap_or(&text).to_owned()
    };
    bare(namespace) == bare(ATOM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_gets_the_namespace_that_the_parser_knows() {
        for (written, read) in [
            (
                "<rss version=\"2.0\" xmlns=\"http://backend.userland.com/rss2\"><x/>",
                "<rss version=\"2.0\" xmlns=\"\"><x/>",
            ),
            ("<?xml version='1.0'?><rss xmlns='x' a='b'>", "<?xml version='1.0'?><rss xmlns='' a='b'>"),
            (
                "<rdf:RDF xmlns:rdf=\"r\" xmlns=\"http://my.netscape.com/rdf/simple/0.9/\">",
                "<rdf:RDF xmlns:rdf=\"r\" xmlns=\"http://purl.org/rss/1.0/\">",
            ),
            ("<feed xmlns=\"https://www.w3.org/2005/atom/\">", "<feed xmlns=\"http://www.w3.org/2005/Atom\">"),
            ("<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\">", "<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\">"),
            ("<feed xmlns=\"http://purl.org/atom/ns#\">", "<feed xmlns=\"http://purl.org/atom/ns#\">"),
            ("<rss version=\"2.0\"><a xmlns=\"x\"/>", "<rss version=\"2.0\"><a xmlns=\"x\"/>"),
            ("<rss xmlns=", "<rss xmlns="),
            ("<rss", "<rss"),
            ("<", "<"),
            ("", ""),
        ] {
            let found = with_a_known_namespace(Cow::Borrowed(written.as_bytes()));
            assert_eq!(String::from_utf8_lossy(&found), read, "{written}");
        }
    }

    #[test]
    fn entries_are_found_as_elements_not_in_text() {
        for (text, found) in [
            ("<feed><entry>", true),
            ("<a:feed><a:Entry x='y'>", true),
            ("<rss><channel><item/>", true),
            ("<rss><channel><items>", false),
            ("<feed></entry>", false),
            ("<feed><!-- <entry> --><x><![CDATA[<item>]]>&lt;item&gt;", false),
            ("<feed><!-- <entry>", false),
            ("<", false),
            ("item", false),
        ] {
            assert_eq!(has_entries(text.as_bytes()), found, "{text}");
        }
        // The text is read once: otherwise this would take hours.
        assert!(!has_entries("<".repeat(1_000_000).as_bytes()));
    }
}
