//! Lines of a text, by byte offsets that lie between characters.

/// How its lines end: as its first one does.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// A block with these line ends, the last line's included.
pub(super) fn with_ends(block: &str, end: &str) -> String {
    block.trim_end().lines().flat_map(|line| [line, end]).collect()
}

/// The line of an offset, from 1.
pub(super) fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

/// After the line's end.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}

/// Where the lines above an offset begin for as long as each is what `is` says.
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

/// Where the lines below an offset end for as long as each is what `is` says.
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

/// Where the comment begins that stands right above; one that follows other lines may be theirs.
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

/// Where the comment ends that stands right below.
pub(super) fn comment_below(text: &str, at: usize) -> usize {
    below(text, at, is_comment)
}
