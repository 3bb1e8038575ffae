//! `coverage`: which spans each topic's sources covered, the gaps and their causes. What counts as a gap is decided in
//! `insight`.

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::{Context, instant};
use crate::cli::wiring::options::{Common, source_name};
use crate::compare::{CoveragePeriod, coverage};
use crate::insight::{Coverage, Hole, HoleCause, SourceCoverage, SpanLength};
use crate::model::{Source, Span, Time, format_duration};

#[derive(Debug, Args)]
pub struct CoverageArgs {
    /// Only these topics
    #[arg(value_name = "TOPIC")]
    pub topic: Vec<String>,
    /// Start of the period: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago
    #[arg(long, value_name = "TIME", default_value = "7d")]
    pub since: String,
    /// Only this source (repeat for more)
    #[arg(long, value_name = "SOURCE", value_parser = source_name)]
    pub source: Vec<Source>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// The most lines shown per source; the latest ones are kept.
const MOST_LINES: usize = 40;

/// Holes shorter than this, in milliseconds, share one line. A daily search that starts seconds after its slot leaves
/// one.
const SHORT: i64 = 60_000;

pub(in crate::cli) async fn run(common: &Common, args: &CoverageArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let now = (context.clock)();
    let since = instant("--since", Some(&args.since), now)?.unwrap_or(now);
    let Some(period) = Span::new(since, now) else {
        return Err(Failure::usage("--since is not in the past", "write a time before now, such as --since 7d"));
    };
    let wanted = |source: Source| args.source.is_empty() || args.source.contains(&source);
    let store = context.store_to_read().await?;
    renamed(&context, &store, &args.topic).await?;
    context.check_sources(&args.source, &store.searched_sources().await?)?;
    let CoveragePeriod { topics, pruned_until } = coverage(&store, &args.topic, period, now, &wanted).await?;
    if let Some(name) = args.topic.iter().find(|name| topics.iter().all(|known| known.watched.topic != **name)) {
        context.check_topics(std::slice::from_ref(name))?;
        return Err(Failure::usage(
            format!("topic {name} has not been run yet"),
            format!("run it: {}", context.command(&format!("once --topic {name}"))),
        ));
    }
    let invented = store.is_sandbox().await?;
    store.close().await;
    if args.json {
        let topics: Vec<_> = topics
            .iter()
            .map(
                |topic| json!({ "topic": topic.watched.topic, "began": topic.watched.began, "sources": topic.sources }),
            )
            .collect();
        output::json(&json!({ "sandbox": invented, "from": period.from, "until": period.until,
            "pruned_until": pruned_until, "topics": topics }))?;
        return Ok(Exit::Ok);
    }
    let mut text = if invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    for topic in &topics {
        for source in &topic.sources {
            text.push_str(&render(&topic.watched.topic, source, period, output::wrap_width()));
        }
    }
    if let Some(until) = pruned_until {
        text.push_str(&format!(
            "searches before {} were pruned; coverage before then is unknown\n",
            output::format_time(until)
        ));
    }
    if topics.iter().all(|topic| topic.sources.is_empty()) {
        let names: Vec<&str> = args.source.iter().map(Source::as_str).collect();
        text.push_str(&match names.is_empty() || topics.is_empty() {
            true => "nothing is watched\n".to_owned(),
            false => {
                let none = if topics.len() == 1 { "the topic is not" } else { "none of these topics is" };
                let which = if names.len() == 1 { "this source" } else { "any of these sources" };
                format!("{none} known to have had {which} in the period: {}\n", names.join(", "))
            }
        });
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

fn length(ms: i64) -> String {
    format_duration(std::time::Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
}

/// Formats the largest of some lengths, rounded up to the units that are shown: `at most 23h 59m` would be too little
/// for searches a day apart, one of which began a second late.
fn largest(ms: i64) -> String {
    let unit = match ms {
        86_400_000.. => 3_600_000,
        3_600_000.. => 60_000,
        1_000.. => 1_000,
        _ => 1,
    };
    length((ms / unit + i64::from(ms % unit > 0)).saturating_mul(unit))
}

/// Formats when the topic had a source, if only in a part of the period.
fn part_time(source: &SourceCoverage, period: Span) -> String {
    let Some(had) = source.had.as_deref().filter(|had| !had.is_empty()) else { return String::new() };
    let left_out = had.len().saturating_sub(MOST_LINES);
    let words = |span: &Span| {
        let from = (span.from > period.from).then(|| format!("from {}", output::format_time(span.from)));
        let until = (span.until < period.until).then(|| format!("until {}", output::format_time(span.until)));
        from.into_iter().chain(until).collect::<Vec<_>>().join(" ")
    };
    let mut times: Vec<String> = had.iter().skip(left_out).map(words).collect();
    if left_out > 0 {
        times.insert(0, format!("in {left_out} earlier spans that are not listed here"));
    }
    format!("  the topic had it only {}\n", times.join("\n    and "))
}

/// Formats a share as a percentage. Only the whole is 100%, and only zero is 0%.
fn share_text(share: f64) -> String {
    match format!("{:.2}%", share * 100.0).as_str() {
        "100.00%" if share < 1.0 => ">99.99%".to_owned(),
        "0.00%" if share > 0.0 => "<0.01%".to_owned(),
        rounded => rounded.to_owned(),
    }
}

fn render(topic: &str, source: &SourceCoverage, period: Span, width: usize) -> String {
    let head = format!("{topic} {}", source.source);
    let part_time = part_time(source, period);
    match &source.coverage {
        Coverage::Checks { checks, failed, largest_distance_ms } => {
            let failed = if *failed > 0 { format!(", {failed} failed") } else { String::new() };
            let spacing = largest_distance_ms.map_or_else(String::new, |ms| format!(", at most {} apart", largest(ms)));
            let last = checks.last().map_or_else(String::new, |at| format!(", last {}", output::format_time(*at)));
            let s = if checks.len() == 1 { "" } else { "s" };
            format!("{head}: {} check{s}{spacing}{failed}{last}\n{part_time}", checks.len())
        }
        Coverage::Spans {
            covered,
            holes,
            open,
            covered_ms,
            holes_ms,
            late_indexing,
            late_indexing_ms: late_ms,
            covered_share,
        } => {
            let together = match holes.len() {
                0 => "no gaps".to_owned(),
                1 => format!("1 gap, {}", length(*holes_ms)),
                n => format!("{n} gaps, {} in total", length(*holes_ms)),
            };
            let share = covered_share.map_or_else(
                || "nothing to cover yet".to_owned(),
                |share| {
                    let all = length(covered_ms + holes_ms + late_ms);
                    format!("{} of {all} covered, {together}", share_text(share))
                },
            );
            let late = match late_indexing.len() {
                0 => String::new(),
                1 => {
                    format!(
                        "  and {} before a search; posts of that time may have been indexed later\n",
                        length(*late_ms)
                    )
                }
                n => {
                    format!(
                        "  and {} before {n} searches; posts of that time may have been indexed later\n",
                        length(*late_ms)
                    )
                }
            };
            let spans = render_spans(covered, holes, late_indexing, open.as_ref(), width);
            format!("{head}: {share}\n{spans}{late}{part_time}")
        }
    }
}

/// Formats one line per span, and a second line for the causes of a hole.
fn render_spans(
    covered: &[SpanLength],
    holes: &[Hole],
    late: &[SpanLength],
    open: Option<&Hole>,
    width: usize,
) -> String {
    let line = |word: &str, span: Span| {
        let (from, until) = (output::format_time(span.from), output::format_time(span.until));
        format!("  {word:<7}  {from}  {until}  {}\n", length(span.until.0 - span.from.0))
    };
    let (long, short): (Vec<&Hole>, Vec<&Hole>) = holes.iter().partition(|hole| hole.span.length_ms >= SHORT);
    let mut lines: Vec<(Time, String)> = Vec::new();
    let mut joined: Option<Span> = None;
    let is_late = |from: Time, until: Time| {
        let place = late.partition_point(|late| late.span.from < from);
        late.get(place).is_some_and(|late| late.span == Span { from, until })
    };
    for interval in covered {
        match &mut joined {
            // The gap between is counted in a summary line below.
            Some(last) if interval.span.from.0 - last.until.0 < SHORT || is_late(last.until, interval.span.from) => {
                last.until = interval.span.until;
            }
            _ => {
                lines.extend(joined.replace(interval.span).map(|span| (span.from, line("covered", span))));
            }
        }
    }
    lines.extend(joined.map(|span| (span.from, line("covered", span))));
    for (word, hole) in long.iter().map(|hole| ("gap", *hole)).chain(open.map(|hole| ("open", hole))) {
        let causes = hole.causes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        // If nothing is due, the open span just waits for its next search and needs no cause.
        let why = if word == "open" && hole.causes.iter().all(|cause| cause.why == HoleCause::NothingDue) {
            String::new()
        } else {
            causes
        };
        let why = if why.is_empty() { why } else { output::wrap("           ", &output::escape_control(&why), width) };
        lines.push((hole.span.span.from, format!("{}{why}", line(word, hole.span.span))));
    }
    lines.sort();
    let left_out = lines.len().saturating_sub(MOST_LINES);
    let mut text = if left_out > 0 { format!("  … {left_out} earlier ones: --json\n") } else { String::new() };
    text.extend(lines.into_iter().skip(left_out).map(|(_, line)| line));
    if !short.is_empty() {
        let sum = short.iter().map(|hole| hole.span.length_ms).sum();
        let s = if short.len() == 1 { "" } else { "s" };
        text.push_str(&format!("  and {} gap{s} under a minute, {} in total\n", short.len(), length(sum)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_coverage_is_not_rounded_to_100_percent() {
        let texts = [1.0, 0.999_96, 0.999_94, 0.5, 0.000_04, 0.0].map(share_text);
        assert_eq!(texts, ["100.00%", ">99.99%", "99.99%", "50.00%", "<0.01%", "0.00%"]);
    }

    #[test]
    fn the_largest_distance_is_rounded_up() {
        const HOUR: i64 = 3_600_000;
        let shown = [0, 1_001, HOUR - 1, HOUR, HOUR + 1, 24 * HOUR - 500, 26 * HOUR, 26 * HOUR + 1].map(largest);
        assert_eq!(shown, ["0ms", "2s", "1h", "1h", "1h 1m", "1d", "1d 2h", "1d 3h"]);
    }

    #[test]
    fn all_times_of_a_source_are_one_sentence() {
        let hours = |from: i64, until: i64| Span { from: Time(from * 3_600_000), until: Time(until * 3_600_000) };
        let shown = |had: Option<Vec<Span>>| {
            let coverage = Coverage::Checks { checks: Vec::new(), failed: 0, largest_distance_ms: None };
            part_time(&SourceCoverage { source: Source::Web, had, coverage }, hours(0, 300))
        };
        assert_eq!((shown(None), shown(Some(Vec::new()))), (String::new(), String::new()));
        assert_eq!(
            shown(Some(vec![hours(0, 1), hours(2, 3), hours(4, 300)])),
            "  the topic had it only until 1970-01-01T01:00:00Z\n    and from 1970-01-01T02:00:00Z until 1970-01-01T03:00:00Z\n    \
             and from 1970-01-01T04:00:00Z\n"
        );
        let many = shown(Some((0..43).map(|n| hours(n * 2, n * 2 + 1)).collect()));
        assert!(many.starts_with("  the topic had it only in 3 earlier spans that are not listed here\n"), "{many}");
        assert_eq!(many.lines().count(), 1 + MOST_LINES, "{many}");
    }
}
