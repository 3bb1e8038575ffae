//! Decides whether a text that is not JSON can be an answer in plain words: neither broken JSON nor binary data. Pages
//! and streams are recognised earlier.

use super::context::Limits;
use super::json::lenient;

/// The maximum length of the label of a link or a note, in characters.
const MAX_LABEL_CHARS: usize = 200;

/// Whether a text was meant as JSON: it begins with a bracket, or it is JSON with comment lines. A link or a note in
/// Markdown is the only prose that begins with a bracket: `[Source](https://a.example)`, `[1] As reported`.
pub(super) fn looks_like_json(text: &str, limits: Limits) -> bool {
    match text.as_bytes().first() {
        Some(b'{') => true,
        Some(b'[') => !is_markdown_mark(text),
        _ => is_commented_json(text, limits),
    }
}

/// Whether a text begins like `[label](…` or `[label] Word`.
fn is_markdown_mark(text: &str) -> bool {
    let Some((label, after)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return false };
    let is_label = !label.trim().is_empty()
        && label.chars().nth(MAX_LABEL_CHARS).is_none()
        && !label.contains(['[', '{', '"', '\n', '\r']);
    let goes_on = after.strip_prefix(' ').is_some_and(|words| words.starts_with(char::is_alphabetic));
    is_label && (after.starts_with('(') || goes_on)
}

/// Whether a text that begins with a comment (`#`, `//`) is JSON without its comment lines, as a whole or one value per
/// line.
fn is_commented_json(text: &str, limits: Limits) -> bool {
    if !text.starts_with(['#', '/']) {
        return false;
    }
    let is_content = |line: &&str| !(line.is_empty() || line.starts_with('#') || line.starts_with("//"));
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(is_content).collect();
    let opens = |text: &str| text.starts_with(['{', '[']);
    let is_json = |text: &str| opens(text) && lenient::parse(text, limits).is_ok();
    lines.first().is_some_and(|first| opens(first))
        && (lines.iter().all(|line| is_json(line)) || is_json(&lines.join("\n")))
}

/// Whether more than one character in ten is invalid: a compressed body or another encoding, not an answer.
pub(super) fn is_binary(text: &str) -> bool {
    let (mut bad, mut all) = (0_usize, 0_usize);
    for c in text.chars() {
        all += 1;
        bad += usize::from(c == '\u{fffd}' || (c.is_control() && !c.is_whitespace()));
    }
    bad * 10 > all
}
