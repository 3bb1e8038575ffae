//! What `db forget` prints: what it erased, what it changed besides, and what may still contain it.

use serde_json::json;

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::output;
use crate::collect::Forgotten;
use crate::model::TokenRow;
use crate::store::ReportFiles;

/// The most characters of what a token is for.
const SCOPE: usize = 60;

/// What still names what was forgotten: topics whose queries ask for it, and exports and reports about it.
pub(super) struct RemainingMentions {
    pub(super) topics: Vec<String>,
    pub(super) jobs: Vec<String>,
}

/// What `forget` reports.
pub(super) struct Summary {
    pub(super) found: Forgotten,
    pub(super) reports: Vec<ReportFiles>,
    pub(super) naming: RemainingMentions,
    pub(super) dry_run: bool,
    pub(super) scrubbed: bool,
    pub(super) copies: bool,
}

pub(super) fn print(summary: &Summary, as_json: bool) -> Result<(), Failure> {
    let Summary { found, reports, naming, dry_run, scrubbed, copies } = summary;
    if as_json {
        let mut taken = serde_json::to_value(found.taken)?;
        if let Some(fields) = taken.as_object_mut() {
            // The former name of `raw_replies`, until 1.0.
            fields.insert("raws".to_owned(), json!(found.taken.raw_replies));
        }
        output::json(&json!({
            "dry_run": dry_run,
            "taken": taken,
            "since": found.since,
            "topics": found.topics,
            "tokens": found.access.tokens,
            "links": found.access.links,
            "reports": reports,
            "asked_for_by": naming.topics,
            "named_by": naming.jobs,
            "file_written_anew": scrubbed,
        }))?;
        return Ok(());
    }
    let taken = &found.taken;
    let nothing = taken.items == 0 && found.since.is_none();
    let mut text = format!("{}\n", if *dry_run { "would be erased:" } else { "erased:" });
    for (number, one, many) in [
        (taken.items, "item", "items"),
        (taken.sightings, "sighting of them", "sightings of them"),
        (taken.revisions, "earlier wording", "earlier wordings"),
        (taken.shared, "item kept because other topics found it", "items kept because other topics found them"),
        (taken.raw_replies, "whole raw reply", "whole raw replies"),
        (taken.answers, "answer blanked", "answers blanked"),
        (taken.messages, "outbox message blanked", "outbox messages blanked"),
        (
            taken.words,
            "question, error, subject or old definition blanked",
            "questions, errors, subjects and old definitions blanked",
        ),
    ] {
        text.push_str(&format!("  {number} {}\n", if number == 1 { one } else { many }));
    }
    for token in &found.access.tokens {
        text.push_str(&format!("token {}: {}\n", output::escape_control(&token.name), change_of(token, *dry_run)));
    }
    for link in &found.access.links {
        let change = if *dry_run { "would be withdrawn, since it shows" } else { "withdrawn, since it showed" };
        let of = output::escape_control(&link.of);
        text.push_str(&format!("share link {}: {change} topic {of}\n", output::escape_control(&link.id)));
    }
    if nothing {
        text.push_str(
            "no stored item matches; is it spelled as in `topicwatch items` or `export`? \
             An author who was renamed keeps the first name there\n",
        );
    }
    if let Some(since) = found.since {
        text.push_str(&format!(
            "first seen {}: files written since then may contain it; recreate or delete them\n",
            output::format_time(since)
        ));
        text.push_str("  also: exports and reports made by hand since then\n");
        for report in reports {
            let files = report.files.iter().map(|file| output::escape_control(file)).collect::<Vec<_>>().join(", ");
            let files = if files.is_empty() { "no file".to_owned() } else { files };
            text.push_str(&format!(
                "  {} written {}: {files}\n",
                output::escape_control(&report.run),
                output::format_time(report.made_at)
            ));
        }
    }
    for topic in &naming.topics {
        text.push_str(&format!(
            "note: the query of topic {} contains the name; change it\n",
            output::escape_control(topic)
        ));
    }
    for job in &naming.jobs {
        text.push_str(&format!("note: {} contains the name; remove it from the file\n", output::escape_control(job)));
    }
    if *copies {
        text.push_str("not erased: delivered emails and files, logs, and backups (docs/explanation/privacy.md)\n");
    }
    output::text(&text)?;
    Ok(())
}

/// Describes what happens to a token that was for a forgotten topic.
fn change_of(token: &TokenRow, dry_run: bool) -> String {
    let tags = token.tags.iter().map(|tag| format!("tag {tag}"));
    let scope: Vec<String> = token.topics.iter().cloned().chain(tags).collect();
    let scope = output::truncate(&scope.join(", "), SCOPE);
    match (token.withdrawn_at.is_some(), dry_run) {
        (true, false) => "withdrawn, since it was for no other topic".to_owned(),
        (true, true) => "would be withdrawn, since it is for no other topic".to_owned(),
        (false, false) => format!("from now on only for {scope}"),
        (false, true) => format!("would only be for {scope}"),
    }
}
