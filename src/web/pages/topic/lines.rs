//! The lines of a topic as pages show and copy them. The address of its pings is a secret, and stays in the file.

use crate::edit::{EditError, Jobs, KeyValue, Kind, mask_key, replace_comments};

/// Shown instead of a secret address.
const HIDDEN: &str = "(hidden)";

/// The keys of pings.
const PINGS: [&str; 3] = ["ping", "ping_env", "ping_allow_private"];

/// A table as pages show it, with the address of its pings hidden. If the address cannot be found, nothing is shown.
pub(in crate::web::pages) fn mask_ping(block: &str) -> String {
    let masked = mask_key(Kind::Topic, block, "ping", &KeyValue::Text(HIDDEN.to_owned()));
    masked.unwrap_or_else(|refused| format!("# Not shown: {}.\n", refused.message.lines().next().unwrap_or_default()))
}

/// The same for visitors who may edit the file or not. A comment may hold an old address of pings, so visitors who
/// may not edit see no comment that could.
pub(super) fn visible_lines(block: &str, edits: bool) -> String {
    let masked = mask_ping(block);
    if edits { masked } else { replace_comments(&masked, "# (hidden)", is_secret) }
}

/// Whether a comment could hold an address.
fn is_secret(comment: &str) -> bool {
    let is_address = |word: &str| {
        word.contains("://") || word.contains('@') || word.split_once('/').is_some_and(|(host, _)| host.contains('.'))
    };
    comment.to_lowercase().contains("ping") || comment.split_whitespace().any(is_address)
}

/// A table for a copy of its topic. Two topics that ping one address would hide each other's silence, so the keys of
/// pings are left out, unless the address names the topic. Also returns whether some were left out.
pub(super) fn prepare_copy(block: &str) -> Result<(String, bool), EditError> {
    let jobs = Jobs::read(block)?;
    let Some(entry) = jobs.entries(Kind::Topic).next() else { return Ok((block.to_owned(), false)) };
    let of_its_own =
        |key: &str| matches!(jobs.value_and_source(entry, key), Some((KeyValue::Text(url), _)) if url.contains("{id}"));
    let is_given = |key: &&&str| jobs.value_and_source(entry, key).is_some();
    if of_its_own("ping") || !["ping", "ping_env"].iter().any(|key| is_given(&key)) {
        return Ok((block.to_owned(), false));
    }
    let mut edited = block.to_owned();
    for key in PINGS.iter().filter(is_given) {
        edited = Jobs::read(&edited)?.set(Kind::Topic, &entry.name, key, None)?;
    }
    Ok((edited, true))
}

/// A table that was shown and then edited, with the secret of the one in the file put back.
pub(super) fn restore_ping(block: &str, stored: &str) -> String {
    let restored = || {
        let (old, new) = (Jobs::read(stored).ok()?, Jobs::read(block).ok()?);
        let (was, is) = (old.entries(Kind::Topic).next()?, new.entries(Kind::Topic).next()?);
        if *new.value_and_source(is, "ping")?.0 != KeyValue::Text(HIDDEN.to_owned()) {
            return None;
        }
        new.set(Kind::Topic, &is.name, "ping", Some(old.value_and_source(was, "ping")?.0)).ok()
    };
    restored().unwrap_or_else(|| block.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    const BLOCK: &str = "[[topics]]\nid = \"a\" # stays\nquery = 'x' # too\nping = \"https://ping.example/secret\"\nweb.limit = 7\npaused = true\nmax_calls_per_day = 5\n";

    #[test]
    fn the_ping_url_is_hidden_and_kept_on_save() {
        let masked = mask_ping(BLOCK);
        assert!(!masked.contains("secret") && masked.contains("id = \"a\" # stays"), "{masked}");
        assert_eq!(restore_ping(&masked, BLOCK), BLOCK);
        let other = BLOCK.replace("secret", "other");
        assert_eq!(restore_ping(&other, BLOCK), other);
        for (block, is_shown) in [
            (BLOCK.replace("\"https://ping.example/secret\"", "{ url = 'secret' }"), true),
            (format!("{BLOCK}[topics.x]\ny = 1\n"), true),
            (BLOCK.replace("ping = ", "ping.url = "), true),
            (format!("{BLOCK}[[channels]]\nurl = 'secret'\n"), false),
            (format!("{BLOCK}broken = \n"), false),
        ] {
            let text = mask_ping(&block);
            assert!(!text.contains("secret") && text.contains("id = \"a\"") == is_shown, "{block}\n{text}");
        }
        let noted =
            format!("{BLOCK}# ping = 'secret'\nlang = [\"en\"] # was https://hc.example/secret\n# hc.example/secret\n");
        assert_eq!(visible_lines(&noted, true), mask_ping(&noted));
        let text = visible_lines(&noted, false);
        assert!(
            !text.contains("secret") && text.contains("# stays") && text.contains("lang = [\"en\"] # (hidden)"),
            "{text}"
        );
    }
}
