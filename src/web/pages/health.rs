//! Whether everything works: the loop, the planner, the database, what waits to be delivered or indexed, and missed
//! slots.

use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};

use crate::draw::format::{at_least, count_noun, number};
use crate::model::{LATE, ProcessRow, SIGN_AHEAD, Span, Time};
use crate::normalise::words;
use crate::web::layout::{Page, moment};
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// The most processes that the store lists.
const MOST_LISTED: usize = 50;

/// How far back missed slots are counted.
const MISSED: Duration = Duration::from_secs(7 * 86_400);

pub(in crate::web) async fn show(site: Arc<Site>, _ask: PageRequest) -> Result<Page, Problem> {
    let (store, now) = (&site.store, site.now());
    let process_rows = store.processes().await?;
    let counts = store.status_counts(now, now.minus(LATE)).await?;
    let missed = Span { from: now.minus(MISSED), until: now.plus(SIGN_AHEAD) };
    let ledger = store.ledger(missed, now.minus(LATE)).await?;
    let since = missed.from.to_string();
    let undelivered = store.undelivered(None).await?;
    let waiting = store.index_backlog(words::VERSION).await?;
    let disk = store.disk().await?;
    // Not counted from the rows, which are only the latest.
    let alive = store.running_instances(now).await? > 0;
    // The heartbeat of the process comes from outside the loop, so the loop may be stuck nevertheless.
    let stuck = site.process_status.beat.as_ref().is_some_and(|beat| beat.is_late());
    let main = html! {
        h1 { "Health" }
        dl.facts {
            dt { "Scheduler" }
            dd {
                @if stuck { (word("bad", "stopped")) " The loop of this process has stopped: restart it." }
                @else if alive && counts.overdue == 0 { (word("good", "ticking")) }
                @else if alive { (word("warn", "late")) " " (count_noun(counts.overdue.unsigned_abs(), "slot")) " overdue by more than two minutes" @if let Some(at) = ledger.overdue_since { ", the first since " (moment(at, "UTC")) } }
                @else { (word("bad", "not running")) " No daemon has reported recently. Start " code { "topicwatch run" } "." }
            }
            dt { "Database" } dd { (word("good", "answers")) " " code { (store.location()) } ", " (bytes(disk.bytes)) }
            dt { "Runs" } dd { @if counts.running > 0 { a href=(link("/runs", [("state", "running")])) { (number(counts.running.unsigned_abs())) " running" } } @else { "0 running" } ", " (number(counts.due.unsigned_abs())) " due and waiting" @if let Some(at) = ledger.last_end { "; the last ended " (moment(at, "UTC")) } }
            dt { "Missed slots" } dd { @if let (0, Some(at)) = (ledger.missed, ledger.overdue_since) { (word("warn", "unknown")) ": not checked since " (moment(at, "UTC")) } @else if ledger.missed == 0 { (word("good", "none")) " in 7 days" } @else { (word("warn", &at_least(ledger.missed.unsigned_abs(), ledger.overdue_since.is_some()))) " in 7 days, " a href=(link("/runs", [("state", "missed"), ("since", since.as_str())])) { "which" } } }
            dt { "Messages" } dd {
                @let (dead, queued) = (undelivered.dead, undelivered.waiting);
                @if dead > 0 { (word("bad", &format!("{} dead", number(dead.unsigned_abs())))) ", " }
                @if queued > 0 { (count_noun(queued.unsigned_abs(), "message")) " waiting" }
                @else if dead == 0 { (word("good", "none waiting")) } @else { "none waiting" }
                @if dead > 0 { ". " code { "topicwatch outbox list --state dead" } " shows why, " code { "topicwatch outbox retry --dead" } " sends them again." }
            }
            dt { "Text search" } dd { @if waiting == 0 { (word("good", "complete")) } @else { (word("warn", "behind")) " " (count_noun(waiting.unsigned_abs(), "item")) " not indexed yet" } }
        }
        h2 { "Processes" }
        @if process_rows.is_empty() { p { "No process runs what is due. Start " code { "topicwatch run" } "; it keeps running and is listed here." } } @else { (processes(&process_rows, now)) @if process_rows.len() >= MOST_LISTED { p.meta { "The 50 seen last." } } }
    };
    Ok(Page { title: "Health".to_owned(), place: "/health", live: true, origin: site.origin().await?, main })
}

fn word(class: &str, word: &str) -> Markup {
    html! { span.{ "state " (class) } { (word) } }
}

fn processes(rows: &[ProcessRow], now: Time) -> Markup {
    html! { div.wide { table.cards {
        caption.quiet { "Processes and their heartbeats" }
        thead { tr { th scope="col" { "Process" } th scope="col" { "State" } th scope="col" { "Since" } th scope="col" { "Last heartbeat" } } }
        tbody { @for row in rows { tr {
            th scope="row" { (row.role) span.sub { (row.id) } }
            td data-label="State" { @if row.is_alive(now) { (word("good", "alive")) } @else { (word("calm", "gone")) } }
            td data-label="Since" { (moment(row.started_at, "UTC")) }
            td data-label="Last heartbeat" { (moment(row.seen_at, "UTC")) }
        } } }
    } } }
}

/// A size for people.
fn bytes(size: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "sizes on disks are far below 2^53")]
    let size = size as f64;
    [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        .into_iter()
        .find(|(unit, _)| size >= *unit)
        .map_or_else(|| format!("{size:.0} bytes"), |(unit, name)| format!("{:.1} {name}", size / unit))
}
