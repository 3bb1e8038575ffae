//! Checks the citations of an answer. Numbers that name an item become a list of sources at the end. A number that
//! names no item, and a sentence without a citation, are marked, so that every reader sees it.

use std::collections::BTreeSet;

use crate::search::kinds::kind::PromptItem;

/// Appended to a sentence that cites nothing.
const UNCITED: &str = " [uncited]";

/// The minimum number of words of a sentence that needs a source.
const SENTENCE: usize = 3;

/// The maximum number of digits of a citation.
const DIGITS: usize = 4;

/// The maximum length of a citation, in bytes.
const CITATION: usize = 1_000;

/// The maximum size of a range; a longer one is not a citation but a span of years.
const RANGE: usize = 50;

/// Returns the answer with its sources and marks. The list of a partial answer ends with a line break, since the last
/// word of such an answer counts as cut.
pub(super) fn add_sources(text: &str, items: &[PromptItem], partial: bool) -> String {
    let mut cited = BTreeSet::new();
    let mut lines: Vec<String> = Vec::new();
    for line in text.trim().lines() {
        let sentences = sentences(line).into_iter().map(|sentence| {
            let (mut marked, found) = numbers(sentence, items.len());
            if found.is_empty() && is_claim(sentence) {
                marked.insert_str(marked.trim_end().len(), UNCITED);
            }
            cited.extend(found);
            marked
        });
        lines.push(sentences.collect());
    }
    let mut answer = lines.join("\n");
    let has_sources = !cited.is_empty();
    if has_sources {
        answer.push_str("\n\nSources:");
    }
    for number in cited {
        let Some(item) = items.get(number - 1) else { continue };
        answer.push_str(&format!("\n[{number}] {}", item.url.as_deref().unwrap_or(&item.key)));
    }
    if has_sources && partial {
        answer.push('\n');
    }
    answer
}

/// Splits a line into sentences, each with the blanks and citations after it.
fn sentences(line: &str) -> Vec<&str> {
    let (mut all, mut from) = (Vec::new(), 0);
    let mut at = 0;
    while let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) {
        at += c.len_utf8();
        let following = line.get(at..).unwrap_or_default();
        if !matches!(c, '.' | '!' | '?' | '。' | '！' | '？') || (c == '.' && following.starts_with('.')) {
            continue;
        }
        let end = at + trailing_citations_len(following);
        let rest = line.get(end..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        let wide = matches!(c, '。' | '！' | '？');
        let next = rest.trim_start().chars().next();
        let ends = (blank > 0 || wide) && next.is_some_and(|c| !c.is_lowercase());
        // This check comes last, because it reads the whole word, and models that repeat themselves write very long
        // ones.
        if ends && !(c == '.' && is_short(line.get(from..at).unwrap_or_default())) {
            all.extend(line.get(from..end + blank));
            from = end + blank;
        }
        at = end.max(at);
    }
    all.extend(line.get(from..).filter(|rest| !rest.is_empty()));
    all
}

/// Whether a full stop ends a list number, an initial or an abbreviation.
fn is_short(so_far: &str) -> bool {
    let word = so_far.trim_end_matches('.').rsplit(char::is_whitespace).next().unwrap_or_default();
    let known = ["Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs", "etc", "Inc", "Ltd", "Corp", "No", "Jr", "Sr"];
    word.chars().count() < 2
        || word.bytes().all(|byte| byte.is_ascii_digit())
        || known.contains(&word)
        || word.contains('.')
}

/// The number of bytes of closing quotes and citations after the end of a sentence.
fn trailing_citations_len(rest: &str) -> usize {
    let mut end = 0;
    loop {
        let left = rest.get(end..).unwrap_or_default();
        let closing = left.chars().next().filter(|c| matches!(c, '"' | '\'' | '”' | '’' | ')' | '*' | '_' | '»'));
        if let Some(c) = closing {
            end += c.len_utf8();
            continue;
        }
        let blank = left.len() - left.trim_start_matches(' ').len();
        match citation(left.get(blank..).unwrap_or_default()) {
            Some((length, _)) => end += blank + length,
            None => return end,
        }
    }
}

/// Parses a citation at the start of a text to its length and its numbers: `[3]`, `[3, 5]`, `[3-5]`, `【3】`.
fn citation(text: &str) -> Option<(usize, Vec<usize>)> {
    let (open, close) = [('[', ']'), ('【', '】')].into_iter().find(|(open, _)| text.starts_with(*open))?;
    let inner = text.get(open.len_utf8()..)?;
    // Searching the whole rest from each of many brackets would take seconds.
    let inner = inner.get(..inner.floor_char_boundary(CITATION))?;
    let end = inner.find(close)?;
    let mut numbers = Vec::new();
    for one in inner.get(..end)?.split([',', ';']) {
        let one = one.trim().trim_start_matches('^');
        match one.split_once(['-', '–', '—']) {
            Some((from, to)) => {
                let (from, to) = (number(from)?, number(to)?);
                numbers.extend((from <= to && to - from < RANGE).then_some(from..=to)?);
            }
            None => numbers.push(number(one)?),
        }
    }
    Some((open.len_utf8() + end + close.len_utf8(), numbers))
}

fn number(text: &str) -> Option<usize> {
    let digits = text.trim();
    let is_number = !digits.is_empty() && digits.len() <= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Returns a sentence in which numbers that name no item are marked, and the numbers that name one.
fn numbers(sentence: &str, items: usize) -> (String, Vec<usize>) {
    let (mut marked, mut found, mut at) = (String::with_capacity(sentence.len()), Vec::new(), 0);
    while let Some(rest) = sentence.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((length, numbers)) = citation(rest) else {
            let c = rest.chars().next().unwrap_or_default();
            marked.push(c);
            at += c.len_utf8().max(1);
            continue;
        };
        for number in numbers {
            if (1..=items).contains(&number) {
                marked.push_str(&format!("[{number}]"));
                found.push(number);
            } else {
                marked.push_str(&format!("[{number}: no such item]"));
            }
        }
        at += length;
    }
    (marked, found)
}

/// Whether a sentence needs a source: it is no heading and does not introduce a list.
fn is_claim(sentence: &str) -> bool {
    let text = sentence.trim().trim_end_matches(['*', '_']);
    if text.starts_with('#') || text.ends_with(':') || text.ends_with('：') {
        return false;
    }
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    words >= SENTENCE || text.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count() > 12
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(count: usize) -> Vec<PromptItem> {
        let item = |n| PromptItem {
            key: format!("key:{n}"),
            url: (n != 3).then(|| format!("https://a.example/{n}")),
            title: None,
            text: None,
            author: None,
            at: None,
        };
        (1..=count).map(item).collect()
    }

    #[test]
    fn cited_numbers_become_sources_and_uncited_sentences_are_marked() {
        let text = "# What is new\nAcme shipped version 2.1 today. [1] Users of the U.S. site like it [2][3]. \
                    Nobody said anything else about it. Dr. No agrees with it all [9].\n\nIn short:\n- 1. Good news all around [1, 2]";
        let answer = add_sources(text, &items(4), false);
        let expected = "# What is new\nAcme shipped version 2.1 today. [1] Users of the U.S. site like it [2][3]. \
                        Nobody said anything else about it. [uncited] Dr. No agrees with it all [9: no such item]. [uncited]\n\n\
                        In short:\n- 1. Good news all around [1][2]\n\n\
                        Sources:\n[1] https://a.example/1\n[2] https://a.example/2\n[3] key:3";
        assert_eq!(answer, expected);
    }

    #[test]
    fn a_range_cites_each_of_its_numbers() {
        let answer = add_sources("Acme opens three stores [1-3]. They close in 2027 [1990-2100].", &items(4), false);
        assert!(
            answer.starts_with("Acme opens three stores [1][2][3]. They close in 2027 [1990-2100]. [uncited]"),
            "{answer}"
        );
        assert!(answer.ends_with("[1] https://a.example/1\n[2] https://a.example/2\n[3] key:3"), "{answer}");
        assert!(
            add_sources("So say all of them [3–5].", &items(4), false)
                .starts_with("So say all of them [3][4][5: no such item].")
        );
    }

    #[test]
    fn sentences_are_found_in_scripts_without_spaces() {
        let answer = add_sources("製品が発売されました。[1]誰もそれについて何も言いませんでした。", &items(1), false);
        assert!(
            answer.starts_with("製品が発売されました。[1]誰もそれについて何も言いませんでした。 [uncited]"),
            "{answer}"
        );
    }

    #[test]
    fn an_answer_of_only_full_stops_or_brackets_is_processed_fast() {
        for (piece, marks) in [(".", 0), ("a.", 0), ("https://a.example/(", 0), ("[", 0), ("One two three... ", 1)] {
            let answer = add_sources(&(piece.repeat(100_000 / piece.len()) + "]"), &items(1), false);
            assert_eq!(answer.contains(UNCITED), marks > 0, "{piece}");
        }
    }

    #[test]
    fn adding_sources_keeps_all_text() {
        for text in ["", "[", "[1", "a [x] b", "…[1]", "【2】", "Hi.", "A. B. C. [1]", "Ünï. [2] Ço."] {
            let answer = add_sources(text, &items(2), false).replace(UNCITED, "");
            let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
            let kept: String = answer
                .split("\n\nSources:")
                .next()
                .unwrap_or_default()
                .chars()
                .filter(|c| c.is_alphanumeric())
                .collect();
            assert_eq!(plain, kept, "{text}");
        }
    }
}
