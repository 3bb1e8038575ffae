//! Words of scripts without spaces, joined again from the pairs of letters that are counted.

use super::meaning::{EXPLAINS, Meaning, real, shared};
use super::news::NewsTerm;
use super::rises::{Rise, TermItem};
use crate::model::TermKind;

/// The most letters that pairs are joined to.
const LONGEST: usize = 12;

/// Whether a term is letters of a script without spaces: a pair, or a word joined from pairs.
pub(super) fn is_chain(term: &str) -> bool {
    term.chars()
        .all(|c| c >= '\u{0E00}' && c.is_alphanumeric() || c >= '\u{0E00}' && !c.is_whitespace() && c < '\u{FF00}')
        && TermKind::of(term) == TermKind::Word
}

/// Whether the texts with two terms contain this longer one. Pairs may overlap by chance; they are one word only if it
/// is written so.
fn is_written(text: &str, one: &Rise<'_>, other: &Rise<'_>, items: &[TermItem]) -> bool {
    let both: Vec<&usize> = one.items.iter().filter(|place| other.items.binary_search(place).is_ok()).collect();
    let holds =
        |place: &&&usize| items.get(***place).is_some_and(|item| item.runs.iter().any(|run| run.contains(text)));
    real(both.iter().filter(holds).count()) >= EXPLAINS * real(both.len())
}

/// Returns the word that two terms are pieces of; one of them alone if the other adds nothing to it.
pub(super) fn joined(one: &Meaning<'_>, other: &Meaning<'_>, items: &[TermItem]) -> Option<String> {
    let both = real(shared(&one.rise.items, &other.rise.items));
    let most = |meaning: &Meaning<'_>| both >= EXPLAINS * real(meaning.rise.items.len());
    let (of_one, of_other) = (most(one), most(other));
    if !is_chain(&one.text) || !is_chain(&other.text) || !of_one && !of_other {
        return None;
    }
    if one.text.contains(&other.text) || other.text.contains(&one.text) {
        let longer = if one.text.len() < other.text.len() { other } else { one };
        return (of_one && of_other).then(|| longer.text.clone());
    }
    let mut longer = overlapped(&one.text, &other.text).into_iter();
    let text = longer.find(|text| is_written(text, one.rise, other.rise, items))?;
    // A piece that few of a word's texts contain is the end of the word with what follows it there. The word stays.
    Some(match (of_one, of_other) {
        (true, true) => text,
        (true, false) => other.text.clone(),
        _ => one.text.clone(),
    })
}

/// Joins the pieces of longer words: pairs arrive in the order of their z, so a word may have begun in two places.
pub(super) fn join_chains(found: &mut Vec<Meaning<'_>>, items: &[TermItem]) {
    let mut at = 0;
    while at < found.len() {
        let next = found.iter().enumerate().skip(at + 1).find_map(|(place, other)| {
            let text = joined(found.get(at)?, other, items)?;
            Some((place, text))
        });
        let Some((place, text)) = next else {
            at += 1;
            continue;
        };
        let other = found.remove(place);
        if let Some(one) = found.get_mut(at) {
            one.absorb(&other, text);
        }
        // The longer word may join pieces that were passed.
        at = 0;
    }
}

/// The texts that two chains form where the end of one is the beginning of the other, the longest overlap first.
fn overlapped(one: &str, other: &str) -> Vec<String> {
    let mut longer = Vec::new();
    for (begin, end) in [(one, other), (other, one)] {
        for (at, _) in begin.char_indices().skip(1) {
            let (_, overlap) = begin.split_at(at);
            if let Some(rest) = end.strip_prefix(overlap)
                && begin.chars().count() + rest.chars().count() <= LONGEST
            {
                longer.push(format!("{begin}{rest}"));
            }
        }
    }
    longer
}

/// Whether a term is at most two hiragana: function words and endings. Longer ones may be words.
pub(super) fn is_short_hiragana(term: &str) -> bool {
    term.chars().count() <= 2 && term.chars().all(is_hiragana)
}

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
    let before = |text: &[char]| beside(text, runs, |run, at, _| run.get(..at)?.chars().next_back());
    let after = |text: &[char]| beside(text, runs, |run, at, len| run.get(at + len..)?.chars().next());
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
fn beside(text: &[char], runs: &[&str], letter: impl Fn(&str, usize, usize) -> Option<char>) -> Option<char> {
    let text: String = text.iter().collect();
    let found: Vec<Option<char>> =
        runs.iter().filter_map(|run| Some(letter(run, run.find(&text)?, text.len()))).collect();
    let one = found.iter().flatten().max_by_key(|one| found.iter().filter(|other| **other == Some(**one)).count())?;
    let many = found.iter().filter(|other| **other == Some(*one)).count();
    (real(many) >= EXPLAINS * real(found.len())).then_some(*one)
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309F}')
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
        let told = |term: &str, runs: &[&str]| completed(term, runs, &own);
        let train = ["地震で新幹線が脱線した", "昨夜の地震で新幹線が脱線した"];
        assert_eq!(told("震で新幹線が脱線し", &train), "新幹線が脱線した");
        // Different endings, and letters of the query that do not touch the word, change nothing.
        assert_eq!(
            told("新幹線が脱線し", &["新幹線が脱線した", "新幹線が脱線して", "新幹線が脱線しない"]),
            "新幹線が脱線し"
        );
        assert_eq!(told("台風", &["台風が地震", "大台風の", "台風"]), "台風");
        assert_eq!(told("แต", &["เขื่อนแตก", "เขื่อนแตกแล้ว"]), "เขื่อนแตก");
        // All of it belongs to the query: it stays as it is.
        assert_eq!(told("震で", &["地震で"]), "震で");
    }
}
