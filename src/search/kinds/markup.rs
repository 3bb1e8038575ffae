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
    let mut plain = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        plain.push_str(before);
        let Some(after) = skip_tag(tag, &mut plain) else {
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

/// Returns what follows a tag or a comment; `None` when the text is neither.
fn skip_tag<'t>(tag: &'t str, plain: &mut String) -> Option<&'t str> {
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
    let end = end_of(tag)?;
    let after = tag.get(end + 1..).unwrap_or_default();
    let name: String = named.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if LINES.contains(&name.as_str()) {
        plain.push('\n');
    }
    if name_from == 1 && SILENT.contains(&name.as_str()) {
        let close = format!("</{name}");
        let at = after.to_ascii_lowercase().find(&close).unwrap_or(after.len());
        return Some(after.get(at..).unwrap_or_default());
    }
    Some(after)
}

/// Returns where a tag ends. A `>` in a quoted attribute does not end it.
fn end_of(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    // The quote is never closed: take the first `>`.
    tag.find('>')
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
    fn tags_go_and_what_they_say_stays() {
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
            ("  a \n\n\t b  ", "a\nb"),
        ] {
            assert_eq!(super::text(html), text, "{html}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks_it(html in "\\PC{0,200}") {
            let _ = super::text(&html);
        }

        #[test]
        fn nor_what_looks_like_html(html in "(<|>|/|!|-|\\[|\\]|CDATA|script|p|&|#|x|;|\"|'|ä|\u{0}){0,60}") {
            let _ = super::text(&html);
        }
    }
}
