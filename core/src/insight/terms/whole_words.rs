//! Completes the words of scripts without spaces that `chains` joined, so that they end where words do.

use std::collections::BTreeSet;

use super::chains::{LONGEST, is_chain, is_hiragana, places_with, voices, without_particles};
use super::meaning::{EXPLAINS, shared, to_f64};
use super::news::NewsTerm;
use super::rises::{LEAST_VOICES, TermItem};

/// A letter that is next to a term in this part of its texts belongs to the same word, if both are of a kind.
const SAME_WORD: f64 = 0.9;

/// Makes joined words end where words do. It removes parts of query words at the ends of a term, and the term if
/// nothing else is left. It adds endings whose pairs are not counted, and letters that are nearly always there, for
/// example where two known words meet in a new one. It removes terms that become equal to another term, or to another
/// term with its neighbours. `own` recognises the words of the query.
pub fn complete_words(terms: &mut Vec<NewsTerm>, items: &[TermItem], own: &dyn Fn(&str) -> bool) {
    let mut kept: Vec<(NewsTerm, bool)> = terms.drain(..).filter_map(|term| complete(term, items, own)).collect();
    let mut at = 0;
    while let Some((one, changed)) = kept.get(at) {
        let mut others = kept.iter().enumerate().filter(|(place, _)| *place != at);
        if others.any(|(place, (other, _))| *changed && repeats(one, other, place < at)) {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    terms.extend(kept.into_iter().map(|(term, _)| term).filter(|term| known.insert(term.term.clone())));
}

/// Returns a term with its word completed and the items counted that contain it, and whether anything changed; `None`
/// if all of it belongs to a word of the query.
fn complete(term: NewsTerm, items: &[TermItem], own: &dyn Fn(&str) -> bool) -> Option<(NewsTerm, bool)> {
    if !is_chain(&term.term) {
        return Some((term, false));
    }
    let texts = term.places.iter().filter_map(|place| items.get(*place));
    let runs: Vec<&str> =
        texts.filter_map(|item| item.runs.iter().find(|run| run.contains(&term.term)).map(String::as_str)).collect();
    let whole = completed(&term.term, &runs, own)?;
    let places = places_with(&whole, &term.places, items);
    if whole == term.term || voices(&places, items) < LEAST_VOICES {
        return Some((term, false));
    }
    match term.clone().counted_at(places, items) {
        Some(counted) => Some((NewsTerm { term: whole, ..counted }, true)),
        None => Some((term, false)),
    }
}

/// Whether a completed term adds nothing to another: one contains the other, and most of its items are the other's. If
/// neither of two terms adds anything to the other, the first stays.
fn repeats(one: &NewsTerm, other: &NewsTerm, comes_first: bool) -> bool {
    let both = to_f64(shared(&one.places, &other.places));
    let mostly = |term: &NewsTerm| both >= EXPLAINS * to_f64(term.places.len());
    (one.term.contains(&other.term) || other.term.contains(&one.term)) && mostly(one) && (comes_first || !mostly(other))
}

fn completed(term: &str, runs: &[&str], own: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut text: Vec<char> = term.chars().collect();
    let before = |text: &[char]| adjacent_letter(text, runs, |run, at, _| run.get(..at)?.chars().next_back());
    let after = |text: &[char]| adjacent_letter(text, runs, |run, at, len| run.get(at + len..)?.chars().next());
    let letters = text.len();
    let pair = |a: char, b: char| format!("{a}{b}");
    // 地震で新幹線: where 地震 is the query, the pairs 震で, で新 … are left.
    while let (Some(first), Some((other, _))) = (text.first().copied(), before(&text))
        && own(&pair(other, first))
    {
        text.remove(0);
        while text.len() > 1 && text.first().is_some_and(|c| is_hiragana(*c)) && !text.iter().all(|c| is_hiragana(*c)) {
            text.remove(0);
        }
    }
    let stripped = text.len() < letters;
    let letters = text.len();
    // 新型ス, where スマホ is the query.
    while let (Some(last), Some((next, _))) = (text.last().copied(), after(&text))
        && own(&pair(last, next))
    {
        text.pop();
    }
    let cut = text.len() < letters;
    if cut {
        text = without_particles(&text.iter().collect::<String>()).chars().collect();
    }
    if text.len() < 2 {
        return None;
    }
    while text.len() < LONGEST
        && !cut
        && let (Some(last), Some((next, part))) = (text.last().copied(), after(&text))
        && (is_hiragana(last) && is_hiragana(next) || continues(last, next, part))
        && !own(&pair(last, next))
    {
        text.push(next);
    }
    while text.len() < LONGEST
        && !stripped
        && let (Some(first), Some((other, part))) = (text.first().copied(), before(&text))
        && continues(first, other, part)
        && !own(&pair(other, first))
    {
        text.insert(0, other);
    }
    Some(text.into_iter().collect())
}

/// Whether a letter next to another in this part of the texts belongs to the same word.
fn continues(letter: char, neighbour: char, part: f64) -> bool {
    let alike = |is_kind: fn(char) -> bool| is_kind(letter) && is_kind(neighbour);
    is_southeast_asian(neighbour) || part >= SAME_WORD && (alike(is_han) || alike(is_katakana) || alike(is_hangul))
}

/// The letter that is next to a text in most runs, and in which part of them; `None` if there is no such letter.
fn adjacent_letter(
    text: &[char],
    runs: &[&str],
    letter: impl Fn(&str, usize, usize) -> Option<char>,
) -> Option<(char, f64)> {
    let text: String = text.iter().collect();
    let found: Vec<char> = runs.iter().filter_map(|run| letter(run, run.find(&text)?, text.len())).collect();
    let count = |one: char| found.iter().filter(|other| **other == one).count();
    let one = found.iter().copied().max_by_key(|one| (count(*one), std::cmp::Reverse(*one)))?;
    let part = to_f64(count(one)) / to_f64(runs.len());
    (part >= EXPLAINS).then_some((one, part))
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30A1}'..='\u{30FA}' | '\u{30FC}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}')
}

/// Thai, Lao, Myanmar and Khmer.
fn is_southeast_asian(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

#[cfg(test)]
mod tests {
    use super::completed;

    #[test]
    fn a_joined_word_ends_at_a_word_boundary() {
        let own = |term: &str| term == "地震";
        let complete = |term: &str, runs: &[&str]| completed(term, runs, &own).unwrap_or_default();
        let train = ["地震で新幹線が脱線した", "昨夜の地震で新幹線が脱線した"];
        assert_eq!(complete("震で新幹線が脱線し", &train), "新幹線が脱線した");
        // Different endings, and letters of the query that do not touch the word, change nothing.
        assert_eq!(
            complete("新幹線が脱線し", &["新幹線が脱線した", "新幹線が脱線して", "新幹線が脱線しない"]),
            "新幹線が脱線し"
        );
        assert_eq!(complete("台風", &["台風が地震", "大台風の", "台風"]), "台風");
        assert_eq!(complete("แต", &["เขื่อนแตก", "เขื่อนแตกแล้ว"]), "เขื่อนแตก");
        assert_eq!(complete("余震地", &["余震地震の", "余震地震が"]), "余震");
        assert_eq!(complete("余震の地", &["余震の地震", "余震の地震が"]), "余震");
        // All of it belongs to the query.
        assert_eq!(complete("震で", &["地震で"]), "");
    }
}
