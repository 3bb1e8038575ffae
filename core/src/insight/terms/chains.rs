//! Words of scripts without spaces, joined again from the pairs of letters that are counted.

use std::collections::BTreeSet;

use super::meaning::{EXPLAINS, Meaning, shared, to_f64};
use super::rises::{LEAST_VOICES, Rise, TermItem};
use crate::model::TermKind;

/// The most letters that pairs are joined to.
pub(super) const LONGEST: usize = 32;

/// Whether a term is letters of a script without spaces: a pair, or a word joined from pairs.
pub(super) fn is_chain(term: &str) -> bool {
    term.chars()
        .all(|c| c >= '\u{0E00}' && c.is_alphanumeric() || c >= '\u{0E00}' && !c.is_whitespace() && c < '\u{FF00}')
        && TermKind::of(term) == TermKind::Word
}

/// Returns the places whose runs contain a text.
pub(super) fn places_with(text: &str, places: &[usize], items: &[TermItem]) -> Vec<usize> {
    let holds = |place: &&usize| items.get(**place).is_some_and(|item| item.runs.iter().any(|run| run.contains(text)));
    places.iter().filter(holds).copied().collect()
}

/// How many people wrote the items at these places.
pub(super) fn voices(places: &[usize], items: &[TermItem]) -> usize {
    places.iter().filter_map(|place| Some(items.get(*place)?.voice.as_str())).collect::<BTreeSet<_>>().len()
}

/// Returns the places of the texts with two terms that contain this longer one, if most do. Pairs may overlap by chance;
/// they are one word only if it is written so.
fn written(text: &str, one: &Rise<'_>, other: &Rise<'_>, items: &[TermItem]) -> Option<Vec<usize>> {
    let both: Vec<usize> = one.items.iter().filter(|place| other.items.binary_search(place).is_ok()).copied().collect();
    let written = places_with(text, &both, items);
    (to_f64(written.len()) >= EXPLAINS * to_f64(both.len())).then_some(written)
}

/// Returns the word that two terms are pieces of; one of them alone if the other adds nothing to it.
pub(super) fn whole_word(one: &Meaning<'_>, other: &Meaning<'_>, items: &[TermItem]) -> Option<String> {
    let both = to_f64(shared(&one.rise.items, &other.rise.items));
    let most = |meaning: &Meaning<'_>| both >= EXPLAINS * to_f64(meaning.rise.items.len());
    let (of_one, of_other) = (most(one), most(other));
    if !is_chain(&one.text) || !is_chain(&other.text) || !of_one && !of_other {
        return None;
    }
    if one.text.contains(&other.text) || other.text.contains(&one.text) {
        let longer = if one.text.len() < other.text.len() { other } else { one };
        return (of_one && of_other).then(|| longer.text.clone());
    }
    let mut longer = joined_texts(&one.text, &other.text).into_iter();
    let (places, text) = longer.find_map(|text| Some((written(&text, one.rise, other.rise, items)?, text)))?;
    if of_one && of_other {
        // Like any term, the word needs enough people who write it.
        return (voices(&places, items) >= LEAST_VOICES).then_some(text);
    }
    // A piece that few of the word's texts contain is the end of the word and the text after it. The word stays.
    let word = if of_one { &other.text } else { &one.text };
    (without_particles(word).chars().count() > 1).then(|| word.clone())
}

/// Particles of Japanese.
const PARTICLES: &str = "のはがをにとでもへや";

fn is_particle(letter: char) -> bool {
    PARTICLES.contains(letter)
}

/// Removes a particle from each end of a text if its neighbour is not hiragana: it is not part of the word, as in 新幹線が.
/// Inside a word it stays: 女の子.
pub(super) fn without_particles(text: &str) -> &str {
    let text = match text.char_indices().nth(1) {
        Some((second, next)) if text.starts_with(is_particle) && !is_hiragana(next) => {
            text.get(second..).unwrap_or(text)
        }
        _ => text,
    };
    match text.char_indices().rev().nth(1) {
        Some((_, before)) if text.ends_with(is_particle) && !is_hiragana(before) => text.trim_end_matches(is_particle),
        _ => text,
    }
}

/// Removes the particles at the ends of a word that was joined from pairs of letters. Returns whether a word is left.
pub(super) fn trim_particles(found: &mut Meaning<'_>) -> bool {
    let word: &str = if is_chain(&found.text) { without_particles(&found.text) } else { &found.text };
    if word.len() == found.text.len() {
        return true;
    }
    let word = word.to_owned();
    word.chars().count() > 1 && found.shorten(word)
}

/// Joins the pieces of longer words: pairs arrive in the order of their z, so a word may have begun in two places.
pub(super) fn join_chains(found: &mut Vec<Meaning<'_>>, items: &[TermItem]) {
    let mut at = 0;
    while at < found.len() {
        let next = found.iter().enumerate().skip(at + 1).find_map(|(place, other)| {
            let text = whole_word(found.get(at)?, other, items)?;
            Some((place, text))
        });
        let Some((place, text)) = next else {
            at += 1;
            continue;
        };
        let other = found.remove(place);
        if let Some(one) = found.get_mut(at) {
            one.merge(&other, text);
        }
        // The longer word may join pieces that were compared before.
        at = 0;
    }
}

/// The texts that two chains form where the end of one is the beginning of the other, the longest overlap first.
fn joined_texts(one: &str, other: &str) -> Vec<String> {
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

/// Whether a letter is hiragana.
pub(super) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309F}')
}
