//! Words of scripts without spaces, joined again from the pairs of letters that are counted.

use super::meaning::{EXPLAINS, Meaning, real, shared};
use super::rises::{Rise, TermItem};
use crate::model::TermKind;

/// The most letters that pairs are joined to.
const LONGEST: usize = 12;

/// Whether a term is two letters of a script without spaces, each with its combining marks.
pub(super) fn is_pair(term: &str) -> bool {
    is_chain(term) && term.chars().count() <= 4
}

pub(super) fn is_chain(term: &str) -> bool {
    term.chars()
        .all(|c| c >= '\u{0E00}' && c.is_alphanumeric() || c >= '\u{0E00}' && !c.is_whitespace() && c < '\u{FF00}')
        && TermKind::of(term) == TermKind::Word
}

/// The texts that a pair extends `text` to, at its end or its start.
pub(super) fn chained(text: &str, pair: &str) -> Vec<String> {
    let mut longer = Vec::new();
    for (at, _) in pair.char_indices().skip(1).filter(|_| text.chars().count() < LONGEST) {
        let (begin, end) = pair.split_at(at);
        if text.ends_with(begin) {
            longer.push(format!("{text}{end}"));
        }
        if text.starts_with(end) {
            longer.push(format!("{begin}{text}"));
        }
    }
    longer
}

/// Whether the texts with two terms contain this longer one. Pairs may overlap by chance; they are one word only if it
/// is written so.
pub(super) fn is_written(text: &str, one: &Rise<'_>, other: &Rise<'_>, items: &[TermItem]) -> bool {
    let both: Vec<&usize> = one.items.iter().filter(|place| other.items.binary_search(place).is_ok()).collect();
    let holds =
        |place: &&&usize| items.get(***place).is_some_and(|item| item.runs.iter().any(|run| run.contains(text)));
    real(both.iter().filter(holds).count()) >= EXPLAINS * real(both.len())
}

/// Joins the pieces of longer words: pairs arrive in the order of their z, so a word may have begun in two places.
pub(super) fn join_chains(found: &mut Vec<Meaning<'_>>, items: &[TermItem]) {
    let joined = |one: &Meaning<'_>, other: &Meaning<'_>| {
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
        // A piece of few of a word's texts is the end of the word and what follows it there.
        Some(match (of_one, of_other) {
            (true, true) => text,
            (true, false) => other.text.clone(),
            _ => one.text.clone(),
        })
    };
    let mut at = 0;
    while at < found.len() {
        let next = found.iter().enumerate().skip(at + 1).find_map(|(place, other)| {
            let text = joined(found.get(at)?, other)?;
            Some((place, text))
        });
        let Some((place, text)) = next else {
            at += 1;
            continue;
        };
        let other = found.remove(place);
        if let Some(one) = found.get_mut(at) {
            let whole = [&one.text, &other.text].into_iter().position(|part| *part == text);
            if whole.map_or(other.rise.z > one.rise.z, |part| part == 1) {
                one.rise = other.rise;
            }
            one.text = text;
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
    term.chars().count() <= 2 && term.chars().all(|c| matches!(c, '\u{3041}'..='\u{309F}'))
}
