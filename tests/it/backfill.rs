//! `backfill` through the binary on both databases: past days are searched once each, judged against their day, counted
//! and stored once; refused where calls take no dates.

use serde_json::Value;

use crate::support::covered_spans::{social, spans};
use crate::support::databases::{Database, databases, sqlite};
use crate::support::exported_story::assert_adds_up;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;
use crate::support::world::{self, ScriptedService, hour, post};

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsocial.limit = 100\n";

fn place(database: Database, sandbox: &Sandbox, more: &str) -> Place {
    Place::new(database, &format!("{}dialect = \"desearch\"\n{more}\n", sandbox.lines()), TOPIC)
}

const FILL: [&str; 8] = ["backfill", "acme", "--from", "2026-03-07", "--to", "2026-03-09", "--at", NINE];

#[test]
fn backfill_covers_each_day_and_a_second_backfill_finds_nothing_new() {
    let mut reported = Vec::new();
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = place(database, &sandbox, "");
        place.ok(&["once", "--at", NINE, "--topic", "acme"]);
        let before = sandbox.calls();
        let filled = place.run(&FILL);
        filled.assert_stdout(0, &["SANDBOX", "2026-03-07  social  ok", "2026-03-09  social  ok", "3 of 3 days ok"]);
        assert_eq!((sandbox.calls_to("/twitter"), sandbox.calls_to("/web")), (4, 1), "pages take no dates");
        assert_eq!(place.database.calls_made() as u64, sandbox.calls());
        assert!(sandbox.calls() - before <= 6);

        let runs =
            place.database.texts("SELECT trigger || ' ' || reason FROM v_run WHERE reason IS NOT NULL ORDER BY seq");
        let expected =
            ["manual backfill of 2026-03-07", "manual backfill of 2026-03-08", "manual backfill of 2026-03-09"];
        assert_eq!(runs, expected, "{}", place.database.name);
        // Judges only findings of searches that covered their whole day.
        let judged = "FROM v_sighting s JOIN v_item i ON i.key = s.key AND i.topic = s.topic \
             JOIN v_search q ON q.run = s.run AND q.source = s.source JOIN v_run r ON r.run = s.run \
             WHERE i.published_at IS NOT NULL AND r.reason LIKE 'backfill of %' \
             AND q.covered_from LIKE '%T00:00:00.000Z' AND q.covered_until LIKE '%T00:00:00.000Z'";
        let right = "(s.fit = 'in') = (i.published_at >= q.asked_from AND i.published_at < q.asked_until)";
        let count = |fits: &str| place.database.number(&format!("SELECT count(*) {judged} AND {fits}"));
        assert_eq!(count(&format!("NOT ({right})")), 0, "a finding is in when it is of that day");
        assert!(count(right) > 0, "{}", place.database.name);
        let inside = "SELECT count(*) FROM v_sighting s JOIN v_run r ON r.run = s.run WHERE s.fit = 'in' AND s.source = 'social' AND r.reason = 'backfill of 2026-03-08'";
        assert!(place.database.number(inside) > 0);
        let seen = "SELECT count(*) FROM v_item WHERE first_seen <> '2026-03-11T09:00:00.000Z'";
        assert_eq!(place.database.number(seen), 0, "first seen is when we saw it");
        let source = social(&place, NINE, "2026-03-07");
        assert_eq!(spans(&source["covered"]), ["03-07T00:00 03-10T00:00", "03-10T09:00 03-11T08:55"], "{source}");
        assert!(spans(&source["holes"]).is_empty(), "no run looked back to the backfill: {source}");

        let again = place.run(&FILL);
        again.assert_stdout(0, &["3 of 3 days ok", "0 new +"]);
        assert!(again.out.contains("= 0 new +") || again.out.contains("= ≥0 new +"), "{again}");
        assert_adds_up(&place);
        reported.push((filled.out.replace(&place.database.url, ""), place.ok(&["export", "--what", "sightings"])));
    }
    assert!(reported.iter().all(|(_, sightings)| *sightings == reported[0].1));
}

#[test]
fn show_marks_no_finding_of_a_backfill_as_new() {
    for database in databases() {
        let (sandbox, name) = (Sandbox::at(NINE, &[]), database.name);
        let place = place(database, &sandbox, "");
        place.ok(&["once", "--at", NINE]);
        place.ok(&FILL);
        let runs = place.database.texts("SELECT run FROM v_run WHERE reason LIKE 'backfill of %' ORDER BY seq");
        let mut first_seen = 0;
        for run in &runs {
            let json = place.json(&["show", "acme", "--run", run, "--json"]);
            let of_the_day = |item: &&Value| item["new"] == true && item["fit"] == "in";
            first_seen += json["items"].as_array().unwrap().iter().filter(of_the_day).count();
            assert_eq!(json["first_seen"]["new"], 0, "{name}: {json}");
            let show = ["show", "acme", "--run", run.as_str()];
            for shown in [place.ok(&show), place.ok(&[&show[..], &["--md"]].concat())] {
                assert!(shown.contains("social") && !shown.contains("social, new"), "{name}: {shown}");
            }
        }
        assert!(runs.len() == 3 && first_seen > 0, "{name}: the days had posts: {runs:?}");
    }
}

/// Backfilled answers are about other days.
#[test]
fn backfill_answers_do_not_count_as_answers_of_the_day_it_ran() {
    for database in databases() {
        let (sandbox, name) = (Sandbox::at(NINE, &[]), database.name);
        let daily = "sources = [\"social\", \"ai\"]\nai.when = \"daily\"\nevery = \"6h\"\n";
        let file = format!("{}dialect = \"desearch\"\n", sandbox.lines());
        let place = Place::new(database, &file, &format!("{TOPIC}{daily}"));
        let answers = || sandbox.calls_to("/desearch/ai/search");
        let planned =
            || place.json(&["plan", "--days", "1", "--json", "--at", NINE])["topics"][0]["calls"]["ai"].clone();
        place.ok(&FILL);
        let filled = answers();
        assert!(filled > 0 && planned() == 2, "{name}: today and tomorrow: {}", planned());
        place.ok(&["once", "--at", "2026-03-11T09:30:00Z"]);
        assert_eq!((answers() - filled, planned()), (1, serde_json::json!(1)), "{name}");
        let more = ["backfill", "acme", "--from", "2026-03-04", "--to", "2026-03-05", "--at", "2026-03-11T10:00:00Z"];
        place.ok(&more);
        assert!(answers() > filled + 1, "{name}");
        place.ok(&["report", "--date", "2026-03-11", "--out", "day.md", "--at", "2026-03-11T11:00:00Z"]);
        let report = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(report.contains("Asked 2026-03-11 09:30."), "{name}: {report}");
    }
}

#[test]
fn backfill_answers_are_never_shown_as_the_latest_answer() {
    for database in databases() {
        let (sandbox, name) = (Sandbox::at(NINE, &[]), database.name);
        let daily = "sources = [\"social\", \"ai\"]\nai.when = \"daily\"\nevery = \"6h\"\n";
        let file = format!("{}dialect = \"desearch\"\n", sandbox.lines());
        let place = Place::new(database, &file, &format!("{TOPIC}{daily}"));
        let page = || Pages::serve(&place, &["--at", "2026-03-11T13:00:00Z"]).page("/topics/acme");
        place.ok(&FILL);
        let before = page();
        assert!(!before.contains("The latest answer") && before.contains(">All answers</a>"), "{name}: {before}");
        place.ok(&["once", "--at", "2026-03-11T09:30:00Z"]);
        place.ok(&["backfill", "acme", "--from", "2026-03-04", "--to", "2026-03-05", "--at", "2026-03-11T10:00:00Z"]);
        place.ok(&["once", "--at", "2026-03-11T12:00:00Z"]);
        let page = page();
        let latest = page.split_once("The latest answer").unwrap().1;
        assert!(latest.contains("Asked <time datetime=\"2026-03-11T09:30:00Z\">"), "{name}: {latest}");
        let told = place.ok(&["show", "acme"]);
        assert!(told.contains(" old, from 2026-03-11T09:30:00Z"), "{name}: {told}");
    }
}

#[test]
fn a_dry_run_shows_the_price_and_makes_no_calls() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = place(sqlite(), &sandbox, "prices.social = 0.01\nprices.ai = 0.02");
    let output = place.run(&[&FILL[..], &["--dry-run"]].concat());
    output.assert_stdout(0, &[]);
    // A service with an address may be real: nothing shows that it is the sandbox.
    insta::assert_snapshot!(output.out, @r"
    2026-03-07  social  GET /twitter, expected $0.010
    2026-03-07  ai  POST /desearch/ai/search, expected $0.020, if asked
    2026-03-08  social  GET /twitter, expected $0.010
    2026-03-08  ai  POST /desearch/ai/search, expected $0.020, if asked
    2026-03-09  social  GET /twitter, expected $0.010
    2026-03-09  ai  POST /desearch/ai/search, expected $0.020, if asked

    no calls were made; at most 6 calls for 3 days would cost about $0.090 at the configured prices (limit: 500 calls a day)
    ");
    let json = place.json(&[&FILL[..], &["--dry-run", "--json"]].concat());
    assert_eq!((&json["calls"], json["requests"].as_array().unwrap().len()), (&6.into(), 6));
    let (posts, answer) = (json["requests"][0]["request"].to_string(), json["requests"][1]["request"].to_string());
    assert!(posts.contains(r#"["start_date","2026-03-07"],["end_date","2026-03-08"]"#), "{posts}");
    assert!(answer.contains(r#""start_date":"2026-03-07""#) && !answer.contains("date_filter"), "{answer}");
    assert_eq!((sandbox.calls(), std::path::Path::new(&place.database.url[7..]).exists()), (0, false));
    place.configure("base_url = \"sandbox\"\ndialect = \"desearch\"\n", TOPIC);
    place
        .run(&[&FILL[..], &["--dry-run"]].concat())
        .assert_stdout(0, &["SANDBOX: invented findings and prices\n\n2026-03-07"]);
}

#[test]
fn the_daily_limit_stops_a_backfill_that_can_be_continued() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let limited = "max_calls_per_day = 4";
        let place = place(database, &sandbox, limited);
        let stopped = place.run(&FILL);
        stopped.assert_stderr(3, &["stopped; the days before are stored", "--from 2026-03-09 --to 2026-03-09"]);
        stopped.assert_stdout(3, &["\n3 days: 2 ok, 1 over_quota · "]);
        assert_eq!(sandbox.calls(), 4);
        let states = place.database.texts("SELECT state FROM v_run ORDER BY seq");
        assert_eq!(states, ["ok", "ok", "over_quota"], "{}", place.database.name);
        assert_eq!(spans(&social(&place, NINE, "2026-03-07")["covered"]), ["03-07T00:00 03-09T00:00"]);
        let nothing = place.run(&FILL);
        nothing.assert_stderr(3, &["stopped. To continue: ", "--from 2026-03-07 --to 2026-03-09"]);
        nothing.assert_stdout(3, &["\n3 days: 1 over_quota, 2 not searched · "]);
    }
}

#[test]
fn a_day_on_which_a_source_failed_is_counted_as_partial() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["source=ai,status=500"]);
        let place = place(database, &sandbox, "");
        let day = ["backfill", "acme", "--from", "2026-03-07", "--to", "2026-03-07", "--at", NINE];
        place.run(&day).assert_stdout(3, &["\n1 day: 1 partial · "]);
    }
}

#[test]
fn an_interrupted_backfill_keeps_its_finished_days() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["after=2,delay=20s"]);
        let place = place(database, &sandbox, "");
        let going = place.program(&FILL).start();
        wait_until("the first day's calls", || sandbox.calls() >= 2);
        wait_until("the second day's call", || place.database.runs() == 1 && place.database.calls_under_way() == 1);
        going.signal("INT");
        let ended = going.wait();
        ended.assert_stderr(130, &["stopping", "--from 2026-03-08 --to 2026-03-09"]);
        ended.assert_stdout(130, &["\n3 days: 1 ok, 1 cancelled, 1 not searched · "]);
        let runs = place.database.texts("SELECT reason FROM v_run WHERE state = 'ok'");
        assert_eq!(runs, ["backfill of 2026-03-07"], "{}", place.database.name);
        assert_eq!(spans(&social(&place, NINE, "2026-03-06")["covered"]), ["03-07T00:00 03-08T00:00"]);
    }
}

#[test]
fn invalid_backfills_are_refused_before_anything_is_written() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = place(sqlite(), &sandbox, "");
    let dates = |from, to| place.run(&["topic", "backfill", "acme", "--from", from, "--to", to, "--at", NINE]);
    dates("2026-03-11", "2026-03-12").assert_stderr(2, &["--to 2026-03-12 is in the future", "today is 2026-03-11"]);
    dates("2026-03-09", "2026-03-08").assert_stderr(2, &["--from is after --to"]);
    dates("2026-02-30", "2026-03-08").assert_stderr(2, &["--from: `2026-02-30` is not a date"]);
    dates("2026-01-01", "2026-03-08")
        .assert_stderr(2, &["67 days are more than the 31", "--from 2026-01-01 --to 2026-01-31"]);
    for (dialect, topic, message, hint) in [
        ("spec", "", "does not support dates, only the past 24 hours or seven days", "dialect = \"desearch\""),
        (
            "desearch",
            "social.operation = \"posts\"",
            "\"posts\" does not support dates",
            "social.operation = \"basic\"",
        ),
        ("spec", "sources = [\"web\", \"ai\"]", "none of its sources accepts dates", "dialect \"desearch\""),
    ] {
        let lines = format!("{}dialect = \"{dialect}\"\n", sandbox.lines());
        place.configure(&lines, &format!("[[topics]]\nid = \"acme\"\nquery = \"acme\"\n{topic}\n"));
        for more in [&[][..], &["--dry-run"]] {
            let refused = place.run(&[&FILL[..], more].concat());
            refused.assert_stderr(2, &["topic acme cannot be backfilled", message, hint]);
        }
    }
    // Providers that take dates are not asked either, so the message must not say that they take none.
    let lines = format!("{}dialect = \"spec\"\n", sandbox.lines());
    for (sources, message) in [
        ("\"hn\"", "it uses only providers (hn); backfill works only with the search service"),
        ("\"hn\", \"web\"", "none of its [service] sources accepts dates; hn cannot be backfilled"),
    ] {
        let provider = "[providers.hn]\nkind = \"hackernews\"\nbase_url = \"http://127.0.0.1:9\"\n\n";
        let topic = format!("[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [{sources}]\n");
        place.configure(&lines, &format!("{provider}{topic}"));
        place.run(&FILL).assert_stderr(2, &["topic acme cannot be backfilled", message, "of [service]"]);
    }
    assert_eq!((sandbox.calls(), std::path::Path::new(&place.database.url[7..]).exists()), (0, false));
    // The documented API's other social call takes dates in both dialects.
    let lines = format!("{}dialect = \"spec\"\n", sandbox.lines());
    place.configure(&lines, "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsocial.operation = \"basic\"\n");
    place.run(&FILL).assert_stdout(0, &["3 of 3 days ok"]);
}

/// Returns what a backfill of 13 March covered, and why it was not the whole day, on the morning of the 15th. The last
/// lines say that, too.
fn backfilled(posts: &[Value]) -> (Vec<String>, Vec<String>) {
    let world = ScriptedService::new();
    world.set_posts(posts);
    let service = format!("{}dialect = \"desearch\"\n", world.lines());
    let place = Place::new(sqlite(), &service, &world::topic("acme", "social.limit = 100"));
    let day = ["backfill", "acme", "--from", "2026-03-13", "--to", "2026-03-13", "--at", &hour(105)];
    let text = place.ok(&day);
    let source = social(&place, &hour(105), "2026-03-13");
    let covered = spans(&source["covered"]);
    let whole = if covered == ["03-13T00:00 03-14T00:00"] { "" } else { " (1 not wholly covered)" };
    assert!(text.contains(&format!("\n1 of 1 day ok{whole} · ")), "{text}");
    (covered, place.database.texts("SELECT coalesce(reason, '') FROM v_search"))
}

#[test]
fn a_backfill_whose_dates_are_ignored_covers_only_what_the_reply_shows() {
    let (inside, later) = (post(1, 54, "acme on the day", 0), post(2, 100, "acme today", 0));
    let (covered, reasons) = backfilled(std::slice::from_ref(&inside));
    assert_eq!((covered, reasons), (vec!["03-13T00:00 03-14T00:00".to_owned()], vec![String::new()]));
    let ignored = "the reply has posts from after the time asked for: the service ignored the dates";
    let (covered, reasons) = backfilled(&[later.clone(), inside]);
    assert_eq!((covered, reasons), (vec!["03-13T06:00 03-14T00:00".to_owned()], vec![ignored.to_owned()]));
    let (covered, reasons) = backfilled(&[later]);
    assert_eq!((covered, reasons), (vec![], vec![ignored.to_owned()]));
}

#[test]
fn an_undated_post_that_a_backfill_finds_is_not_new() {
    for database in databases() {
        let world = ScriptedService::new();
        let service = format!("{}dialect = \"desearch\"\n", world.lines());
        let place = Place::new(database, &service, &world::topic("acme", "social.limit = 100"));
        world.set_posts(&[post(1, 100, "acme today", 0)]);
        world::run_once(&place, 104);
        let mut undated = post(2, 54, "acme without a date", 0);
        undated["created_at"] = Value::Null;
        world.set_posts(&[undated, post(3, 55, "acme on the day", 0)]);
        place.ok(&["backfill", "acme", "--from", "2026-03-13", "--to", "2026-03-13", "--at", &hour(105)]);
        world.set_posts(&[]);
        world::run_once(&place, 106);
        let name = place.database.name;
        assert_eq!(place.database.number("SELECT count(*) FROM v_sighting WHERE fit = 'undated'"), 1, "{name}");
        let counts = &place.json(&["diff", "acme", "--since", "2026-03-15T08:30:00Z", "--json"])["counts"];
        assert_eq!((&counts["new"], &counts["outside"]), (&0.into(), &2.into()), "{name}: {counts}");
        let new = place.ok(&["export", "--new-since", &hour(104), "--topic", "acme"]);
        assert!(!new.contains("without a date") && !new.contains("on the day"), "{name}: {new}");
    }
}
