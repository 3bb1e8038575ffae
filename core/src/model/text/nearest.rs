//! Finds the known words that were probably meant. Only for hints; nothing is corrected silently.

/// No more of a word than this is compared.
const MOST_CHARS: usize = 64;

/// Returns the known words nearest to `wrong`: all equally near ones in the order of `known`, at most `max`. The
/// distance is the number of letters to add, drop, replace or swap with their neighbour (optimal string alignment).
/// Words that differ in more than a third of the letters, or in more than three, are not returned. Ignores case, and
/// treats `-` as `_`.
#[must_use]
pub fn nearest<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>, max: usize) -> Vec<&'k str> {
    let wrong = fold(wrong);
    let letters = wrong.chars().count();
    let near = known.into_iter().filter_map(|word| {
        let folded = fold(word);
        let others = folded.chars().count();
        let limit = (letters.max(others) / 3).clamp(1, 3);
        if letters.abs_diff(others) > limit {
            return None;
        }
        let distance = strsim::osa_distance(&wrong, &folded);
        // Two words of one letter each have nothing in common.
        (distance <= limit && distance < letters.max(others)).then_some((distance, word))
    });
    let near: Vec<(usize, &str)> = near.collect();
    let least = near.iter().map(|(distance, _)| *distance).min();
    near.into_iter().filter(|(distance, _)| Some(*distance) == least).map(|(_, word)| word).take(max).collect()
}

fn fold(word: &str) -> String {
    word.chars().take(MOST_CHARS).flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_near_a_known_word_and_other_words_are_not() {
        let words = ["Europe/Berlin", "Europe/Dublin", "Asia/Tokyo"];
        assert_eq!(nearest("europe/berlni", words, 1), ["Europe/Berlin"]);
        assert_eq!(nearest("Asia/Tokio", words, 3), ["Asia/Tokyo"]);
        for far in ["Mars/Phobos", "", &"Europe/Berlin".repeat(1_000)] {
            assert!(nearest(far, words, 3).is_empty(), "{far}");
        }
        let keys = ["web.limit", "social.limit", "timezone", "PAST_24_HOURS"];
        for (word, expected) in [
            ("web.limt", Some("web.limit")),
            ("time_zone", Some("timezone")),
            ("tiemzone", Some("timezone")),
            ("past-24-hours", Some("PAST_24_HOURS")),
            ("colour", None),
        ] {
            assert_eq!(nearest(word, keys, 1).first().copied(), expected, "{word}");
        }
        assert_eq!(nearest("cab", ["cat", "car", "dog"], 3), ["cat", "car"], "equally near ones, in their order");
        assert_eq!(nearest("cab", ["cat", "car", "dog"], 1), ["cat"]);
        assert!(nearest("b", ["a", "*"], 1).is_empty(), "another letter is another word");
        assert_eq!(nearest("hm", ["hn"], 1), ["hn"]);
    }
}
