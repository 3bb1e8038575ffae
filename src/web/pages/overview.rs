//! The status of every topic, and what to do next while there is nothing yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use maud::{Markup, html};

use super::alerts;
use super::items::searches;
use super::runs::run_state::state;
use super::topic::{counted_items, days, edit};
use crate::compare::{LATELY, SourceHistory, mark_missed, next_slot_of};
use crate::draw::format::{self, at_least, number};
use crate::draw::sparkline;
use crate::model::{
    DataOrigin, DayLimits, PaidUsage, PausedBy, RunState, ServiceLimits, Time, TopicCard, TopicFiring, UsageByProvider,
};
use crate::web::access::visitor::Visitor;
use crate::web::layout::{Page, moment, slot};
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Topics on a page.
const TOPICS: u32 = 50;
/// Topics that are named at the top because they may miss items.
const NAMED: usize = 10;

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let (store, now) = (&site.store, site.now());
    // A token for some topics must not reveal whether any other topic has run.
    let is_first = request.visitor.sees_all() && !store.any_run().await?;
    let after = if is_first { "" } else { request.get("after").unwrap_or("") };
    let mut cards =
        store.topic_cards(request.visitor.visible_topics().as_deref(), after, TOPICS + 1, now.minus(LATELY)).await?;
    let more = cards.len() > TOPICS as usize;
    cards.truncate(TOPICS as usize);
    let origin = site.origin().await?;
    let title = "Topics".to_owned();
    if cards.is_empty() && after.is_empty() && !request.visitor.sees_all() {
        return Ok(Page { title, place: "/", live: true, origin, main: none_of_theirs() });
    }
    if cards.is_empty() && after.is_empty() || is_first {
        let many = store.count_topics().await?.unsigned_abs();
        // Only visitors who see all topics come here.
        let in_file = if cards.is_empty() { edit::topics_in_file(&site).await } else { Vec::new() };
        let main = first_run(&site, (&cards, many), &in_file, origin, &request.visitor);
        return Ok(Page { title, place: "/", live: true, origin, main });
    }
    mark_missed(store, &mut cards, now).await?;
    let history = site.sources(&cards).await?;
    let tiles = if request.visitor.sees_all() {
        tiles(&site, now).await?
    } else {
        html! {}
    };
    let days = days::read(&site, &cards).await?;
    let ids: Vec<String> = cards.iter().map(|card| card.topic.clone()).collect();
    let waits = store.days_pending(&ids).await?;
    let watched: BTreeMap<String, Time> =
        store.watched_topics(&ids).await?.into_iter().map(|one| (one.topic, one.began)).collect();
    let firing = alerts::firing_at(&site, &ids, &request.visitor).await?;
    let main = html! {
        h1 { "Topics" }
        @if site.may_edit(&request.visitor) { p.actions { a.button href=(edit::NEW) { "Add a topic" } } }
        (tiles)
        (missing(&cards, &history, now))
        @if cards.is_empty() { p { "No more topics." } } @else { div.wide #topics { table.topics.cards {
            caption.quiet { "Topics: last run, next slot, what is new" }
            thead { tr {
                th scope="col" { "Topic" } th scope="col" { "Last run" } th scope="col" { "Sources" }
                th.n scope="col" { "New, 24 h" } th scope="col" { "14 days" } th scope="col" { "Tone" } th scope="col" { "Next slot" }
            } }
            tbody { @for card in &cards {
                @let noted: Vec<_> = firing.iter().filter(|one| one.topic == card.topic).cloned().collect();
                (row(card, &history, &noted, &days.sparks(card, watched.get(&card.topic).copied(), now), now))
            } }
        } } }
        p.meta { "Days are in each topic's time zone; an item counts on the day it was published, or first seen if that was earlier or it has no date. " @if cards.iter().any(|card| card.may_be_more) { "≥: there may be more, because a source failed in the last run or was empty although posts are known, a reply of the last 24 hours was full, or searches missed a part of that time. " } "Earlier gaps and full replies are marked only on the topic's page. " @if waits { "The latest items are not counted yet." } }
        @if more || !after.is_empty() { nav.pages aria-label="More topics" {
            @if !after.is_empty() { a href="/" { "From the beginning" } }
            @if let (true, Some(last)) = (more, cards.last()) { a rel="next" href=(link("/", [("after", last.topic.as_str())])) { "More topics" } }
        } }
    };
    Ok(Page { title, place: "/", live: true, origin, main })
}

/// Figures about all topics.
async fn tiles(site: &Site, now: Time) -> Result<Markup, Problem> {
    let store = &site.store;
    let used = store.usage_by_provider(now.utc_day()).await?;
    let (many, fire) = (store.count_topics().await?, store.firing_alerts(now).await?);
    let searches = searches::line(store).await?;
    Ok(html! {
        ul.tiles {
            li { span { "Watched" } b { a href="/#topics" { (number(many.unsigned_abs())) } } }
            (cost(&site.settings().limits, &used, now))
        }
        (alerts::line(&fire))
        (searches)
    })
}

/// For a token whose topics are no longer watched.
fn none_of_theirs() -> Markup {
    html! {
        h1 { "Topics" }
        p { "None of your token's topics is watched now: not yet, or no longer. The operator of topicwatch can list the token's topics: " code { "topicwatch token list" } "." }
    }
}

/// Today's use of the limits, and the part of the cost that no bill confirms. With several providers, each is named.
fn cost(limits: &DayLimits, used: &UsageByProvider, now: Time) -> Markup {
    let sum = used.sum();
    let mut all: Vec<(String, PaidUsage, Option<ServiceLimits>)> = Vec::new();
    if limits.service.is_some() || used.service != PaidUsage::default() {
        all.push(("service".to_owned(), used.service, limits.service));
    }
    all.extend(limits.providers.iter().map(|(name, limits)| (name.to_string(), used.of(*name), Some(*limits))));
    // A provider that is no longer configured.
    let gone = used.others.iter().filter(|(name, _)| limits.providers.iter().all(|(known, _)| known != name));
    all.extend(gone.map(|(name, used)| (name.to_string(), *used, None)));
    let several = all.len() > 1;
    let part = |name: &str, used: String, limit: Option<String>| match (several, limit) {
        (true, Some(limit)) => format!("{name} {used} of {limit}"),
        (true, None) => format!("{name} {used}"),
        (false, limit) => limit.map_or_else(String::new, |limit| format!("of {limit}")),
    };
    let calls = all.iter().map(|(name, used, limits)| {
        part(name, number(used.calls.unsigned_abs()), limits.map(|limits| number(u64::from(limits.calls))))
    });
    let money = all.iter().filter_map(|(name, used, limits)| {
        Some(part(name, used.cost.total.to_string(), Some((*limits)?.money?.to_string())))
    });
    let (calls, money) = (calls.collect::<Vec<_>>().join(" · "), money.collect::<Vec<_>>().join(" · "));
    let money = if money.is_empty() { "no budget is set".to_owned() } else { money };
    let total = sum.cost.total.to_string();
    let day = now.utc_date();
    let runs = link("/runs", [("called", day.as_str())]);
    html! {
        li { span { "Calls today (UTC)" } b { @if sum.calls > 0 { a href=(runs) { (number(sum.calls.unsigned_abs())) } } @else { "0" } } small { (calls) } }
        li { span { "Cost today (UTC)" } b { @if sum.calls > 0 { a href=(runs) { (total) } } @else { (total) } } small { (money) @if let Some(assumed) = sum.cost.assumed_words() { " · " @if sum.cost.assumed >= sum.cost.total { "all " } (assumed) } } }
    }
}

/// The topics of the page that may miss items, and why: a source does not answer as it should, or a slot is overdue.
fn missing(cards: &[TopicCard], history: &SourceHistory, now: Time) -> Markup {
    let reasons = |card: &TopicCard| -> Vec<String> {
        let statuses = if card.paused.is_some() { Vec::new() } else { history.statuses(card) };
        let ill = statuses.into_iter().filter(|one| !matches!(one.state, "ok" | "not_asked" | "unknown"));
        let ill = ill.map(|one| format!("{} {}", one.source.as_str(), one.state.replace('_', " ")));
        ill.chain(card.overdue_since(now).map(|_| "overdue".to_owned())).collect()
    };
    let all: Vec<_> = cards.iter().map(|card| (card, reasons(card))).filter(|(_, why)| !why.is_empty()).collect();
    html! { @if !all.is_empty() { p.note {
        (format::count_noun(all.len() as u64, "topic")) " may miss items: "
        @for (place, (card, why)) in all.iter().take(NAMED).enumerate() {
            @if place > 0 { ", " }
            a href=(format!("/topics/{}#days", card.topic)) { bdi { (format::line(&card.title, 60)) } } " (" (why.join(", ")) ")"
        }
        @if all.len() > NAMED { ", …" }
    } } }
}

/// The sum of a topic's days, as a link to their items.
fn sum_of_days(card: &TopicCard, sparks: &[sparkline::SparkDay], now: Time) -> Markup {
    let sum = sparkline::sum(sparks, card.may_be_more);
    let span = days::span(card, now).filter(|_| sparks.iter().any(|day| day.items > 0));
    html! { @match span {
        Some(span) => a href=(counted_items::of_days(&card.topic, span)) { (sum) },
        None => (sum),
    } }
}

fn row(
    card: &TopicCard,
    history: &SourceHistory,
    firing: &[TopicFiring],
    days: &[sparkline::SparkDay],
    now: Time,
) -> Markup {
    let zone = card.timezone();
    html! { tr {
        th scope="row" {
            a href=(format!("/topics/{}", card.topic)) { (format::line(&card.title, 80)) }
            span.sub { (card.topic) }
            (alerts::note(firing))
        }
        td data-label="Last run" { @match &card.last_run {
            None => span.meta { "not run yet" },
            Some(run) => {
                (state(run.state)) " "
                @if let Some(at) = run.started_at { (moment(at, zone)) }
                @if run.state != RunState::Ok && let Some(why) = run.reason.as_ref().or(run.error_text.as_ref()) { span.sub { (format::line(why, 140)) } }
                @if run.state != RunState::Ok && let Some(at) = card.last_success { span.sub { "last results " (moment(at, zone)) } }
            }
        } }
        td data-label="Sources" { (sources(card, history)) }
        td.n data-label="New, 24 h" { (new(card, now, true)) @if card.has_filter() { span.sub { "before its filter" } } }
        td data-label="14 days" { (sparkline::volume(days)) span.sub { (sum_of_days(card, days, now)) @if card.has_filter() { ", before its filter" } } }
        td data-label="Tone" { (sparkline::tone(days)) span.sub { "negative above, positive below" } }
        td data-label="Next slot" { (next(card, now)) }
    } }
}

/// The number of new items in 24 hours, how many more a baseline has, and a note if nothing ran in that time. `linked`
/// numbers link to their items.
pub(in crate::web) fn new(card: &TopicCard, now: Time, linked: bool) -> Markup {
    let since = now.minus(LATELY);
    let counted = |many: i64, baseline: bool, text: String| {
        let address = counted_items::new_since(&card.topic, since, baseline);
        html! { @if linked && many > 0 { a href=(address) { (text) } } @else { (text) } }
    };
    let baseline = card.new_baseline;
    html! {
        // Of a topic that never ran, nothing is known.
        @if card.last_run.is_none() && card.new == 0 { "–" } @else { (counted(card.new, false, at_least(card.new.unsigned_abs(), card.new_at_least))) }
        @if baseline > 0 { " " span.meta { (counted(baseline, true, format!("(+{} of the baseline)", number(baseline.unsigned_abs())))) } }
        @if card.last_run.is_some() && !card.ran_since(since) { span.sub { "no run in 24 hours" } }
    }
}

/// When a topic is due next, or why it is not.
pub(in crate::web) fn next(card: &TopicCard, now: Time) -> Markup {
    let zone = card.timezone();
    if let Some(paused) = &card.paused {
        return html! {
            span.state.calm { "paused" }
            span.sub {
                @match paused.by { PausedBy::File => "in the configuration", PausedBy::Pause => {
                    @if let Some(since) = paused.since { "since " (moment(since, zone)) }
                    @if let Some(why) = &paused.reason { ": " (format::line(why, 140)) }
                } }
            }
        };
    }
    if let Some(since) = card.overdue_since(now) {
        return html! {
            span.state.warn { "overdue" } span.sub { "since " (moment(since, zone)) "; is " code { "topicwatch run" } " running?" }
        };
    }
    // Without a definition that this version can read, only the planner knows.
    let (planned, due) = (card.next_slot, next_slot_of(card, now));
    let is_scheduled = card.definition.as_ref().is_some_and(|topic| topic.schedule.is_some());
    match due.or(planned) {
        Some(at) if planned.is_some() => html! { (slot(at, zone)) @if zone != "UTC" { span.sub { (zone) } } },
        at if is_scheduled => html! { @if let Some(at) = at { (slot(at, zone)) " " } span.meta { "not planned yet" } },
        _ => html! { span.meta { "only on request" } },
    }
}

/// The status of each source.
pub(in crate::web) fn sources(card: &TopicCard, history: &SourceHistory) -> Markup {
    html! { @for one in history.statuses(card) {
        @let (class, word) = match one.state {
            "failing" => ("bad", "failing"),
            "over_quota" => ("warn", "over quota"),
            "ok" => ("good", "ok"),
            "empty_reply" => ("warn", "empty reply"),
            "not_asked" => ("calm", "not asked"),
            "unknown" => ("calm", "–"),
            silence => ("warn", silence),
        };
        span.sub { (one.source) ": " strong.(class) { (word) } @if let Some(class) = one.error_class { " (" (format::line(class, 40)) ")" } }
    } }
}

/// Advice before the first run. `many` topics are stored, of which `cards` has the first. If no process has stored any
/// yet, `in_file` has those of the file.
fn first_run(
    site: &Site,
    (cards, many): (&[TopicCard], u64),
    in_file: &[String],
    origin: Option<DataOrigin>,
    visitor: &Visitor,
) -> Markup {
    html! {
        h1 { "Nothing has run yet" }
        p.lead { "These pages fill with the first run. What to do next:" }
        ol.steps {
            @if cards.is_empty() {
                li { "The configuration has " (format::count_noun(in_file.len() as u64, "topic")) @for (place, topic) in in_file.iter().take(10).enumerate() { @if place > 0 { ", " } @else { ": " } (format::line(topic, 60)) } @if in_file.len() > 10 { ", …" } ". " code { "topicwatch check" } " shows what is in effect." }
            } @else {
                li { "The configuration is read: " (format::count_noun(many, "topic")) ", " @for (place, card) in cards.iter().take(10).enumerate() { @if place > 0 { ", " } a href=(format!("/topics/{}", card.topic)) { (format::line(&card.title, 60)) } } @if cards.len() > 10 { ", …" } "." }
            }
            @if site.may_edit(visitor) { li { a href=(edit::NEW) { "Add a topic" } " here" @if site.may_act(visitor) { ", and press " strong { "Run now" } " on its page" } "." } }
            @if site.settings().acts.is_some() {
                li { "Each topic runs when it is due" @if site.may_act(visitor) { "; " strong { "Run now" } " on its page runs it at once" } "." }
            } @else {
                li { "Run every topic once, now: " code { "topicwatch once" } ". It takes seconds and shows what it cost." }
                li { "Run them on schedule: " code { "topicwatch run" } " runs each when it is due." }
            }
            li { "Come back here. The first answers are a baseline; after that, new items are those not seen before." }
        }
        @if origin != Some(DataOrigin::Sandbox) { p.meta { "To try everything without a key, set " code { "base_url = \"sandbox\"" } " under " code { "[service]" } "." } }
    }
}
