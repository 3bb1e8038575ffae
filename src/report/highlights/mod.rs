//! What the reader should know first, as sentences computed from the facts: first what happened, then how far to trust
//! it, each by weight. A change is reported only if chance does not explain it, together with what makes a figure
//! doubtful.

pub(super) mod causes;
pub(super) mod matter;
mod source_highlights;

use super::comparison::measures::{MIN_CHANGE, WHOLE};
use super::facts::TopicFacts;
use super::format::{
    at_least, at_least_noun, bounded_percent, count_noun, date_time, date_time_short, interval, length, number,
    percent, percents_apart, round,
};
use matter::Highlight;

use super::terms::news_sentence;
use crate::insight::daily::{COVERED, Share, UsualShare, share as part_of};
use crate::insight::why::Figure;
use crate::model::{Span, Time};

/// The maximum number of sentences.
const MOST: usize = 10;
/// How many of these are about trust in the figures, if there are more of both kinds.
const TRUST: usize = 4;
/// The minimum number of authors of one text for a sentence.
const MIN_AUTHORS: u64 = 5;
/// Returns what matters in all topics for a report about a span that is made now, and the number of sentences left out.
pub(super) fn of(topics: &[TopicFacts], span: Span, now: Time, timezone: &str) -> (Vec<Highlight>, usize) {
    let mut all: Vec<Highlight> = Vec::new();
    source_highlights::pruned(topics, &mut all);
    source_highlights::add(topics, span, now, timezone, &mut all);
    for topic in topics {
        let mut add = |weight: u32, section: &'static str, kind: &'static str, sentence: String| {
            all.push(Highlight { weight, topic: topic.id.clone(), section, kind, sentence });
        };
        if let Some(state) = topic.nothing_to_report_reason(timezone) {
            add(50, "", "not run", format!("{state}."));
            continue;
        }
        if let Some(sentence) = topic.relevance_sentence().filter(|_| topic.reports_irrelevance()) {
            add(75, "numbers", "relevance", sentence);
        }
        if topic.first_day {
            let baseline = topic.changes.as_ref().map_or_else(String::new, |changes| {
                let many = at_least_noun(changes.baseline, changes.cut, "item");
                format!(" The baseline had {many} of any date.")
            });
            let many = at_least_noun(topic.period.raw, topic.may_be_more(), "item");
            let noun = topic.noun();
            add(45, "numbers", "baseline", format!("first {noun}: {many}.{baseline} Nothing can be compared yet."));
            // On the first day of a topic, everything else is part of the start. This does not hold for the rest of a
            // week or month.
            if topic.calendar.is_none() {
                continue;
            }
        }
        for silence in &topic.silences {
            add(
                70,
                "sources",
                silence.state.as_str(),
                format!("{}.", silence.describe(&date_time(silence.since, timezone))),
            );
        }
        for query in topic.changes.iter().flat_map(|changes| &changes.queries) {
            add(
                66,
                "numbers",
                "query",
                format!("the query changed: {query}; figures before and after are for different queries."),
            );
        }
        volume(topic, span.until <= now, &mut add);
        tone(topic, &mut add);
        campaign(topic, &mut add);
        if let Some(sentence) = news_sentence(topic) {
            add(58, "terms", "terms", sentence);
        }
        hole(topic, (span, span.until <= now), timezone, &mut add);
        not_searched(topic, span.until <= now, &mut add);
    }
    all.sort_by(|a, b| (b.weight, &a.topic, &a.sentence).cmp(&(a.weight, &b.topic, &b.sentence)));
    let many = all.len();
    let (mut news, mut trust): (Vec<Highlight>, Vec<Highlight>) = all.into_iter().partition(Highlight::is_news);
    trust.truncate(TRUST.max(MOST.saturating_sub(news.len())));
    news.truncate(MOST - trust.len());
    news.append(&mut trust);
    let more = many - news.len();
    (news, more)
}

type AddHighlight<'a> = &'a mut dyn FnMut(u32, &'static str, &'static str, String);

/// Returns the ratio of the period to the usual, if the difference is more than chance. `is_over`: the period is over.
pub(super) fn change(topic: &TopicFacts, is_over: bool) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let raw = topic.period.raw as f64;
    let usual = topic.usual.filter(|_| !topic.is_not_comparable())?;
    let is_unusual = (raw < usual.low || raw > usual.high) && (raw - usual.expected).abs() >= MIN_CHANGE;
    // Fewer than usual is no news if the period was not covered, fewer searches than usual answered, or it is not over.
    let is_reliable = raw > usual.high
        || is_over
            && topic.covered.is_some_and(|part| part.min(topic.covered_in_all) >= WHOLE)
            && !topic.saturated
            && topic.unchecked.is_none()
            && topic.few_answers.is_none();
    (is_unusual && is_reliable).then(|| raw / usual.expected.max(1.0))
}

fn volume(topic: &TopicFacts, is_over: bool, add: AddHighlight<'_>) {
    let (Some(factor), Some(usual)) = (change(topic, is_over), topic.usual) else { return };
    let sentence = format!(
        "{} by {}, {}: {}–{} are usual{}, {} expected (based on {}).{}",
        at_least_noun(topic.period.raw, topic.may_be_more(), "item"),
        authors(topic),
        format_ratio(factor, topic.may_be_more()),
        round(usual.low.ceil()),
        round(usual.high.floor()),
        if usual.weekday { " on this weekday" } else { "" },
        round(usual.expected.round()),
        count_noun(usual.days as u64, "earlier day"),
        unique_words(topic),
    );
    let figure = if factor >= 1.0 { Figure::Rise } else { Figure::Fall };
    let sentence =
        format!("{sentence}{}", topic.why.volume.as_ref().map_or_else(String::new, |why| why.sentence(figure)));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let strength = (factor.max(0.01).log2().abs() * 8.0).clamp(0.0, 25.0) as u32;
    add(60 + strength, "numbers", "volume", sentence);
}

fn unique_words(topic: &TopicFacts) -> String {
    let unique = at_least(topic.period.unique, topic.may_be_more());
    match topic.period.unique < topic.period.raw {
        true => format!(" {unique} with near-copies counted once."),
        false => String::new(),
    }
}

fn authors(topic: &TopicFacts) -> String {
    if topic.period.authors == 0 && topic.period.no_author > 0 {
        "unknown authors".to_owned()
    } else {
        at_least_noun(topic.period.authors, topic.may_be_more(), "author")
    }
}

/// Formats a ratio: `2.3 times the usual number`, `97% below usual`; with `≥` or `≤` if there may be more.
pub(super) fn format_ratio(factor: f64, more: bool) -> String {
    if factor >= 1.0 { format!("{} times the usual number", rise(factor, more)) } else { fall(factor, more) }
}

/// Formats a ratio above one: `2.3`, `≥ 2.3`.
pub(super) fn rise(factor: f64, more: bool) -> String {
    if more { format!("≥\u{a0}{:.1}", (factor * 10.0 + 1e-9).floor() / 10.0) } else { format!("{factor:.1}") }
}

/// Formats a ratio below one: `97% below usual`, `≤ 97% below usual`.
pub(super) fn fall(factor: f64, more: bool) -> String {
    let size = if more { bounded_percent(1.0 - factor, false) } else { percent(1.0 - factor) };
    format!("{size} below usual")
}

fn tone(topic: &TopicFacts, add: AddHighlight<'_>) {
    let tone = &topic.tone;
    if topic.is_not_comparable() || topic.period_cut || !tone.is_compared() {
        return;
    }
    let unusual = tone.usual.iter().filter_map(|(sound, usual)| {
        let (_, now) = tone.shares.iter().find(|(other, _)| other == sound)?;
        (now.share < usual.low || now.share > usual.high).then_some((*sound, *now, *usual))
    });
    let far = |now: &Share, usual: &UsualShare| (now.share - usual.expected).abs();
    let Some((sound, now, usual)) = unusual.max_by(|a, b| far(&a.1, &a.2).total_cmp(&far(&b.1, &b.2))) else { return };
    // The share and the bound must also differ as displayed.
    let is_high = now.share > usual.high;
    let (part, bound) = percents_apart(now.share, if is_high { usual.high } else { usual.low });
    let (low, high) = if is_high { (percent(usual.low), bound) } else { (bound, percent(usual.high)) };
    let sentence = format!(
        "{part} {} of {} scored items sound {sound}; {low}–{high} are usual, {} expected (based on {}).",
        interval(&now),
        number(now.whole),
        percent(usual.expected),
        count_noun(usual.samples as u64, "earlier day"),
    );
    let why = topic.why.tone.iter().find(|(other, _)| *other == sound);
    let figure = Figure::Tone(sound.as_str());
    let sentence = format!("{sentence}{}", why.map_or_else(String::new, |(_, why)| why.sentence(figure)));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
    let strength = (far(&now, &usual) * 50.0) as u32;
    add(60 + strength, "tone", "tone", sentence);
}

fn campaign(topic: &TopicFacts, add: AddHighlight<'_>) {
    let Some(copies) = topic.campaigns.first() else { return };
    let campaign = &copies.campaign;
    let many = campaign.authors.max(if campaign.authors == 0 { campaign.copies } else { 0 });
    if many < MIN_AUTHORS {
        return;
    }
    let by = copies.authors_words();
    let span = Span::new(campaign.from, campaign.until);
    let within = span.map_or_else(String::new, |span| format!(" within {}", length(span)));
    let text = match super::format::line(&copies.item.words, 90) {
        text if text.is_empty() => "; the text is no longer stored".to_owned(),
        text => format!(": “{text}”"),
    };
    let sentence = format!(
        "one text, {by}: {}{within}, {} of the items of the period{text}.",
        super::format::items(campaign.copies, campaign.posts),
        part_of(campaign.copies, topic.period.raw).map_or_else(String::new, |s| percent(s.share)),
    );
    add(48 + u32::try_from(many.min(30)).unwrap_or(30), "copies", "campaign", sentence);
}

fn hole(topic: &TopicFacts, (period, is_over): (Span, bool), timezone: &str, add: AddHighlight<'_>) {
    let inside = topic
        .holes
        .iter()
        .filter(|hole| !hole.before && !hole.open)
        .filter_map(|hole| Some((hole, hole.span.intersection(period)?)));
    let Some((hole, longest)) = inside.max_by_key(|(_, span)| span.length()) else { return };
    let Some(covered) = topic.covered.filter(|covered| *covered < COVERED && !topic.idle(period)) else { return };
    // Its causes are those of the whole gap.
    let place = if hole.span.length().saturating_sub(longest.length()).as_secs() < 60 {
        format!(", from {}", date_time_short(longest.from, timezone))
    } else {
        let [from, until] = [hole.span.from, hole.span.until].map(|at| date_time_short(at, timezone));
        format!(", part of a longer one from {from} to {until}")
    };
    let before = topic.searched_since.filter(|since| *since > period.from && *since < period.until);
    let before = before.and_then(|since| Span::new(period.from, since)).map(|before| uncovered(topic, before));
    let before = before.filter(|before| before.length().as_secs() >= 86_400);
    let sentence = format!(
        "{} of the period{} was {}covered{}; the longest gap is {}{}{}.",
        if covered > 0.0 { percent(1.0 - covered) } else { "none".to_owned() },
        if topic.open.is_some() || !is_over { " so far" } else { "" },
        if covered > 0.0 { "not " } else { "" },
        before.map_or_else(String::new, |before| format!(", {} of it before the first search", length(before))),
        length(longest),
        place,
        if hole.why.is_empty() { String::new() } else { format!(" ({})", hole.why) },
    );
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
    let strength = ((1.0 - covered) * 50.0) as u32;
    add(42 + strength, "coverage", "hole", sentence);
}

/// Returns how much of a span was not covered, as a span of this length. The first search looks back over a part of the
/// time before it.
fn uncovered(topic: &TopicFacts, span: Span) -> Span {
    let parts = topic.holes.iter().filter_map(|hole| hole.span.intersection(span));
    Span { from: Time(0), until: Time(parts.map(|part| part.until.0 - part.from.0).sum()) }
}

/// Reports a topic that was not searched. It has no holes to show this if its searches look at a moment.
fn not_searched(topic: &TopicFacts, is_over: bool, add: AddHighlight<'_>) {
    let was_searched = topic.sources.iter().any(|source| source.searches > 0);
    if is_over
        && !was_searched
        && topic.covered.is_some_and(|covered| covered < COVERED)
        && topic.holes.iter().all(|hole| hole.before)
    {
        let known = if topic.period.raw > 0 { "what is shown was found later" } else { "nothing is known about it" };
        add(66, "sources", "not asked", format!("was not searched in the period: {known}."));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::super::comparison::measures::ToneFacts;
    use super::super::facts::HoleFacts;
    use super::super::samples::{HOUR, topic};
    use super::*;
    use crate::insight::daily::ToneCounts;

    #[test]
    fn a_report_across_midnight_names_a_hole_before_midnight() {
        let mut facts = topic("a");
        facts.covered = Some(0.5);
        let hole = Span { from: Time(16 * HOUR), until: Time(22 * HOUR) };
        facts.holes = vec![HoleFacts { span: hole, why: String::new(), before: false, open: false }];
        let span = Span { from: Time(18 * HOUR), until: Time(30 * HOUR) };
        let (highlights, _) = of(&[facts.clone()], span, span.until, "UTC");
        assert_eq!(highlights.len(), 1);
        assert_eq!(
            highlights[0].sentence,
            "50% of the period was not covered; the longest gap is 4h, part of a longer one from 01-01 16:00 to 01-01 22:00."
        );
        // Gaps are read up to the present.
        let mut until_now = facts.clone();
        until_now.holes[0].span = Span { from: Time(20 * HOUR), until: Time(span.until.0 + 1) };
        let (highlights, _) = of(&[until_now], span, span.until, "UTC");
        assert!(highlights[0].sentence.ends_with("the longest gap is 10h, from 01-01 20:00."), "{highlights:?}");
        let bare = [TopicFacts { covered: Some(0.0), ..facts.clone() }];
        assert!(of(&bare, span, span.until, "UTC").0[0].sentence.starts_with("none of the period was covered; "));
        let later = Span { from: Time(24 * HOUR), ..span };
        assert_eq!(of(&[facts], later, span.until, "UTC"), (vec![], 0));
    }

    #[test]
    fn time_covered_by_the_first_look_back_is_not_called_uncovered() {
        const DAY: i64 = 24 * HOUR;
        let mut facts = topic("a");
        (facts.covered, facts.searched_since) = (Some(0.65), Some(Time(11 * DAY + 5 * HOUR)));
        let hole = |from: i64, until: i64, before: bool| HoleFacts {
            span: Span { from: Time(from), until: Time(until) },
            why: String::new(),
            before,
            open: false,
        };
        // It looked back a day, and the hole also reaches back to before the period.
        facts.holes = vec![hole(-DAY, 10 * DAY + 5 * HOUR, true), hole(20 * DAY, 20 * DAY + HOUR, false)];
        let span = Span { from: Time(0), until: Time(29 * DAY) };
        let sentence =
            |facts: &TopicFacts| of(std::slice::from_ref(facts), span, span.until, "UTC").0[0].sentence.clone();
        let told = sentence(&facts);
        assert!(
            told.starts_with("35% of the period was not covered, 10d 5h of it before the first search; the longest"),
            "{told}"
        );
        facts.holes.remove(0);
        assert!(!sentence(&facts).contains("before the first search"));
    }

    #[test]
    fn a_tone_shift_is_reported_only_beyond_the_usual_range() {
        let day = |negative: u64, neutral: u64| ToneCounts { negative, neutral, ..ToneCounts::default() };
        let calm = vec![day(20, 80), day(25, 75), day(30, 70), day(22, 78), day(28, 72), day(24, 76)];
        for (now, before, is_reported) in [
            (day(60, 40), calm.clone(), true),
            (day(3, 97), calm.clone(), true),
            (day(36, 64), calm.clone(), false),
            // An earlier day had a higher share.
            (day(60, 40), vec![day(10, 90), day(65, 35), day(10, 90), day(40, 60), day(12, 88)], false),
            // Too few days, or too few posts on them.
            (day(60, 40), calm[..4].to_vec(), false),
            (day(60, 40), [vec![day(2, 10); 3], calm[..4].to_vec()].concat(), false),
        ] {
            let mut facts = topic("a");
            facts.tone = ToneFacts::of(now, &before, &[], None);
            let (matters, _) =
                of(&[facts.clone()], Span { from: Time(0), until: Time(24 * HOUR) }, Time(25 * HOUR), "UTC");
            assert_eq!(matters.iter().any(|matter| matter.kind == "tone"), is_reported, "{:?}", facts.tone);
        }
    }
}
