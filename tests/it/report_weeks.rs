//! Reports of weeks and months through the binary on both databases: every number is compared with separate SQL, in two
//! zones, over weeks with a clock change and a month with holes. Spans and Wilson intervals are computed here, too.

use topicwatch::model::{ReportWindow, Span, Time};
use topicwatch::report::{make, paths, report_span, span_of_name};

use crate::support::databases::{Database, block_on, databases, sqlite};
use crate::support::page_size::measure_report;
use crate::support::program::Place;
use crate::support::report_spec::spec;
use crate::support::report_sql::{CLUSTER, CURRENT_SCORER, assert_lists, count};
use crate::support::report_world::{DAY, HOUR, History, fill_with, topics};
use crate::support::searched;
use crate::support::stored::COST;

/// Ten weeks from 28 January 2026: a day is missing in February, a day and a half in March.
const TEN_WEEKS: History = History { begin: Time(1_769_558_400_000), runs: 140, down: &[20..23, 90..94], least: 18 };

/// Shortly after the last readable run, on 8 April.
const NOW: Time = Time(TEN_WEEKS.begin.0 + 70 * DAY + 13 * HOUR);

/// From 30 December 2011, with fewer items and no hole. Searches fail from March on only.
const LEAP_YEAR: History = History { begin: Time(1_325_203_200_000), runs: 128, down: &[], least: 2 };

/// Shortly after its last readable run, on 3 March.
const LEAP_NOW: Time = Time(LEAP_YEAR.begin.0 + 64 * DAY + HOUR);

const TOPICS: &str = "[[topics]]\nid = \"acme\"\ntitle = \"acme co\"\nquery = \"acme\"\ntags = [\"brand\"]\nsources = [\"social\", \"web\"]\n\n\
                      [[topics]]\nid = \"globex\"\ntitle = \"globex co\"\nquery = \"globex\"\ntags = [\"brand\"]\nsources = [\"social\", \"web\"]\n";

fn place(database: Database, more: &str) -> Place {
    place_with(database, &TEN_WEEKS, more)
}

fn place_with(database: Database, history: &History, more: &str) -> Place {
    let place = Place::new(database, "base_url = \"sandbox\"", &format!("{TOPICS}\n{more}"));
    block_on(async {
        let store = searched::open_store(&place.database).await;
        fill_with(&place.database, history);
        store.close().await;
    });
    place
}

/// The report in a format.
fn report(place: &Place, args: &[&str], format: &str) -> String {
    report_at(place, NOW, args, format)
}

fn report_at(place: &Place, now: Time, args: &[&str], format: &str) -> String {
    let file = format!("told.{format}");
    place.ok(&[&["report", "--at", &now.to_string(), "--out", &file][..], args].concat());
    std::fs::read_to_string(place.path(&file)).unwrap()
}

/// A report in both formats.
const BOTH: &str = "[[reports]]\nname = \"told\"\nwindow = \"week\"\nschedule = \"0 7 * * 1\"\ntimezone = \"UTC\"\npath = \"told\"\nformat = \"both\"\n";

/// That report as Markdown and as a page, made by one process.
fn both(place: &Place, args: &[&str]) -> [String; 2] {
    place.ok(&[&["report", "told", "--at", &NOW.to_string()][..], args].concat());
    ["md", "html"].map(|format| std::fs::read_to_string(place.path(&format!("told.{format}"))).unwrap())
}

/// The local midnight of a date, the first instant of its day.
fn midnight(date: &str, zone: &str) -> Time {
    let date: jiff::civil::Date = date.parse().unwrap();
    Time(date.in_tz(zone).unwrap().timestamp().as_millisecond())
}

fn span(from: &str, until: &str, zone: &str) -> Span {
    Span { from: midnight(from, zone), until: midnight(until, zone) }
}

/// A week or month and the one before it.
struct Case {
    args: [&'static str; 2],
    zone: &'static str,
    name: &'static str,
    before: &'static str,
    /// The first day of the previous period, the first day of this one, and the first day after it.
    days: [&'static str; 3],
    hours: i64,
    /// The weeks of a month: name and first day.
    weeks: &'static [(&'static str, &'static str)],
}

const MARCH: &[(&str, &str)] = &[
    ("2026-W09", "2026-03-01"),
    ("2026-W10", "2026-03-02"),
    ("2026-W11", "2026-03-09"),
    ("2026-W12", "2026-03-16"),
    ("2026-W13", "2026-03-23"),
    ("2026-W14", "2026-03-30"),
];

const CASES: [Case; 5] = [
    Case {
        args: ["--week", "2026-W13"],
        zone: "Europe/Berlin",
        name: "2026-W13",
        before: "2026-W12",
        days: ["2026-03-16", "2026-03-23", "2026-03-30"],
        hours: 167,
        weeks: &[],
    },
    Case {
        args: ["--week", "2026-W10"],
        zone: "America/New_York",
        name: "2026-W10",
        before: "2026-W09",
        days: ["2026-02-23", "2026-03-02", "2026-03-09"],
        hours: 167,
        weeks: &[],
    },
    Case {
        args: ["--week", "2026-W14"],
        zone: "Asia/Kathmandu",
        name: "2026-W14",
        before: "2026-W13",
        days: ["2026-03-23", "2026-03-30", "2026-04-06"],
        hours: 168,
        weeks: &[],
    },
    Case {
        args: ["--month", "2026-03"],
        zone: "Europe/Berlin",
        name: "2026-03",
        before: "2026-02",
        days: ["2026-02-01", "2026-03-01", "2026-04-01"],
        hours: 743,
        weeks: MARCH,
    },
    Case {
        args: ["--month", "2026-03"],
        zone: "America/New_York",
        name: "2026-03",
        before: "2026-02",
        days: ["2026-02-01", "2026-03-01", "2026-04-01"],
        hours: 743,
        weeks: MARCH,
    },
];

/// São Paulo put its clocks back on the night before 26 February 2012.
const LEAP_CASES: [Case; 2] = [
    Case {
        args: ["--month", "2012-02"],
        zone: "America/Sao_Paulo",
        name: "2012-02",
        before: "2012-01",
        days: ["2012-01-01", "2012-02-01", "2012-03-01"],
        hours: 697,
        weeks: &[
            ("2012-W05", "2012-02-01"),
            ("2012-W06", "2012-02-06"),
            ("2012-W07", "2012-02-13"),
            ("2012-W08", "2012-02-20"),
            ("2012-W09", "2012-02-27"),
        ],
    },
    Case {
        args: ["--week", "2012-W08"],
        zone: "America/Sao_Paulo",
        name: "2012-W08",
        before: "2012-W07",
        days: ["2012-02-13", "2012-02-20", "2012-02-27"],
        hours: 169,
        weeks: &[],
    },
];

impl Case {
    fn span(&self) -> Span {
        span(self.days[1], self.days[2], self.zone)
    }

    fn before(&self) -> Span {
        span(self.days[0], self.days[1], self.zone)
    }

    fn dates(&self) -> Vec<String> {
        let (mut date, until): (jiff::civil::Date, jiff::civil::Date) =
            (self.days[1].parse().unwrap(), self.days[2].parse().unwrap());
        let mut all = Vec::new();
        while date < until {
            all.push(date.to_string());
            date = date.tomorrow().unwrap();
        }
        all
    }

    /// The parts in the shares of voice: names and spans.
    fn parts(&self) -> Vec<(String, Span)> {
        let begins: Vec<(String, String)> = if self.weeks.is_empty() {
            self.dates().into_iter().map(|date| (date.clone(), date)).collect()
        } else {
            self.weeks.iter().map(|(name, from)| ((*name).to_owned(), (*from).to_owned())).collect()
        };
        let ends = begins.iter().skip(1).map(|(_, from)| from.as_str()).chain([self.days[2]]);
        begins.iter().zip(ends).map(|((name, from), until)| (name.clone(), span(from, until, self.zone))).collect()
    }
}

/// The rows of a Markdown table that starts with this header.
fn table<'a>(text: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let (_, rest) = text.split_once(head).unwrap_or_else(|| panic!("no {head}: {text}"));
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The section of a topic in the Markdown.
fn topic<'a>(text: &'a str, title: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("no {title}: {text}"));
    rest.split("\n## ").next().unwrap()
}

/// `1,234`.
fn with_commas(n: u64) -> String {
    let digits = n.to_string();
    let place = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
    digits.chars().enumerate().map(|(at, c)| format!("{}{c}", place(at))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test")]
fn part(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// `25% (20–31%)`: a share with Wilson's bounds, found by bisection: where the share is 1.96 standard errors away.
fn share(of: u64, whole: u64) -> String {
    let (p, n) = (part(of, whole), part(whole, 1));
    let bound = |mut inner: f64, mut outer: f64| {
        for _ in 0..80 {
            let middle = f64::midpoint(inner, outer);
            let near = (p - middle).abs() <= 1.959_963_984_540_054 * (middle * (1.0 - middle) / n).sqrt();
            if near { inner = middle } else { outer = middle }
        }
        inner
    };
    format!("{:.0}% ({:.0}–{:.0}%)", p * 100.0, bound(p, 0.0) * 100.0, bound(p, 1.0) * 100.0)
}

/// `+12%`.
fn change_text(now: u64, before: u64) -> String {
    let size = |change: f64| match change {
        small if small < 0.05 => "<0.1%".to_owned(),
        small if small < 0.95 => format!("{small:.1}%"),
        large => format!("{large:.0}%"),
    };
    match (part(now, before) - 1.0) * 100.0 {
        _ if now == before => "none".to_owned(),
        change if change < 0.0 => format!("−{}", size(-change)),
        change if change >= 900.0 => format!("{:.0} times", part(now, before)),
        change => format!("+{}", size(change)),
    }
}

/// The change between two counts: of lower bounds, a bound if its sign is certain.
fn change_of_bounds((now, shown_now): (u64, &str), (before, shown_before): (u64, &str)) -> String {
    let floor = |size: f64| format!("{:.0}%", (size * 100.0).floor());
    match (shown_now.starts_with('≥'), shown_before.starts_with('≥')) {
        (false, false) => change_text(now, before),
        (true, false) if now > before => format!("≥\u{a0}+{}", floor(part(now, before) - 1.0)),
        (false, true) if now < before => format!("≤\u{a0}−{}", floor(1.0 - part(now, before))),
        _ => "may be more".to_owned(),
    }
}

/// The share of a span that searches covered, in whole minutes: those that begin while one did.
fn covered(database: &Database, topic: &str, span: Span) -> f64 {
    // The number of minutes of the span that begin before a time.
    let before =
        |at: i64| usize::try_from((at.clamp(span.from.0, span.until.0) - span.from.0 + 59_999) / 60_000).unwrap();
    let mut minutes = vec![false; before(span.until.0)];
    for (from, until) in database.covered(topic, "social") {
        minutes[before(from)..before(until)].fill(true);
    }
    let inside = minutes.iter().filter(|is_covered| **is_covered).count();
    part(inside as u64, minutes.len() as u64)
}

/// A count of a span: a lower bound if the span has a gap.
fn lower_bound_text(database: &Database, topic: &str, many: u64, span: Span) -> String {
    let bound = if covered(database, topic, span) < 0.98 { "≥\u{a0}" } else { "" };
    format!("{bound}{}", with_commas(many))
}

fn covered_percent(database: &Database, topic: &str, span: Span) -> String {
    format!("{:.0}%", covered(database, topic, span) * 100.0)
}

fn cost(database: &Database, topic: &str, span: Span) -> u64 {
    let sql = format!(
        "SELECT CAST(coalesce(sum({COST}), 0) AS BIGINT) FROM v_search WHERE topic = '{topic}' \
         AND started_at >= '{}' AND started_at < '{}'",
        span.from.iso_millis(),
        span.until.iso_millis()
    );
    database.number(&sql).unsigned_abs()
}

fn dollars(micros: u64) -> String {
    let text = format!("{:.6}", part(micros, 1_000_000));
    let least = text.len() - 3;
    format!("${}", &text[..text.trim_end_matches('0').len().max(least)])
}

/// Compares the report's numbers for a topic with SQL.
fn assert_figures(database: &Database, text: &str, case: &Case, id: &str) {
    let reported = topic(text, &format!("{id} co"));
    let of = |span: Span, what: &str, and: &str| count(database, id, span, what, and);
    let (now, before) = (case.span(), case.before());
    let rows = table(reported, &format!("| figure | {} | {} | change |", case.name, case.before));
    let row = |name: &str| rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no {name}: {reported}"));
    for (name, what) in [("items", "*"), ("unique", CLUSTER), ("authors", "DISTINCT lower(i.author)")] {
        let (now, before) = (of(now, what, ""), of(before, what, ""));
        assert!(now > 20 && before > 20, "{name}: {now} {before}");
        let [shown_now, shown_before] = [(now, case.span()), (before, case.before())]
            .map(|(many, span)| lower_bound_text(database, id, many, span));
        let change = change_of_bounds((now, &shown_now), (before, &shown_before));
        let wanted = [shown_now, shown_before, change];
        assert_eq!(row(name)[1..], wanted, "{name} {} {id}", case.name);
    }
    let sample =
        |span: Span| of(span, "*", &format!("{CURRENT_SCORER} AND i.tone IN ('negative', 'neutral', 'positive')"));
    assert_eq!(row("scored")[1..3], [with_commas(sample(now)), with_commas(sample(before))]);
    for sound in ["negative", "neutral", "positive"] {
        let of = |span: Span| of(span, "*", &format!("{CURRENT_SCORER} AND i.tone = '{sound}'"));
        let shares = [share(of(now), sample(now)), share(of(before), sample(before))];
        assert_eq!(row(sound)[1..3], shares, "{sound} {} {id}", case.name);
        // Computed from the rounded percentages next to it.
        let percent = |span: Span| (part(of(span), sample(span)) * 100.0).round_ties_even();
        let points = percent(now) - percent(before);
        assert_eq!(
            row(sound)[3].replace('−', "-").split(' ').next().unwrap().parse::<f64>().unwrap(),
            points,
            "{sound}"
        );
    }
    assert_eq!(
        row("covered")[1..3],
        [covered_percent(database, id, now), covered_percent(database, id, before)],
        "{id} {}",
        case.name
    );
    let (spent, then) = (cost(database, id, now), cost(database, id, before));
    assert_eq!(row("cost")[1..], [dollars(spent), dollars(then), change_text(spent, then)]);
    let [items, unique] = ["*", CLUSTER].map(|what| lower_bound_text(database, id, of(now, what, ""), now));
    let head = format!("**{items}** items, **{unique}** unique");
    assert!(reported.contains(&head), "{head}: {reported}");

    // The chart shows the days of the period.
    let days = table(reported, "| day | items | unique |");
    assert_eq!(days.iter().map(|day| day[0]).collect::<Vec<_>>(), case.dates(), "{}", case.name);
    for day in &days {
        let next = day[0].parse::<jiff::civil::Date>().unwrap().tomorrow().unwrap().to_string();
        let day_span = span(day[0], &next, case.zone);
        let searched = covered_percent(database, id, day_span);
        // Nothing is known about a day without a search.
        let counted = |n: u64| {
            if n == 0 && searched == "0%" { "–".to_owned() } else { lower_bound_text(database, id, n, day_span) }
        };
        assert_eq!(day[1], counted(of(day_span, "*", "")), "{id} {}", day[0]);
        assert_eq!(day[2], counted(of(day_span, CLUSTER, "")), "{id} {}", day[0]);
        assert_eq!(day[7], searched, "{id} {}", day[0]);
    }
}

/// Checks the shares of voice of the whole period and of its parts.
fn assert_voices(database: &Database, text: &str, case: &Case) {
    let unique = |id: &str, span: Span| count(database, id, span, CLUSTER, "");
    let ids = ["acme", "globex"];
    let reported = |id: &str, span: Span| {
        let whole: u64 = ids.iter().map(|id| unique(id, span)).sum();
        let part = unique(id, span);
        let count = lower_bound_text(database, id, part, span);
        // Both topics have the same gaps, so that there may be more of both.
        let bound = match (count.starts_with('≥'), part) {
            (false, _) => "",
            (true, 0) => "≥\u{a0}",
            (true, _) => "≈\u{a0}",
        };
        if whole == 0 { "–".to_owned() } else { format!("{bound}{:.0}% ({count})", self::part(part, whole) * 100.0) }
    };
    let whole = table(text, "| topic | items | unique | authors |");
    for row in &whole {
        let id = row[0].split(' ').next().unwrap();
        assert_eq!(row[2], reported(id, case.span()), "{id} {}", case.name);
    }
    let order: Vec<&str> = whole.iter().map(|row| row[0].split(' ').next().unwrap()).collect();
    let what = if case.weeks.is_empty() { "day" } else { "week" };
    let parts = table(text, &format!("| {what} | {} co | {} co | unique items | covered |", order[0], order[1]));
    let expected: Vec<Vec<String>> = case
        .parts()
        .into_iter()
        .map(|(name, span)| {
            let sum: u64 = ids.iter().map(|id| unique(id, span)).sum();
            let cells = [reported(order[0], span), reported(order[1], span)];
            [name]
                .into_iter()
                .chain(cells)
                .chain([lower_bound_text(database, "acme", sum, span), covered_percent(database, "acme", span)])
                .collect()
        })
        .collect();
    assert_eq!(parts, expected, "{}", case.name);
    // Both topics have the same uncovered spans.
    assert_eq!(covered_percent(database, "acme", case.span()), covered_percent(database, "globex", case.span()));
}

/// Asserts that the printed SQL gives the printed numbers.
fn assert_printed_sql(database: &Database, text: &str, case: &Case) {
    for id in ["acme", "globex"] {
        let reported = topic(text, &format!("{id} co"));
        let blocks: Vec<&str> =
            reported.split("```sql\n").skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect();
        assert_eq!(blocks.len(), 9, "{reported}");
        // Only views are read.
        let words: Vec<&str> = reported.split_whitespace().collect();
        let read: Vec<&str> =
            words.windows(2).filter(|two| ["FROM", "JOIN"].contains(&two[0])).map(|two| two[1]).collect();
        assert!(read.len() >= blocks.len() && read.iter().all(|name| name.starts_with("v_")), "{read:?}: {reported}");
        assert!(!reported.contains("topic_item"), "{reported}");
        for figure in ["items, unique, authors", "tone", "searches, failures, cost"] {
            let noun = if case.weeks.is_empty() { "week" } else { "month" };
            assert!(reported.contains(&format!("\n{noun} before ({}): {figure}:\n", case.before)), "{reported}");
        }
        let three = |sql: &str| {
            database.texts(&format!(
                "SELECT CAST(items AS TEXT) || ' ' || CAST(unique_items AS TEXT) || ' ' || CAST(authors AS TEXT) FROM ({sql}) q"
            ))
        };
        let negative = |sql: &str| {
            database.number(&format!("SELECT CAST(coalesce(sum(items), 0) AS BIGINT) FROM ({sql}) q WHERE tone = 'negative' AND scorer = 'builtin-4'"))
        };
        let money = |sql: &str| {
            database.number(&format!("SELECT CAST(round(coalesce(sum(usd), 0) * 1000000) AS BIGINT) FROM ({sql}) q"))
        };
        for (span, [counts, tones, searches]) in [(case.span(), [0, 2, 4]), (case.before(), [5, 6, 7])] {
            let of = |what: &str, and: &str| count(database, id, span, what, and);
            let reported = format!("{} {} {}", of("*", ""), of(CLUSTER, ""), of("DISTINCT lower(i.author)", ""));
            assert_eq!(three(blocks[counts]), [reported]);
            let tone = of("*", &format!("{CURRENT_SCORER} AND i.tone = 'negative'"));
            assert_eq!(negative(blocks[tones]).unsigned_abs(), tone);
            assert_eq!(money(blocks[searches]).unsigned_abs(), cost(database, id, span));
        }
        let rows = format!("SELECT part || ' ' || CAST(unique_items AS TEXT) FROM ({}) q ORDER BY 1", blocks[8]);
        let parts: Vec<String> = case
            .parts()
            .iter()
            .map(|(name, span)| format!("{name} {}", count(database, id, *span, CLUSTER, "")))
            .collect();
        assert_eq!(database.texts(&rows), parts);
    }
}

/// Compares each figure of a week or month with SQL.
fn every_figure(place: &Place, case: &Case, now: Time) {
    assert_eq!((case.span().until.0 - case.span().from.0) / HOUR, case.hours, "{}", case.name);
    let args = [&case.args[..], &["--timezone", case.zone]].concat();
    let text = report_at(place, now, &args, "md");
    let title = if case.weeks.is_empty() { "Weekly report" } else { "Monthly report" };
    assert!(text.starts_with(&format!("# {title} {}\n", case.name)), "{text}");
    for id in ["acme", "globex"] {
        assert_figures(&place.database, &text, case, id);
    }
    assert_voices(&place.database, &text, case);
    assert_printed_sql(&place.database, &text, case);

    let page = report_at(place, now, &args, "html");
    let noun = if case.weeks.is_empty() { "Week" } else { "Month" };
    let row = page.split("<tr>").find(|row| row.contains("data-label=\"Items\"")).unwrap();
    let before = count(&place.database, "acme", case.before(), "*", "");
    let before = lower_bound_text(&place.database, "acme", before, case.before());
    assert!(row.contains(&format!("data-label=\"{noun} before\">{before}</td>")), "{row}");
    // The text contains nothing that is true only for a day.
    for reported in [&page, &text] {
        for wrong in [
            "Day before",
            "one local day",
            "are usual",
            "the usual",
            "below usual",
            "above usual",
            "Band:",
            "First day",
            "of a day",
        ] {
            assert!(!reported.contains(wrong), "{wrong}: {reported}");
        }
    }
    // The expected share of posts without a query word is based on days, and the page says so.
    assert_eq!(page.matches("earlier day").count(), page.matches("% expected, based on ").count());
    assert!(page.contains(&format!("one local {}", noun.to_lowercase())), "{page}");
}

#[test]
fn every_figure_of_a_leap_month_and_of_a_week_with_a_repeated_hour_equals_sql() {
    for database in databases() {
        let place = place_with(database, &LEAP_YEAR, "");
        for case in &LEAP_CASES {
            every_figure(&place, case, LEAP_NOW);
        }
    }
}

#[test]
fn every_figure_of_a_week_and_a_month_equals_sql_over_the_database() {
    for database in databases() {
        let place = place(database, "");
        for case in &CASES {
            every_figure(&place, case, NOW);
        }
        // The hole in March where it is, in the zone's local time.
        let text = report(&place, &["--month", "2026-03", "--timezone", "Europe/Berlin"], "md");
        assert!(text.contains("- not covered: 2026-03-13 13:00 – 2026-03-15 01:00"), "{text}");
        assert!(!text.contains("before the period, not covered"), "{text}");
        // Earlier posts contained no query word either: this is shown next to the numbers and is not news.
        assert!(text.contains("contain no word of the query (99% expected, based on 14 earlier days)"), "{text}");
        assert!(!text.contains("(relevance): "), "{text}");
        let page = report(&place, &["--month", "2026-03", "--timezone", "Europe/Berlin"], "html");
        assert!(page.contains("<figcaption>By unique items of each week."), "{page}");
    }
}

#[test]
fn lists_of_a_week_and_month_cover_all_of_it_on_both_databases() {
    let mut all = Vec::new();
    for database in databases() {
        let reported: Vec<String> = block_on(async {
            let store = searched::open_store(&database).await;
            fill_with(&database, &TEN_WEEKS);
            let mut reported = Vec::new();
            for (window, name) in [(ReportWindow::Week, "2026-W13"), (ReportWindow::Month, "2026-03")] {
                let spec = spec("Europe/Berlin", window);
                let span = span_of_name(&spec, name).unwrap();
                let made = make(&store, &spec, &topics(), span, None, NOW, false).await.unwrap();
                assert!(!made.topics.is_empty());
                for facts in &made.topics {
                    assert_lists(&database, facts, span);
                    assert!(
                        !facts.cut
                            && facts.usual.is_none()
                            && facts.earlier_days.is_empty()
                            && facts.tone.usual.is_empty()
                    );
                }
                reported.extend([serde_json::to_string(&made).unwrap(), made.html(), made.markdown()]);
            }
            store.close().await;
            reported
        });
        all.push(reported);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn weeks_and_months_that_cannot_be_compared_are_named_with_the_reason() {
    for database in databases() {
        let place = place(database, BOTH);
        for (args, reported) in [
            (["--week", "2026-W12"], "Week before (2026-W11): not compared, only 79% searched."),
            (["--week", "2026-W11"], "Week before (2026-W10): not compared, only 79% of this week searched."),
            (["--week", "2026-W05"], "Week before (2026-W04): not compared, not watched yet."),
            (["--month", "2026-02"], "Month before (2026-01): not compared, not watched from its start."),
            (["--week", "2026-W15"], "Week before (2026-W14): not compared, this week is not over."),
            (["--month", "2026-04"], "Month before (2026-03): not compared, this month is not over."),
        ] {
            let [text, page] = both(&place, &args);
            assert_eq!(text.matches(reported).count(), 2, "{reported}: {text}");
            assert!(!text.contains("| figure |"), "{text}");
            assert_eq!(page.matches(reported).count(), 2, "{reported}: {page}");
            let noun = args[0].trim_start_matches("--");
            // The overview marks the topic's first week as such.
            assert!(
                page.contains("<td data-label=\"Change\">baseline</td>")
                    || page.contains(&format!("not compared with the {noun} before: ")),
                "{page}"
            );
        }
        let first = report(&place, &["--week", "2026-W05"], "md");
        assert!(
            first.contains("first week: ") && first.contains("\nFirst week: ") && !first.contains("irst day"),
            "{first}"
        );
        // For the current week, the days that have started: Monday, Tuesday, Wednesday.
        let [now, page] = both(&place, &["--week", "2026-W15"]);
        let days = table(&now, "unique items | covered |").len();
        assert_eq!(days, 3, "{now}");
        let days = table(topic(&now, "acme co"), "| day | items | unique |");
        let dates: Vec<&str> = days.iter().map(|day| day[0]).collect();
        assert_eq!(dates, ["2026-04-06", "2026-04-07", "2026-04-08"], "{now}");
        assert!(page.contains("<th scope=\"row\">2026-04-08</th>") && !page.contains("2026-04-09</th>"), "{page}");

        // Another query in the week before, then in the week itself.
        for (from, reported) in [("2026-03-27", "the query changed."), ("2026-03-18", "another query was used then.")] {
            place.database.change_query("acme", midnight(from, "UTC").0);
            let text = report(&place, &["--week", "2026-W13"], "md");
            let acme = topic(&text, "acme co");
            assert!(acme.contains(&format!("Week before (2026-W12): not compared, {reported}")), "{text}");
            assert!(topic(&text, "globex co").contains("| figure |"), "{text}");
        }
    }
}

#[test]
fn invalid_and_future_weeks_and_months_are_refused() {
    let place = place(sqlite(), "");
    for (args, reported, hint) in [
        (&["--week", "2025-W53"][..], "`2025-W53` is not a week", "2025 has 52 weeks"),
        (&["--week", "2026-12"], "`2026-12` is not a week", "write it like 2026-W12"),
        (&["--week", "2026-W16"], "2026-W16 has not started yet", "choose an earlier week"),
        (&["--month", "2026-13"], "`2026-13` is not a month", "write it like 2026-03"),
        (&["--month", "2026-03-01"], "`2026-03-01` is not a month", "write it like 2026-03"),
        (&["--month", "2026-05"], "2026-05 has not started yet", "choose an earlier month"),
        (&["--month", "2026-03", "--week", "2026-W12"], "cannot be used with", ""),
        (&["--date", "2026-03-11", "--week", "2026-W12"], "cannot be used with", ""),
    ] {
        let ended = place.run(&[&["report", "--out", "-", "--at", &NOW.to_string()][..], args].concat());
        assert_eq!(ended.code, Some(2), "{args:?}\n{ended}");
        assert!(ended.err.contains(reported) && ended.err.contains(hint), "{args:?}\n{ended}");
    }
    // 2026 has a week 53, which is in the future.
    let ended = place.run(&["report", "--week", "2026-W53", "--at", &NOW.to_string()]);
    ended.assert_stderr(2, &["2026-W53 has not started yet"]);
}

#[test]
fn a_scheduled_report_covers_the_last_complete_week_or_month() {
    let reports = "[[reports]]\nname = \"weekly\"\ntitle = \"The week\"\nwindow = \"week\"\nschedule = \"0 7 * * 1\"\ntimezone = \"Europe/Berlin\"\n\
                   path = \"out/{name}-{date}\"\nformat = \"both\"\n\n\
                   [[reports]]\nname = \"monthly\"\ntitle = \"The month\"\nwindow = \"month\"\nschedule = \"0 7 1 * *\"\ntimezone = \"Europe/Berlin\"\n\
                   path = \"out/{name}-{date}-{time}\"\n";
    for database in databases() {
        let place = place(database, reports);
        place.ok(&["once", "--due", "--at", "2026-03-31T12:00:00Z"]);
        let monthly = place.path("out/monthly-2026-03-2359+0200.html");
        assert!(!monthly.exists());
        // Made days after its slot, on a Tuesday: still about the week and month that had ended at the slot.
        let at = "2026-04-07T13:00:00Z".to_owned();
        place
            .run(&["once", "--due", "--at", &at])
            .assert_stdout(0, &["weekly-2026-W14.html", "weekly-2026-W14.md", "monthly-2026-03"]);
        for (name, file) in [("weekly", "weekly-2026-W14.html"), ("monthly", "monthly-2026-03-2359+0200.html")] {
            let page = std::fs::read_to_string(place.path(&format!("out/{file}"))).unwrap();
            assert_eq!(page, place.ok(&["report", name, "--at", &at, "--out", "-"]), "{name}");
        }
        let subjects = place.database.texts("SELECT subject FROM report ORDER BY subject");
        assert!(
            subjects[0].contains("The month 2026-03: ") && subjects[1].contains("The week 2026-W14"),
            "{subjects:?}"
        );
        // A day from a weekly report, and a week from a monthly one.
        for (args, file) in [
            (["weekly", "--date", "2026-03-11"], "weekly-2026-03-11.md"),
            (["weekly", "--week", "2026-W10"], "weekly-2026-W10.md"),
        ] {
            place.ok(&[&["report", "--at", &at][..], &args].concat());
            assert!(place.path(&format!("out/{file}")).exists(), "{file}");
        }
        place.run(&["check"]).assert_stdout(0, &["weekly", "monthly"]);
    }
}

#[test]
fn a_schedule_that_repeats_the_same_week_is_warned_about_once() {
    let check = |window: &str, schedule: &str| {
        let report = format!("[[reports]]\nname = \"r\"\nwindow = \"{window}\"\n{schedule}\n");
        let place = Place::new(sqlite(), "base_url = \"sandbox\"", &format!("{TOPICS}\n{report}"));
        place.program(&["check"]).env("COLUMNS", "200").run().to_string()
    };
    for (window, schedule, warned) in [
        ("week", "schedule = \"0 7 * * *\"", true),
        ("week", "schedule = \"0 7 * * 1,4\"", true),
        ("month", "every = \"7d\"", true),
        ("week", "schedule = \"0 7 * * 1\"", false),
        ("week", "every = \"7d\"", false),
        ("month", "schedule = \"0 7 1 * *\"", false),
        ("month", "every = \"30d\"", false),
        ("day", "schedule = \"0 7 * * *\"", false),
    ] {
        let reported = check(window, schedule);
        let many = reported.matches(&format!("runs more than once a {window}")).count();
        assert_eq!(many, usize::from(warned), "{window} {schedule}: {reported}");
    }
}

#[test]
fn files_of_weeks_and_months_are_named_by_them() {
    let names = |window: ReportWindow, at: &str| {
        let spec = spec("America/New_York", window);
        let span = report_span(&spec, Time::parse(at).unwrap(), None);
        paths(&spec, &span)[0].1.display().to_string()
    };
    // In Berlin it is Monday, in New York not yet.
    assert_eq!(names(ReportWindow::Week, "2026-03-23T03:59:59Z"), "reports/daily-2026-W11.html");
    assert_eq!(names(ReportWindow::Week, "2026-03-23T04:00:00Z"), "reports/daily-2026-W12.html");
    assert_eq!(names(ReportWindow::Week, "2027-01-05T12:00:00Z"), "reports/daily-2026-W53.html");
    assert_eq!(names(ReportWindow::Month, "2026-04-01T03:59:59Z"), "reports/daily-2026-02.html");
    assert_eq!(names(ReportWindow::Month, "2026-04-01T04:00:00Z"), "reports/daily-2026-03.html");
}

#[test]
fn a_daily_report_after_a_skipped_local_day_covers_the_day_before_it() {
    let at = |text: &str| Time::parse(text).unwrap();
    let span = report_span(&spec("Pacific/Apia", ReportWindow::Day), at("2011-12-30T20:00:00Z"), None);
    assert_eq!((span.from, span.until), (at("2011-12-29T10:00:00Z"), at("2011-12-30T10:00:00Z")), "29 December");
}

/// A pseudo-random number in 0..1; advances the seed.
fn draw(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    f64::from(u32::try_from(*seed >> 32).unwrap()) / 4_294_967_296.0
}

/// The number of posts of a day without a query word, and of all posts: a share that varies between days.
fn posts(seed: &mut u64, (mean, spread): (f64, f64)) -> (u64, u64) {
    let normal = (0..12).map(|_| draw(seed)).sum::<f64>() - 6.0;
    let chance = (mean + spread * normal).clamp(0.0, 1.0);
    let many = 30 + (*seed >> 40) % 40;
    ((0..many).filter(|_| draw(seed) < chance).count() as u64, many)
}

/// A week in which posts without a query word are expected is compared with earlier days. It is reported when its share
/// is beyond their range and ten points above the expected share. A service none of whose posts contains a query word
/// is calm, too: with many posts, the range alone would report it each month.
#[test]
fn a_calm_week_is_not_reported_as_off_topic() {
    use topicwatch::compare::Relevance;
    use topicwatch::insight::daily::{share, usual_share};
    for (stream, days) in [((0.75, 0.0), 7), ((0.75, 0.04), 7), ((0.75, 0.1), 7), ((0.97, 0.02), 30), ((1.0, 0.0), 30)]
    {
        for earlier in [7, 14] {
            let (mut seed, mut reported) = (17_u64, 0_u32);
            for _ in 0..1_000 {
                let before: Vec<_> = (0..earlier)
                    .map(|_| posts(&mut seed, stream))
                    .filter_map(|(part, whole)| share(part, whole))
                    .collect();
                let told_of = (0..days).map(|_| posts(&mut seed, stream));
                let (part, whole) = told_of.fold((0, 0), |(part, whole), day| (part + day.0, whole + day.1));
                let relevance = |part| Relevance {
                    without: share(part, whole),
                    unread: 0,
                    usual: usual_share(whole, &before).ok(),
                    ..Relevance::default()
                };
                reported += u32::from(relevance(part).is_clearly_off_topic());
                // Where days are alike, a week of only such posts is reported.
                assert!(stream.1 > 0.0 || stream.0 > 0.9 || earlier < 14 || relevance(whole).is_clearly_off_topic());
            }
            println!("{stream:?}, {earlier} days before: {reported} of 1000 calm periods reported");
            assert!(reported <= 10, "{stream:?}, {earlier} days before: {reported} of 1000 calm periods reported");
        }
    }
}

#[test]
fn a_week_and_a_month_fit_on_a_phone() {
    let Some(browser) = crate::support::browser::find_browser() else { return };
    let place = place(sqlite(), "");
    for (args, most) in [(["--week", "2026-W13"], 30_000), (["--month", "2026-03"], 30_000)] {
        let file = format!("{}.html", args[1]);
        place.ok(&[&["report", "--at", &NOW.to_string(), "--out", &file][..], &args].concat());
        let (height, wider, _) = measure_report(&browser, &place, &file, 390);
        println!("{}: {height} px high at 390", args[1]);
        assert!(wider <= 0, "{}: {wider} px wider than the phone", args[1]);
        assert!(height > 800 && height < most, "{}: {height} px high", args[1]);
    }
}
