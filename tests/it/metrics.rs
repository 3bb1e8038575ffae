//! `/metrics`: after real runs the values equal SQL over the ledger, parsed by a strict parser; the size is bounded
//! whatever is stored; only visitors who may see the pages get it.

use crate::support::exposition::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::databases::{block_on, databases};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;
use crate::support::stored::COST;
use crate::support::web_client::{Pages, TOKEN};

/// Two topics with four slots a day each.
const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\", \"web\"]\nevery = \"6h\"\nmax_calls_per_day = 50\n\n\
    [[topics]]\nid = \"rust\"\nquery = \"rust async\"\nevery = \"6h\"\n";

/// Three passes over due slots, some from a time when nothing ran, with searches that fail.
fn place_after_runs(database: crate::support::databases::Database, more: &str) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &["source=web,path=/web/search,status=500,times=2"]);
    let service = format!("{}budget_per_day = 5.0\nmax_calls_per_day = 300\n", sandbox.lines());
    let place = Place::new(database, &service, &format!("{more}{TOPICS}"));
    for at in ["2026-03-11T09:00:00Z", "2026-03-11T12:00:00Z", "2026-03-12T18:00:02Z"] {
        sandbox.set_clock(at);
        let ended = place.run(&["once", "--due", "--at", at]);
        assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
    }
    (sandbox, place)
}

#[test]
fn metrics_equal_sql_over_the_ledger() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = place_after_runs(database, "");
        let pages = Pages::serve(&place, &["--at", "2026-03-12T18:00:02Z"]);
        let exposed = ExposedMetrics::read(&pages);
        let same = |metric: &str, sql: &str| {
            let mut reported = place.database.texts(sql);
            reported.sort();
            assert!(!reported.is_empty(), "{name}: {sql}");
            assert_eq!(exposed.lines(metric), reported, "{name}: {metric}");
        };
        same("topicwatch_runs_total", "SELECT 'topic ' || state || ' ' || count(*) FROM v_run GROUP BY state");
        assert!(exposed.value("topicwatch_runs_total", &[("kind", "topic"), ("outcome", "missed")]) > Some(0.0));
        assert!(exposed.value("topicwatch_runs_total", &[("kind", "topic"), ("outcome", "partial")]) > Some(0.0));
        same(
            "topicwatch_searches_total",
            "SELECT class || ' ' || source || ' ' || count(*) FROM (SELECT source, CASE WHEN state = 'error' THEN error_class ELSE state END AS class \
             FROM v_search) AS s GROUP BY source, class",
        );
        assert!(exposed.value("topicwatch_searches_total", &[("source", "web"), ("class", "server")]) > Some(0.0));
        let by_source = |column: &str| format!("SELECT source || ' ' || sum({column}) FROM v_search GROUP BY source");
        same("topicwatch_calls_total", &by_source("tries"));
        same("topicwatch_items_outside_window_total", &by_source("outside"));
        same("topicwatch_entries_unreadable_total", &by_source("unreadable"));
        same(
            "topicwatch_items_total",
            "SELECT 'new ' || source || ' ' || sum(new) FROM v_search GROUP BY source UNION ALL \
             SELECT 'duplicate ' || source || ' ' || sum(duplicate) FROM v_search GROUP BY source",
        );
        same(
            "topicwatch_search_latency_seconds_count",
            "SELECT source || ' ' || count(*) FROM v_search WHERE latency_ms IS NOT NULL GROUP BY source",
        );
        same(
            "topicwatch_slot_lag_seconds_count",
            "SELECT trigger || ' ' || count(*) FROM v_run WHERE slot IS NOT NULL AND started_at IS NOT NULL GROUP BY trigger",
        );
        same(
            "topicwatch_run_duration_seconds_count",
            "SELECT 'topic ' || count(*) FROM v_run WHERE started_at IS NOT NULL AND finished_at IS NOT NULL",
        );
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let number = |sql: &str| place.database.number(sql) as f64;
        let near = |metric: &str, value: f64| {
            let reported = exposed.sum(metric);
            assert!((reported - value).abs() < 1e-6, "{name}: {metric} is {reported}, SQL says {value}");
        };
        near("topicwatch_cost_dollars_total", number(&format!("SELECT sum({COST}) FROM v_run")) / 1e6);
        near("topicwatch_search_latency_seconds_sum", number("SELECT sum(latency_ms) FROM v_search") / 1e3);
        let lags = place
            .database
            .lengths("SELECT slot || ' ' || started_at FROM v_run WHERE slot IS NOT NULL AND started_at IS NOT NULL");
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let lag = lags.iter().sum::<i64>() as f64;
        near("topicwatch_slot_lag_seconds_sum", lag / 1e3);
        near("topicwatch_topics", 2.0);
        near("topicwatch_topics_without_series", 0.0);
        near("topicwatch_runs_uncounted", 0.0);
        near("topicwatch_database_up", 1.0);
        near("topicwatch_runs_running", 0.0);
        near("topicwatch_outbox_messages", 0.0);
        assert!(exposed.sum("topicwatch_database_size_bytes") > 10_000.0, "{name}");
        let day = |column: &str| format!("SELECT {column} FROM calls ORDER BY day DESC LIMIT 1");
        near("topicwatch_today_calls", number(&day("made")));
        near("topicwatch_today_calls_left", 300.0 - number(&day("made")));
        near("topicwatch_today_cost_dollars", number(&day("spent")) / 1e6);
        near("topicwatch_today_budget_left_dollars", 5.0 - number(&day("spent")) / 1e6);
        let own = "SELECT 50 - made FROM topic_calls WHERE topic = 'acme' ORDER BY day DESC LIMIT 1";
        assert_eq!(
            exposed.value("topicwatch_topic_today_calls_left", &[("topic", "acme")]),
            Some(number(own)),
            "{name}"
        );
        let newest = "SELECT max(r.started_at) FROM v_run r JOIN v_search s ON s.run = r.run WHERE r.topic = 'rust' AND s.source = 'social' AND s.new > 0";
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let newest = place.database.time(newest) as f64;
        assert_eq!(
            exposed.value("topicwatch_topic_newest_item_timestamp_seconds", &[("topic", "rust"), ("source", "social")]),
            Some(newest / 1e3)
        );
        // Buckets are cumulative, and the last counts everything.
        for (metric, label, value) in [
            ("topicwatch_search_latency_seconds", "source", "social"),
            ("topicwatch_slot_lag_seconds", "trigger", "scheduled"),
            ("topicwatch_run_duration_seconds", "kind", "topic"),
        ] {
            let of = |(known, labels): &&(String, BTreeMap<String, String>)| {
                *known == format!("{metric}_bucket") && labels.get(label).is_some_and(|v| v == value)
            };
            let mut buckets: Vec<(f64, f64)> = exposed
                .samples
                .keys()
                .filter(of)
                .map(|key| (key.1["le"].replace("+Inf", "inf").parse().unwrap(), exposed.samples[key]))
                .collect();
            buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert!(buckets.len() == 12 && buckets.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{buckets:?}");
            assert_eq!(Some(buckets[11].1), exposed.value(&format!("{metric}_count"), &[(label, value)]), "{name}");
        }
        let ms = "SELECT count(*) FROM v_search WHERE source = 'social' AND latency_ms <= 250";
        assert_eq!(
            exposed.value("topicwatch_search_latency_seconds_bucket", &[("source", "social"), ("le", "0.25")]),
            Some(number(ms)),
            "{name}"
        );
    }
}

#[test]
fn metrics_of_a_new_budget_use_the_ledger_before_its_first_call() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let reported = |metric: &str| ExposedMetrics::read(&Pages::serve(&place, &["--at", NINE])).value(metric, &[]);
        assert_eq!(reported("topicwatch_today_cost_dollars"), None, "{name}: no budget");
        place.configure(&format!("{}budget_per_day = 2.5\n", sandbox.lines()), TOPICS);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let spent = place.database.number(&format!("SELECT sum({COST}) FROM v_run")) as f64 / 1e6;
        assert!(spent > 0.0, "{name}");
        for (metric, value) in
            [("topicwatch_today_cost_dollars", spent), ("topicwatch_today_budget_left_dollars", 2.5 - spent)]
        {
            let reported = reported(metric).unwrap_or_else(|| panic!("{name}: {metric} is missing"));
            assert!((reported - value).abs() < 1e-6, "{name}: {metric} is {reported}, SQL says {value}");
        }
    }
}

#[test]
fn metrics_of_new_topic_limits_use_the_ledger_before_their_first_call() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &sandbox.lines(), topic);
        place.ok(&["once", "--at", NINE]);
        place.configure(&sandbox.lines(), &format!("{topic}max_calls_per_day = 6\nbudget_per_day = 2.5\n"));
        // Nothing is due, but the new definition is stored.
        place.ok(&["once", "--due", "--at", NINE]);
        let exposed = ExposedMetrics::read(&Pages::serve(&place, &["--at", NINE]));
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (calls, cost) = ["tries", COST]
            .map(|column| place.database.number(&format!("SELECT sum({column}) FROM v_search")) as f64)
            .into();
        assert!(calls > 0.0 && cost > 0.0, "{name}");
        let reported = |metric: &str| exposed.value(metric, &[("topic", "acme")]);
        assert_eq!(reported("topicwatch_topic_today_calls_left"), Some(6.0 - calls), "{name}");
        let money = reported("topicwatch_topic_today_budget_left_dollars").unwrap();
        assert!((money - (2.5 - cost / 1e6)).abs() < 1e-6, "{name}: {money}");
    }
}

#[test]
fn metrics_show_todays_calls_and_cost_by_provider() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let lines = sandbox.lines();
        let provider = format!("{}price.call = 0.05\nbudget_per_day = 1.5\n\n", sandbox.hacker_news());
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\", \"hn\"]\n";
        let place = Place::new(database, &format!("{lines}budget_per_day = 2.5\n"), &format!("{provider}{topic}"));
        place.ok(&["once", "--at", NINE]);
        let exposed = ExposedMetrics::read(&Pages::serve(&place, &["--at", NINE]));
        for (source, metric, labels, budget) in [
            ("web", "topicwatch_today", [].as_slice(), 2.5),
            ("hn", "topicwatch_provider_today", &[("provider", "hn")], 1.5),
        ] {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let sum = |column: &str| {
                place.database.number(&format!("SELECT sum({column}) FROM v_search WHERE source = '{source}'")) as f64
            };
            let of = |end: &str| {
                exposed.value(&format!("{metric}_{end}"), labels).unwrap_or_else(|| panic!("{name}: {metric}_{end}"))
            };
            assert!(sum(COST) > 0.0, "{name}: {source}");
            assert_eq!(of("calls"), sum("tries"), "{name}: {source}");
            assert!((of("cost_dollars") - sum(COST) / 1e6).abs() < 1e-6, "{name}: {source}");
            assert!((of("budget_left_dollars") - budget + sum(COST) / 1e6).abs() < 1e-6, "{name}: {source}");
        }
    }
}

#[test]
fn missed_time_equals_coverage() {
    for database in databases() {
        let (_sandbox, place) = place_after_runs(database, "");
        // As if all searches of two days had failed: longer than the next search looks back.
        block_on(place.database.execute(
            "UPDATE search SET covered_from = NULL, covered_until = NULL, state = 'error' WHERE topic = 'acme'",
        ));
        let at = "2026-03-13T09:00:00Z";
        let output = place.json(&["coverage", "--since", "48h", "--at", at, "--json"]);
        let hole = output["topics"][0]["sources"][0]["holes_ms"].as_f64().unwrap() / 1e3;
        assert!(hole > 0.0, "{output}");
        let pages = Pages::serve(&place, &["--at", at]);
        let of = |exposed: &ExposedMetrics| {
            exposed.value("topicwatch_topic_coverage_missed_seconds", &[("topic", "acme"), ("source", "social")])
        };
        assert_eq!(of(&ExposedMetrics::read(&pages)), Some(hole), "{}: from the first request on", place.database.name);
    }
}

#[test]
fn a_published_metrics_parser_accepts_the_output() {
    let Ok(promtool) = Command::new("promtool").arg("--version").output() else {
        return eprintln!(
            "SKIPPED: there is no promtool here, so that /metrics was read by this program's own parser only"
        );
    };
    assert!(promtool.status.success());
    let database = crate::support::databases::sqlite();
    let alerts = "[[alerts]]\nname = \"recalls\"\nrule = \"items\"\n\n";
    let (_sandbox, place) = place_after_runs(database, alerts);
    let pages = Pages::serve_with_token(&place, &[]);
    let bearer = format!("Bearer {TOKEN}");
    let answer = pages.request("GET", "/metrics", &[("Authorization", &bearer)], "");
    let mut checker = Command::new("promtool");
    checker.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut checker = checker.spawn().unwrap();
    checker.stdin.take().unwrap().write_all(answer.body.as_bytes()).unwrap();
    let ended = checker.wait_with_output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success() && said.trim().is_empty(), "{said}\n{}", answer.body);
}

#[test]
fn metrics_of_a_thousand_topics_with_hostile_names_are_bounded_and_valid() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let many: String =
            (0..1_000).map(|n| format!("[[topics]]\nid = \"t{n}\"\nquery = \"q\"\nevery = \"1d\"\n")).collect();
        let place = Place::new(database, &sandbox.lines(), &many);
        place.ok(&["once", "--due", "--at", NINE]);
        let hostile = "!\"} 1\n# TYPE x gauge\\\u{202e}";
        let quoted = hostile.replace('\'', "''");
        for sql in [
            format!("UPDATE job SET topic = '{quoted}' WHERE topic = 't500'"),
            "INSERT INTO topic_latest (topic, source, answered_at, new_at) SELECT id, 'social', 1000, 1000 FROM topic"
                .into(),
            "INSERT INTO tally (name, labels, bound, value) SELECT 'runs', 'topic ' || id, 0, 1 FROM topic".into(),
        ] {
            block_on(place.database.execute(&sql));
        }
        place.database.add_instance(hostile, 0, 9_999_999_999_999);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let read = || ExposedMetrics::read(&pages);
        wait_until("what was missed", || read().types.contains_key("topicwatch_topic_coverage_missed_seconds"));
        let exposed = read();
        let topics = exposed.values("topic");
        assert_eq!(topics.len(), 200, "{}", place.database.name);
        assert!(topics.contains(hostile), "{}", place.database.name);
        assert_eq!(exposed.value("topicwatch_topics", &[]), Some(1_000.0));
        assert_eq!(exposed.value("topicwatch_topics_without_series", &[]), Some(800.0));
        assert_eq!(exposed.value("topicwatch_processes", &[("role", hostile)]), Some(1.0));
        // Three series for each topic that has any, whatever else there is.
        let of_topics = exposed.samples.keys().filter(|(_, labels)| labels.contains_key("topic")).count();
        assert!(of_topics <= 200 * 3 * 5, "{of_topics}");
    }
}

#[test]
fn metrics_need_the_token_and_without_one_show_no_version() {
    let (_sandbox, place) = place_after_runs(crate::support::databases::sqlite(), "");
    let open = Pages::serve(&place, &["--at", NINE]);
    let text = open.page("/metrics");
    assert!(!text.contains("build_info") && !text.contains(env!("CARGO_PKG_VERSION")), "{text}");
    for path in ["/metrics", "/healthz", "/readyz"] {
        assert_eq!(open.request("GET", path, &[("Host", "evil.example")], "").status, 421, "{path}");
        let from_here = [("Origin", open.origin())];
        let from_here = from_here.each_ref().map(|(name, value)| (*name, value.as_str()));
        assert_eq!(open.request("POST", path, &from_here, "").status, 405, "{path}");
    }
    let closed = Pages::serve_with_token(&place, &[]);
    let refused = closed.get("/metrics");
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")), "{}", refused.text);
    assert!(!refused.body.contains("acme"), "{}", refused.body);
    let with = |token: &str| closed.request("GET", "/metrics", &[("Authorization", &format!("Bearer {token}"))], "");
    assert_eq!(with("not the token at all").status, 401);
    let reported = with(TOKEN);
    assert_eq!(reported.status, 200);
    let exposed = ExposedMetrics::parse(&reported.body);
    assert_eq!(exposed.value("topicwatch_build_info", &[("version", env!("CARGO_PKG_VERSION"))]), Some(1.0));
}

#[test]
fn run_totals_count_each_run_once_and_follow_a_topic_rename() {
    for database in databases() {
        let (sandbox, place) = place_after_runs(database, "");
        let settings = topicwatch::store::Settings {
            url: place.database.url.clone(),
            schema: place.database.schema.clone(),
            origin: None,
            create: false,
        };
        block_on(async {
            let store = topicwatch::store::Store::open(&settings).await.unwrap();
            let (to, whole) = store.tally_progress().await.unwrap();
            assert!(whole && to > 0);
            let before = store.tally().await.unwrap().unwrap();
            topicwatch::collect::tally_runs(&store, &|| false).await.unwrap();
            let runs = store.runs_to_tally(0, 500).await.unwrap();
            let (sums, latest) = topicwatch::insight::tally::tally(&runs);
            assert_eq!(sums.len(), before.len(), "one large step has as many sums as several small ones");
            // A process that read before the others wrote.
            assert!(!store.store_tally(&sums, &latest, 0, to, true).await.unwrap());
            assert_eq!(store.tally().await.unwrap().unwrap(), before);
            store.close().await;
        });
        place.ok(&["topic", "rename", "acme", "acme-pro"]);
        let latest = "SELECT DISTINCT topic FROM topic_latest ORDER BY 1";
        assert_eq!(place.database.texts(latest), ["acme-pro", "rust"]);
        place.configure(&sandbox.lines(), &TOPICS.split_once("\n\n").unwrap().0.replace("acme", "acme-pro"));
        place.ok(&["forget", "--topic", "rust", "--yes"]);
        assert_eq!(place.database.texts(latest), ["acme-pro"], "{}", place.database.name);
    }
}

#[test]
fn each_metrics_count_uses_an_index() {
    for database in databases() {
        let place = Place::new(database, "base_url = \"sandbox\"", TOPICS);
        place.ok(&["db", "migrate"]);
        // Only statements that read tables have an index.
        for (sql, index) in [
            ("SELECT count(*) FROM topic WHERE removed_at IS NULL", "job_watched"),
            ("SELECT count(*) FROM outbox WHERE state = 'dead'", "outbox_dead"),
            ("SELECT count(*) FROM outbox WHERE state = 'queued'", "outbox_due"),
            ("SELECT count(*) FROM outbox WHERE state = 'sending'", "outbox_lease"),
            ("SELECT count(*) FROM run WHERE state = 'running'", "run_lease"),
            ("SELECT count(*) FROM run WHERE state = 'queued' AND due_at <= 1", "run_due"),
            ("SELECT seq, job FROM run WHERE seq IS NOT NULL AND seq > 1 ORDER BY seq LIMIT 500", "run_seq"),
            (
                "SELECT r.seq, s.source FROM run r CROSS JOIN search s WHERE r.seq IS NOT NULL AND r.seq > 1 AND r.seq <= 9 AND s.run = r.id",
                "run_seq",
            ),
            (
                "SELECT count(*) FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND next_slot > 0 AND next_slot < 1",
                // One of two indexes that contain exactly these rows.
                "INDEX job_",
            ),
        ] {
            let plan = place.database.query_plan(sql).join("\n");
            assert!(
                plan.to_lowercase().contains(&index.to_lowercase()) || plan.contains("Index Scan using job_"),
                "{}: {sql}\n{plan}",
                place.database.name
            );
        }
    }
}

#[test]
fn the_docs_list_every_metric_and_their_examples_are_valid() {
    let read =
        |path: &str| std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let (page, code) = (read("docs/reference/metrics.md"), read("src/metrics/families.rs"));
    let name = |text: &str| text.starts_with("topicwatch_") || text.starts_with("process_");
    let made: BTreeSet<&str> = code.split('"').skip(1).step_by(2).filter(|text| name(text)).collect();
    let cells = page.lines().filter(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
    let reported: BTreeSet<&str> =
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).filter(|text| name(text)).collect();
    assert!(made.len() > 25);
    assert_eq!(reported, made, "left: docs/reference/metrics.md, right: src/metrics/families.rs");
    if Command::new("promtool").arg("--version").output().is_err() {
        return eprintln!(
            "SKIPPED: there is no promtool here, so that the examples of docs/reference/metrics.md were not checked"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let scrape = page.split("```yaml\n").nth(1).and_then(|block| block.split("```").next()).unwrap();
    let rules = read("docs/cookbook/prometheus-rules.yaml");
    for (n, (text, check)) in
        [(scrape, &["config", "--syntax-only"][..]), (rules.as_str(), &["rules"])].into_iter().enumerate()
    {
        let file = folder.path().join(format!("{n}.yml"));
        std::fs::write(&file, text).unwrap();
        let ended = Command::new("promtool").arg("check").args(check).arg(&file).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert!(ended.status.success(), "{said}");
    }
}
