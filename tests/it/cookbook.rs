//! Checks docs/cookbook against the program: every metric and label of the dashboard is in `/metrics`, every SQL
//! statement runs on both databases, every field of the workflow is in a webhook. `scripts/cookbook` tests what needs
//! other programs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use regex::Regex;
use serde_json::Value;

use crate::support::databases::databases;
use crate::support::exposition::ExposedMetrics;
use crate::support::program::Place;
use crate::support::receivers::WebhookServer;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post};

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\n\n";

fn cookbook(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/cookbook").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The page's fenced code blocks in a language.
fn blocks(language: &str) -> Vec<String> {
    let page = cookbook("README.md");
    let open = format!("```{language}\n");
    page.split(open.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Every value of a key at any depth.
fn values(of: &Value, key: &str) -> Vec<String> {
    match of {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match value {
                Value::String(text) if name == key => vec![text.clone()],
                other => values(other, key),
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(|value| values(value, key)).collect(),
        _ => Vec::new(),
    }
}

fn json(file: &str) -> Value {
    serde_json::from_str(&cookbook(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The SQL statements of the page, the dashboard and the models.
fn statements() -> Vec<String> {
    let source = Regex::new(r"\{\{ source\('topicwatch', '(\w+)'\) \}\}").unwrap();
    let models = ["dbt/models/items_per_day.sql", "dbt/models/topic_costs.sql"].map(cookbook);
    let all = blocks("sql").into_iter().chain(values(&json("grafana.json"), "rawSql")).chain(models);
    all.map(|sql| source.replace_all(sql.trim().trim_end_matches(';'), "$1").into_owned()).collect()
}

/// Asserts that the metrics of an expression exist with its labels and values; returns the number of metrics.
fn assert_metrics_exist(expression: &str, exposed: &ExposedMetrics) -> usize {
    let asked = Regex::new(r"(topicwatch_\w+)(?:\{([^}]*)\})?").unwrap();
    let grouped = Regex::new(r"by \(([^)]*)\)").unwrap();
    let mut metrics = 0;
    for of in asked.captures_iter(expression) {
        metrics += 1;
        let of_metric: Vec<_> = exposed.samples.keys().filter(|(name, _)| *name == of[1]).map(|(_, l)| l).collect();
        assert!(!of_metric.is_empty(), "{expression}: nothing is called {}", &of[1]);
        let pairs = of.get(2).map_or("", |labels| labels.as_str()).split(',').filter(|pair| !pair.is_empty());
        for (label, value) in pairs.map(|pair| pair.split_once('=').unwrap()) {
            let there = of_metric.iter().any(|labels| labels.get(label).is_some_and(|v| v == value.trim_matches('"')));
            assert!(there, "{expression}: {label}={value}");
        }
        for label in
            grouped.captures_iter(expression).flat_map(|by| by[1].split(", ").map(str::to_owned).collect::<Vec<_>>())
        {
            assert!(of_metric.iter().all(|labels| labels.contains_key(&label)), "{expression}: no label {label}");
        }
    }
    metrics
}

#[test]
fn cookbook_dashboard_sql_and_workflow_match_the_program() {
    let flow =
        blocks("toml").remove(0).replace("url_env = \"FLOW_URL\"", "url_env = \"FLOW_URL\"\nallow_private = true");
    assert!(flow.contains("allow_private"));
    let mut counts = Vec::new();
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let place = Place::new(database, &world.lines(), &format!("{TOPIC}{flow}"));
        for n in 23..26 {
            let posts: Vec<Value> = (0..=n - 23).map(|id| post(id + 1, 20 + id, &format!("words {id}"), 1)).collect();
            world.set_posts(&posts);
            let ended = place.program(&["once", "--due", "--at", &hour(n)]).env("FLOW_URL", &hook.url()).run();
            assert_eq!(ended.code, Some(0), "{ended}");
        }
        // A webhook contains every field that the workflow reads and the page names.
        let body = hook.received().first().expect("a webhook").json();
        let fields: BTreeSet<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let workflow = cookbook("n8n.json");
        let read: BTreeSet<&str> =
            workflow.split("$json.body.").skip(1).map(|rest| rest.split(' ').next().unwrap()).collect();
        assert!(read.len() >= 4 && read.is_subset(&fields), "{read:?} of {fields:?}");
        assert_eq!(body["kind"], "alert");
        assert_eq!(values(&json("n8n.json"), "rightValue"), ["alert"]);
        let page = cookbook("README.md");
        let named = page.split("Fields: ").nth(1).unwrap().split(". ").next().unwrap();
        let named: BTreeSet<&str> = named.split('`').skip(1).step_by(2).collect();
        assert_eq!(named, fields);
        let statements = statements();
        assert!(statements.len() >= 6, "{statements:?}");
        let rows = |sql: &String| place.database.number(&format!("SELECT count(*) FROM ({sql}) AS q"));
        let rows: Vec<i64> = statements.iter().map(rows).collect();
        assert!(rows.iter().all(|many| *many > 0), "{rows:?} of {statements:?}");
        counts.push(rows);
        let pages = Pages::wait_for_address(
            place
                .program(&["serve", "--listen", "127.0.0.1:0", "--at", &hour(26)])
                .env("FLOW_URL", &hook.url())
                .start(),
        );
        let exposed = ExposedMetrics::read(&pages);
        let expressions = values(&json("grafana.json"), "expr");
        let metrics: usize = expressions.iter().map(|expression| assert_metrics_exist(expression, &exposed)).sum();
        assert!(metrics >= 10, "{metrics}");
    }
    assert!(counts.iter().all(|other| *other == counts[0]), "{counts:?}");
}

#[test]
fn dashboard_panels_do_not_overlap_and_use_declared_data_sources() {
    let dashboard = json("grafana.json");
    let asked: BTreeSet<String> =
        values(&dashboard["templating"], "name").iter().map(|name| format!("${{{name}}}")).collect();
    let mut taken = BTreeSet::new();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() > 5, "{panels:?}");
    for panel in panels {
        let at = |key: &str| panel["gridPos"][key].as_u64().unwrap();
        for (x, y) in (at("x")..at("x") + at("w")).flat_map(|x| (at("y")..at("y") + at("h")).map(move |y| (x, y))) {
            assert!(x < 24 && taken.insert((x, y)), "{}", panel["title"]);
        }
        assert!(asked.contains(panel["datasource"]["uid"].as_str().unwrap()), "{}", panel["title"]);
        assert!(!panel["targets"].as_array().unwrap().is_empty(), "{}", panel["title"]);
    }
}

/// `scripts/package` rewrites the units and `jobs.toml` for packages and fails if a line that it looks for is gone. A
/// release shows that late.
#[test]
fn the_package_script_finds_the_lines_it_rewrites_in_units_and_jobs_toml() {
    let rewrite = "import runpy, pathlib\n\
        p = runpy.run_path('scripts/package')\n\
        for unit in ['topicwatch.service', 'topicwatch-once.service', 'topicwatch-once.timer']:\n    \
            text = p['packaged_unit'](pathlib.Path('deploy') / unit).decode()\n    \
            assert '[Unit]' in text and '/usr/local' not in text, text\n\
        assert b'url = \"sqlite:/var/lib/topicwatch/topicwatch.db\"' in p['packaged_jobs']()\n";
    let root = env!("CARGO_MANIFEST_DIR");
    let Ok(ended) = std::process::Command::new("python3").args(["-c", rewrite]).current_dir(root).output() else {
        eprintln!("SKIPPED: what scripts/package rewrites, because there is no python3");
        return;
    };
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
