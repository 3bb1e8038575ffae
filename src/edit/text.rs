//! Line functions on a text. Byte offsets must lie between characters.

/// Returns the line end of a text, taken from its first line.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns a block with these line ends, including on its last line.
pub(super) fn with_ends(block: &str, end: &str) -> String {
    block.trim_end().lines().flat_map(|line| [line, end]).collect()
}

/// Returns the line number of an offset, from 1.
pub(super) fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// Returns the blanks at the start of an offset's line.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let line = text.get(line_start(text, at)..).unwrap_or_default();
    let rest = line.trim_start_matches([' ', '\t']);
    line.strip_suffix(rest).unwrap_or_default()
}

/// Returns the offset after the line's end.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}

/// Returns where the lines above an offset begin, as long as `is` accepts them.
fn above(text: &str, mut at: usize, is: impl Fn(&str) -> bool) -> usize {
    while at > 0 {
        let start = line_start(text, at - 1);
        if !text.get(start..at).is_some_and(&is) {
            break;
        }
        at = start;
    }
    at
}

/// Returns where the lines below an offset end, as long as `is` accepts them.
fn below(text: &str, mut at: usize, is: impl Fn(&str) -> bool) -> usize {
    while at < text.len() {
        let end = line_end(text, at);
        if !text.get(at..end).is_some_and(&is) {
            break;
        }
        at = end;
    }
    at
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Returns where the comment right above begins; a comment that follows other lines may belong to them.
pub(super) fn comment_above(text: &str, at: usize) -> usize {
    let start = above(text, at, is_comment);
    let alone = start == 0 || text.get(line_start(text, start - 1)..start).is_some_and(is_blank);
    if alone { start } else { at }
}

pub(super) fn blanks_above(text: &str, at: usize) -> usize {
    above(text, at, is_blank)
}

pub(super) fn blanks_below(text: &str, at: usize) -> usize {
    below(text, at, is_blank)
}

/// Returns where the comment right below ends; a comment that touches other lines below belongs to those.
pub(super) fn comment_below(text: &str, at: usize) -> usize {
    let end = below(text, at, is_comment);
    let alone = end == text.len() || text.get(end..line_end(text, end)).is_some_and(is_blank);
    if alone { end } else { at }
}
