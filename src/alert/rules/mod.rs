//! The alert rules: each decides from the rows of one run whether to fire. Pure. A rule that knows too little
//! returns nothing.

use std::collections::BTreeSet;

use crate::compare::{Relevance, WordFilters, matching_items};
use crate::insight::daily::{Day, ItemCounts, Share, UsualRange, UsualShare, is_whole_days, usual_range};
use crate::insight::{Changes, SourceSilence, detect_silence};
use crate::model::{
    AlertLine, AlertSpec, AnsweredSearch, Firing, ItemContent, ItemSummary, Micros, PaidUsage, SearchHealth,
    SearchState, Source, SourceActivity, Time, TopicLimits, one_line,
};
use crate::normalise::safe_link;

use super::transitions::{Evaluation, Status};

/// Maximum number of items that an event lists.
pub(super) const NAMED: usize = 10;

/// Maximum number of characters of an item's words in a line.
const LONGEST: usize = 140;

fn plural(many: usize, one: &str) -> String {
    if many == 1 { format!("1 {one}") } else { format!("{many} {one}s") }
}

/// Names the sources whose items an alert counts, unless it counts those of all.
fn from_sources(spec: &AlertSpec) -> String {
    let names: Vec<&str> = spec.sources.iter().map(Source::as_str).collect();
    if names.is_empty() { String::new() } else { format!(" from {}", names.join(", ")) }
}

/// An item as a line: author, words and link.
pub(super) fn item_line(item: &ItemContent) -> AlertLine {
    let mut quoted = [&item.title, &item.text].into_iter().flatten().map(|words| one_line(words, LONGEST));
    let mut text = quoted.find(|line| !line.is_empty()).unwrap_or_else(|| "(without words)".to_owned());
    if let Some(author) = &item.author {
        text = format!("@{}: {text}", one_line(author.trim_start_matches('@'), LONGEST));
    }
    let url = item.url.as_deref().and_then(safe_link);
    AlertLine { text, url, key: Some(item.key.clone()) }
}

fn words(item: &ItemSummary) -> ItemContent {
    let ItemSummary { key, url, author, title, text, lang, pruned, .. } = item.clone();
    ItemContent { key, url, author, title, text, lang, pruned }
}

fn item_lines(items: impl Iterator<Item = ItemContent>, many: usize) -> Vec<AlertLine> {
    let mut lines: Vec<AlertLine> = items.take(NAMED).map(|item| item_line(&item)).collect();
    if many > lines.len() {
        let text = format!("and {} more", many - lines.len());
        lines.push(AlertLine { text, url: None, key: None });
    }
    lines
}

/// Fires on new items, all or those in which one of the words occurs.
pub(super) fn items(spec: &AlertSpec, topic: &str, wanted: &WordFilters, changes: &Changes) -> Option<Evaluation> {
    let matching = matching_items(spec, wanted, changes);
    if matching.is_empty() || matching.len() < spec.least as usize {
        return None;
    }
    let at_least = if changes.counts.may_be_more_new() { "≥" } else { "" };
    let mut with: Vec<&str> = matching.iter().filter_map(|new| wanted.first_match(&new.item)).collect();
    with.sort_unstable();
    with.dedup();
    let with: Vec<String> = with.iter().map(|word| format!("“{word}”")).collect();
    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
    Some(Evaluation {
        subject: topic.to_owned(),
        status: Status::Happened,
        summary: format!("{topic}: {at_least}{}{}{with}", plural(matching.len(), "new item"), from_sources(spec)),
        lines: item_lines(matching.iter().map(|new| words(&new.item)), matching.len()),
    })
}

/// The counts of a window, and the usual counts of such a window.
pub(super) struct WindowVolume<'a> {
    pub(super) counted: &'a ItemCounts,
    /// Whether there may be more.
    pub(super) at_least: bool,
    pub(super) usual: UsualVolume,
    /// As shown to people: `24h`.
    pub(super) length: &'a str,
    pub(super) top: &'a [ItemContent],
}

/// The usual counts of a window, and the windows that they are based on.
pub(super) struct UsualVolume {
    /// `None` when there is too little to compare with.
    pub(super) usual: Option<UsualRange>,
    /// Whether it is based on the windows just before, at any hour, instead of the same hour of earlier days.
    pub(super) at_any_hour: bool,
}

/// How far the windows at any hour must reach back, in milliseconds: they must include the nights.
const A_DAY: i64 = 86_400_000;

/// Learns what is usual from the windows at the same hour of earlier days. If these are too few, or for windows of
/// whole days, it uses windows at any hour.
pub(super) fn usual_volume(now: &Day, same_hour: &[(Day, u64)], any_hour: &[(Day, u64)]) -> UsualVolume {
    let by_hour = !is_whole_days(now.span.length());
    if let (true, Ok(usual)) = (by_hour, usual_range(now, same_hour)) {
        return UsualVolume { usual: Some(usual), at_any_hour: false };
    }
    let reach =
        any_hour.first().zip(any_hour.last()).map_or(0, |(first, last)| last.0.span.until.0 - first.0.span.until.0);
    let usual = usual_range(now, any_hour).ok().filter(|_| reach >= A_DAY);
    UsualVolume { usual, at_any_hour: true }
}

/// Fires if there are more items than usual.
pub(super) fn volume(spec: &AlertSpec, topic: &str, volume: &WindowVolume<'_>) -> Option<Evaluation> {
    let usual = volume.usual.usual?;
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let unique = volume.counted.unique as f64;
    let enough = volume.counted.unique >= u64::from(spec.least);
    let status = match (enough && unique > usual.far, unique <= usual.high) {
        (true, _) => Status::Bad,
        (false, true) => Status::Well,
        // Between the two bounds the state does not change.
        (false, false) => return None,
    };
    let (kind, by_what) = match (volume.usual.at_any_hour, usual.weekday) {
        (true, false) => ("", "earlier window"),
        (true, true) => (" on this weekday", "earlier window"),
        (false, false) => (" at this hour", "earlier day"),
        (false, true) => (" at this hour of this weekday", "earlier day"),
    };
    let at_least = if volume.at_least { "≥" } else { "" };
    let by = match volume.counted.authors {
        0 => String::new(),
        authors => format!(" by {at_least}{}", plural(usize::try_from(authors).unwrap_or(usize::MAX), "author")),
    };
    let summary = format!(
        "{topic}: {at_least}{}{} in {} ({at_least}{}{by}); up to {:.0} are usual{kind} ({:.0} expected, based on {})",
        plural(usize::try_from(volume.counted.unique).unwrap_or(usize::MAX), "new unique item"),
        from_sources(spec),
        volume.length,
        plural(usize::try_from(volume.counted.raw).unwrap_or(usize::MAX), "item"),
        usual.high.floor(),
        usual.expected,
        plural(usual.days, by_what),
    );
    let lines = if status == Status::Bad { item_lines(volume.top.iter().cloned(), 0) } else { Vec::new() };
    Some(Evaluation { subject: topic.to_owned(), status, summary, lines })
}

/// A share must differ from the expected one by at least this much to be worth a message.
const LEAST_APART: f64 = 0.1;

/// The tone of a window, and what is usual.
pub(super) struct WindowTone<'a> {
    pub(super) negative: Option<Share>,
    pub(super) usual: Result<UsualShare, usize>,
    pub(super) length: &'a str,
    pub(super) top: &'a [ItemContent],
}

/// Fires if more items are negative than usual, by far more than chance explains.
pub(super) fn negative(spec: &AlertSpec, topic: &str, tones: &WindowTone<'_>) -> Option<Evaluation> {
    let (share, usual) = (tones.negative?, tones.usual.ok()?);
    if share.whole < u64::from(spec.least) {
        return None;
    }
    let status = match (share.share > usual.far.max(usual.expected + LEAST_APART), share.share <= usual.high) {
        (true, _) => Status::Bad,
        (false, true) => Status::Well,
        (false, false) => return None,
    };
    let hundredths = |share: f64| (share * 100.0).round();
    let summary = format!(
        "{topic}: {}% of {} items{} in {} sound negative ({}–{}%); up to {}% is usual ({}% expected, based on {})",
        hundredths(share.share),
        share.whole,
        from_sources(spec),
        tones.length,
        hundredths(share.low),
        hundredths(share.high),
        hundredths(usual.high),
        hundredths(usual.expected),
        plural(usual.samples, "earlier window"),
    );
    let lines = if status == Status::Bad { item_lines(tones.top.iter().cloned(), 0) } else { Vec::new() };
    Some(Evaluation { subject: topic.to_owned(), status, summary, lines })
}

pub(super) fn unrelated_subject(topic: &str) -> String {
    format!("{topic}/unrelated")
}

/// Most posts of a window are not about the question: volume and tone are not judged.
pub(super) fn unrelated(topic: &str, length: &str, relevance: &Relevance) -> Option<Evaluation> {
    let without = relevance.high_share()?;
    Some(Evaluation {
        subject: unrelated_subject(topic),
        status: Status::HeldBack(Firing::UNRELATED),
        summary: format!(
            "{topic}: {} of {}{} posts in {length} contain no word of the query: not judged",
            without.part,
            if relevance.beyond > 0 { "the latest " } else { "" },
            without.whole
        ),
        lines: Vec::new(),
    })
}

/// The posts of a window are about the question, as usual.
pub(super) fn related(topic: &str) -> Evaluation {
    Evaluation { subject: unrelated_subject(topic), status: Status::Over, summary: String::new(), lines: Vec::new() }
}

/// Since this time, too little was found to judge a topic.
pub(super) fn too_little(topic: &str, began: Time) -> Vec<Evaluation> {
    let of =
        |subject| Evaluation { subject, status: Status::TooLittle(began), summary: String::new(), lines: Vec::new() };
    vec![of(topic.to_owned()), of(unrelated_subject(topic))]
}

/// Whether a search was answered.
fn answered(search: &SearchHealth) -> bool {
    matches!(search.state, SearchState::Ok | SearchState::Empty)
}

/// Finds sources that fail, are silent or are stale, by the latest searches of each.
pub(super) fn sources(spec: &AlertSpec, topic: &str, searches: &[SearchHealth]) -> Vec<Evaluation> {
    let all: BTreeSet<Source> = searches.iter().map(|search| search.source).collect();
    all.iter()
        .filter(|source| spec.checks_source(**source))
        .filter_map(|source| {
            let was_run = |search: &&SearchHealth| search.source == *source && search.state != SearchState::NotRun;
            let of: Vec<&SearchHealth> = searches.iter().filter(was_run).collect();
            one_source(spec, topic, *source, &of)
        })
        .collect()
}

fn one_source(spec: &AlertSpec, topic: &str, source: Source, searches: &[&SearchHealth]) -> Option<Evaluation> {
    let subject = format!("{topic}/{source}");
    let latest = searches.get(searches.len().saturating_sub(spec.of as usize)..)?;
    let failed: Vec<&&SearchHealth> = latest.iter().filter(|search| !answered(search)).collect();
    if failed.len() >= spec.failures as usize {
        let why = failed.last().and_then(|search| search.trouble.as_deref()).unwrap_or("no answer");
        let (failed, of) = (failed.len(), latest.len());
        let unasked = latest.iter().filter(|search| search.state == SearchState::OverQuota).count();
        let what = match unasked {
            0 => "failed",
            n if n == failed => "was over quota",
            _ => "failed or was over quota",
        };
        let which = if of == 1 { "its last search".to_owned() } else { format!("{failed} of its last {of} searches") };
        let summary = format!("{topic}: {source} {what} in {which}: {why}");
        return Some(Evaluation { subject, status: Status::Bad, summary, lines: Vec::new() });
    }
    let beats = searches.iter().filter(|search| answered(search) && !search.past);
    let beats: Vec<AnsweredSearch> =
        beats.map(|search| AnsweredSearch { at: search.at, counts: search.counts, fresh: search.fresh }).collect();
    if let Some(silence) = detect_silence(&SourceActivity { topic: topic.to_owned(), source, beats }) {
        let lines = vec![AlertLine { text: advice(&silence).to_owned(), url: None, key: None }];
        return Some(Evaluation { subject, status: Status::Bad, summary: silence.to_string(), lines });
    }
    // A broken service may answer with nothing.
    let well = latest.last().is_some_and(|search| answered(search) && !search.empty_in_error);
    let summary = format!("{topic}: {source} works again");
    well.then_some(Evaluation { subject, status: Status::Well, summary, lines: Vec::new() })
}

fn advice(silence: &SourceSilence) -> &'static str {
    match silence.state {
        crate::insight::SilenceKind::Silent => "it answers but returns no items: has the query or the service changed?",
        crate::insight::SilenceKind::Stale => "it returns items, but no new ones: is its index still updated?",
    }
}

/// The evaluation of slots missed in a row.
pub(super) fn missed(topic: &str, many: usize, first: Time, last: Time) -> (String, Vec<AlertLine>) {
    let when = if many == 1 { format!("at {first}") } else { format!("from {first} to {last}") };
    let summary = format!("{topic}: {} missed, {when}", plural(many, "slot"));
    let text = format!("topicwatch coverage {topic} shows why, and the gaps that remain");
    (summary, vec![AlertLine { text, url: None, key: None }])
}

/// Compares the calls and cost of a day with its limits. Calls stop before their price would exceed the limit, so the
/// limit itself is seldom reached. It counts as used up if the cheapest paid call no longer fits. A limit below every
/// price is never used; `check` and each run report it as a mistake. `day` is the name of the day in the message.
pub(super) fn budget(
    spec: &AlertSpec,
    subject: &str,
    used: PaidUsage,
    limits: TopicLimits,
    cheapest: Option<Micros>,
    day: &str,
) -> Evaluation {
    let part = |used: i64, limit: i64| i128::from(used) * 100 / i128::from(limit.max(1));
    let calls =
        limits.calls.map(|limit| (part(used.calls, i64::from(limit)), format!("{} of {limit} calls", used.calls)));
    let total = used.cost.total;
    let money = limits.money().map(|limit| (part(total.0, limit.0), format!("{} of {limit}", used.cost)));
    let is_used_up = |limit: Micros, price: Micros| total > Micros(0) && total.plus(price) > limit;
    let unaffordable = limits.money().zip(cheapest).filter(|(limit, price)| is_used_up(*limit, *price));
    let most = [calls, money.clone()].into_iter().flatten().max_by_key(|(part, _)| *part);
    let (part, usage) = most.unwrap_or((0, "nothing".to_owned()));
    let (status, (part, usage), why) = match (part >= i128::from(spec.share), unaffordable.zip(money)) {
        (true, _) => (Status::Bad, (part, usage), String::new()),
        (false, Some(((_, price), money))) => {
            (Status::Bad, money, format!("; no paid call fits into the rest: the cheapest may cost {price}"))
        }
        (false, None) => (Status::Well, (part, usage), String::new()),
    };
    let summary = format!("{subject}: {usage} used {day} ({part}%){why}");
    Evaluation { subject: subject.to_owned(), status, summary, lines: Vec::new() }
}

#[cfg(test)]
pub(super) mod samples;
#[cfg(test)]
mod tests;
