//! Alerts: their status, and their events, latest first. `actions` handles requests about them.

pub(in crate::web) mod actions;
mod rows;

use std::collections::BTreeSet;
use std::sync::Arc;

use maud::{Markup, html};

use super::items::item_view;
use crate::draw::format::{self, count_noun, number};
use crate::model::{
    AlertCard, AlertEvent, AlertEventKind, AlertSpec, Delivery, Firing, QuietHours, Time, TopicFiring, subject_topic,
};
use crate::store::EventCursor;
use crate::web::access::visitor::Visitor;
use crate::web::layout::{Page, moment};
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Alerts and events on a page.
const ALERTS: u32 = 30;
const EVENTS: u32 = 30;
/// Firing subjects of an alert that are named.
const NAMED: usize = 5;

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let (store, now) = (&site.store, site.now());
    let (one, after, before) =
        (request.get("alert"), request.get("after").unwrap_or(""), request.word("before", parse_page_token)?);
    let only_firing = request.word("firing", |word| (word == "true").then_some(()))?.is_some();
    let mut cards = match one {
        Some(name) => store.alert_card_with_subjects(name, now).await?.into_iter().collect(),
        None if only_firing => firing_cards(&site, after).await?,
        None => store.alert_cards(after, ALERTS + 1, now).await?,
    };
    let more = cards.len() > ALERTS as usize;
    cards.truncate(ALERTS as usize);
    let mut events = store.alert_events(one, before.as_ref(), i64::from(EVENTS) + 1).await?;
    let earlier = events.len() > EVENTS as usize;
    events.truncate(EVENTS as usize);
    if one.is_some() && cards.is_empty() && events.is_empty() {
        return Err(actions::unknown());
    }
    let specs = store.alerts().await?;
    let named = if one.is_some() { usize::MAX } else { NAMED };
    let topics = topics_with_page(&site, &cards, (&events, &specs), named).await?;
    let requests = actions::latest_requests(&site, one, &request.visitor).await?;
    let acts = site.may_act(&request.visitor);
    let title = match one {
        Some(name) => format!("Alert: {}", format::line(name, 64)),
        None if only_firing => "Alerts that fire".to_owned(),
        None => "Alerts".to_owned(),
    };
    let main = html! {
        h1 { (title) }
        @if one.is_some() || only_firing { p { a href="/alerts" { "All alerts" } } }
        @if one.is_some() && cards.is_empty() { p.note { "It is no longer in the configuration; its events are kept for 400 days." } }
        @if before.is_none() {
            (requests)
            @if cards.is_empty() { @if only_firing && after.is_empty() { p { "No alert fires." } } @else if one.is_none() && after.is_empty() { (none(events.is_empty())) } @else if one.is_none() { p { "No more alerts." } } } @else {
                div.wide { table.cards {
                    caption.quiet { "Alerts and their states" }
                    thead { tr { th scope="col" { "Alert" } th scope="col" { "State" } th scope="col" { "Last message" } th scope="col" { "Sends to" } @if acts { th scope="col" { "Actions" } } } }
                    tbody { @for card in &cards { (row(card, &topics, (acts, named), now)) } }
                } }
            }
            @if more || !after.is_empty() { nav.pages aria-label="More alerts" {
                @if !after.is_empty() { a href=(request.with("/alerts", &[("after", None)])) { "From the beginning" } }
                @if let (true, Some(last)) = (more, cards.last()) { a rel="next" href=(request.with("/alerts", &[("after", Some(&last.spec.name))])) { "More alerts" } }
            } }
        }
        @if !only_firing { section aria-labelledby="seen" {
            h2 #seen { "Past events" }
            @if events.is_empty() { p {
                "Nothing" @if before.is_some() { " before that. " a href="/alerts" { "The latest" } } @else { " yet. Alerts are checked after each run; " code { "topicwatch alerts backtest NAME" } " shows what one would have seen." }
            } } @else {
                ol.found { @for event in &events { li { (event_view((event, spec_of(&specs, event)), rows::address(event, &specs, &topics).as_deref(), &topics, acts)) } } }
            }
            nav.pages aria-label="More events" {
                @if before.is_some() { a href=(request.with("/alerts", &[("before", None)])) { "The latest" } }
                @if let (true, Some(last)) = (earlier, events.last()) { a rel="next" href=(request.with("/alerts", &[("before", Some(&format!("{}/{}", last.at.0, last.event)))])) { "Earlier events" } }
            }
        } }
    };
    let live = before.is_none() && after.is_empty();
    Ok(Page { title, place: "/alerts", live, origin: site.origin().await?, main })
}

/// The alerts that fire, after a name.
async fn firing_cards(site: &Site, after: &str) -> Result<Vec<AlertCard>, Problem> {
    let now = site.now();
    let firing = site.store.firing_alerts(now).await?;
    let mut cards = Vec::new();
    for (name, _) in firing.into_iter().filter(|(name, _)| name.as_str() > after).take(ALERTS as usize + 1) {
        cards.extend(site.store.alert_card(&name, now).await?);
    }
    Ok(cards)
}

/// Parses a page token: the last event of the page before.
fn parse_page_token(token: &str) -> Option<EventCursor> {
    let (at, event) = token.split_once('/')?;
    Some(EventCursor { at: Time(at.parse().ok()?), event: event.to_owned() })
}

/// The shown topics that have a page. For each alert, this many subjects are named.
async fn topics_with_page(
    site: &Site,
    cards: &[AlertCard],
    (events, specs): (&[AlertEvent], &[AlertSpec]),
    named: usize,
) -> Result<BTreeSet<String>, Problem> {
    let firing = cards.iter().flat_map(|card| {
        let firing = card.firing.iter().take(named).chain(card.held_back.iter().take(named));
        firing.filter_map(|firing| subject_topic(&firing.subject, Some(&card.spec)))
    });
    let of_events = events.iter().filter_map(|event| subject_topic(&event.subject, spec_of(specs, event)));
    let named: BTreeSet<String> = firing.chain(of_events).map(str::to_owned).collect();
    if named.is_empty() {
        return Ok(named);
    }
    let named: Vec<String> = named.into_iter().collect();
    let watched = site.store.watched_topics(&named).await?;
    Ok(watched.into_iter().filter(|topic| topic.ended.is_none()).map(|topic| topic.topic).collect())
}

/// The definition of an event's alert, if it is still configured.
fn spec_of<'a>(specs: &'a [AlertSpec], event: &AlertEvent) -> Option<&'a AlertSpec> {
    specs.iter().find(|spec| spec.name == event.alert)
}

/// Says that there is no alert. Events may be left of alerts that were removed.
fn none(never: bool) -> Markup {
    html! { p { @if never { "No alert has been evaluated yet. " } @else { "No alert is configured now. " } code { "[[alerts]]" } " in " code { "jobs.toml" } " define what to look for and whom to notify: new items with certain words, more items than usual, a failing source, missed slots, a budget. " code { "topicwatch run" } " evaluates those of the file and lists them here." } }
}

fn row(card: &AlertCard, topics: &BTreeSet<String>, (acts, named): (bool, usize), now: Time) -> Markup {
    let spec = &card.spec;
    html! { tr {
        th scope="row" {
            a href=(page_of(&spec.name)) { (format::line(&spec.name, 64)) }
            span.sub { (spec.rule) @if !spec.words.is_empty() { ": " (format::line(&spec.words.join(", "), 120)) } }
        }
        td data-label="State" { (state(card, topics, named, now)) }
        td data-label="Last message" {
            (item_view::when(card.sent_at, "UTC"))
            @if card.sent_at.is_some() && card.delivery != Some(Delivery::Delivered) { span.sub { (undelivered(card.delivery)) } }
            @if let Some(until) = card.cooling(now) { span.sub { "cool-down until " (moment(until, "UTC")) } }
            @if let Some(quiet) = spec.quiet { span.sub { "quiet " (hours(quiet)) " " (spec.timezone) } }
        }
        td data-label="Sends to" { @if spec.channels.is_empty() { "no channel" } @else { (format::line(&spec.channels.join(", "), 120)) } }
        @if acts { td data-label="Actions" { (actions::of_alert(card, now)) } }
    } }
}

/// The hours of a day in which nothing is sent.
pub(in crate::web) fn hours(quiet: QuietHours) -> String {
    let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{}–{}", clock(quiet.from), clock(quiet.until))
}

fn state(card: &AlertCard, topics: &BTreeSet<String>, named: usize, now: Time) -> Markup {
    let is_acknowledged = card.firing_in_all > 0 && card.acked_in_all == card.firing_in_all;
    let more = card.firing_in_all - i64::try_from(card.firing.len().min(named)).unwrap_or(0);
    html! {
        @if card.spec.paused { span.state.calm { "paused" } }
        @else if card.looked_at.is_none() { span.state.calm { "not checked yet" } }
        @else if is_acknowledged { span.state.warn { "firing, acknowledged" } }
        @else if card.firing_in_all > 0 { span.state.bad { "firing" } }
        @else { span.state.good { "not firing" } }
        @if let Some(until) = card.snoozed(now) { " " span.state.calm { "snoozed" } span.sub { "until " (moment(until, "UTC")) } }
        @if card.spec.paused && !card.firing.is_empty() { span.sub { "It fired before it was paused:" } }
        @for firing in card.firing.iter().take(named) { span.sub { (firing_view(firing, &card.spec, topics)) } }
        @if more > 0 { span.sub { "and " a href=(page_of(&card.spec.name)) { (number(more.unsigned_abs())) " more" } } }
        @for held in card.held_back.iter().take(named).filter(|_| !card.spec.paused) {
            span.sub { "held back (" (Firing::UNRELATED) "): " (firing_view(held, &card.spec, topics)) }
        }
        @if card.waiting > 0 { span.sub { (count_noun(card.waiting.unsigned_abs(), "event")) " not reported yet" } }
    }
}

fn firing_view(firing: &Firing, spec: &AlertSpec, topics: &BTreeSet<String>) -> Markup {
    html! { (subject_link(&firing.subject, Some(spec), topics)) " since " (moment(firing.since, "UTC")) @if firing.acked { ", acknowledged" } }
}

/// What an event is about, with a link to the page of its topic if it has one.
fn subject_link(subject: &str, spec: Option<&AlertSpec>, topics: &BTreeSet<String>) -> Markup {
    let label = format::line(subject, 100);
    html! { @match subject_topic(subject, spec).filter(|topic| topics.contains(*topic)) {
        Some(topic) => a href=(format!("/topics/{topic}")) { (label) },
        None => (label),
    } }
}

/// The page of an alert.
pub(super) fn page_of(name: &str) -> String {
    link("/alerts", [("alert", name)])
}

fn event_view(
    (event, spec): (&AlertEvent, Option<&AlertSpec>),
    counted: Option<&str>,
    topics: &BTreeSet<String>,
    acts: bool,
) -> Markup {
    html! {
        p {
            @if event.kind == AlertEventKind::Fired { span.state.bad { "fired" } } @else { span.state.good { "over" } }
            " " a href=(page_of(&event.alert)) { (format::line(&event.alert, 64)) } " " (moment(event.at, "UTC"))
        }
        p dir="auto" { (format::line(&event.summary, 400)) }
        @if !event.lines.is_empty() { ul { @for line in &event.lines { li {
            @match &line.key { Some(key) => a dir="auto" href=(item_view::item_page(key)) { (format::line(&line.text, 200)) }, None => (format::line(&line.text, 200)) }
        } } } }
        p.meta {
            (subject_link(&event.subject, spec, topics))
            @if let Some(run) = event.run_id() { " · " a href=(link("/runs", [("run", run)])) { "its run" } }
            @if let Some(counted) = counted { " · " a href=(counted) { "what it counted" } }
            " · " (event_row(event))
        }
        // Alerts that are no longer configured take no requests.
        @if acts && spec.is_some() && event.acked_at.is_none() { (actions::of_event(event)) }
    }
}

/// The state of a message that was not delivered to all.
fn undelivered(delivery: Option<Delivery>) -> &'static str {
    match delivery {
        Some(Delivery::Waiting) => "its message is waiting",
        Some(Delivery::Partly) => "its message is partly delivered",
        Some(Delivery::Dead) => "its message is dead",
        Some(Delivery::Delivered | Delivery::Unknown) | None => "its message is no longer in the outbox",
    }
}

/// Whether a message was sent, and whether somebody acknowledged the event.
fn event_row(event: &AlertEvent) -> Markup {
    html! {
        @match (&event.muted, &event.message) {
            (Some(why), _) => { "not reported: " (format::line(why, 60)) },
            (None, Some(_)) => @match event.delivery {
                Some(Delivery::Delivered) => "reported",
                other => { (undelivered(other)) },
            },
            (None, None) => "not reported yet",
        }
        @if let Some(at) = event.acked_at { " · acknowledged " (moment(at, "UTC")) }
    }
}

/// The alerts that fire for topics. Empty for visitors who do not see all topics, because alerts cover all of them.
pub(super) async fn firing_at(site: &Site, topics: &[String], visitor: &Visitor) -> Result<Vec<TopicFiring>, Problem> {
    if visitor.sees_all() { Ok(site.store.firing_for_topics(topics, site.now()).await?) } else { Ok(Vec::new()) }
}

/// A small note on the alerts that fire for a topic.
pub(super) fn note(firing: &[TopicFiring]) -> Markup {
    html! { @for one in firing {
        span.sub {
            a href=(page_of(&one.alert)) { "alert " (format::line(&one.alert, 64)) }
            @if one.firing.is_held_back() { " held back: " (Firing::UNRELATED) }
            @else if let Some((_, part)) = one.firing.subject.split_once('/') { " (" (format::line(part, 40)) ")" }
            @if one.firing.acked { ", acknowledged" }
        }
    } }
}

/// A line with the alerts that fire.
pub(super) fn line(alerts: &[(String, i64)]) -> Markup {
    let named = alerts.iter().take(NAMED);
    html! { @if !alerts.is_empty() { p.note {
        a href="/alerts?firing=true" { (count_noun(alerts.len() as u64, "alert")) " firing" } ": "
        @for (place, (name, many)) in named.enumerate() {
            @if place > 0 { ", " }
            a href=(page_of(name)) { (format::line(name, 64)) @if *many > 1 { " (" (number(many.unsigned_abs())) ")" } }
        }
        @if alerts.len() > NAMED { ", …" }
    } } }
}
