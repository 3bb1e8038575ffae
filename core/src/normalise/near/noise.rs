//! Detects text that a copy may add or drop: URLs, mentions, HTML entities, and keycap emoji. Each function returns the
//! length of the match at the start of `rest`.

/// The most characters of a host.
const LONGEST_HOST: usize = 253;

/// Combines with the character before it into a keycap emoji.
const KEYCAP: char = '\u{20E3}';

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Length of a URL, also of a truncated one.
pub(super) fn address(rest: &str, before: Option<char>) -> Option<usize> {
    let begins = ["http:", "https:", "www."].iter().any(|scheme| rest.starts_with(scheme))
        || (!before.is_some_and(is_word) && begins_with_host(rest));
    // In scripts without spaces a URL ends where ASCII ends.
    begins.then(|| rest.find(|c: char| c.is_whitespace() || !c.is_ascii()).unwrap_or(rest.len()))
}

/// Whether the text starts with a host and a path, as in `bit.ly/2x`. A host alone is a word: `booking.com` raising
/// prices is other news than `hotels.com` doing so.
fn begins_with_host(rest: &str) -> bool {
    if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return false;
    }
    let ends = |b: u8| !b.is_ascii_alphanumeric() && b != b'.' && b != b'-';
    let Some(end) = rest.bytes().take(LONGEST_HOST + 1).position(ends) else { return false };
    let Some((host, path)) = rest.split_at_checked(end) else { return false };
    let Some((labels, top)) = host.rsplit_once('.').filter(|_| path.starts_with('/')) else { return false };
    // Excludes `1.5/2` and `p.m./a.m.`.
    top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic()) && labels.split('.').all(|label| !label.is_empty())
}

/// Length of a keycap: an emoji, although it starts with a digit.
pub(super) fn keycap(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix(|c: char| c.is_ascii_digit() || matches!(c, '#' | '*'))?;
    after.starts_with(KEYCAP).then_some(1 + KEYCAP.len_utf8())
}

/// Length of a mention.
pub(super) fn name(rest: &str, before: Option<char>) -> Option<usize> {
    let after = rest.strip_prefix('@').filter(|_| {
        // `rt@name` is a mention; `someone@example.com` is not.
        !before.is_some_and(is_word) || before == Some('t')
    })?;
    let length = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
    (length > 0).then_some(length + 1)
}

/// Length of an HTML entity.
pub(super) fn entity(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('&')?;
    let length = after.find(|c: char| !is_word(c) && c != '#').filter(|at| (2..=8).contains(at))?;
    after.get(length..)?.starts_with(';').then_some(length + 2)
}
