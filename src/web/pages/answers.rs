//! A topic's answers: the latest on its page, all of them on one of their own, each with what it cites.

use std::collections::BTreeMap;
use std::sync::Arc;

use maud::{Markup, html};

use super::shown;
use crate::draw::words::{self, counted};
use crate::model::{AnswerRow, ItemRow, Time, TopicCard};
use crate::web::ask::Ask;
use crate::web::layout::{Page, moment};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Answers of a page.
const ANSWERS: u32 = 10;
/// Citations that are told of an answer.
const CITED: usize = 40;

pub(in crate::web) async fn show(site: Arc<Site>, ask: Ask) -> Result<Page, Problem> {
    let store = &site.store;
    let unknown = || Problem::unknown("There is no such topic");
    let card = store.topic_card(&ask.name, Time(i64::MAX)).await?.ok_or_else(unknown)?;
    let before = ask.word("before", |word| word.parse::<i64>().ok())?.unwrap_or(i64::MAX);
    let mut answers = store.list_answers(&card.topic, before, ANSWERS + 1).await?;
    let more = answers.len() > ANSWERS as usize;
    answers.truncate(ANSWERS as usize);
    let cited = cited(&site, &card, &answers).await?;
    let path = format!("/answers/{}", card.topic);
    let main = html! {
        h1 { "Answers: " a href=(format!("/topics/{}", card.topic)) { (words::line(&card.title, 120)) } }
        @if answers.is_empty() { p { "No answer was stored" @if before < i64::MAX { " before that" } "." } }
        @for (_, answer) in &answers { article.answer { (one(answer, &cited, card.timezone())) } }
        nav.pages aria-label="More answers" {
            @if before < i64::MAX { a href=(path) { "The latest" } }
            @if let (true, Some((seq, _))) = (more, answers.last()) { a rel="next" href=(ask.with(&path, &[("before", Some(&seq.to_string()))])) { "Earlier answers" } }
        }
    };
    let title = format!("Answers: {}", card.title);
    Ok(Page { title, place: "/", live: false, nature: store.nature().await?, main })
}

/// The latest answer of a topic, and the way to the others.
pub(super) async fn latest(site: &Site, card: &TopicCard) -> Result<Markup, Problem> {
    let answers = site.store.list_answers(&card.topic, i64::MAX, 1).await?;
    let Some((_, answer)) = answers.first() else { return Ok(html! {}) };
    let cited = cited(site, card, &answers).await?;
    Ok(html! { section.answer aria-labelledby="answer" {
        h2 #answer { "The latest answer" }
        (one(answer, &cited, card.timezone()))
        p { a href=(format!("/answers/{}", card.topic)) { "All answers" } }
    } })
}

type Cited = BTreeMap<String, ItemRow>;

/// What the answers cite, as far as the topic knows it.
async fn cited(site: &Site, card: &TopicCard, answers: &[(i64, AnswerRow)]) -> Result<Cited, Problem> {
    let mut keys: Vec<String> = answers.iter().flat_map(|(_, a)| a.cited.iter().take(CITED).cloned()).collect();
    keys.sort_unstable();
    keys.dedup();
    let rows = site.store.items_by_key(&card.topic, &keys).await?;
    Ok(rows.into_iter().map(|row| (row.key.clone(), row)).collect())
}

fn one(answer: &AnswerRow, cited: &Cited, zone: &str) -> Markup {
    html! {
        p.meta {
            "Asked " (moment(answer.asked_at, zone))
            @if let Some(model) = &answer.model { ", model " (words::line(model, 60)) }
            @if answer.partial { ", cut" }
        }
        (shown::answer(&answer.text))
        @if !answer.cited.is_empty() { details {
            summary { "Rests on " (counted(answer.cited.len() as u64, "item")) }
            ul { @for key in answer.cited.iter().take(CITED) { li { @match cited.get(key) {
                Some(row) => { a dir="auto" href=(shown::item_page(key)) { (shown::words_of(row.title.as_deref(), row.text.as_deref(), 160)) } " " span.meta { (shown::by(row.author.as_deref())) } },
                None => { code { (words::line(key, 100)) } " " span.meta { "not stored any more" } },
            } } } }
            @if answer.cited.len() > CITED { p.meta { (counted((answer.cited.len() - CITED) as u64, "item")) " more" } }
        } }
    }
}
