//! "Did you mean": finds the nearest of a list of known words by edit distance. Also lists names of later versions.

/// Names of later versions, refused with a message of their own.
pub(super) const LATER: [&str; 3] = ["budget", "notify", "sentiment"];

/// Returns the edit distance with transpositions (optimal string alignment), or `None` above `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|d| *d <= most)
}

/// Returns the known word nearest to `word`, if one is near enough. Words that are much longer than any known one are
/// not compared.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let most = (word.chars().take(64).count() / 3).clamp(1, 3);
    let folded = word.to_lowercase().replace('-', "_");
    known
        .into_iter()
        .filter_map(|candidate| {
            let plain = candidate.to_lowercase().replace('-', "_");
            distance(&folded, &plain, most).map(|d| (d, candidate))
        })
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Returns `did you mean `x`?`, or the given text.
pub(super) fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
    nearest(word, known).map_or_else(|| otherwise.to_owned(), |meant| format!("did you mean `{meant}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_far_ones_are_not() {
        let known = ["web.limit", "social.limit", "timezone", "PAST_24_HOURS"];
        for (word, meant) in [
            ("web.limt", Some("web.limit")),
            ("time_zone", Some("timezone")),
            ("tiemzone", Some("timezone")),
            ("past-24-hours", Some("PAST_24_HOURS")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
