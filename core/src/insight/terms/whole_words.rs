//! Completes the words of scripts without spaces that `chains` joined, so that they end where words do.

use super::chains::{LONGEST, is_chain, is_hiragana};
use super::meaning::{EXPLAINS, real};
use super::news::NewsTerm;
use super::rises::TermItem;

/// Makes joined words end where words do: the rest of a word of the query that a term begins with is removed, and endings
/// whose pairs are not counted are added. `own` recognises the words of the query.
pub fn complete_words(terms: &mut [NewsTerm], items: &[TermItem], own: &dyn Fn(&str) -> bool) {
    for term in terms.iter_mut().filter(|term| is_chain(&term.term)) {
        let texts = term.places.iter().filter_map(|place| items.get(*place));
        let runs: Vec<&str> = texts
            .filter_map(|item| item.runs.iter().find(|run| run.contains(&term.term)).map(String::as_str))
            .collect();
        term.term = completed(&term.term, &runs, own);
    }
}

fn completed(term: &str, runs: &[&str], own: &dyn Fn(&str) -> bool) -> String {
    let mut text: Vec<char> = term.chars().collect();
    let before = |text: &[char]| adjacent_letter(text, runs, |run, at, _| run.get(..at)?.chars().next_back());
    let after = |text: &[char]| adjacent_letter(text, runs, |run, at, len| run.get(at + len..)?.chars().next());
    let pair = |a: char, b: char| format!("{a}{b}");
    // 地震で新幹線: where 地震 is the query, the pairs 震で, で新 … are left.
    while let (Some(first), Some(other)) = (text.first().copied(), before(&text))
        && own(&pair(other, first))
    {
        text.remove(0);
        while text.len() > 1 && text.first().is_some_and(|c| is_hiragana(*c)) && !text.iter().all(|c| is_hiragana(*c)) {
            text.remove(0);
        }
    }
    while text.len() < LONGEST
        && let (Some(last), Some(next)) = (text.last().copied(), after(&text))
        && (is_hiragana(last) && is_hiragana(next) || is_southeast_asian(next))
        && !own(&pair(last, next))
    {
        text.push(next);
    }
    while text.len() < LONGEST
        && let (Some(first), Some(other)) = (text.first().copied(), before(&text))
        && is_southeast_asian(other)
        && !own(&pair(other, first))
    {
        text.insert(0, other);
    }
    if text.len() < 2 { term.to_owned() } else { text.into_iter().collect() }
}

/// The letter that stands beside a text in most runs; `None` if there is no such letter.
fn adjacent_letter(text: &[char], runs: &[&str], letter: impl Fn(&str, usize, usize) -> Option<char>) -> Option<char> {
    let text: String = text.iter().collect();
    let found: Vec<Option<char>> =
        runs.iter().filter_map(|run| Some(letter(run, run.find(&text)?, text.len()))).collect();
    let one = found.iter().flatten().max_by_key(|one| found.iter().filter(|other| **other == Some(**one)).count())?;
    let many = found.iter().filter(|other| **other == Some(*one)).count();
    (real(many) >= EXPLAINS * real(found.len())).then_some(*one)
}

/// Thai, Lao, Myanmar and Khmer.
fn is_southeast_asian(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

#[cfg(test)]
mod tests {
    use super::completed;

    #[test]
    fn a_joined_word_ends_where_words_do() {
        let own = |term: &str| term == "地震";
        let complete = |term: &str, runs: &[&str]| completed(term, runs, &own);
        let train = ["地震で新幹線が脱線した", "昨夜の地震で新幹線が脱線した"];
        assert_eq!(complete("震で新幹線が脱線し", &train), "新幹線が脱線した");
        // Different endings, and letters of the query that do not touch the word, change nothing.
        assert_eq!(
            complete("新幹線が脱線し", &["新幹線が脱線した", "新幹線が脱線して", "新幹線が脱線しない"]),
            "新幹線が脱線し"
        );
        assert_eq!(complete("台風", &["台風が地震", "大台風の", "台風"]), "台風");
        assert_eq!(complete("แต", &["เขื่อนแตก", "เขื่อนแตกแล้ว"]), "เขื่อนแตก");
        // All of it belongs to the query: it stays as it is.
        assert_eq!(complete("震で", &["地震で"]), "震で");
    }
}
