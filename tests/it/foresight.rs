//! `plan`, `schedule next` and `schedule explain` through the binary. They make no calls, and `plan` creates no
//! database.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use topicwatch::model::Time;

use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place, Program};
use crate::support::service::{FakeServer, Sandbox, reply};

const SANDBOX: &str = "base_url = \"sandbox\"";

/// `schedule next` in an empty folder.
fn schedule_next(args: &[&str]) -> crate::support::program::ProgramOutput {
    let folder = tempfile::tempdir().unwrap();
    let ended = Program::at(folder.path(), &[&["topic", "schedule", "next"], args].concat()).run();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it writes nothing");
    ended
}

/// A text without its line breaks.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn topic(id: &str, lines: &str) -> String {
    format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\n{lines}\n\n")
}

#[test]
fn schedule_next_needs_no_configuration_file() {
    let berlin = ["--timezone", "Europe/Berlin", "--after", "2027-03-27T12:00:00Z", "--count", "2", "--json"];
    let reported = schedule_next(&[&["30 2 * * *"][..], &berlin].concat());
    assert_eq!(reported.code, Some(0), "{reported}");
    let instants: Value = serde_json::from_str(&reported.out).unwrap();
    assert_eq!(instants, json!(["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"]));
    assert_eq!(reported.err, "");
    // An option before the expression is not part of it.
    assert_eq!(schedule_next(&[&berlin[..], &["30 2 * * *"]].concat()).out, reported.out);

    let every = schedule_next(&["--every", "15m", "--after", "2026-03-11", "--count", "2", "--json"]);
    let instants: Value = serde_json::from_str(&every.out).unwrap();
    assert_eq!(instants, json!(["2026-03-11T00:15:00Z", "2026-03-11T00:30:00Z"]));

    schedule_next(&["@daily", "--timezone", "Asia/Tokyo", "--after", NINE])
        .assert_stdout(0, &["Asia/Tokyo", "2026-03-11T15:00:00Z", "Thu 2026-03-12 00:00:00 +09:00"]);
    let most = schedule_next(&["* * * * *", "--count", "10000", "--after", NINE, "--json"]);
    assert_eq!(serde_json::from_str::<Vec<String>>(&most.out).unwrap().len(), 10_000);
    // The calendar may end before the requested number.
    let last = schedule_next(&["0 0 1 1 *", "--after", "4998-06-01", "--count", "10000", "--json"]);
    let last: Vec<String> = serde_json::from_str(&last.out).unwrap();
    assert!((1..10).contains(&last.len()) && last[0] == "4999-01-01T00:00:00Z", "{last:?}");
    // A schedule that no topic may have is reported and still answered.
    let seconds = schedule_next(&["* * * * * *", "--after", NINE, "--count", "1", "--json"]);
    seconds.assert_stderr(0, &["a topic cannot have this schedule", "1s apart"]);
    assert_eq!(seconds.out, "[\n  \"2026-03-11T09:00:01Z\"\n]\n");
}

#[test]
fn every_line_of_a_plan_fits_the_terminal() {
    let id = "announcements-of-competitors";
    let rare = "every = \"3d\"\n[topics.ai]\nwhen = \"new\"\n";
    let topics: String = (0..14).map(|n| topic(&format!("{id}-{n}"), rare)).collect();
    let daily = topic("daily", "schedule = \"0 9 * * *\"\ntimezone = \"Europe/Berlin\"\nsources = [\"web\"]");
    let place = Place::new(sqlite(), SANDBOX, &format!("{topics}{daily}"));
    for columns in [80, 60] {
        let output = place.program(&["plan", "--days", "30", "--at", NINE]).env("COLUMNS", &columns.to_string()).run();
        output
            .assert_stdout(0, &["runs less often than its", "2 more topics that run less often", "no usable database"]);
        // Cells of tables are never broken.
        let (mut table, mut long) = (false, Vec::new());
        for line in output.out.lines() {
            table = line.starts_with("topic ") || line.starts_with("calls per day ") || (table && !line.is_empty());
            if (!table || line.starts_with(['!', '≤', '~'])) && line.chars().count() > columns {
                long.push(line);
            }
        }
        assert!(long.is_empty(), "{columns}: {long:#?}");
    }
}

#[test]
fn a_refused_expression_or_zone_ends_with_2_the_reason_and_a_hint() {
    for (args, parts) in [
        (&["0 0 31 2 *"][..], &["never fires", "hint: ", "\"0 0 L 2 *\""][..]),
        (&["22-2 * * * *"], &["hint: "]),
        (&["-5 * * * *"], &["minute field", "hint: "]),
        (&[""], &["0 fields instead of 5 or 6", "hint: "]),
        (&["@hurly"], &["hint: did you mean \"@hourly\"?"]),
        (&["@every 5m"], &["hint: give the period as --every 15m"]),
        (&["CRON_TZ=Europe/Berlin 0 9 * * *"], &["hint: give the zone as --timezone Europe/Berlin"]),
        (&["\u{1b}[31m * * * *"], &["\\u{1b}"]),
        (&["* * * * *", "--timezone", "Europe/Berln"], &["no time zone `Europe/Berln`", "did you mean Europe/Berlin?"]),
        (&["--every", "15"], &["the unit is missing", "\"15m\""]),
        (&["--every", "0s"], &["too short", "hint: "]),
        (&["* * * * *", "--after", "soon"], &["--after: `soon` is not a time", "hint: "]),
        (&["* * * * *", "--count", "0"], &["--count"]),
        (&["* * * * *", "--count", "10001"], &["1..=10000"]),
        (&["* * * * *", "--every", "5m"], &["--every"]),
        (&[], &["EXPR"]),
    ] {
        let ended = schedule_next(args);
        // clap writes these messages without colour: nothing here is a terminal.
        ended.assert_stderr(2, parts);
        assert_eq!(ended.out, "", "{args:?}");
    }
}

#[test]
fn every_schedule_test_vector_gives_the_same_slots_through_the_binary() {
    let Ok(data) = std::env::var("TOPICWATCH_TEST_DATA") else {
        eprintln!("skipped: cron vectors, because TOPICWATCH_TEST_DATA is not set");
        return;
    };
    let file = std::path::Path::new(&data).join("cron/cron_vectors.csv");
    let mut reader = csv::Reader::from_path(file).unwrap();
    let (mut fires, mut refused) = (0, 0);
    for row in reader.records() {
        let row = row.unwrap();
        let (expression, zone, after) = (&row[2], &row[3], &row[4]);
        let ended = schedule_next(&[expression, "--timezone", zone, "--after", after, "--json"]);
        if &row[5] == "FIRES" {
            fires += 1;
            let wanted: Vec<&str> = (6..11).map(|column| &row[column]).collect();
            assert_eq!(ended.code, Some(0), "{expression}: {ended}");
            assert_eq!(serde_json::from_str::<Vec<String>>(&ended.out).unwrap(), wanted, "{expression} {zone}");
        } else {
            refused += 1;
            ended.assert_stderr(2, &["error: ", "hint: "]);
        }
    }
    assert!(fires >= 180 && refused >= 25, "{fires} {refused}");
}

#[test]
fn schedule_explain_shows_the_days_of_clock_changes() {
    let lines = "schedule = \"30 2 * * *\"\ntimezone = \"Europe/Berlin\"\njitter = \"30s\"\noverlap = \"buffer_one\"";
    let topics = [
        topic("acme", lines),
        topic("minutes", "schedule = \"*/30 * * * *\"\ntimezone = \"Europe/Berlin\"\nmax_attempts = 1"),
        topic("hand", ""),
    ];
    let place = Place::new(sqlite(), SANDBOX, &topics.concat());
    let at = "2026-10-23T12:00:00Z";
    let explain = |args: &[&str]| place.program(&[&["topic", "schedule", "explain", "--at", at], args].concat());
    let [narrow, wide] = ["80", "200"].map(|width| {
        let output = explain(&["acme", "--next", "2"]).env("COLUMNS", width).env("NO_COLOR", "1").run();
        assert_eq!(output.code, Some(0), "{output}");
        output.out
    });
    // The clock changes are those after the listed slots, too, for half a year.
    insta::assert_snapshot!(narrow, @r"
    acme
      schedule  30 2 * * *
      timezone  Europe/Berlin
      follows   fixed local times: each runs once on a matching day; a time that the
                clock skips runs at the first instant after it, a time that occurs
                twice runs the first time
      missed    after an outage, only the latest slot of the last 7d runs
      overlap   one slot due during a run waits; further ones are recorded as
                skipped
      start     up to 30s after the slot, always the same for a slot
      run       5m at most; 3 attempts if its process dies

    next slots
      Sat 2026-10-24 02:30 +02:00  2026-10-24T00:30:00Z
      Sun 2026-10-25 02:30 +02:00  2026-10-25T00:30:00Z
          02:30 occurs twice on 2026-10-25: runs the first time

    next clock changes in Europe/Berlin
      Sun 2026-10-25: 03:00 becomes 02:00 (+02:00 becomes +01:00)
          02:30 occurs twice on 2026-10-25: runs the first time
      Sun 2027-03-28: 02:00 becomes 03:00 (+01:00 becomes +02:00)
          02:30 does not exist on 2027-03-28: runs once at 03:00
    ");
    assert!(wide.split_whitespace().eq(narrow.split_whitespace()), "{wide}");
    assert!(wide.lines().count() < narrow.lines().count(), "{wide}");
    explain(&["minutes"]).run().assert_stdout(
        0,
        &[
            "real time",
            "02:00 and 02:30 occur twice on 2026-10-25: they run both times",
            "1 attempt, even if its process dies",
        ],
    );

    let output = place.json(&["topic", "schedule", "explain", "acme", "--next", "3", "--at", at, "--json"]);
    let slots: Vec<&str> = output["slots"].as_array().unwrap().iter().map(|s| s["slot"].as_str().unwrap()).collect();
    assert_eq!(slots, ["2026-10-24T00:30:00.000Z", "2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"]);
    assert_eq!(output["slots"][1]["note"], "02:30 occurs twice on 2026-10-25: runs the first time");
    assert_eq!(output["clock_changes"].as_array().unwrap().len(), 2);

    explain(&["hand"])
        .run()
        .assert_stderr(2, &["has no schedule; it runs only on request (`once`, `topic run`)", "hint: "]);
    explain(&["acmee"]).run().assert_stderr(2, &["there is no topic `acmee`", "did you mean `acme`?"]);
}

#[test]
fn a_plan_without_a_database_uses_configured_prices_and_creates_nothing() {
    let topics = [
        topic("all", "every = \"6h\"\nai.when = \"new\""),
        topic("sure", "schedule = \"0 12 * * *\"\nsources = [\"social\", \"ai\"]\nai.when = \"always\""),
        topic("day", "schedule = \"0 */8 * * *\"\nsources = [\"web\", \"ai\"]\nai.when = \"daily\""),
        topic("rare", "schedule = \"0 9 * * MON\"\nsources = [\"social\"]"),
        topic("off", "every = \"1h\"\npaused = true"),
        topic("hand", ""),
    ];
    let service = format!("{SANDBOX}\nprices.social = 0.003\nprices.web = 0.001\nprices.ai = 0.004");
    let place = Place::new(sqlite(), &service, &topics.concat());
    let plan = place.json(&["plan", "--days", "10", "--at", NINE, "--json"]);
    assert_eq!(place.other_files(), Vec::<String>::new(), "the command creates no database");
    let row = |id: &str| plan["topics"].as_array().unwrap().iter().find(|row| row["topic"] == id).unwrap().clone();
    let figures = |id: &str| {
        let row = row(id);
        let cost = &row["without_retries"];
        json!([row["slots"], row["slots_30_days"], row["calls"], cost["per_day_usd"], cost["per_30_days_usd"]])
    };
    for (id, wanted) in [
        ("all", json!([40, 120, {"social": 40, "web": 40, "ai": 40}, 0.032, 0.96])),
        ("sure", json!([10, 30, {"social": 10, "web": 0, "ai": 10}, 0.007, 0.21])),
        // One AI search today, which had no answer yet, and one on each of ten more days.
        ("day", json!([30, 90, {"social": 0, "web": 30, "ai": 11}, 0.0074, 0.214])),
        ("rare", json!([1, 4, {"social": 1, "web": 0, "ai": 0}, 0.0003, 0.012])),
        ("off", json!([0, 0, {"social": 0, "web": 0, "ai": 0}, 0.0, 0.0])),
        ("hand", json!([0, 0, {"social": 0, "web": 0, "ai": 0}, 0.0, 0.0])),
    ] {
        assert_eq!(figures(id), wanted, "{id}");
    }
    assert_eq!((&row("off")["state"], &row("hand")["state"]), (&json!("paused"), &json!("manual")));
    assert_eq!(row("all")["upper_bound"], true);
    assert_eq!(row("all")["first_slot"], "2026-03-11T12:00:00.000Z");
    assert_eq!(row("all")["last_slot"], "2026-03-21T06:00:00.000Z");
    assert_eq!(row("rare")["uncovered_ms"], 6 * 86_400_000);
    let once = json!({"horizon_usd": 0.467, "per_day_usd": 0.0467, "per_30_days_usd": 1.396});
    assert_eq!(plan["without_retries"], once);
    // A call is tried four times unless the file says otherwise, and a daily search without an answer in each slot.
    assert_eq!(plan["at_most"], json!({"horizon_usd": 2.172, "per_day_usd": 0.2172, "per_30_days_usd": 6.528}));
    assert_eq!((&row("day")["calls"]["ai"], &row("day")["tries"]["ai"]), (&json!(11), &json!(120)));
    assert_eq!(row("sure")["tries"], json!({"social": 40, "web": 0, "ai": 40}));
    assert!(plan["prices"].as_array().unwrap().iter().all(|price| price["basis"] == "configured"));
    assert_eq!(plan["quota"]["used_up"], Value::Null);

    let shown = place.program(&["plan", "--at", NINE]).env("COLUMNS", "80").env("NO_COLOR", "1").run();
    shown.assert_stdout(
        0,
        &["only on request", "paused", "≤", "there is no database", "rare: runs less often than its window", "6d"],
    );
    assert!(shown.out.lines().all(|line| line.chars().count() <= 80 || line.contains(".db")), "{shown}");
    let one = place.json(&["plan", "--topic", "rare", "--at", NINE, "--json"]);
    assert_eq!(one["topics"].as_array().unwrap().len(), 1);
    assert_eq!(one["quota"]["fullest_day_calls"], plan["quota"]["fullest_day_calls"], "all topics share the limit");
    place.run(&["plan", "--topic", "rar"]).assert_stderr(2, &["there is no topic `rar`", "did you mean `rare`?"]);
    place.run(&["plan", "--days", "0"]).assert_stderr(2, &["--days"]);
    place.run(&["plan", "--days", "367"]).assert_stderr(2, &["--days"]);
    assert_eq!(place.other_files(), Vec::<String>::new());
}

#[test]
fn a_plan_names_the_day_that_a_clock_change_leaves_partly_uncovered() {
    let daily = "schedule = \"0 7 * * *\"\ntimezone = \"Europe/Berlin\"\nsources = [\"social\"]\n";
    let topics = [topic("able", daily), topic("unable", &format!("{daily}catch_up_window = \"1h\""))];
    let place = Place::new(sqlite(), SANDBOX, &topics.concat());
    let shown = place.ok(&["plan", "--days", "1", "--at", NINE]);
    assert!(shown.contains("! unable: 1h is not covered on 2026-10-25, when the clock changes."), "{shown}");
    assert!(!shown.contains("! able") && !shown.contains("less often than"), "{shown}");
    let output = place.json(&["plan", "--days", "1", "--at", NINE, "--json"]);
    let gaps = |n: usize| (output["topics"][n]["uncovered_ms"].clone(), output["topics"][n]["clock_change"].clone());
    assert_eq!(gaps(0), (Value::Null, Value::Null));
    assert_eq!(gaps(1), (json!(3_600_000), json!("2026-10-25")));
    // The text for one call is singular.
    place.configure(SANDBOX, &topics[0]);
    place.run(&["plan", "--days", "1", "--at", NINE]).assert_stdout(0, &["has 1 call of"]);
}

#[test]
fn a_plan_says_when_the_calls_of_a_day_are_used_up() {
    let topics = [
        topic("a", "every = \"1h\"\nsources = [\"social\", \"web\"]"),
        topic("b", "every = \"1h\"\nsources = [\"web\"]"),
    ];
    let service = format!("{SANDBOX}\nmax_calls_per_day = 45");
    let place = Place::new(sqlite(), &service, &topics.concat());
    // From 09:00 the first day has 14 slots of 3 calls, which is within the limit; the next days have 24.
    let quota = place.json(&["plan", "--days", "3", "--at", NINE, "--json"])["quota"].clone();
    let used = json!({"day": "2026-03-12", "calls": 72, "at": "2026-03-12T14:00:00.000Z"});
    assert_eq!((&quota["used_up"], &quota["days_over"]), (&used, &json!(3)));
    let shown = place.ok(&["plan", "--days", "3", "--at", NINE, "--topic", "b"]);
    // Each call is certain, and retries come on top: 72 is no upper bound.
    let words = "! 2026-03-12: the 45 calls of the day are used up at 14:00 UTC; 72 are planned; 2 more days exceed";
    assert!(on_one_line(&shown).contains(words), "{shown}");
    let exactly = format!("{SANDBOX}\nmax_calls_per_day = 72");
    place.configure(&exactly, &topics.concat());
    let quota = place.json(&["plan", "--days", "3", "--at", NINE, "--json"])["quota"].clone();
    assert_eq!((&quota["used_up"], &quota["fullest_day_calls"]), (&Value::Null, &json!(72)));
    // The text for one call is singular.
    place.configure(&format!("{SANDBOX}\nmax_calls_per_day = 1"), &topics[1]);
    let shown = place.ok(&["plan", "--days", "3", "--at", NINE]);
    let words = "! 2026-03-11: the 1 call of the day is used up at 10:00 UTC; 14 are planned; 3 more days exceed";
    assert!(on_one_line(&shown).contains(words), "{shown}");
}

#[test]
fn a_plan_adds_calls_already_made_today_to_its_quota_warning() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let lines = format!("{}max_calls_per_day = 12", sandbox.lines());
        let place = Place::new(database, &lines, &topic("a", "every = \"1h\"\nsources = [\"web\"]"));
        place.ok(&["once", "--at", NINE]);
        place.ok(&["once", "--at", NINE]);
        // Two calls were made; the slots from 10:00 to 23:00 follow.
        let plan = place.json(&["plan", "--days", "1", "--at", NINE, "--json"]);
        assert_eq!(plan["quota"]["used_up"]["calls"], 16, "{plan:#}");
        let shown = place.ok(&["plan", "--days", "1", "--at", NINE]);
        let words = "the 12 calls of the day are used up at 19:00 UTC; 14 more are planned (2 made today)";
        assert!(on_one_line(&shown).contains(words), "{}\n{shown}", place.database.name);
        let noon = topic("a", "schedule = \"0 12 * * *\"\ntimezone = \"UTC\"\nsources = [\"web\"]");
        place.configure(&format!("{}max_calls_per_day = 2", sandbox.lines()), &noon);
        let shown = place.ok(&["plan", "--days", "1", "--at", NINE]);
        let words = "the 2 calls of the day are used up at 09:00 UTC; 1 more is planned (2 made today). Further calls";
        assert!(on_one_line(&shown).contains(words), "{}\n{shown}", place.database.name);
    }
}

#[test]
fn a_plan_uses_observed_prices_and_ai_share_once_there_are_enough_searches() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let more = "every = \"1h\"\ncatch_up = \"all\"\nsources = [\"web\", \"ai\"]\nai.when = \"new\"";
        let service = format!("{}prices.web = 0.5\nprices.ai = 0.25", sandbox.lines());
        let place = Place::new(database, &service, &topic("acme", more));
        let plan = |at: &str| place.json(&["plan", "--days", "1", "--at", at, "--json"]);
        place.ok(&["once", "--due", "--at", NINE]);
        // Ten slots: the first finds everything new and calls the AI search; the others find the same items and do not.
        place.ok(&["once", "--due", "--at", "2026-03-11T19:00:00Z"]);
        let name = place.database.name;
        let reported = plan("2026-03-11T19:00:00Z");
        assert_eq!(reported["topics"][0]["ai_asked"], json!([1, 10]), "{name}: {reported:#}");
        assert_eq!(reported["prices"][1]["basis"], "configured", "{name}: ten are too few");
        assert_eq!(reported["prices"][1]["billed_searches"], 10, "{name}");
        // 24 slots at 0.5, and 0.25 for every tenth.
        assert_eq!(reported["at_most"]["horizon_usd"], 18.0, "{name}");
        assert_eq!(reported["expected"]["horizon_usd"], 12.6, "{name}");
        assert_eq!(reported["quota"]["made_today"], 11, "{name}");

        place.ok(&["once", "--due", "--at", "2026-03-12T06:00:00Z"]);
        let reported = plan("2026-03-12T06:00:00Z");
        let web = &reported["prices"][1];
        assert_eq!((&web["basis"], &web["billed_searches"]), (&json!("observed"), &json!(21)), "{name}");
        assert_eq!(web["price_usd"], 0.001, "{name}: the sandbox's bills, not the configured prices");
        assert_eq!(reported["prices"][2]["basis"], "configured", "{name}");
        let shown = place.ok(&["plan", "--at", "2026-03-12T06:00:00Z"]);
        assert!(
            shown.contains("average of 21 billed searches in the last 30 days") && shown.contains('~'),
            "{name}\n{shown}"
        );
        // A month later these prices no longer count.
        assert_eq!(plan("2026-05-01T00:00:00Z")["prices"][1]["basis"], "configured", "{name}");
    }
}

#[test]
fn a_topic_paused_by_command_has_no_planned_slots_and_explain_says_so() {
    for database in databases() {
        let rest = topic("acme", "every = \"1h\"") + &topic("globex", "every = \"1h\"");
        let place = Place::new(database, SANDBOX, &rest);
        place.ok(&["once", "--due", "--at", NINE]);
        let plan = || place.json(&["plan", "--json", "--days", "1", "--at", NINE]);
        let before = plan();
        assert_eq!((&before["slots"], &before["topics"][0]["state"]), (&json!(48), &json!("scheduled")));
        place.ok(&["topic", "pause", "acme", "--reason", "until the fair"]);
        let output = plan();
        assert_eq!(output["slots"], 24, "{output}");
        let calls = |plan: &Value| plan["calls"]["social"].as_i64().unwrap();
        assert_eq!((calls(&before), calls(&output)), (48, 24));
        let fullest = |plan: &Value| plan["quota"]["fullest_day_calls"].as_i64().unwrap();
        assert!(fullest(&output) < fullest(&before), "{before}\n{output}");
        assert_eq!((&output["topics"][0]["state"], &output["topics"][0]["slots"]), (&json!("paused"), &json!(0)));
        let explain = ["topic", "schedule", "explain", "acme", "--at", NINE];
        place
            .run(&explain)
            .assert_stdout(0, &["paused", "until the fair", "topicwatch topic resume acme", "next slots"]);
        let output = place.json(&[&explain[..], &["--json"]].concat());
        assert!(output["rules"]["paused"].as_str().unwrap().contains("until the fair"), "{output}");
        place.ok(&["topic", "resume", "acme"]);
        assert_eq!(plan()["slots"], json!(48));
        assert!(!place.ok(&explain).contains("paused"));
    }
}

/// Twenty searches of ten feeds cost as much a day as the same searches cost before. A changed price counts at once.
#[test]
fn the_planned_price_of_a_multi_call_provider_is_per_call() {
    const FEED: &str = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title></channel></rss>";
    for database in databases() {
        let server =
            FakeServer::respond_with(|_| reply("200 OK", "content-type: application/rss+xml\r\n", FEED.as_bytes()));
        let urls: Vec<String> = (0..10).map(|n| format!("\"{}/{n}\"", server.url())).collect();
        let provider = "[providers.news]\nkind = \"feeds\"\nallow_private = true\nrate_limit = \"unlimited\"\nprice.call = 0.01\n\n";
        let more = format!("{HOURLY}budget_per_day = 5\nnews.urls = [{}]", urls.join(", "));
        let place = Place::without_service(database, &format!("{provider}{}", topic("acme", &more)));
        let plan = || place.json(&["plan", "--days", "1", "--at", "2026-03-12T00:30:00Z", "--json"]);
        let costs =
            |plan: &Value| (plan["prices"][3]["price_usd"].clone(), plan["without_retries"]["per_day_usd"].clone());
        let name = place.database.name;
        assert_eq!(costs(&plan()), (json!(0.01), json!(2.4)), "{name}");
        place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
        run_a_day(&place);
        assert_eq!(place.database.spent(), 2_400_000, "{name}");
        let reported = plan();
        // No reply named a cost, so nothing was observed.
        assert_eq!(reported["prices"][3]["basis"], "configured", "{name}: {reported:#}");
        assert_eq!(costs(&reported), (json!(0.01), json!(2.4)), "{name}: {reported:#}");
        assert_eq!(reported["budgets"][0]["used_up_on"], Value::Null, "{name}: {reported:#}");
        place
            .run(&["plan", "--at", "2026-03-12T00:30:00Z"])
            .assert_stdout(0, &["one call", "no billed search in the last 30"]);
        let file = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        std::fs::write(place.path("jobs.toml"), file.replace("price.call = 0.01", "price.call = 0.02")).unwrap();
        assert_eq!(costs(&plan()), (json!(0.02), json!(4.8)), "{name}");
        // For a billed search of ten calls, the cost of the most expensive call is unknown.
        place.database.bill_last_search("source = 'news'", 10, 300_000);
        let price = plan()["prices"][3].clone();
        assert_eq!((&price["highest_usd"], &price["highest_is_average"]), (&json!(0.03), &json!(true)), "{name}");
        let shown = place.ok(&["plan", "--at", "2026-03-12T00:30:00Z"]);
        for words in [
            "in the last 30 days, 1 billed; highest: the average of the calls of one search",
            "count the highest bill (or average of a search's calls) of 30 days, or the price in the file if higher",
        ] {
            assert!(on_one_line(&shown).contains(words), "{name}: {words}\n{shown}");
        }
    }
}

/// A service that names a cost of 0.001 dollars in every reply, or in every second one.
fn billing_service(every: usize) -> FakeServer {
    let calls = AtomicUsize::new(0);
    FakeServer::respond_with(move |_| {
        let names = calls.fetch_add(1, Ordering::SeqCst).is_multiple_of(every);
        let cost = if names { "x-desearch-cost-usd: 0.001\r\n" } else { "" };
        let headers = format!("content-type: application/json\r\n{cost}");
        reply("200 OK", &headers, br#"{"data": [{"title": "t", "link": "https://example.com/1", "snippet": "s"}]}"#)
    })
}

/// A slot each hour. All that are due run, so that one process makes the runs of a day.
const HOURLY: &str = "every = \"1h\"\ncatch_up = \"all\"\n";

/// Runs the 24 slots of 11 March.
fn run_a_day(place: &Place) {
    place.ok(&["once", "--due", "--at", "2026-03-11T23:00:00Z"]);
    assert_eq!(place.database.number("SELECT count(*) FROM v_run WHERE slot IS NOT NULL AND state = 'ok'"), 24);
}

#[test]
fn planned_costs_match_the_ledger_where_only_some_replies_are_billed() {
    for database in databases() {
        let server = billing_service(2);
        let lines = format!("{}prices.web = 0.003", server.lines());
        let place = Place::new(database, &lines, &topic("acme", &format!("sources = [\"web\"]\n{HOURLY}")));
        place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
        run_a_day(&place);
        let paid = place.database.spent();
        assert_eq!(paid, 48_000, "{}", place.database.name);
        let output = place.json(&["plan", "--days", "1", "--at", "2026-03-12T00:30:00Z", "--json"]);
        assert_eq!(output["prices"][1]["price_usd"], 0.002, "{output:#}");
        // Each call may be one of those that cost the configured price.
        let costs =
            |output: &Value| (output["expected"]["horizon_usd"].clone(), output["at_most"]["horizon_usd"].clone());
        assert_eq!(costs(&output), (json!(0.048), json!(0.072)), "{output:#}");
        assert_eq!(output["prices"][1]["highest_usd"], 0.003, "{output:#}");
        let shown = place.ok(&["plan", "--at", "2026-03-12T00:30:00Z"]);
        assert!(shown.contains("expected: $0.048 a day, $1.440 in 30 days, at the prices below; "), "{shown}");
        assert!(!shown.contains("rate of AI searches"), "{shown}");
        assert!(shown.contains("average of 24 searches in the last 30 days, 12 billed"), "{shown}");
        let row = shown.lines().find(|line| line.starts_with("web ") && line.contains("observed")).unwrap_or_default();
        let cells: Vec<_> = row.split_whitespace().take(4).collect();
        assert_eq!(cells, ["web", "$0.002", "$0.003", "observed"], "{shown}");
        let narrow = place.program(&["plan", "--at", "2026-03-12T00:30:00Z"]).env("COLUMNS", "80").run();
        let prices = narrow.out.lines().skip_while(|line| !line.starts_with("one call "));
        assert!(prices.take_while(|line| !line.is_empty()).all(|line| line.chars().count() <= 80), "{narrow}");
        // Half of the searches are billed, the others cost what the file says now.
        place.configure(
            &format!("{}prices.web = 0.009", server.lines()),
            &topic("acme", &format!("sources = [\"web\"]\n{HOURLY}")),
        );
        let output = place.json(&["plan", "--days", "1", "--at", "2026-03-12T00:30:00Z", "--json"]);
        assert_eq!(output["prices"][1]["price_usd"], 0.005, "{output:#}");
        assert_eq!(costs(&output), (json!(0.12), json!(0.216)), "{output:#}");
        // Each call may cost as much as the most expensive one.
        place.configure(
            &format!("{}prices.web = 0.0005", server.lines()),
            &topic("acme", &format!("sources = [\"web\"]\n{HOURLY}")),
        );
        let output = place.json(&["plan", "--days", "1", "--at", "2026-03-12T00:30:00Z", "--json"]);
        assert_eq!(costs(&output), (json!(0.018), json!(0.024)), "{output:#}");
        // A search that needed a retry has the cost of two calls.
        place.database.bill_last_search("cost_basis = 'billed'", 2, 2_000);
        let output = place.json(&["plan", "--days", "1", "--at", "2026-03-12T00:30:00Z", "--json"]);
        assert_eq!(output["prices"][1]["highest_usd"], 0.001, "{output:#}");
    }
}

#[test]
fn a_planned_budget_is_used_up_at_its_last_allowed_call() {
    for database in databases() {
        let server = billing_service(1);
        let web = topic("acme", &format!("sources = [\"web\"]\n{HOURLY}"));
        let place = Place::new(database, &format!("{}prices.web = 0.003", server.lines()), &web);
        place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
        run_a_day(&place);
        place.configure(&format!("{}prices.web = 0.003\nbudget_per_day = 0.0235", server.lines()), &web);
        let output = place.json(&["plan", "--days", "1", "--at", "2026-03-11T23:30:00Z", "--json"]);
        let money = &output["budgets"][0];
        for hour in 0..24 {
            let ended = place.run(&["once", "--due", "--at", &format!("2026-03-12T{hour:02}:00:00Z")]);
            assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
        }
        let slot = |state: &str, order: &str| {
            let sql = format!(
                "SELECT slot FROM v_run WHERE state = '{state}' AND slot >= '2026-03-12' ORDER BY slot {order} LIMIT 1"
            );
            Time(place.database.time(&sql)).to_string()
        };
        let (last, refused) = (slot("ok", "DESC"), slot("over_quota", ""));
        let name = place.database.name;
        assert_eq!((&*last, &*refused), ("2026-03-12T20:00:00Z", "2026-03-12T21:00:00Z"), "{name}");
        let used_up = money["used_up_at"].as_str().and_then(Time::parse);
        assert_eq!(used_up, Time::parse(&last), "{output:#}");
    }
}

#[test]
fn the_first_of_two_calls_due_together_may_use_up_a_budget() {
    let topics = ["a", "b"].map(|id| topic(id, "sources = [\"web\"]\nevery = \"1h\"")).concat();
    // Each slot costs 0.02 dollars: after the first nothing fits, or one call of the second does.
    for (budget, at) in [("0.025", "01:00"), ("0.035", "02:00"), ("0.04", "02:00")] {
        let place = Place::new(sqlite(), &format!("{SANDBOX}\nprices.web = 0.01\nbudget_per_day = {budget}"), &topics);
        let plan = place.json(&["plan", "--days", "1", "--at", "2026-03-11T00:30:00Z", "--json"]);
        let used_up = format!("2026-03-11T{at}:00.000Z");
        assert_eq!(plan["budgets"][0]["used_up_at"], json!(used_up), "{budget}: {plan:#}");
    }
}

#[test]
fn a_cheaper_call_of_an_earlier_slot_does_not_delay_when_a_budget_is_used_up() {
    // The first slot of the day costs 0.012 dollars, each later one 0.01: three fit.
    let service = format!("{SANDBOX}\nprices.web = 0.01\nprices.ai = 0.002\nbudget_per_day = 0.035");
    for limits in ["", "max_calls_per_day = 200"] {
        let lines = format!("sources = [\"web\", \"ai\"]\nai.when = \"daily\"\nevery = \"1h\"\n{limits}");
        let place = Place::new(sqlite(), &service, &topic("a", &lines));
        let plan = place.json(&["plan", "--days", "1", "--at", "2026-03-10T23:30:00Z", "--json"]);
        assert_eq!(plan["budgets"][0]["used_up_at"], json!("2026-03-11T02:00:00.000Z"), "{limits}: {plan:#}");
    }
}

#[test]
fn a_plan_keeps_to_the_limit_of_a_topic() {
    let lines = format!("{SANDBOX}\nprices.web = 0.003\nmax_calls_per_day = 10");
    let place = Place::new(sqlite(), &lines, &topic("a", "sources = [\"web\"]\nevery = \"1h\"\nmax_calls_per_day = 5"));
    let output = place.json(&["plan", "--days", "1", "--at", "2026-03-11T00:00:00Z", "--json"]);
    assert_eq!(
        (&output["quota"]["used_up"], &output["quota"]["fullest_day_calls"]),
        (&Value::Null, &json!(5)),
        "{output:#}"
    );
    // The slot of the next midnight is the first call of its day.
    assert_eq!(output["topics"][0]["without_retries"]["horizon_usd"], 0.018, "{output:#}");
    assert_eq!((&output["topics"][0]["calls"]["web"], &output["calls"]["web"]), (&json!(6), &json!(6)), "{output:#}");
    assert_eq!(output["without_retries"]["horizon_usd"], 0.018, "{output:#}");
    // Retries count against the limit: four tries at midnight, and five on the day.
    assert_eq!((&output["at_most"]["horizon_usd"], &output["tries"]["web"]), (&json!(0.027), &json!(9)), "{output:#}");
    // If one source is refused, another may use the rest of the limit: three calls each and one at midnight, together
    // five.
    let lines = format!("{SANDBOX}\nprices.social = 0.003\nprices.web = 0.001");
    let both = "sources = [\"social\", \"web\"]\nevery = \"1h\"\nmax_calls_per_day = 3";
    place.configure(&lines, &topic("a", both));
    let output = place.json(&["plan", "--days", "1", "--at", "2026-03-11T00:00:00Z", "--json"]);
    assert_eq!(output["topics"][0]["without_retries"]["horizon_usd"], 0.013, "{output:#}");
    let row = &output["topics"][0];
    assert_eq!((&row["calls"]["social"], &row["calls"]["web"]), (&json!(4), &json!(4)), "{output:#}");
    assert_eq!((&row["upper_bound"], &output["quota"]["fullest_day_calls"]), (&json!(true), &json!(3)), "{output:#}");
    let shown = place.ok(&["plan", "--days", "1", "--at", "2026-03-11T00:00:00Z"]);
    let line = shown.lines().find(|line| line.starts_with("a ") && line.contains('$')).unwrap_or_default();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["a", "≤4", "≤4", "0", "≤$0.013", "≤$0.274"], "{shown}");
    assert!(shown.contains("≤ if no other source uses the topic's own limits"), "{shown}");
    // Money is not reported as used up if the calls cannot use it up.
    let lines = format!("{SANDBOX}\nprices.web = 0.002");
    place.configure(
        &lines,
        &topic("a", "sources = [\"web\"]\nevery = \"1m\"\nmax_calls_per_day = 50\nbudget_per_day = 0.25"),
    );
    let output = place.json(&["plan", "--days", "2", "--at", "2026-03-11T00:00:00Z", "--json"]);
    let of = |n: usize| (output["budgets"][n]["budget"].clone(), output["budgets"][n]["used_up_on"].clone());
    assert_eq!(of(0), (json!("topic calls"), json!("2026-03-11")), "{output:#}");
    assert_eq!(of(1), (json!("topic money"), Value::Null), "{output:#}");
    assert_eq!(output["budgets"][1]["fullest_day_use"], 0.1, "{output:#}");
    let budget = format!("{SANDBOX}\nprices.web = 0.003");
    place.configure(&budget, &topic("a", "sources = [\"web\"]\nevery = \"1h\"\nbudget_per_day = 0.0121"));
    let output = place.json(&["plan", "--days", "1", "--at", "2026-03-11T00:00:00Z", "--json"]);
    assert_eq!(output["quota"]["fullest_day_calls"], 4, "{output:#}");
}

#[test]
fn a_daily_answer_is_planned_for_today_unless_today_has_one() {
    for database in databases() {
        let sandbox = Sandbox::at("2026-03-28T00:00:00Z", &[]);
        let more = "sources = [\"web\", \"ai\"]\nai.when = \"daily\"\nevery = \"3h\"\ntimezone = \"America/New_York\"";
        let place = Place::new(database, &sandbox.lines(), &topic("acme", more));
        let (name, mut answers) = (place.database.name, 0);
        // In the evening and at night in New York, first without a history. Each plan is for the day that then happens.
        for begin in ["27T20:00", "28T21:00", "30T04:30"] {
            let begin = Time::parse(&format!("2026-03-{begin}:00Z")).unwrap();
            let plan = place.json(&["plan", "--days", "1", "--at", &begin.to_string(), "--json"]);
            let period = 180 * 60_000;
            let first = begin.0 - begin.0.rem_euclid(period) + period;
            let slots: Vec<i64> = (0..8).map(|n| first + n * period).collect();
            assert_eq!(plan["slots"], 8, "{name}");
            for slot in slots {
                sandbox.set_clock(&Time(slot).to_string());
                place.ok(&["once", "--due", "--at", &Time(slot).to_string()]);
            }
            let all = place.database.number("SELECT count(*) FROM v_answer");
            assert_eq!(plan["calls"]["ai"], json!(all - answers), "{name}, from {begin}: {plan:#}");
            answers = all;
        }
    }
}
