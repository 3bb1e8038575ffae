//! `status` as text: a table of topics, then notes on those that need attention, and today's cost.

use std::io::Write;

use super::budgets::money_used;
use super::pages::Page;
use super::totals::Totals;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::grid::Grid;
use crate::cli::terminal::output;
use crate::compare::FirstSeen;
use crate::model::{EMPTY_REPLY, Paused, PausedBy, RunState, Time, Undelivered};
use crate::store::{RunRow, TopicStatus};

/// The table and its notes, filled page by page.
pub(in crate::cli::look) struct StatusText {
    grid: Grid,
    /// Since when topics are overdue.
    pub(in crate::cli::look) overdue: Vec<Time>,
    paused: String,
    over_quota: String,
    failures: String,
    silences: String,
    not_new: String,
    baseline: i64,
}

impl StatusText {
    pub(in crate::cli::look) fn new() -> Self {
        Self {
            grid: Grid::new(&["topic", "state", "last run", "new", "items", "next slot"], &[3, 4]),
            overdue: Vec::new(),
            paused: String::new(),
            over_quota: String::new(),
            failures: String::new(),
            silences: String::new(),
            not_new: String::new(),
            baseline: 0,
        }
    }

    /// Adds a page of topics.
    pub(in crate::cli::look) fn add(&mut self, page: &Page, totals: &Totals<'_>) {
        for status in &page.topics {
            let overdue_since = status.overdue_since(totals.now);
            self.overdue.extend(overdue_since);
            self.grid.push(&row(status, page, totals.next_slot(status, page), overdue_since.is_some()));
            if let Some(why) = &status.paused {
                self.paused.push_str(&paused_line(&status.topic, why));
            }
            self.failures.push_str(&problem_line(status, page));
            if let Some(first) = status.last_run.as_ref().and_then(|run| page.first_seen.get(&run.run)) {
                self.note_first_seen(&status.topic, *first);
            }
            if let Some(run) = status.last_run.as_ref().filter(|run| is_over_quota(run, totals.now)) {
                let why = output::truncate(run.reason.as_deref().unwrap_or(""), 200);
                self.over_quota.push_str(&format!("{} is over quota: {why}\n", run.topic.as_deref().unwrap_or("")));
            }
        }
        page.silences.iter().for_each(|one| self.silences.push_str(&format!("{one}\n")));
    }

    /// Notes the items that a topic's last run saw first but that are not new.
    fn note_first_seen(&mut self, topic: &str, first: FirstSeen) {
        if let Some(many @ 1..) = first.filtered {
            self.not_new.push_str(&format!("{topic}: {many} more first seen in the last run, filtered\n"));
        }
        if first.older > 0 {
            let many = first.older;
            self.not_new.push_str(&format!(
                "{topic}: {many} more first seen in the last run, but older than the window or dated in the future\n"
            ));
        }
        self.baseline += first.baseline;
    }

    /// Writes everything. `overdue` is the line about overdue topics; `unjudged` topics were not checked for silent
    /// sources.
    pub(in crate::cli::look) fn write(
        self,
        out: &mut impl Write,
        totals: &Totals<'_>,
        overdue: String,
        unjudged: usize,
    ) -> Result<(), Failure> {
        if totals.is_sandbox {
            out.write_all(b"SANDBOX: invented findings\n\n")?;
        }
        for line in self.grid.lines() {
            writeln!(out, "{line}")?;
        }
        let mut text = [overdue, self.paused, self.over_quota, self.failures, self.silences].concat();
        if unjudged > 0 {
            let (topics, were) = if unjudged == 1 { ("topic", "was") } else { ("topics", "were") };
            text.push_str(&format!("{unjudged} {topics} {were} not checked for silent sources\n"));
        }
        for run in &totals.failed_jobs {
            text.push_str(&failed_job_line(run));
        }
        if totals.undelivered != Undelivered::default() {
            text.push_str(&format!("{}: topicwatch outbox\n", totals.undelivered));
        }
        text.push_str(&self.not_new);
        if self.baseline > 0 {
            text.push_str(&format!("{} more first seen in the last runs: a baseline, not new\n", self.baseline));
        }
        text.push_str(&totals_lines(totals));
        out.write_all(text.as_bytes())?;
        Ok(())
    }
}

/// Returns the budgets, the disk space that is not returned, and today's use.
fn totals_lines(totals: &Totals<'_>) -> String {
    let Totals { context, used, disk, .. } = totals;
    let mut text = String::new();
    for line in totals.budgets.iter().skip(1).filter(|line| line.limit.is_some()) {
        text.push_str(&format!("{line}\n"));
    }
    if !disk.gives_back && disk.free > disk.bytes / 5 {
        text.push_str(&format!(
            "{} of the file is free and cannot be returned to the file system: see `topicwatch db prune`\n",
            output::bytes(disk.free)
        ));
    }
    text.push('\n');
    let days = context.config.day_limits();
    for (name, limits) in &days.providers {
        let used = used.of(*name);
        let money = money_used(used.cost, limits.money);
        text.push_str(&format!("{name}: {} of {} calls today (UTC), {money}\n", used.calls, limits.calls));
    }
    if let Some(limits) = days.service {
        let money = money_used(used.service.cost, limits.money);
        let limit = context.config.service.max_calls_per_day;
        text.push_str(&format!("{} of {limit} calls today (UTC), {money} · ", used.service.calls));
    }
    text.push_str(&format!("{}, {}\n", output::escape_control(&totals.place), output::bytes(disk.bytes)));
    text
}

/// Returns a topic's row of the table.
fn row(t: &TopicStatus, page: &Page, next: Option<Time>, overdue: bool) -> [String; 6] {
    let run = t.last_run.as_ref();
    let new = run.and_then(|run| Some((run, page.first_seen.get(&run.run)?))).map_or_else(
        || "-".to_owned(),
        // A baseline is never new, so an exact count does not matter.
        |(run, first)| {
            let is_full = page.full.contains(&run.run) && (first.new > 0 || first.baseline == 0);
            output::at_least(first.new, is_full || page.incomplete.contains(&run.run))
        },
    );
    let next = match (&t.paused, overdue) {
        (Some(_), _) => "paused".to_owned(),
        (None, true) => "overdue".to_owned(),
        (None, false) => output::format_time_or_dash(next),
    };
    let (state, last) = (page.state_word(t).to_owned(), run.and_then(|r| r.started_at));
    [t.topic.clone(), state, output::format_time_or_dash(last), new, t.items.to_string(), next]
}

/// Describes what failed or was empty in error in a topic's last run, and when the last success was if that was another
/// run.
fn problem_line(t: &TopicStatus, page: &Page) -> String {
    let Some(run) = &t.last_run else { return String::new() };
    let failed = page.failed.get(&run.run).map(|failed| format!("failed in the last run: {}", failed.join(", ")));
    let success = (t.last_success != run.started_at).then(|| match t.last_success {
        Some(at) => format!("last results {}", output::format_time(at)),
        None => "no successful run yet".to_owned(),
    });
    let emptied = page.emptied.get(&run.run);
    let emptied = emptied.map(|sources| format!("in the last run, {} gave {EMPTY_REPLY}", sources.join(", ")));
    let parts: Vec<String> = failed.into_iter().chain(emptied).chain(success).collect();
    if parts.is_empty() { String::new() } else { format!("{}: {}\n", t.topic, parts.join("; ")) }
}

/// Describes the last run of a report, an export or another job, which failed.
fn failed_job_line(run: &RunRow) -> String {
    let at = output::format_time_or_dash(run.finished_at);
    let why =
        output::truncate(run.error_text.as_deref().or(run.reason.as_deref()).unwrap_or("no reason recorded"), 300);
    format!("{} failed at {at}: {why}\n", output::escape_control(&run.job))
}

/// Whether the quota of a topic's last run is still used up. Without a reset time, it is.
fn is_over_quota(run: &RunRow, now: Time) -> bool {
    run.clears_at.map_or(run.state == RunState::OverQuota, |at| at > now)
}

fn paused_line(topic: &str, paused: &Paused) -> String {
    match paused.by {
        PausedBy::File => format!("{topic} is paused in the configuration\n"),
        PausedBy::Pause => {
            let why =
                paused.reason.as_ref().map_or_else(String::new, |why| format!(": {}", output::escape_control(why)));
            format!("{topic} has been paused since {}{why}\n", output::format_time_or_dash(paused.since))
        }
    }
}
