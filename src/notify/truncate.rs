//! Cuts texts to what a service accepts. Texts that are cut elsewhere, as in a terminal, have other rules.

use crate::model::whole_start;

/// The mark at the end of a text that was cut.
pub(super) const CUT: &str = "\n… (cut)";

/// A text of at most `most` units, with a mark if it was cut. `size` returns the units of a character.
pub(super) fn truncate(text: &str, most: usize, size: fn(char) -> usize) -> String {
    let all = |text: &str| text.chars().map(size).sum::<usize>();
    if all(text) <= most {
        return text.to_owned();
    }
    let kept = whole_start(text, most.saturating_sub(all(CUT)), size);
    let after = text.get(kept.len()..).unwrap_or_default();
    // A backslash at the end would escape the mark.
    format!("{}{CUT}", without_cut_address(kept, after).trim_end_matches('\\'))
}

/// The start of a text without the part of an address at its end, if the address goes on in `after`: it would lead
/// elsewhere.
pub(super) fn without_cut_address<'t>(kept: &'t str, after: &str) -> &'t str {
    let word = kept.rfind(char::is_whitespace).map_or(kept, |at| kept.get(at..).unwrap_or_default());
    let is_cut = word.contains("://") && after.starts_with(|c: char| !c.is_whitespace());
    if is_cut { kept.strip_suffix(word).unwrap_or(kept) } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_kept_whole_or_left_out() {
        let text = "a https://a.example/1\nb https://b.example/2 and more words that do not fit";
        for (most, expected) in [
            (51, format!("a https://a.example/1\nb https://b.example/2{CUT}")),
            (50, format!("a https://a.example/1\nb{CUT}")),
            (40, format!("a https://a.example/1\nb{CUT}")),
            (20, format!("a{CUT}")),
        ] {
            assert_eq!(truncate(text, most, |_| 1), expected, "{most}");
        }
        assert_eq!(truncate(&"https://a".repeat(9), 30, |_| 1), CUT);
    }

    #[test]
    fn a_flag_or_an_accent_is_kept_whole_or_left_out() {
        for (whole, room) in [("🇩🇪", 1), ("e\u{301}", 1), ("👩‍👩‍👧", 4)] {
            let text = format!("a{whole}{}", "b".repeat(20));
            let most = CUT.chars().count() + 1 + room;
            assert_eq!(truncate(&text, most, |_| 1), format!("a{CUT}"));
            assert_eq!(truncate(&text, most + 1, |_| 1), format!("a{whole}{CUT}"));
        }
    }
}
