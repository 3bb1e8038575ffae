//! What is printed: as many entries of each list as fit on two pages of paper for each topic. On the screen the page has
//! all of them; on paper each shortened list says how many more there are.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::format;
use super::paper_heights::{Paper, head};

/// From everything that the page shows to very little.
const LEVELS: [Paper; 8] = [
    Paper { items: 8, terms: 10, themes: 7, rows: 8 },
    Paper { items: 5, terms: 6, themes: 5, rows: 5 },
    Paper { items: 4, terms: 6, themes: 4, rows: 5 },
    Paper { items: 4, terms: 5, themes: 3, rows: 4 },
    Paper { items: 3, terms: 4, themes: 3, rows: 4 },
    Paper { items: 3, terms: 3, themes: 2, rows: 3 },
    Paper { items: 2, terms: 3, themes: 2, rows: 3 },
    SHORTEST,
];
const SHORTEST: Paper = Paper { items: 1, terms: 2, themes: 1, rows: 2 };

/// The room of a topic, in tenths of a line: two pages of two columns with 69 lines each, without what stays empty where
/// they end. This is for Letter; A4 is higher.
const ROOM: usize = 2_640;
/// The note on how to read the report, which follows the last topic.
const FOOT: usize = 200;
/// More than this after the last topic is left to a page of its own.
const MOST_AFTER: usize = 600;

/// Returns the most entries with which a topic takes at most two pages.
pub(super) fn of(report: &Report, topic: &TopicFacts) -> Paper {
    let room = ROOM - after(report, topic);
    LEVELS.into_iter().find(|paper| paper.height(report, topic) <= room).unwrap_or(SHORTEST)
}

/// Returns what follows the last topic on its page, if it is not too much.
fn after(report: &Report, topic: &TopicFacts) -> usize {
    let last = report.topics.iter().rfind(|topic| !report.is_quiet(topic));
    let quiet = report.topics.iter().filter(|topic| report.is_quiet(topic)).count();
    let after = FOOT + head(80, quiet) + 24 * quiet;
    if last.is_some_and(|last| last.id == topic.id) && after <= MOST_AFTER { after } else { 0 }
}

/// Returns the class of an entry that is not printed.
pub(super) fn beyond(place: usize, most: usize) -> Option<&'static str> {
    (place >= most).then_some("off-paper")
}

/// Returns the note, only on paper, how many entries of a list are not printed.
pub(super) fn more(all: usize, most: usize) -> Markup {
    html! { @if all > most { span.paper-only { " – " (format::number((all - most) as u64)) " more on the HTML page" } } }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::{AnswerFacts, ChangeFacts, GoneFacts, RowFacts, Shown};
    use super::super::super::samples::{report, topic};
    use super::super::paper_text::{answer_parts, printed_parts};
    use super::LEVELS;
    use crate::model::{Kind, Time};

    fn row(words: String) -> RowFacts {
        RowFacts {
            item: Shown { words, ..Shown::default() },
            kind: Kind::Post,
            at: Time(0),
            undated: false,
            engagement: Some(1),
            sound: None,
            score: None,
            scorer: None,
            copy_of: None,
        }
    }

    /// Counts how often a class occurs.
    fn many(page: &str, class: &str) -> usize {
        page.matches(&format!("class=\"{class}\"")).count()
    }

    #[test]
    fn a_topic_that_fits_is_printed_whole_and_a_shortened_list_says_so() {
        let mut facts = topic("a");
        facts.rows = (0..5).map(|n| row(format!("short words {n}"))).collect();
        facts.top_posts = (0..5).collect();
        let whole = report(vec![facts.clone()]);
        assert_eq!(super::of(&whole, &facts), LEVELS[0]);
        let page = whole.html();
        assert_eq!((many(&page, "off-paper"), many(&page, "paper-only")), (0, 0), "{page}");

        facts.rows = (0..5).map(|_| row("Many words in each of them ".repeat(9))).collect();
        for list in [&mut facts.top_posts, &mut facts.negative, &mut facts.positive, &mut facts.top_pages] {
            *list = (0..5).collect();
        }
        let gone = GoneFacts { item: facts.rows[0].item.clone(), last_seen: Time(0) };
        facts.changes = Some(ChangeFacts {
            baseline: 0,
            edited: 0,
            gone: 8,
            at_least: false,
            cut: false,
            gone_unjudged: Vec::new(),
            gone_judged: true,
            queries: Vec::new(),
            edits: Vec::new(),
            lost: vec![gone; 8],
        });
        facts.sources = vec![facts.sources[0].clone(); 12];
        facts.sources.iter_mut().for_each(|source| source.trouble = Some("no answer ".repeat(10)));
        let full = report(vec![facts.clone()]);
        let paper = super::of(&full, &facts);
        assert!(paper != LEVELS[0] && paper.items < 5, "{paper:?}");
        let page = full.html();
        assert_eq!(many(&page, "off-paper"), 4 * (5 - paper.items) + 8 - paper.items, "{page}");
        assert_eq!(many(&page, "paper-only"), 5, "{page}");
        assert!(page.contains(&format!(" – {} more on the HTML page", 5 - paper.items)), "{page}");
        // A mail is not printed by this style sheet.
        assert!(!full.mail().contains("on the HTML page"));
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
            cited: Default::default(),
        };
        facts.answer = Some(words(&"a line of an answer\n\n".repeat(100)));
        let page = report(vec![facts.clone()]).html();
        assert!(page.contains("The whole answer is on the HTML page."), "{page}");
        facts.answer = Some(words("one\ntwo"));
        assert!(!report(vec![facts]).html().contains("The whole answer"));
        let long = words(&"words ".repeat(300));
        assert_eq!(printed_parts(&answer_parts(&long)), (1, true));
    }
}
