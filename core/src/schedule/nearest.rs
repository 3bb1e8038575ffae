//! Finds the known word that was probably meant. Only for hints; nothing is corrected silently.

/// Returns the words nearest to `wrong`: all equally near ones, at most `max`. Words that differ in more than a third
/// of the letters are not returned. Ignores case.
pub(super) fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>, max: usize) -> Vec<&'a str> {
    let wrong: Vec<char> = wrong.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut found: Vec<(usize, &str)> = known
        .filter_map(|word| {
            let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
            let limit = (wrong.len().max(letters.len()) / 3).max(1);
            if wrong.len().abs_diff(letters.len()) > limit {
                return None;
            }
            let far = distance(&wrong, &letters);
            (far <= limit).then_some((far, word))
        })
        .collect();
    found.sort_unstable();
    let least = found.first().map_or(0, |(far, _)| *far);
    found.into_iter().take_while(|(far, _)| *far == least).map(|(_, word)| word).take(max).collect()
}

/// Returns the edit distance. An edit adds, drops or replaces a letter or swaps two neighbours (optimal string
/// alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &y) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && y == a[i - 1] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_near_and_other_words_are_not() {
        let words = ["Europe/Berlin", "Europe/Dublin", "Asia/Tokyo"];
        assert_eq!(nearest("europe/berlni", words.into_iter(), 1), ["Europe/Berlin"]);
        assert_eq!(nearest("Asia/Tokio", words.into_iter(), 3), ["Asia/Tokyo"]);
        assert!(nearest("Mars/Phobos", words.into_iter(), 3).is_empty());
        assert!(nearest("", words.into_iter(), 3).is_empty());
    }
}
