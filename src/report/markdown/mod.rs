//! The same facts as Markdown. Foreign text is escaped so that its links, markup and images do not work, and stays on
//! one line. Charts become tables.

mod answer;
pub(super) mod escape;
pub(super) mod parts;

use super::coverage::caveats;
use super::document::Report;
use super::facts::{ChangeFacts, HoleFacts, RowFacts, TopicFacts};
use super::format::{self, at_least, count_noun, number, percent, round};
use super::{comparison, highlights, sql, terms};
use crate::insight::daily::Tally;
use escape::escape;
use parts::{before, days, diff, found_by, item, listed, voice_parts};

pub(super) fn page(report: &Report) -> String {
    let zone = &report.timezone;
    let mut text = format!("# {} {}\n\n", escape(&format::line(&report.title, 120)), report.date);
    if report.sandbox {
        text.push_str("**SANDBOX: all data is invented or shifted in time.**\n\n");
    }
    let created = format::date_time(report.made_at, zone);
    text.push_str(&format!(
        "{} ({zone}). Created {created}. {}{}\n\n",
        format::span(report.span, zone),
        report.cost_words(),
        report.items_note().map_or_else(String::new, |note| format!(" {note}"))
    ));
    text.push_str("## What matters\n\n");
    let (news, _) = report.news_and_trust();
    for (place, matter) in report.matters.iter().enumerate() {
        if place == 0 && news.is_empty() {
            text.push_str(&format!("{}\n", escape(&caveats::no_news(report))));
        }
        if place == news.len() {
            text.push_str("\nHow far to trust it:\n\n");
        }
        let title = report.topics.iter().find(|t| t.id == matter.topic).map_or(&*matter.topic, |t| &*t.title);
        text.push_str(&format!(
            "{}. **{}** ({}){}{}\n",
            if matter.is_news() { place + 1 } else { place + 1 - news.len() },
            escape(title),
            matter.label(),
            matter.after_title(),
            escape(&matter.sentence)
        ));
    }
    if report.topics.is_empty() {
        text.push_str("This report has no topics.\n");
    } else if report.matters.is_empty() {
        text.push_str(&format!("{}\n", escape(&caveats::calm_text(report))));
    } else if let Some(more) = report.more_matters() {
        text.push_str(&format!("\n{more}\n"));
    }
    if let Some(note) = report.voice_note() {
        text.push_str(&format!("\n## Share of voice\n\n{}\n", escape(&note)));
    } else if !report.voice.is_empty() {
        text.push_str("\n## Share of voice\n");
    }
    if !report.voice.is_empty() {
        text.push_str("\n| topic | items | unique | authors |\n|---|---:|---:|---:|\n");
        for voice in &report.voice {
            let [raw, unique, authors] = voice.cells();
            text.push_str(&format!("| {} | {raw} | {unique} | {authors} |\n", escape(&voice.title)));
        }
        for (voice, shares) in report.voice.iter().filter_map(|voice| Some((voice, voice.sources()?))) {
            text.push_str(&format!("\n{}, by source: {}\n", escape(&voice.title), escape(&shares)));
        }
        for (title, sentence) in report.irrelevant_topics() {
            text.push_str(&format!("\n{}: {sentence}\n", escape(title)));
        }
    }
    text.push_str(&voice_parts(report));
    for topic in &report.topics {
        text.push_str(&self::topic(report, topic));
    }
    text
}

fn topic(report: &Report, topic: &TopicFacts) -> String {
    let zone = &report.timezone;
    let mut text = format!("\n## {}\n\n", escape(&topic.title));
    if let Some(state) = topic.nothing_to_report_reason(zone) {
        text.push_str(&format!("This topic {}.\n\n", escape(&state)));
    }
    if topic.began.is_none() {
        if topic.tried {
            text.push_str(&coverage(report, topic));
        }
        return text;
    }
    if let Some(pruned) = &topic.pruned {
        text.push_str(&format!("{}.\n\n", escape(pruned)));
    }
    if topic.first_day {
        text.push_str(&format!(
            "First {}: the first answer to each query is a baseline, and nothing can be compared yet.\n\n",
            topic.noun()
        ));
    }
    if let Some(answer) = &topic.answer {
        text.push_str(&answer::summary(&topic.id, answer, zone));
    }
    text.push_str(&numbers(report, topic));
    text.push_str(&days(topic));
    text.push_str(&terms::markdown(topic, &|at| report.format_date(at)));
    text.push_str(&item_lists(report, topic));
    if let Some(changes) = &topic.changes {
        text.push_str(&change_lists(changes, zone));
    }
    let tally = |one: &Tally| format!("{}: {}", escape(&format::line(&one.name, 60)), number(one.raw));
    text.push_str(&found_by(&topic.found_by));
    let reach = |one: &Tally| match one.known {
        0 => format!("{}, engagement unknown", tally(one)),
        known => format!("{}, engagement {} (n {})", tally(one), format::signed(one.engagement), number(known)),
    };
    text.push_str(&listed("Authors by engagement", topic.authors.iter().map(reach)));
    text.push_str(&listed("Domains", topic.domains.iter().map(tally)));
    text.push_str(&coverage(report, topic));
    if let Some(answer) = &topic.answer {
        text.push_str(&answer::citations(answer));
    }
    text.push_str("### SQL of the main numbers\n\n");
    for query in sql::queries(topic, report) {
        text.push_str(&format!("{}:\n\n```sql\n{}\n```\n\n", query.figure, query.sql));
    }
    text
}

fn item_lists(report: &Report, topic: &TopicFacts) -> String {
    let mut text = String::new();
    let describe_tone =
        |row: &RowFacts| format!("{} {}", format::tone(row.sound), row.score.map_or_else(String::new, format::score));
    let describe_engagement = |row: &RowFacts| {
        row.engagement.map_or("engagement unknown".to_owned(), |n| format!("engagement {}", format::signed(n)))
    };
    let (pages, more_pages) = topic.new_pages_words();
    let new_pages = format!("New pages: {pages}");
    for (title, places, describe, more) in [
        ("Top posts by engagement", &topic.top_posts, &describe_engagement as &dyn Fn(&RowFacts) -> String, None),
        (new_pages.as_str(), &topic.top_pages, &describe_engagement, more_pages),
        ("Most negative", &topic.negative, &describe_tone, None),
        ("Most positive", &topic.positive, &describe_tone, None),
    ] {
        let rows: Vec<&RowFacts> = places.iter().filter_map(|place| topic.rows.get(*place)).collect();
        let undated = |row: &RowFacts| if row.undated { " (undated)" } else { "" };
        let line = |row: &&RowFacts| {
            format!("{} · {}{} · {}", item(&row.item), report.format_date(row.at), undated(row), describe(row))
        };
        let lines = rows.iter().map(line).chain(more);
        text.push_str(&listed(title, lines));
    }
    text.push_str(&listed(
        "Rising fastest",
        topic.rising.iter().map(|r| format!("{} · {}", item(&r.item), format::rise(&r.rise))),
    ));
    if topic.risers_cut {
        text.push_str(&format!("{}\n\n", format::RISERS_CUT));
    }
    if topic.risers_pruned && !topic.rising.is_empty() {
        text.push_str(&format!("{}\n\n", format::RISERS_PRUNED));
    }
    text.push_str(&listed(
        "One text, many times",
        topic.campaigns.iter().map(|c| {
            let copies = format::items(c.campaign.copies, c.campaign.posts);
            format!("{copies}, {}: {}", c.authors_words(), item(&c.item))
        }),
    ));
    text
}

fn change_lists(changes: &ChangeFacts, zone: &str) -> String {
    let mut text = String::new();
    text.push_str(&listed("Queries that changed", changes.queries.iter().map(|query| escape(query))));
    let (unjudged, cut) = changes.limits();
    let edit = |e: &super::facts::EditFacts| {
        let change = e.reverted_note().unwrap_or_else(|| diff(&e.diff));
        format!("{}: {} – {change}", format::date_time_short(e.at, zone), item(&e.item))
    };
    let many = at_least(changes.edited, changes.at_least);
    text.push_str(&listed(&format!("Edited: {many}"), changes.edits.iter().map(edit)));
    let gone = |g: &super::facts::GoneFacts| {
        format!("last seen {}: {}", format::date_time_short(g.last_seen, zone), item(&g.item))
    };
    let many = at_least(changes.gone, changes.at_least || unjudged.is_some());
    text.push_str(&listed(&format!("Gone: {many}"), changes.lost.iter().map(gone)));
    let none = changes.lost.is_empty().then(|| changes.none_gone().to_owned());
    let notes: Vec<String> = none.into_iter().chain(unjudged).chain(cut.map(str::to_owned)).collect();
    if !notes.is_empty() {
        text.push_str(&format!("{}\n\n", notes.join(" ")));
    }
    text
}

fn numbers(report: &Report, topic: &TopicFacts) -> String {
    let period = &topic.period;
    let authors = if period.authors == 0 && period.no_author > 0 {
        format::AUTHORS_UNKNOWN.to_owned()
    } else {
        format::at_least_noun(period.authors, topic.may_be_more(), "author")
    };
    let change = highlights::change(topic, report.is_over()).map_or_else(
        || caveats::relation_to_usual(report, topic),
        |factor| highlights::format_ratio(factor, topic.may_be_more()),
    );
    let usual = topic.usual.map_or_else(String::new, |u| {
        format!(
            " ({}–{} are usual, {} expected, based on {})",
            round(u.low.ceil()),
            round(u.high.floor()),
            round(u.expected.round()),
            count_noun(u.days as u64, "earlier day")
        )
    });
    let mut text = if let Some(unsearched) = topic.unsearched_sentence() {
        format!("{unsearched}\n\n")
    } else {
        format!(
            "**{}** {}, **{}** unique, {authors}; {change}{usual}. {} without a date, {} without a known author, {} without engagement.\n\n",
            at_least(period.raw, topic.may_be_more()),
            if period.raw == 1 { "item" } else { "items" },
            at_least(period.unique, topic.may_be_more()),
            number(period.undated),
            number(period.no_author),
            number(period.no_engagement),
        )
    };
    if let Some(sentence) = topic.relevance_sentence() {
        text.push_str(&format!("{sentence}\n\n"));
    }
    if let Some(sentence) = comparison::sentence(report, topic) {
        text.push_str(&format!("{sentence}\n\n"));
    }
    text.push_str(&before(topic));
    if topic.filtered > 0 {
        text.push_str(&format!("{} hidden by the topic's filter and not counted here.\n\n", number(topic.filtered)));
    }
    let late = topic.late_items_note(report.window.is_calendar());
    let notes = [late, topic.uncompared_words().map(str::to_owned), crate::filter::unjudged_note(topic.unjudged)];
    text.extend(notes.into_iter().flatten().map(|note| format!("{note}.\n\n")));
    if let Some(cut) = topic.truncation_note() {
        text.push_str(&format!("There are {cut}.\n\n"));
    }
    let tone = &topic.tone;
    let shares: Vec<String> =
        tone.shares.iter().map(|(sound, share)| format!("{sound} {}", format::share(share))).collect();
    let scorer =
        tone.scorer.as_deref().map_or_else(String::new, |name| format!(" by {}", escape(&format::line(name, 40))));
    let others: String = tone
        .period
        .by_others
        .iter()
        .map(|(name, many)| format!(", {} by {} left out", number(*many), escape(name)))
        .chain(
            (!tone.period.by_others.is_empty())
                .then(|| " (`topicwatch db rescore` scores everything with one scorer)".to_owned()),
        )
        .collect();
    text.push_str(&format!(
        "Tone of items: {} scored{scorer}, {} unsupported, {} not scored{others}. {}. {}\n\n",
        number(tone.period.sample()),
        number(tone.period.unsupported),
        number(tone.period.unscored),
        if shares.is_empty() { "Nothing in the period is scored".to_owned() } else { shares.join(", ") },
        format::COMPARE_TONE,
    ));
    text
}

fn coverage(report: &Report, topic: &TopicFacts) -> String {
    let zone = &report.timezone;
    let pruned_note = topic.not_kept_words().map(|words| format::sentence(&words));
    let sources = topic.sources.iter().filter(|_| pruned_note.is_none()).map(|source| {
        let trouble =
            source.trouble.as_ref().map_or_else(String::new, |t| format!(" ({})", escape(&format::line(t, 100))));
        let not_made = match source.left_out + source.refused_by_quota {
            0 => String::new(),
            many => format!("; {} not made", number(many)),
        };
        let failed = match source.searches {
            0 => "none made in the period".to_owned(),
            made => format!("{} of {} failed", number(source.failed), number(made)),
        };
        format!(
            "{}: last {}, {}{trouble}; {failed}{not_made}; {}",
            source.source,
            escape(&source.last.replace('_', " ")),
            format::date_time_short(source.last_at, zone),
            source.paid(),
        )
    });
    let (inside, earlier) = topic.holes_of(report.span);
    let describe = |what: &'static str| {
        move |hole: &&HoleFacts| {
            format!("{what}: {}: {}", format::span(hole.span, zone), escape(&format::line(&hole.why, 160)))
        }
    };
    let holes = inside
        .into_iter()
        .rev()
        .take(8)
        .map(|hole| describe("not covered")(&hole))
        .chain(earlier.into_iter().rev().take(8).map(|hole| describe("before the period, not covered")(&hole)));
    let so_far = if report.is_over() && topic.open.is_none() { "" } else { "so far " };
    let covered = topic.covered.filter(|_| !topic.idle(report.span));
    let covered = covered.map(|covered| match topic.checks {
        Some(checks) => {
            format!(
                "{} in the period; such searches see only one moment and cover no time span",
                count_noun(checks, "check")
            )
        }
        None => format!("{} of the period {so_far}covered{}", percent(covered), topic.covered_by_words()),
    });
    // Without gaps, the list is empty. It only says if the topic was not watched.
    let unwatched =
        topic.gaps_words((report.span, report.made_at), zone).filter(|words| words.starts_with("Not watched"));
    let part_time = topic.part_time_note((report.span, report.made_at), zone);
    let notes = [part_time, topic.open_words(zone), topic.late_note(), topic.holes_words(zone), unwatched];
    let covered = covered.into_iter().chain(notes.into_iter().flatten());
    let silences =
        topic.silences.iter().map(|silence| escape(&silence.describe(&format::date_time(silence.since, zone))));
    let cut = topic.searches_cut.then(|| format::SEARCHES_CUT.to_owned());
    listed(
        "How it was searched",
        pruned_note.clone().into_iter().chain(sources).chain(cut).chain(silences).chain(covered).chain(holes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::markdown::parts::linked;

    #[test]
    fn an_edit_marks_changed_words_and_escapes_their_markup() {
        use crate::insight::Piece::{Added, Removed, Same};
        let pieces =
            [Same("we ~~like~~".into()), Removed("a**b".into()), Added("[x](http://e)".into()), Same(" \n".into())];
        assert_eq!(linked("a", Some("https://a.example/>b")), "[a](<https://a.example/%3Eb>)");
        assert_eq!(diff(&pieces), "we \\~\\~like\\~\\~ ~~a\\*\\*b~~ **\\[x\\]\\(http:\u{2060}//e\\)**");
    }
}
