//! A topic's answers: the latest on its page, all of them on one of their own, each with its citations looked up as
//! in reports.

use std::collections::BTreeMap;
use std::sync::Arc;

use maud::{Markup, html};

use crate::compare::{Citation, Citations, cited, restrict_to_topics};
use crate::draw::format::{self, count_noun, number};
use crate::model::{AnswerRow, ItemRow, Time, TopicCard};
use crate::web::access::visitor::Visitor;
use crate::web::layout::{Page, moment};
use crate::web::page_request::PageRequest;
use crate::web::pages::items::item_view;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Answers on a page.
const ANSWERS: u32 = 10;

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let store = &site.store;
    let unknown = || Problem::not_found("There is no such topic");
    let card = store.topic_card(&request.name, Time(i64::MAX)).await?.ok_or_else(unknown)?;
    let before = request.word("before", |word| word.parse::<i64>().ok())?.unwrap_or(i64::MAX);
    let mut answers = store.list_answers(&card.topic, before, ANSWERS + 1).await?;
    let more = answers.len() > ANSWERS as usize;
    answers.truncate(ANSWERS as usize);
    let rows: Vec<&AnswerRow> = answers.iter().map(|(_, answer)| answer).collect();
    let citations = look_up_citations(&site, &card, &rows, request.visitor.visible_topics()).await?;
    let path = format!("/answers/{}", card.topic);
    let main = html! {
        h1 { "Answers: " a href=(format!("/topics/{}", card.topic)) { (format::line(&card.title, 120)) } }
        @if answers.is_empty() { p {
            "No answer is stored" @if before < i64::MAX { " from before that" } ". "
            @if before == i64::MAX { "A topic gets answers if " code { "ai" } " or a model is among its " code { "sources" } ", from its next run on." }
        } }
        @for (place, (_, answer)) in answers.iter().enumerate() { article.answer { (answer_markup(answer, &citations, place, card.timezone())) } }
        nav.pages aria-label="More answers" {
            @if before < i64::MAX { a href=(path) { "The latest" } }
            @if let (true, Some((seq, _))) = (more, answers.last()) { a rel="next" href=(request.with(&path, &[("before", Some(&seq.to_string()))])) { "Earlier answers" } }
        }
    };
    let title = format!("Answers: {}", card.title);
    Ok(Page { title, place: "/", live: false, origin: site.origin().await?, main })
}

/// The latest answer of a topic, and a link to the others; only the link if all are of backfills.
pub(in crate::web::pages) async fn latest(site: &Site, card: &TopicCard, visitor: &Visitor) -> Result<Markup, Problem> {
    let all = html! { p { a href=(format!("/answers/{}", card.topic)) { "All answers" } } };
    let Some(answer) = site.store.latest_answer(&card.topic, i64::MAX).await? else {
        let any = site.store.list_answers(&card.topic, i64::MAX, 1).await?;
        return Ok(if any.is_empty() {
            html! {}
        } else {
            all
        });
    };
    let citations = look_up_citations(site, card, &[&answer], visitor.visible_topics()).await?;
    Ok(html! { section.answer aria-labelledby="answer" {
        h2 #answer { "The latest answer" }
        (answer_markup(&answer, &citations, 0, card.timezone()))
        (all)
    } })
}

/// A topic's latest answer, without links to other pages and without findings of other topics.
pub(in crate::web::pages) async fn words(site: &Site, card: &TopicCard) -> Result<Markup, Problem> {
    let Some(answer) = site.store.latest_answer(&card.topic, i64::MAX).await? else { return Ok(html! {}) };
    let citations = look_up_citations(site, card, &[&answer], Some(vec![card.topic.clone()])).await?;
    Ok(html! { @if let Some(cited) = citations.cited.first() { section.answer aria-labelledby="answer" {
        h2 #answer { "The latest answer" }
        p.meta { "Asked " (moment(answer.asked_at, card.timezone())) }
        (item_view::answer(&answer.text, cited))
    } } })
}

/// The citations of answers, looked up, and the cited items that the topic knows.
struct LookedUpCitations {
    /// In the order of the answers.
    cited: Vec<Citations>,
    rows: BTreeMap<String, ItemRow>,
}

/// Looks citations up among the items of all topics, or of these alone.
async fn look_up_citations(
    site: &Site,
    card: &TopicCard,
    answers: &[&AnswerRow],
    among: Option<Vec<String>>,
) -> Result<LookedUpCitations, Problem> {
    let mut moment = site.store.snapshot().await?;
    let cited = cited(&mut moment, answers).await;
    moment.end().await?;
    let cited = match among {
        Some(topics) => restrict_to_topics(&site.store, cited?, &topics).await?,
        None => cited?,
    };
    let listed = cited.iter().flat_map(|cited| cited.listed().0);
    let mut keys: Vec<String> = listed.filter_map(|citation| citation.key.clone()).collect();
    keys.sort_unstable();
    keys.dedup();
    let rows = site.store.items_by_key(&card.topic, &keys).await?;
    Ok(LookedUpCitations { cited, rows: rows.into_iter().map(|row| (row.key.clone(), row)).collect() })
}

fn answer_markup(answer: &AnswerRow, citations: &LookedUpCitations, place: usize, zone: &str) -> Markup {
    let Some(cited) = citations.cited.get(place) else { return html! {} };
    let missing = cited.missing();
    let (listed, left) = cited.listed();
    html! {
        p.meta {
            "Asked " (moment(answer.asked_at, zone))
            @if let Some(model) = &answer.model { ", model " (format::line(model, 60)) }
            @if answer.partial { ", truncated" }
        }
        (item_view::answer(&answer.text, cited))
        @if cited.beyond > 0 { p.meta { "It names " (count_noun(cited.beyond, "more link")) ", which were not looked up." } }
        @if !listed.is_empty() { details open[missing > 0] {
            summary {
                "Based on " (count_noun(cited.citations.len() as u64, "citation")) ": "
                @if missing > 0 { strong.bad { (number(missing)) " not found" } } @else { "all found" }
            }
            ul { @for citation in listed { li { (citation_of(citation, &citations.rows)) } } }
            @if left > 0 { p.meta { (count_noun(left, "citation")) " more, not listed" } }
        } }
    }
}

/// A citation: a link to its item, or a note that nothing stored has it.
fn citation_of(citation: &Citation, rows: &BTreeMap<String, ItemRow>) -> Markup {
    let cited = format::line(&citation.cited, 160);
    html! { @match &citation.key {
        None => { strong.bad { "✗ not found" } " " (item_view::external_link(&citation.cited, &cited)) },
        Some(key) => {
            span.good { "✓" } " "
            @match rows.get(key) {
                Some(row) => { a dir="auto" href=(item_view::item_page(key)) { (item_view::summary_line(row.title.as_deref(), row.text.as_deref(), 160)) } " " span.meta { (item_view::by(row.author.as_deref())) } },
                None => { a href=(item_view::item_page(key)) { (cited) } " " span.meta { "found by another topic" } },
            }
        }
    } }
}
