//! The numbers of the daily report compared with separate SQL over the same database; both databases give the same
//! bytes.

use crate::support::report_spec::*;
use topicwatch::insight::daily::{self, Day, days as days_of};
use topicwatch::model::{ReportWindow, Span, Time, Tone};
use topicwatch::report::{DayFacts, Report, TopicFacts, make, paths, report_span, span_of_date};

use crate::support::databases::{Database, block_on, databases};
use crate::support::report_sql::{CLUSTER, CURRENT_SCORER, assert_lists, count};
use crate::support::report_world::{BEGIN, DAY, HOUR, fill, topics};
use crate::support::stored::COST;

fn gather_report(database: &Database, window: ReportWindow) -> Report {
    let spec = spec("Europe/Berlin", window);
    let span = report_span(&spec, NOW, None);
    block_on(async {
        let store = crate::support::searched::open_store(database).await;
        fill(database);
        let made = make(&store, &spec, &topics(), span, None, NOW, false).await.unwrap();
        store.close().await;
        made
    })
}

#[test]
fn every_figure_of_a_daily_report_equals_sql() {
    for database in databases() {
        let report = gather_report(&database, ReportWindow::Day);
        let span = report.span;
        assert_eq!(report.date, "2026-03-16");
        assert!(report.topics.len() > 1 && report.voice.len() == report.topics.len());
        for facts in &report.topics {
            let of = |what: &str, and: &str| count(&database, &facts.id, span, what, and);
            let period = &facts.period;
            assert!(period.raw > 20 && period.unique < period.raw, "{period:?}");
            for (figure, reported, sql) in [
                ("items", period.raw, of("*", "")),
                ("unique", period.unique, of(CLUSTER, "")),
                ("authors", period.authors, of("DISTINCT lower(i.author)", "")),
                ("posts", period.posts, of("*", "AND i.kind = 'post'")),
                ("pages", period.pages, of("*", "AND i.kind = 'page'")),
                ("undated", period.undated, of("*", "AND i.published_at IS NULL")),
                ("without author", period.no_author, of("*", "AND i.author IS NULL")),
                ("without engagement", period.no_engagement, of("*", "AND i.likes IS NULL")),
                ("negative", facts.tone.period.negative, of("*", &format!("AND i.tone = 'negative' {CURRENT_SCORER}"))),
                ("neutral", facts.tone.period.neutral, of("*", &format!("AND i.tone = 'neutral' {CURRENT_SCORER}"))),
                ("positive", facts.tone.period.positive, of("*", &format!("AND i.tone = 'positive' {CURRENT_SCORER}"))),
                (
                    "unsupported",
                    facts.tone.period.unsupported,
                    of("*", &format!("AND i.tone = 'unsupported' {CURRENT_SCORER}")),
                ),
                ("not scored", facts.tone.period.unscored, of("*", "AND i.tone IS NULL")),
                (
                    "by another",
                    *facts.tone.period.by_others.get("other-2").unwrap_or(&0),
                    of("*", "AND i.scorer = 'other-2'"),
                ),
            ] {
                assert_eq!(reported, sql, "{figure} of {} on {}", facts.id, database.name);
            }
            assert_days(&database, facts);
            assert_lists(&database, facts, span);
            assert_searches(&database, facts, span);
        }
        // Shares of voice are parts of sums.
        let sum: u64 = report.topics.iter().map(|t| count(&database, &t.id, span, CLUSTER, "")).sum();
        for voice in &report.voice {
            let unique = voice.unique.unwrap();
            assert_eq!((unique.part, unique.whole), (count(&database, &voice.topic, span, CLUSTER, ""), sum));
        }
    }
}

/// Whether web answered about as often in a span as on the report's day, so that the two can be compared.
fn web_answered_as_often(database: &Database, facts: &TopicFacts, span: Span) -> bool {
    let answers = |span: Span| {
        database.number(&format!(
            "SELECT count(*) FROM v_search s WHERE s.topic = '{}' AND s.source = 'web' AND s.state = 'ok' \
             AND s.started_at >= '{}' AND s.started_at < '{}'",
            facts.id,
            span.from.iso_millis(),
            span.until.iso_millis()
        ))
    };
    answers(span) * 10 >= answers(facts.days.last().unwrap().span) * 9
}

/// Checks the days of the charts, their intervals and the usual range.
fn assert_days(database: &Database, facts: &TopicFacts) {
    assert_eq!(facts.days.len(), 14);
    for day in &facts.days {
        let of = |what: &str, and: &str| count(database, &facts.id, day.span, what, and);
        assert_eq!(day.counted.raw, of("*", ""), "{} {}", facts.id, day.date);
        assert_eq!(day.counted.unique, of(CLUSTER, ""), "{} {}", facts.id, day.date);
        assert_eq!(day.tones.negative, of("*", &format!("AND i.tone = 'negative' {CURRENT_SCORER}")));
        // At Wilson's bounds, the share is exactly z standard errors away.
        let Some(share) = day.negative else { continue };
        let n = f64::from(u32::try_from(share.whole).unwrap());
        for bound in [share.low, share.high] {
            let error = (share.share - bound).abs() - 1.959_963_984_540_054 * (bound * (1.0 - bound) / n).sqrt();
            assert!(error.abs() < 1e-9 || bound == 0.0 || bound == 1.0, "{share:?}");
        }
        let spans = database.covered(&facts.id, "social");
        let minutes: Vec<i64> = (day.span.from.0..day.span.until.0).step_by(60_000).collect();
        let covered = minutes.iter().filter(|at| spans.iter().any(|(from, until)| from <= at && *at < until)).count();
        #[expect(clippy::cast_precision_loss, reason = "minutes of a day")]
        let part = covered as f64 / minutes.len() as f64;
        assert!((day.covered.unwrap() - part).abs() < 0.002, "{}: {:?} against {part}", day.date, day.covered);
    }
    // Of the fourteen days before, only those that were watched and fully covered count.
    let usual = facts.usual.unwrap();
    let whole = |day: &&DayFacts| {
        day.covered >= Some(0.9) && day.span.from >= BEGIN && web_answered_as_often(database, facts, day.span)
    };
    let before: Vec<_> = facts.days.split_last().unwrap().1.iter().filter(whole).collect();
    let calendar = days_of(Time(facts.days.last().unwrap().span.until.0 - 1), 15, "Europe/Berlin");
    let (today, calendar) = calendar.split_last().unwrap();
    // The axis starts on the 3rd; the 2nd is the only other day that counts.
    let counted = |day: &&Day| day.date.day() == 2 || before.iter().any(|other| other.span == day.span);
    let counts: Vec<(Day, u64)> =
        calendar.iter().filter(counted).map(|day| (*day, count(database, &facts.id, day.span, "*", ""))).collect();
    assert_eq!(Ok(usual), daily::usual_range(today, &counts));
    assert!((8..14).contains(&usual.days), "days of the hole are left out: {}", usual.days);
    let shares: Vec<daily::Share> = counts
        .iter()
        .filter_map(|(day, _)| {
            let of = |and: &str| count(database, &facts.id, day.span, "*", &format!("{and} {CURRENT_SCORER}"));
            daily::share(of("AND i.tone = 'negative'"), of("AND i.tone IN ('negative', 'neutral', 'positive')"))
        })
        .filter(|share| share.whole >= 20)
        .collect();
    assert_eq!(facts.tone.samples, shares.len());
    let usual = facts.tone.usual.iter().find(|(sound, _)| *sound == Tone::Negative).map(|(_, usual)| *usual);
    assert_eq!(usual, daily::usual_share(facts.tone.period.sample(), &shares).ok());
    let beside: Vec<_> = facts.earlier_days.iter().map(|day| (day.back, day.date.clone(), day.raw)).collect();
    let raw = |back: usize| {
        let day = calendar[calendar.len() - back];
        let known = counts.iter().find(|(other, _)| *other == day).map(|(_, count)| *count);
        (back, day.date.to_string(), known)
    };
    assert_eq!(beside, [raw(1), raw(7)]);
}

/// Checks searches, costs, holes, the answer and rising items.
fn assert_searches(database: &Database, facts: &TopicFacts, span: Span) {
    let of = |what: &str, and: &str| {
        database.number(&format!(
            "SELECT CAST({what} AS BIGINT) FROM v_search s JOIN v_run r ON r.run = s.run WHERE r.topic = '{}' \
             AND r.started_at >= '{}' AND r.started_at < '{}' {and}",
            facts.id,
            span.from.iso_millis(),
            span.until.iso_millis()
        ))
    };
    let cost = COST.replace("cost_usd", "s.cost_usd");
    assert_eq!(facts.cost.unwrap().0, of(&format!("coalesce(sum({cost}), 0)"), ""));
    for source in &facts.sources {
        let and = format!("AND s.source = '{}'", source.source);
        assert_eq!(i64::try_from(source.searches).unwrap(), of("count(*)", &and));
        assert_eq!(i64::try_from(source.failed).unwrap(), of("count(*)", &format!("{and} AND s.state = 'error'")));
    }
    let failing: Vec<&str> = facts.sources.iter().filter(|s| s.fails).map(|s| s.source.as_str()).collect();
    assert_eq!(failing, if facts.id == "acme" { vec!["web"] } else { vec![] });
    // Four slots were missed: the hole starts at the last run before them and ends a day before the first run after.
    let holes: Vec<Span> = facts.holes.iter().filter(|hole| !hole.before).map(|hole| hole.span).collect();
    let slot = |n: i64| Time(BEGIN.0 + n * DAY / 2);
    assert_eq!(holes, [Span { from: slot(13), until: slot(16) }]);
    let answer = facts.answer.as_ref().unwrap();
    let found: Vec<(bool, bool)> = answer.cited.citations.iter().map(|c| (c.key.is_some(), c.in_text)).collect();
    assert_eq!(found, [(true, true), (false, true), (false, false)], "{:?}", answer.cited.citations);
    let fastest = &facts.rising[0].rise;
    let likes = format!("SELECT likes FROM v_item WHERE topic = '{}' AND key = '{}'", facts.id, fastest.key);
    let likes = database.number(&likes);
    assert_eq!(fastest.had + fastest.gain, likes);
    assert!(facts.tone.shares.iter().any(|(sound, _)| *sound == Tone::Negative));
}

#[test]
fn the_sql_printed_in_a_report_gives_its_figures_on_both_databases() {
    for database in databases() {
        for window in [ReportWindow::Day, ReportWindow::SinceLast] {
            let report = match window {
                ReportWindow::Day => gather_report(&database, window),
                // The rows were created for the first report.
                _ => {
                    let spec = spec("UTC", window);
                    block_on(async {
                        let store = crate::support::searched::open_store(&database).await;
                        let span = report_span(&spec, NOW, Some(Time(NOW.0 - 2 * DAY)));
                        let made = make(&store, &spec, &topics(), span, None, NOW, false).await.unwrap();
                        store.close().await;
                        made
                    })
                }
            };
            let text = report.markdown();
            let blocks: Vec<&str> =
                text.split("```sql\n").skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect();
            assert_eq!(blocks.len(), 5 * report.topics.len());
            // Migrations may change the tables, but not the views.
            for sql in &blocks {
                let read = sql.split_whitespace().zip(sql.split_whitespace().skip(1));
                let from: Vec<&str> =
                    read.filter(|(word, _)| ["FROM", "(SELECT", "JOIN"].contains(word)).map(|(_, from)| from).collect();
                assert!(!from.is_empty() && from.iter().all(|from| from.starts_with("v_") || *from == "1"), "{sql}");
            }
            for (facts, sql) in report.topics.iter().zip(blocks.chunks(5)) {
                let reported = database.texts(&format!(
                    "SELECT CAST(items AS TEXT) || ' ' || CAST(unique_items AS TEXT) || ' ' || CAST(authors AS TEXT) FROM ({}) q",
                    sql[0]
                ));
                assert_eq!(
                    reported,
                    [format!("{} {} {}", facts.period.raw, facts.period.unique, facts.period.authors)]
                );
                let rows = |sql: &str| database.number(&format!("SELECT count(*) FROM ({sql}) q")).unsigned_abs();
                assert_eq!(rows(sql[1]), facts.period.raw);
                let scored = database.number(&format!("SELECT CAST(coalesce(sum(items), 0) AS BIGINT) FROM ({}) q WHERE tone = 'negative' AND scorer = 'builtin-4'", sql[2]));
                assert_eq!(scored.unsigned_abs(), facts.tone.period.negative);
                assert!(rows(sql[3]) >= facts.campaigns.len() as u64);
                let cost = database.number(&format!(
                    "SELECT CAST(round(coalesce(sum(usd), 0) * 1000000) AS BIGINT) FROM ({}) q",
                    sql[4]
                ));
                assert_eq!(cost, facts.cost.unwrap().0);
            }
        }
    }
}

#[test]
fn both_databases_give_the_same_bytes_of_a_report() {
    let all: Vec<(String, String, String)> = databases()
        .iter()
        .map(|database| gather_report(database, ReportWindow::Day))
        .map(|report| (serde_json::to_string(&report).unwrap(), report.html(), report.markdown()))
        .collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    let (_, html, markdown) = &all[0];
    // First what happened, then how reliable it is; each sorted by weight.
    let report = gather_report(&crate::support::databases::sqlite(), ReportWindow::Day);
    let kinds: Vec<&str> = report.matters.iter().map(|matter| matter.kind).collect();
    let news = report.matters.iter().take_while(|matter| matter.is_news()).count();
    let (news, trust) = report.matters.split_at(news);
    assert_eq!(trust.first().map(|matter| matter.kind), Some("source"), "{kinds:?}");
    assert!(kinds.contains(&"volume") && kinds.contains(&"tone"), "{:#?}", report.matters);
    for part in [news, trust] {
        assert!(part.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
    }
    assert!(!trust.iter().any(topicwatch::report::Highlight::is_news));
    for matter in &report.matters {
        assert!(html.contains(&matter.sentence) || matter.sentence.contains(['&', '<', '"']), "{}", matter.sentence);
    }
    assert!(markdown.contains("## What matters") && html.contains("✗ not found"));
    assert!(report.subject().starts_with("Morning 2026-03-16: ") && !report.subject().contains('\n'));
}

#[test]
fn a_since_last_report_loses_and_repeats_nothing() {
    let database = crate::support::databases::sqlite();
    gather_report(&database, ReportWindow::Day);
    let spec = spec("UTC", ReportWindow::SinceLast);
    block_on(async {
        let store = crate::support::searched::open_store(&database).await;
        // Runs get their numbers as they end, not as they start: every third one takes twenty hours.
        database
            .execute("CREATE TABLE ended AS SELECT id FROM run WHERE seq IS NOT NULL; UPDATE run SET seq = NULL")
            .await;
        let number = async |until: Time| {
            let sql = "UPDATE run SET seq = (SELECT coalesce(max(seq), 0) FROM run) + id WHERE seq IS NULL AND id IN (SELECT id FROM ended)";
            let (quick, slow) = (until.0, until.0 - 20 * HOUR);
            let began = format!("started_at < CASE WHEN id % 3 = 0 THEN {slow} ELSE {quick} END");
            database.execute(&format!("{sql} AND {began}")).await;
        };
        let (mut from, mut since, mut sum) = (Time(BEGIN.0 - DAY), None, 0);
        while from < Time(NOW.0 + DAY) {
            let now = Time(from.0 + 31 * HOUR);
            number(now).await;
            let span = report_span(&spec, now, Some(from));
            assert_eq!(span.from, from);
            let made = make(&store, &spec, &topics(), span, since, now, false).await.unwrap();
            sum += made.topics.iter().map(|t| t.period.raw).sum::<u64>();
            (from, since) = (now, Some(made.seq));
        }
        store.close().await;
        let all = "SELECT count(*) FROM v_item i JOIN v_sighting s ON s.run = i.first_run AND s.key = i.key WHERE s.fit <> 'outside'";
        assert_eq!(i64::try_from(sum).unwrap(), database.number(all));
    });
}

#[test]
fn rising_items_of_a_report_respect_the_filter() {
    let database = crate::support::databases::sqlite();
    let report = gather_report(&database, ReportWindow::Day);
    let (at, facts) = report.topics.iter().enumerate().find(|(_, topic)| !topic.rising.is_empty()).unwrap();
    let risers = |facts: &TopicFacts| facts.rising.iter().map(|rising| rising.item.key.clone()).collect::<Vec<_>>();
    let author = facts.rising[0].item.author.clone().unwrap();
    let mut filtered = topics();
    let topic = filtered.iter_mut().find(|topic| topic.id == facts.id).unwrap();
    topic.filter.exclude_authors = vec![author];
    block_on(async {
        let store = crate::support::searched::open_store(&database).await;
        let spec = spec("Europe/Berlin", ReportWindow::Day);
        let made = make(&store, &spec, &filtered, report_span(&spec, NOW, None), None, NOW, false).await.unwrap();
        store.close().await;
        assert!(!risers(&made.topics[at]).contains(&risers(facts)[0]));
    });
}

#[test]
fn only_days_with_the_same_query_count_as_usual() {
    for database in databases() {
        let before = gather_report(&database, ReportWindow::Day);
        assert!(before.topics.iter().all(|topic| topic.usual.is_some() && topic.asked_since.is_none()));
        // Three days before the report's day, the query of acme changed.
        let at = before.span.from.0 - 3 * DAY;
        database.change_query("acme", at);
        let after = block_on(async {
            let store = crate::support::searched::open_store(&database).await;
            let spec = spec("Europe/Berlin", ReportWindow::Day);
            let made = make(&store, &spec, &topics(), before.span, None, NOW, false).await.unwrap();
            store.close().await;
            made
        });
        let [acme, globex] = &after.topics[..] else { panic!() };
        assert!(acme.asked_since.is_some_and(|since| since.0 >= at), "{:?}", acme.asked_since);
        assert_eq!(acme.usual, None, "{}", database.name);
        assert!((1..=3).contains(&acme.comparable), "{}", acme.comparable);
        assert!(acme.tone.before.sample() < before.topics[0].tone.before.sample());
        assert_eq!(globex.usual, before.topics[1].usual);
        let days = if acme.comparable == 1 { "day" } else { "days" };
        let reported =
            format!("only {} comparable earlier {days} since the query changed, 7 are needed", acme.comparable);
        assert!(after.html().contains(&reported) && after.markdown().contains(&reported), "{}", after.markdown());
        assert!(
            after.matters.iter().all(|matter| matter.topic != "acme" || matter.kind != "volume"),
            "{:?}",
            after.matters
        );
    }
}

#[test]
fn tone_is_compared_only_with_completely_covered_days() {
    for database in databases() {
        gather_report(&database, ReportWindow::Day);
        let spec = spec("Europe/Berlin", ReportWindow::Day);
        let span = span_of_date(&spec, "2026-03-13".parse().unwrap()).unwrap();
        let report = block_on(async {
            let store = crate::support::searched::open_store(&database).await;
            let made = make(&store, &spec, &topics(), span, None, NOW, false).await.unwrap();
            store.close().await;
            made
        });
        for facts in &report.topics {
            let week = &facts.days[facts.days.len() - 8..facts.days.len() - 1];
            let is_whole =
                |day: &DayFacts| day.covered >= Some(0.9) && web_answered_as_often(&database, facts, day.span);
            let whole = week.iter().filter(|day| is_whole(day));
            let negative: Vec<u64> = whole.map(|day| day.tones.negative).collect();
            assert!((3..7).contains(&negative.len()), "the hole is in that week: {negative:?}");
            assert_eq!(facts.tone.before.negative, negative.iter().sum::<u64>());
            assert!(week.iter().map(|day| day.tones.negative).sum::<u64>() > facts.tone.before.negative);
        }
    }
}

#[test]
fn files_are_named_by_the_template_and_days_are_local() {
    let spec = spec("Europe/Berlin", ReportWindow::Day);
    let span = span_of_date(&spec, "2026-03-29".parse().unwrap()).unwrap();
    assert_eq!(span.length().as_secs(), 23 * 3_600);
    let names: Vec<String> = paths(&spec, &span).iter().map(|(_, path)| path.display().to_string()).collect();
    assert_eq!(names, ["reports/daily-2026-03-29.html", "reports/daily-2026-03-29.md"]);
    let at = Time::parse("2026-03-29T23:30:00Z").unwrap();
    assert_eq!(report_span(&spec, at, None), span);
}

/// A manual run and a slot may fall into one minute; each report holds only items that are new since the last.
#[test]
fn since_last_reports_of_the_same_minute_have_separate_files() {
    let mut spec = spec("Europe/Berlin", ReportWindow::SinceLast);
    spec.path = "reports/{name}-{date}-{time}".to_owned();
    let at = |text: &str| Time::parse(text).unwrap();
    let (mut last, mut names) = (None, Vec::new());
    for until in [
        "2026-03-11T07:59:59.999Z",
        "2026-03-11T08:00:07Z",
        "2026-03-11T08:00:41Z",
        "2026-03-11T08:00:41.250Z",
        "2026-03-11T08:01:00Z",
    ] {
        let span = report_span(&spec, at(until), last);
        names.push(paths(&spec, &span)[0].1.display().to_string());
        last = Some(at(until));
    }
    let expected = ["0859+0100", "0900+0100", "090041000+0100", "090041250+0100", "0901+0100"];
    assert_eq!(names, expected.map(|time| format!("reports/daily-2026-03-11-{time}.html")));
}
