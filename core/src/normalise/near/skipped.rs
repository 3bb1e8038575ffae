//! What a copy may have or lack as a whole: addresses, names of people that are spoken to, escaped characters, and emoji
//! that begin with a digit. Each is told by how long it is where it begins.

/// Most characters of a host.
const LONGEST_HOST: usize = 253;

/// Makes a key of a telephone of the character before it.
const KEYCAP: char = '\u{20E3}';

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Length of the address that begins here, also of one that was cut off.
pub(super) fn address(rest: &str, before: Option<char>) -> Option<usize> {
    let begins = ["http:", "https:", "www."].iter().any(|scheme| rest.starts_with(scheme))
        || (!before.is_some_and(is_word) && begins_with_host(rest));
    // In scripts without spaces an address ends where ASCII does.
    begins.then(|| rest.find(|c: char| c.is_whitespace() || !c.is_ascii()).unwrap_or(rest.len()))
}

/// Whether a host and a path begin here, as in `bit.ly/2x`. A host alone is a word: that `booking.com` raises its prices
/// is not what `hotels.com` does.
fn begins_with_host(rest: &str) -> bool {
    if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return false;
    }
    let ends = |b: u8| !b.is_ascii_alphanumeric() && b != b'.' && b != b'-';
    let Some(end) = rest.bytes().take(LONGEST_HOST + 1).position(ends) else { return false };
    let Some((host, path)) = rest.split_at_checked(end) else { return false };
    let Some((labels, top)) = host.rsplit_once('.').filter(|_| path.starts_with('/')) else { return false };
    // `1.5/2` and `p.m./a.m.` are none.
    top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic()) && labels.split('.').all(|label| !label.is_empty())
}

/// Length of the key of a telephone that begins here: an emoji, although it begins with a digit.
pub(super) fn keycap(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix(|c: char| c.is_ascii_digit() || matches!(c, '#' | '*'))?;
    after.starts_with(KEYCAP).then_some(1 + KEYCAP.len_utf8())
}

/// Length of the name of a person that begins here.
pub(super) fn name(rest: &str, before: Option<char>) -> Option<usize> {
    let after = rest.strip_prefix('@').filter(|_| {
        // `rt@name` is one; `someone@example.com` is none.
        !before.is_some_and(is_word) || before == Some('t')
    })?;
    let length = after.find(|c: char| !is_word(c)).unwrap_or(after.len());
    (length > 0).then_some(length + 1)
}

/// Length of the escaped character that begins here.
pub(super) fn entity(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('&')?;
    let length = after.find(|c: char| !is_word(c) && c != '#').filter(|at| (2..=8).contains(at))?;
    after.get(length..)?.starts_with(';').then_some(length + 2)
}
