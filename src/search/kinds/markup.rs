//! Converts HTML to plain text: tags are removed, paragraphs become lines, character references become characters. It
//! does not sanitize: text is escaped where it is shown.

/// The maximum number of bytes read; the rest is left out.
const LONGEST: usize = 200_000;

/// Elements whose content is not text.
const SILENT: [&str; 4] = ["script", "style", "template", "iframe"];

/// Elements that begin or end a line.
const LINES: [&str; 18] = [
    "p",
    "br",
    "div",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "pre",
    "hr",
    "section",
];

/// Returns the text of a piece of HTML.
pub(super) fn text(html: &str) -> String {
    let html = html.get(..html.floor_char_boundary(LONGEST)).unwrap_or(html);
    let ends = tag_ends(html);
    let mut plain = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        plain.push_str(before);
        let begin = html.len() - tag.len();
        let end = ends.binary_search_by(|(at, _)| begin.cmp(at)).ok().and_then(|place| ends.get(place));
        let Some(after) = skip_tag(tag, end.map(|(at, end)| end - at), &mut plain) else {
            // Not a tag: keep the character itself.
            plain.push('<');
            rest = tag.get(1..).unwrap_or_default();
            continue;
        };
        rest = after;
    }
    plain.push_str(rest);
    collapse_whitespace(&decode_entities(&plain))
}

/// Returns what follows a tag or a comment; `None` when the text is neither. `end`: where it ends if it is a tag.
fn skip_tag<'t>(tag: &'t str, end: Option<usize>, plain: &mut String) -> Option<&'t str> {
    if let Some(comment) = tag.strip_prefix("<!--") {
        return Some(comment.find("-->").and_then(|end| comment.get(end + 3..)).unwrap_or_default());
    }
    if let Some(data) = tag.strip_prefix("<![CDATA[") {
        let end = data.find("]]>").unwrap_or(data.len());
        plain.push_str(data.get(..end).unwrap_or_default());
        return Some(data.get(end + 3..).unwrap_or_default());
    }
    let name_from = if tag.starts_with("</") { 2 } else { 1 };
    let named = tag.get(name_from..)?;
    if !named.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
        return None;
    }
    let after = tag.get(end? + 1..).unwrap_or_default();
    let name: String = named.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if LINES.contains(&name.as_str()) {
        plain.push('\n');
    }
    if name_from == 1 && SILENT.contains(&name.as_str()) {
        let close = format!("</{name}");
        let is_close =
            |at: &usize| after.get(*at..at + close.len()).is_some_and(|found| found.eq_ignore_ascii_case(&close));
        let at = after.match_indices("</").map(|(at, _)| at).find(is_close).unwrap_or(after.len());
        return Some(after.get(at..).unwrap_or_default());
    }
    Some(after)
}

/// Returns the place of each `<` and of the end of its tag, the last first. A `>` in a quoted attribute does not end a
/// tag, unless no other `>` does. It makes one pass from the end: a search from each `<` would take minutes for a text
/// of nothing but `<a`.
fn tag_ends(html: &str) -> Vec<(usize, usize)> {
    let mut ends = Vec::new();
    // The next end from here on: outside quotes, inside double quotes, inside single quotes, and regardless of quotes.
    let (mut outside, mut double, mut single, mut any) = (None, None, None, None);
    for (at, byte) in html.bytes().enumerate().rev() {
        match byte {
            b'>' => (outside, any) = (Some(at), Some(at)),
            b'"' => std::mem::swap(&mut outside, &mut double),
            b'\'' => std::mem::swap(&mut outside, &mut single),
            b'<' => ends.extend(outside.or(any).map(|end| (at, end))),
            _ => {}
        }
    }
    ends
}

/// Replaces character references by the characters.
pub(super) fn decode_entities(text: &str) -> String {
    html_escape::decode_html_entities(text).into_owned()
}

/// Removes extra white space and empty lines.
fn collapse_whitespace(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn tags_are_removed_and_their_text_is_kept() {
        for (html, text) in [
            ("plain", "plain"),
            ("a &amp; b &lt;c&gt; &#x27;d&#39; &hellip;", "a & b <c> 'd' …"),
            ("<p>one</p><p>two<br/>three", "one\ntwo\nthree"),
            ("x<script>alert('<p>')</script>y<style>p{}</style>z", "xyz"),
            ("<a href=\"/?a>b\" title='>'>link</a>!", "link!"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("a<!-- <b> -->b<![CDATA[<c>]]>", "ab<c>"),
            ("<b", "<b"),
            ("<a href=\"never closed>text", "text"),
            ("<ScRiPt>gone", ""),
            ("a<script>x</SCRIPT >b</script>c", "abc"),
            ("<a t='\"'>one</a> <b t=\"'\">two</b> <i t=\">\">three", "one two three"),
            ("  a \n\n\t b  ", "a\nb"),
        ] {
            assert_eq!(super::text(html), text, "{html}");
        }
    }

    #[test]
    fn converting_any_html_is_fast() {
        for (piece, kept) in [("<a", true), ("<a href=\"", true), ("<a \">\"", false), ("<script></script>", false)] {
            let html = piece.repeat(super::LONGEST / piece.len());
            let text = super::text(&html);
            assert_eq!(text.contains("<a"), kept, "{piece}: {} characters", text.len());
        }
    }

    proptest! {
        #[test]
        fn converting_any_text_does_not_panic(html in "\\PC{0,200}") {
            let _ = super::text(&html);
        }

        #[test]
        fn converting_html_like_text_does_not_panic(html in "(<|>|/|!|-|\\[|\\]|CDATA|script|p|&|#|x|;|\"|'|ä|\u{0}){0,60}") {
            let _ = super::text(&html);
        }
    }
}
