//! The text of a message for services that do not read Markdown, or that read their own kind of it. Reports are
//! Markdown in which text from outside is escaped; alerts are plain text. Nothing is cut and nothing is sent here.

use crate::model::{JobKind, Message};

/// Characters that Discord reads as markup anywhere in a line.
const DISCORD: &str = "\\*_~`|<>#[]()";

/// Whether the text is Markdown.
pub(super) fn is_markdown(message: &Message) -> bool {
    message.kind == JobKind::Report.as_str()
}

/// The text alone, for services that show each character as it is. Characters that keep foreign addresses from becoming
/// links stay.
pub(super) fn words(message: &Message) -> String {
    if !is_markdown(message) {
        return message.text.clone();
    }
    let (mut plain, mut code) = (String::with_capacity(message.text.len()), false);
    for line in message.text.lines() {
        if line.starts_with("```") {
            code = !code;
        } else if code {
            plain.push_str(&format!("{line}\n"));
        } else {
            let line = line.strip_prefix('>').map_or(line, str::trim_start);
            let bare = line.trim_start_matches('#');
            let line = if bare.starts_with(' ') { bare.trim_start() } else { line };
            plain.push_str(&format!("{}\n", strip_markdown(line)));
        }
    }
    plain
}

/// Removes the marks from a line of Markdown: `[label](<address>)` becomes `label (address)`.
fn strip_markdown(line: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(line.len()), line);
    let mut in_label = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = after;
        match c {
            '\\' if after.starts_with(|c: char| c.is_ascii_punctuation()) => {
                plain.extend(after.chars().next());
                rest = &after[1..];
            }
            '&' => {
                let entities = [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("#64;", '@')];
                let entity = entities.iter().find_map(|(name, c)| Some((after.strip_prefix(name)?, *c)));
                let (more, decoded) = entity.unwrap_or((after, '&'));
                plain.push(decoded);
                rest = more;
            }
            '`' => match after.split_once('`') {
                Some((code, more)) => {
                    plain.push_str(code);
                    rest = more;
                }
                None => plain.push(c),
            },
            '*' if after.starts_with('*') => rest = &after[1..],
            '[' if !in_label && is_label(after) => in_label = true,
            ']' if in_label => match after.strip_prefix("(<").and_then(|link| link.split_once(">)")) {
                Some((address, more)) => {
                    plain.push_str(&format!(" ({})", in_parentheses(address)));
                    // Services that detect addresses would read the following text as part of this one.
                    let next = more.trim_start_matches("**").trim_start_matches('\\').chars().next();
                    plain.extend(next.filter(|c| c.is_alphanumeric() || "'’[(".contains(*c)).map(|_| ' '));
                    (rest, in_label) = (more, false);
                }
                None => plain.push(c),
            },
            _ => plain.push(c),
        }
    }
    plain
}

/// An address to stand in parentheses: its own must not end them.
fn in_parentheses(address: &str) -> String {
    let mut open = 0_usize;
    let fits = address.chars().all(|c| match c {
        '(' => {
            open += 1;
            true
        }
        ')' => open.checked_sub(1).map(|left| open = left).is_some(),
        _ => true,
    });
    if fits && open == 0 { address.to_owned() } else { address.replace('(', "%28").replace(')', "%29") }
}

/// Whether the text after a bracket is the label of a link.
fn is_label(after: &str) -> bool {
    let mut escaped = false;
    for (at, c) in after.char_indices() {
        match c {
            ']' if !escaped => return after[at..].starts_with("](<"),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    false
}

/// Escapes plain text so that Discord's Markdown shows it as it is. A line that is an address stays a link.
pub(super) fn escape_for_discord(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let address = ["https://", "http://"].iter().any(|scheme| bare.starts_with(scheme));
        let address = address && !bare.contains(char::is_whitespace);
        for c in line.chars() {
            match c {
                c if !DISCORD.contains(c) || address && matches!(c, '_' | '#') => safe.push(c),
                c if address => safe.push_str(&format!("%{:02X}", u32::from(c))),
                c => safe.extend(['\\', c]),
            }
        }
    }
    safe
}

/// Converts a report's Markdown for Discord, which knows no entities and reads angle brackets as mentions of people
/// and channels.
pub(super) fn convert_for_discord(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // A quoted line without text.
        let line = if line.trim_end() == ">" { "> \n" } else { line };
        safe.push_str(line);
    }
    let mut converted = String::with_capacity(safe.len());
    let mut rest = safe.as_str();
    // In an address, text that looks like an entity is part of the address; a parenthesis would end the link.
    while let Some((words, linked)) = rest.split_once("](<") {
        let Some((address, after)) = linked.split_once(">)") else { break };
        converted.push_str(&without_entities(words));
        converted.push_str(&format!("](<{}>)", address.replace('(', "%28").replace(')', "%29")));
        rest = after;
    }
    converted.push_str(&without_entities(rest));
    converted
}

/// Replaces the ampersand last: `&amp;lt;` means `&lt;`.
fn without_entities(words: &str) -> String {
    words.replace("&lt;", "\\<").replace("&gt;", "\\>").replace("&#64;", "@").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: JobKind, text: &str) -> Message {
        Message {
            event: "e".to_owned(),
            channel: "c".to_owned(),
            kind: kind.as_str().to_owned(),
            subject: "s".to_owned(),
            text: text.to_owned(),
            html: None,
            data: None,
        }
    }

    #[test]
    fn a_report_loses_its_markdown_and_an_alert_is_unchanged() {
        for (markdown, plain) in [
            ("# Daily 2026-11-20", "Daily 2026-11-20"),
            ("1. **Acme &amp; Sons** (volume): 5 \\* more\\.", "1. Acme & Sons (volume): 5 * more."),
            ("- [words\\] of &#64;a](<https://a.example/x_(y)>) · 3", "- words] of @a (https://a.example/x_(y)) · 3"),
            ("> &lt;b&gt; and http:\u{2060}//evil", "<b> and http:\u{2060}//evil"),
            (">", ""),
            ("[1] and [a](<https://a.example>) [2]", "[1] and a (https://a.example) [2]"),
            ("[1](<https://a.example/1>)[2](<https://b.example/2>)", "1 (https://a.example/1) 2 (https://b.example/2)"),
            (
                "\\([a](<https://a.example/x>)\\), **[b](<https://a.example/y>)**\\. [c](<https://a.example/z>)'s",
                "(a (https://a.example/x)), b (https://a.example/y). c (https://a.example/z) 's",
            ),
            ("[a](<https://a.example/x)y>)", "a (https://a.example/x%29y)"),
            ("#tag and # no heading", "#tag and # no heading"),
            ("key `post:x_1` & `open", "key post:x_1 & `open"),
            ("&amp;lt; stays \\\\ one", "&lt; stays \\ one"),
            ("```sql\nSELECT '\\*' -- # x\n```\nend", "SELECT '\\*' -- # x\nend"),
        ] {
            assert_eq!(words(&message(JobKind::Report, markdown)), format!("{plain}\n"), "{markdown}");
            assert_eq!(words(&message(JobKind::Alert, markdown)), markdown);
        }
    }

    #[test]
    fn foreign_text_is_escaped_for_discord() {
        for (text, safe) in [
            ("a [link](https://evil.example) *b* <@42>", "a \\[link\\]\\(https://evil.example\\) \\*b\\* \\<@42\\>"),
            ("    https://a.example/b_c?d=(e)\n", "    https://a.example/b_c?d=%28e%29\n"),
            ("https://a.example/p#part", "https://a.example/p#part"),
            ("https://a.example/ [b](c)", "https://a.example/ \\[b\\]\\(c\\)"),
            ("  - # x || y ||", "  - \\# x \\|\\| y \\|\\|"),
        ] {
            assert_eq!(escape_for_discord(text), safe, "{text}");
        }
        let report = "> &lt;&#64;42&gt; &amp;lt;\n>\n> [a](<https://a.example>)\n";
        let linked = "[a &amp; b](<https://a.example/x_(y)?a=1&amp;b=&gt;>) &lt;c&gt;";
        let expected = "[a & b](<https://a.example/x_%28y%29?a=1&amp;b=&gt;>) \\<c\\>";
        assert_eq!(convert_for_discord(linked), expected);
        assert_eq!(convert_for_discord(report), "> \\<@42\\> &lt;\n> \n> [a](<https://a.example>)\n");
    }
}
