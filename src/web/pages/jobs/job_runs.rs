//! Runs reports and exports at once, and tests channels and alerts: the buttons on the settings page, what they do,
//! and the outcome. `jobs` switches entries on and off.

use maud::{Markup, html};

use crate::draw::format::{self, count_noun, number};
use crate::edit::{Jobs, KeyValue, Kind};
use crate::model::{AlertEvent, AlertEventKind, Firing, OutboxEntry, OutboxState, Role, alert_job, excerpt};
use crate::web::access::visitor::Visitor;
use crate::web::edit_state::Editing;
use crate::web::jobs_file::{AlertTrial, TRIAL_RUNS};
use crate::web::layout::moment;
use crate::web::page_request::{PageRequest, link};
use crate::web::pages::alerts;
use crate::web::pages::items::item_view::progress_page;
use crate::web::pages::topic::actions::{may_ask, press_field, request_run, run_request};
use crate::web::pages::topic::edit::not_in_file;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Maximum number of firing subjects, and of events (the latest), that a trial shows.
const NAMED: usize = 10;

/// The request of a table's button, and its label.
fn job_of(kind: Kind, name: &str) -> Option<(String, &'static str)> {
    match kind {
        Kind::Report | Kind::Export => Some((format!("{}:{name}", kind.singular()), "Run now")),
        Kind::Channel => Some((format!("channel:{name}"), "Send a test")),
        Kind::Alert => Some((alert_job(name), "Test")),
        Kind::Topic => None,
    }
}

/// Whether this visitor may press the buttons of the file.
fn may_run(site: &Site, visitor: &Visitor) -> bool {
    site.may_act(visitor) && visitor.role >= Role::Edit
}

/// The button of a table that is on, or of an alert.
pub(in crate::web::pages) fn button(
    site: &Site,
    kind: Kind,
    name: &str,
    on: bool,
    visitor: &Visitor,
) -> Result<Markup, Problem> {
    let job = job_of(kind, name).filter(|_| may_run(site, visitor) && (on || kind == Kind::Alert));
    let Some((_, label)) = job else { return Ok(html! {}) };
    Ok(html! { form method="post" action="/jobs" {
        input type="hidden" name="do" value="run";
        input type="hidden" name="kind" value=(kind.singular());
        input type="hidden" name="name" value=(name);
        (press_field(site)?)
        button type="submit" aria-label=(format!("{label}: {} {name}", kind.singular())) { (label) }
    } })
}

/// The outcome of the latest request, for a table that is on or paused.
pub(in crate::web::pages) async fn last(
    site: &Site,
    kind: Kind,
    name: &str,
    on: bool,
    visitor: &Visitor,
) -> Result<Markup, Problem> {
    let Some((of, _)) = job_of(kind, name).filter(|_| may_run(site, visitor)) else { return Ok(html! {}) };
    let Some(request) = site.store.requests_of(&of, 1).await?.into_iter().next() else { return Ok(html! {}) };
    if kind != Kind::Channel {
        return Ok(html! { span.sub { (run_request(site, &request, "UTC", visitor).await?) } });
    }
    let posted = site.store.outbox_message(&format!("test/{}", request.id)).await?;
    Ok(html! { span.sub {
        "Test, requested " (moment(request.asked_at, "UTC")) ": "
        @match &posted {
            Some(posted) => {
                strong { (outcome(posted)) }
                @if let Some(why) = &posted.error { " (" (format::line(why, 200)) ")" }
                @if posted.state == OutboxState::Queued {
                    @if !on { ", not tried while the channel is paused" } @else if let Some(at) = posted.next_at { ", next try at " (moment(at, "UTC")) }
                }
            },
            None => (format::line(request.answer.as_deref().unwrap_or("waiting for a daemon"), 200)),
        }
    } })
}

/// The state of a channel's test.
fn outcome(posted: &OutboxEntry) -> &'static str {
    match posted.state {
        OutboxState::Sent => "sent",
        // Refused, or tried too often.
        OutboxState::Dead => "not delivered",
        OutboxState::Sending => "being sent",
        OutboxState::Queued if posted.error.is_some() => "not delivered yet",
        OutboxState::Queued => "waiting",
    }
}

/// Handles a button. Returns where to go next.
pub(in crate::web::pages) async fn run(
    site: &Site,
    editing: &Editing,
    jobs: &Jobs<'_>,
    form: &PageRequest,
) -> Result<String, Problem> {
    let id = may_ask(site)?(site.now());
    let kind = form.word("kind", Kind::parse)?.ok_or_else(|| form.invalid("kind"))?;
    let name = form.get("name").unwrap_or("");
    let (of, _) = job_of(kind, name).ok_or_else(|| form.invalid("kind"))?;
    check_runnable(jobs, kind, name)?;
    match kind {
        Kind::Alert => {
            let trial =
                editing.file.try_alert(name).await.map_err(|wrong| Problem::bad_request(wrong.message, wrong.hint))?;
            editing.keep_trial(id.clone(), trial);
            Ok(link("/jobs", [("tested", id.as_str())]))
        }
        Kind::Channel => request_run(site, form, &of).await.map(|_| "/jobs#channels".to_owned()),
        Kind::Topic | Kind::Report | Kind::Export => request_run(site, form, &of).await.map(|id| progress_page(&id)),
    }
}

/// Checks that a table can be run or tested: it exists, is not paused, and a daemon knows it.
fn check_runnable(jobs: &Jobs<'_>, kind: Kind, name: &str) -> Result<(), Problem> {
    let entry = find_entry(jobs, kind, name)?;
    let (word, quoted_name) = (kind.singular(), excerpt(name));
    if kind != Kind::Alert
        && jobs.value_and_source(entry, "paused").is_some_and(|(value, _)| *value == KeyValue::Flag(true))
    {
        return Err(Problem::conflict(
            format!("The {word} `{quoted_name}` is paused"),
            "Resume it on /jobs, then try again.",
        ));
    }
    let scheduled =
        || jobs.value_and_source(entry, "schedule").is_some() || jobs.value_and_source(entry, "every").is_some();
    if matches!(kind, Kind::Report | Kind::Export) && !scheduled() {
        // Exports without a schedule are refused with the file.
        let hint = format!("Give it a schedule, or create it in a shell: topicwatch report {quoted_name}");
        return Err(Problem::conflict(
            format!("The {word} `{quoted_name}` has no schedule, so no daemon creates it"),
            hint,
        ));
    }
    Ok(())
}

/// The table with a name.
pub(in crate::web::pages) fn find_entry<'j>(
    jobs: &'j Jobs<'_>,
    kind: Kind,
    name: &str,
) -> Result<&'j crate::edit::Entry, Problem> {
    let title = || format!("There is no {} `{}` in the file", kind.singular(), excerpt(name));
    let mut entries = jobs.entries(kind).filter(|entry| entry.name == name);
    entries.next().ok_or_else(|| not_in_file(title()))
}

/// The result of an alert trial, for the page after the button.
pub(in crate::web::pages) fn trial(trial: &AlertTrial) -> Markup {
    let fired =
        trial.events.iter().filter(|event| event.kind == AlertEventKind::Fired && event.muted.is_none()).count() as u64;
    let latest = trial.events.iter().rev().take(NAMED);
    let (held_back, firing): (Vec<&Firing>, _) = trial.firing.iter().partition(|one| one.is_held_back());
    html! { div.note #tested role="status" {
        p { "Test of the alert " a href=(alerts::page_of(&trial.name)) { strong { (format::line(&trial.name, 64)) } } ": nothing was stored or sent." }
        @if firing.is_empty() { p { "Nothing would fire now." } } @else {
            p { strong { (count_noun(firing.len() as u64, "subject")) " would fire now" } ":" }
            (subjects(&firing))
        }
        @if !held_back.is_empty() {
            p { (count_noun(held_back.len() as u64, "subject")) " would be held back now, without a message (" (Firing::UNRELATED) "):" }
            (subjects(&held_back))
        }
        p {
            @if let Some(why) = trial.not_backtested { "Only today's use was checked: " (why) "." }
            @else if trial.cut && trial.runs == 0 { "None of its runs is among the latest " (number(TRIAL_RUNS.unsigned_abs())) " of all topics." }
            @else if trial.cut { "In the latest " (count_noun(trial.runs, "run")) " it would have fired " (count_noun(fired, "time")) "." }
            @else { "In " (count_noun(trial.runs, "run")) " since " (moment(trial.since, "UTC")) " it would have fired " (count_noun(fired, "time")) "." }
            @if trial.events.len() > NAMED { " The latest:" }
        }
        @if !trial.events.is_empty() { ul { @for event in latest { li dir="auto" { (moment(event.at, "UTC")) " " (event_text(event)) } } } }
        p {
            @if trial.channels.is_empty() { "It has no channels, so it sends nothing." } @else { "It notifies " (format::line(&trial.channels.join(", "), 200)) "." }
            @if trial.paused { " It is paused." }
        }
    } }
}

/// The first of these subjects.
fn subjects(all: &[&Firing]) -> Markup {
    html! {
        ul { @for one in all.iter().take(NAMED) { li { (format::line(&one.subject, 100)) " since " (moment(one.since, "UTC")) } } }
        @if all.len() > NAMED { p { "and " (number((all.len() - NAMED) as u64)) " more" } }
    }
}

fn event_text(event: &AlertEvent) -> Markup {
    html! {
        @if event.kind == AlertEventKind::Recovered { "over: " } (format::line(&event.summary, 300))
        @if let Some(why) = &event.muted { " (not sent: " (format::line(why, 60)) ")" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Time;

    #[test]
    fn an_alert_trial_separates_held_back_subjects_from_firing_ones() {
        let firing = |subject: &str, muted: Option<&str>| Firing {
            subject: subject.to_owned(),
            since: Time(0),
            acked: false,
            muted: muted.map(str::to_owned),
        };
        let (alarm, held) = (firing("acme", None), firing("acme/unrelated", Some(Firing::UNRELATED)));
        for (runs, all, fires, held_back) in [
            (1, vec![], "In the latest 1 run it would have fired 0 times.", false),
            (0, vec![], "None of its runs is among the latest 1,000 of all topics.", false),
            (1, vec![], "Nothing would fire now.", false),
            (1, vec![alarm.clone()], "<strong>1 subject would fire now</strong>", false),
            (1, vec![held.clone()], "Nothing would fire now.", true),
            (1, vec![alarm, held], "<strong>1 subject would fire now</strong>", true),
        ] {
            let page = trial(&AlertTrial {
                name: "loud".to_owned(),
                runs,
                since: Time(0),
                cut: true,
                firing: all,
                not_backtested: None,
                events: Vec::new(),
                channels: Vec::new(),
                paused: false,
            })
            .into_string();
            assert!(page.contains(fires), "{page}");
            let apart = "1 subject would be held back now, without a message (unrelated posts):";
            assert_eq!(page.contains(apart), held_back, "{page}");
        }
    }
}
