//! Parts of the page that only a week or a month has: the comparison with the one before, and shares of voice over
//! time.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::format;
use super::links::title_link;
use crate::draw::chart_parts::{self, PartShare, PartsRow};
use crate::report::comparison::measures::Voice;
use crate::report::shares::voice_parts::{VoiceCell, VoicePart};

/// Returns a topic's figures next to those of the week or month before, or why they are not compared.
pub(super) fn comparison_table(topic: &TopicFacts) -> Markup {
    let Some(calendar) = &topic.calendar else { return html! {} };
    let (rows, noun) = (calendar.rows(topic), calendar.unit.noun());
    let caption = format::id(&topic.id, "before");
    html! {
        @if let Some(why) = calendar.not_compared_note() { p { (why) } }
        @if !rows.is_empty() {
            div.wide role="region" tabindex="0" aria-labelledby=(caption) { table {
                caption id=(caption) { "This " (noun) " and the one before. Weeks and months are never marked as unusual: usual ranges exist only for days." }
                thead { tr { th scope="col" { "Figure" } th.n scope="col" { (calendar.name) } th.n scope="col" { (calendar.before.name) } th.n scope="col" { "Change" } } }
                tbody { @for row in &rows { tr { th scope="row" { (row.figure) } td.n { (row.now) } td.n { (row.before) } td.n { (row.change) } } } }
            } }
        }
    }
}

fn part_share(cell: Option<&VoiceCell>) -> PartShare {
    let label = cell.map_or("–".to_owned(), VoiceCell::label);
    PartShare { share: cell.and_then(|cell| cell.unique), label }
}

/// Returns the topics' shares for each day of a week, or each week of a month.
pub(super) fn voice(report: &Report) -> Markup {
    let parts = &report.voice_parts;
    if parts.is_empty() {
        return html! {};
    }
    let names: Vec<&str> = parts.iter().map(VoicePart::short).collect();
    let row = |(place, voice): (usize, &Voice)| PartsRow {
        title: voice.title.clone(),
        shares: parts.iter().map(|part| part_share(part.topics.get(place))).collect(),
    };
    let rows: Vec<PartsRow> = report.voice.iter().enumerate().map(row).collect();
    let thin: Vec<bool> = parts.iter().map(VoicePart::is_thin).collect();
    let what = if report.window == crate::model::ReportWindow::Week { "Day" } else { "Week" };
    html! {
        section.whole aria-labelledby="voice-parts-heading" {
            h2 #voice-parts-heading { "Share of voice over time" }
            figure {
                (chart_parts::shares(&names, &thin, &rows))
                figcaption { "By unique items of each " (what.to_lowercase()) "." @if thin.contains(&true) { " Hatched: less than 90 % was covered for at least one topic." } }
            }
            div.wide role="region" tabindex="0" aria-labelledby="voice-parts-caption" { table {
                caption #voice-parts-caption { "Each topic's share of the unique items. Covered: for the topic with the least coverage." @if what == "Week" { " Weeks are cut at the start and end of the month." } }
                thead { tr { th scope="col" { (what) } @for voice in &report.voice { th.n scope="col" { (title_link(&voice.topic, "", &voice.title)) } } th.n scope="col" { "Unique items" } th.n scope="col" { "Covered" } } }
                tbody { @for part in parts { tr {
                    th scope="row" { (part.name) }
                    @for cell in &part.topics { td.n { (cell.words()) } }
                    td.n { (part.unique_words()) }
                    td.n { (part.covered_words()) }
                } } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Span, Time};
    use crate::report::samples::{report, topic};
    use crate::report::shares::share_of_voice;

    #[test]
    fn the_head_of_a_column_of_shares_breaks_a_long_title() {
        let mut long = topic("a");
        long.title = "Donaudampfschifffahrtsgesellschaft".into();
        let mut week = report(vec![long, topic("b")]);
        week.voice = share_of_voice::of(&week.topics.iter().collect::<Vec<_>>(), None);
        let span = Span { from: Time(0), until: Time(1) };
        let name = "1970-01-01".to_owned();
        week.voice_parts = vec![VoicePart { name, span, unique: 0, covered: Some(1.0), topics: Vec::new() }];
        let page = voice(&week).into_string();
        let head = "<bdi><a href=\"#t-a\">Donaudampfschifffahrtsge<wbr>sellschaft</a></bdi></th>";
        assert!(page.contains(head), "{page}");
    }
}
