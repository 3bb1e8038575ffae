//! The height of a topic on paper, as the style sheet sets it: 8.5 points, lists in two columns. CSS cannot count pages,
//! so it is estimated, in tenths of a line of a column. What goes across both columns counts twice.

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::format;
use super::paper_text::{ACROSS, CELL, COLUMN, answer_height, edit_width, entry, item, lines, width};

/// The title, the main numbers and the charts with their captions.
const HEAD: usize = 500;

/// The maximum number of printed entries, by kind of list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paper {
    /// Of posts, pages and copied texts.
    pub(super) items: usize,
    pub(super) terms: usize,
    pub(super) themes: usize,
    /// Of authors, hosts and gaps.
    pub(super) rows: usize,
}

impl Paper {
    /// Returns the estimated height of a topic.
    pub(super) fn height(self, report: &Report, topic: &TopicFacts) -> usize {
        let calendar = topic.calendar.as_ref().map_or(0, |calendar| 22 * (calendar.rows(topic).len() + 3));
        let answer = topic.answer.as_ref().map_or(0, answer_height);
        HEAD + calendar
            + answer
            + self.terms_height(topic)
            + self.lists_height(topic)
            + self.changes_height(topic)
            + self.tables_height(topic)
            + self.coverage_height(report, topic)
    }

    fn terms_height(self, topic: &TopicFacts) -> usize {
        let terms = if topic.terms.terms.is_empty() {
            topic.terms.stand_out.as_ref().map_or(0, |rows| rows.terms.len())
        } else {
            topic.terms.terms.len()
        };
        let samples = |theme: &crate::compare::ThemeRow| [&theme.post, &theme.page].into_iter().flatten().count();
        let themes = topic.terms.themes.iter().take(self.themes).map(|theme| 44 * samples(theme).max(1));
        head(90, terms) + 44 * terms.min(self.terms) + head(90, topic.terms.themes.len()) + themes.sum::<usize>()
    }

    fn lists_height(self, topic: &TopicFacts) -> usize {
        let places = [&topic.top_posts, &topic.negative, &topic.positive, &topic.top_pages];
        let rows = |places: &Vec<usize>| {
            list(
                places
                    .iter()
                    .take(self.items)
                    .filter_map(|place| topic.rows.get(*place))
                    .map(|row| item(&row.item, 45)),
            )
        };
        let rising = list(topic.rising.iter().take(self.items).map(|riser| item(&riser.item, 75)));
        let copies = list(topic.campaigns.iter().take(self.items).map(|copies| item(&copies.item, 50)));
        places.into_iter().map(rows).sum::<usize>() + rising + copies
    }

    fn changes_height(self, topic: &TopicFacts) -> usize {
        let Some(changes) = &topic.changes else { return 0 };
        let queries: usize = changes.queries.iter().map(|query| 20 * lines(width(query) + 400, ACROSS)).sum();
        let edits = list(changes.edits.iter().take(self.items).map(|edit| entry(edit_width(edit), 45)));
        let lost = list(changes.lost.iter().take(self.items).map(|gone| item(&gone.item, 35)));
        queries
            + edits
            + lost
            + head(60, changes.edits.len())
            + head(60, changes.lost.len() + changes.gone_unjudged.len())
    }

    fn tables_height(self, topic: &TopicFacts) -> usize {
        let tally = |all: usize| head(30, all) + 12 * all.min(self.rows);
        let found = topic
            .found_by
            .sentence()
            .map_or(0, |told| 45 + 10 * lines(width(&told), COLUMN) + 12 * topic.found_by.sources.len());
        tally(topic.authors.len()) + tally(topic.domains.len()) + found
    }

    fn coverage_height(self, report: &Report, topic: &TopicFacts) -> usize {
        let trouble =
            |trouble: &Option<String>| trouble.as_ref().map_or(0, |trouble| width(&format::line(trouble, 100)));
        let sources = topic.sources.iter().map(|source| 2 + 10 * lines(CELL + trouble(&source.trouble), CELL));
        let (inside, _) = topic.holes_of(report.span);
        let holes = inside.iter().rev().take(self.rows);
        // A gap has its times and its length before the reason.
        let holes = holes.map(|hole| 10 * lines(45 * 4 + width(&format::line(&hole.why, 160)), COLUMN));
        80 + sources.sum::<usize>() + 30 * topic.ill.len() + holes.sum::<usize>()
    }
}

/// Returns the height of a heading, if there is anything below it.
pub(super) fn head(height: usize, entries: usize) -> usize {
    if entries == 0 { 0 } else { height }
}

/// Returns the height of a list under a heading.
fn list(entries: impl Iterator<Item = usize>) -> usize {
    let (many, height) = entries.fold((0, 0), |(many, height), entry| (many + 1, height + entry));
    head(19, many) + height
}
