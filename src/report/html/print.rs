//! Limits what is printed: the first entries of each list, and the first lines of an answer, so that a topic takes at
//! most two pages of paper. On the screen the page has all of them; on paper each shortened list says how many more
//! there are.

use maud::{Markup, html};

use super::super::format;

/// The most printed posts, pages, copied texts and changes of a list.
pub(super) const ITEMS: usize = 4;
/// The most printed terms.
pub(super) const TERMS: usize = 5;
/// The most printed themes.
pub(super) const THEMES: usize = 3;
/// The most printed authors, hosts and gaps.
pub(super) const ROWS: usize = 4;
/// The most characters of an answer.
const ANSWER: usize = 900;
/// A text with more characters is cut by the style sheet, after three lines.
const LONG: usize = 130;

/// Returns the class of an entry that is not printed.
pub(super) fn off_paper_class(place: usize, most: usize) -> Option<&'static str> {
    (place >= most).then_some("off-paper")
}

/// Returns the note, only on paper, how many entries of a list are not printed.
pub(super) fn more(all: usize, most: usize) -> Markup {
    html! { @if all > most { span.paper-only { " – " (format::number((all - most) as u64)) " more on the HTML page" } } }
}

/// Returns the class of a text that is cut on paper.
pub(super) fn long(characters: usize) -> Option<&'static str> {
    (characters > LONG).then_some("long")
}

/// Returns how many lines of an answer are printed, and whether anything of it is not.
pub(super) fn printed_lines(lines: &[String]) -> (usize, bool) {
    let mut sum = 0;
    let fit = lines.iter().take_while(|line| {
        sum += line.chars().count();
        sum <= ANSWER
    });
    let fit = fit.count();
    // The style sheet cuts a first line that is too long.
    (fit.max(1), fit < lines.len())
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::{AnswerFacts, ItemExcerpt, RowFacts};
    use super::super::super::samples::{report, topic};
    use super::{ITEMS, printed_lines};
    use crate::model::{Kind, Time};

    /// Counts how often a class occurs.
    fn many(page: &str, class: &str) -> usize {
        page.matches(&format!("class=\"{class}\"")).count()
    }

    #[test]
    fn a_list_that_is_shortened_on_paper_says_so() {
        let row = |n: usize| RowFacts {
            item: ItemExcerpt { words: format!("some words {n}"), ..ItemExcerpt::default() },
            kind: Kind::Post,
            at: Time(0),
            undated: false,
            engagement: Some(1),
            sound: None,
            score: None,
            scorer: None,
            copy_of: None,
        };
        let mut facts = topic("a");
        facts.rows = (0..5).map(row).collect();
        for printed in [ITEMS, 5] {
            facts.top_posts = (0..printed).collect();
            let full_report = report(vec![facts.clone()]);
            let page = full_report.html();
            let left = printed - ITEMS;
            assert_eq!((many(&page, "off-paper"), many(&page, "paper-only")), (left, usize::from(left > 0)), "{page}");
            assert_eq!(page.contains(&format!(" – {left} more on the HTML page")), left > 0, "{page}");
            // A mail is not printed by this style sheet.
            assert!(!full_report.mail().contains("on the HTML page"));
        }
    }

    #[test]
    fn a_long_answer_is_cut_on_paper() {
        let mut facts = topic("a");
        let words = |text: &str| AnswerFacts {
            run: "r".into(),
            asked_at: Time(0),
            model: None,
            text: text.into(),
            partial: false,
            shortened: false,
            cited: Default::default(),
        };
        facts.answer = Some(words(&"a line of an answer\n\n".repeat(100)));
        let page = report(vec![facts.clone()]).html();
        assert!(page.contains("More of the answer is on the HTML page."), "{page}");
        facts.answer = Some(words("one\ntwo"));
        assert!(!report(vec![facts]).html().contains("More of the answer"));
        assert_eq!(printed_lines(&["words ".repeat(300)]), (1, true));
    }
}
