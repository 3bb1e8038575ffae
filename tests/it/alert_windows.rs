//! Alert windows as long as the time between two runs, through the binary on both databases. A run starts a random
//! moment after its slot; whatever the moment, a window contains its own run and not the run one window before.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rand_distr::{Distribution as _, Uniform};
use serde_json::{Value, json};
use topicwatch::model::Time;

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::truth::{TruePost, TruthService};
use crate::support::world::{ScriptedService, hour, post};

const ALERTS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nschedule = \"0 0 * * *\"\n\n\
    [[alerts]]\nname = \"storms\"\nrule = \"volume\"\n\n\
    [[alerts]]\nname = \"tone\"\nrule = \"negative\"\nmin = 10\n";

const DAYS: u32 = 20;
/// The day of a storm with three times as many posts, all of them negative.
const STORM: u32 = 17;
/// The day on which each database starts to make its own runs. Earlier runs are made once.
const PARTED: u32 = 13;

#[test]
fn a_window_excludes_the_run_one_window_earlier_even_if_it_started_late() {
    let world = ScriptedService::new();
    let mut random = ChaCha8Rng::seed_from_u64(20_260_311);
    let within = Uniform::new(50_u32, 450).unwrap();
    let moments: Vec<u32> = (0..DAYS).map(|_| within.sample(&mut random)).collect();
    let run = |place: &Place, day: u32| {
        let many = if day == STORM { 60 } else { 20 };
        let (good, bad) = ("what a great day, I love it", "this is terrible, I hate it, the worst");
        let words = |k: u32| if day == STORM || k % 2 == 1 { bad } else { good };
        let one = |k: u32| post(day * 100 + k, 24 * day, &format!("{day} {k} acme: {}", words(k)), 1);
        world.set_posts(&(0..many).map(one).collect::<Vec<Value>>());
        let at = hour(24 * day).replace(":00Z", &format!(":00.{:03}Z", moments[day as usize]));
        place.ok(&["once", "--due", "--at", &at]);
    };
    let before = Place::new(sqlite(), &world.lines(), ALERTS);
    (0..PARTED).for_each(|day| run(&before, day));
    for database in databases() {
        let place = before.copy_to(database);
        (PARTED..DAYS).for_each(|day| run(&place, day));
        let begun = |output: &Value| -> Vec<Value> {
            let all = output["events"].as_array().unwrap_or_else(|| panic!("{output}"));
            let fired = all.iter().filter(|event| {
                event["kind"] == "fired" && (event["muted"].is_null() || event["muted"] == "no channels")
            });
            fired.map(|event| json!(event["at"].as_str().unwrap()[..10])).collect()
        };
        let day = json!(hour(24 * STORM)[..10]);
        let all = place.json(&["alerts", "--json", "--limit", "100"]);
        assert_eq!(begun(&all), [day.clone(), day.clone()], "{}: {all}", place.database.name);
        for alert in ["storms", "tone"] {
            let output = place.json(&["alerts", "backtest", alert, "--days", "30", "--json", "--at", &hour(24 * DAYS)]);
            assert_eq!(begun(&output), std::slice::from_ref(&day), "{}: {output}", place.database.name);
        }
        let storm = all["events"].to_string();
        // Services cut replies at sixty posts, so the reply may have been full.
        assert!(storm.contains("acme: ≥60 new unique items in 1d (≥60 items by ≥3 authors)"), "{storm}");
        assert!(storm.contains("% of 60 items in 1d sound negative"), "{storm}");
    }
}

#[test]
fn a_backtest_of_words_says_how_many_items_have_no_text_any_more() {
    for database in databases() {
        let world = ScriptedService::new();
        let file = "[retention]\nprune = \"never\"\nsightings = \"5d\"\nitems = \"5d\"\n\n\
            [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nschedule = \"0 0 * * *\"\n\n\
            [[alerts]]\nname = \"recalls\"\nrule = \"items\"\nwords = [\"recall\"]\n";
        let place = Place::new(database, &world.lines(), file);
        for day in [1, 2, 3, 14] {
            world.set_posts(&[post(day, 24 * day - 2, &format!("{day} acme recall of today"), 1)]);
            place.ok(&["once", "--due", "--at", &hour(24 * day)]);
        }
        let backtest = || place.ok(&["alerts", "backtest", "recalls", "--days", "30", "--at", &hour(24 * 15)]);
        let (name, before) = (place.database.name, backtest());
        let found = "acme: 1 new item with “recall”";
        assert_eq!(before.matches(found).count(), 2, "{name}: {before}");
        assert!(!before.contains("without a stored text"), "{name}: {before}");
        place.ok(&["db", "prune", "--at", &hour(24 * 15)]);
        let after = backtest();
        assert_eq!(after.matches(found).count(), 1, "{name}: {after}");
        // The first answer's item has no text either, but an alert never fires on a baseline.
        assert!(after.contains("may have fired on others: 1 item without a stored text"), "{name}: {after}");
    }
}

#[test]
fn counts_of_some_sources_are_lower_bounds_where_sightings_were_pruned() {
    for database in databases() {
        let world = ScriptedService::new();
        let file = format!(
            "[retention]\nprune = \"never\"\nsightings = \"1d\"\n\n\
             [providers.second]\nkind = \"spec\"\nkey_env = \"TOPICWATCH_API_KEY\"\nrate_limit = \"unlimited\"\n\
             max_tries = 1\nbase_url = \"{}/second\"\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"second\"]\nschedule = \"0 0,1 * * *\"\n\n\
             [[alerts]]\nname = \"some\"\nrule = \"volume\"\nmin = 5\nsources = [\"second\"]\n\n\
             [[alerts]]\nname = \"all\"\nrule = \"volume\"\nmin = 5\n",
            world.server.url()
        );
        let place = Place::new(database, &world.lines(), &file);
        let name = place.database.name;
        for day in 0..13 {
            let many = if day == 11 { 17 } else { 3 };
            let one = |k: u32| post(day * 100 + k, 24 * day, &format!("{day} post number {k} of acme"), 1);
            world.set_posts(&(0..many).map(one).collect::<Vec<Value>>());
            for at in [24 * day, 24 * day + 1] {
                place.ok(&["once", "--due", "--at", &hour(at)]);
            }
        }
        let backtest = |alert: &str| {
            let args = ["alerts", "backtest", alert, "--days", "30", "--at", &hour(24 * 13)];
            (place.json(&[&args[..], &["--json"]].concat()), place.ok(&args))
        };
        let note = "may be too low: sightings of the alert's sources were pruned";
        for (alert, said) in [("some", "3 new unique items from second in 1d"), ("all", "3 new unique items in 1d")] {
            let (output, text) = backtest(alert);
            assert!(text.contains(&format!("over: acme: {said}")), "{name}: {alert}: {text}");
            assert!(output["pruned_until"].is_null() && !text.contains(note), "{name}: {alert}: {text}");
        }
        // The first run of each day loses its snapshot, but not what it saw first.
        place.ok(&["db", "prune", "--at", &hour(24 * 14)]);
        assert!(place.database.number("SELECT count(*) FROM v_run WHERE thinned = 1") > 9, "{name}");
        let (output, text) = backtest("some");
        assert!(text.contains("over: acme: ≥3 new unique items from second in 1d"), "{name}: {text}");
        assert!(output["pruned_until"].is_string() && text.contains(note), "{name}: {text}");
        // The first sightings of a topic are kept.
        let (output, text) = backtest("all");
        assert!(text.contains("over: acme: 3 new unique items in 1d"), "{name}: {text}");
        assert!(output["pruned_until"].is_null() && !text.contains(note), "{name}: {text}");
    }
}

#[test]
fn posts_found_after_an_outage_do_not_fire_an_alert() {
    const QUIET: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"6h\"\n\n\
                         [[alerts]]\nname = \"storms\"\nrule = \"volume\"\n";
    let truth = TruthService::new(calm_posts());
    // Every six hours.
    let run = |place: &Place, hours: std::ops::Range<u32>| {
        for at in hours.step_by(6) {
            truth.set(|world| world.now = Time::parse(&hour(at)).unwrap());
            place.ok(&["once", "--due", "--at", &hour(at)]);
        }
    };
    // The runs up to a day before the outage of 66 hours are made once.
    let before = Place::new(sqlite(), &truth.lines(), QUIET);
    run(&before, 24..24 * 11);
    for database in databases() {
        let place = before.copy_to(database);
        run(&place, 24 * 11..24 * 12);
        run(&place, 24 * 14 + 18..24 * 17);
        let output = place.json(&["alerts", "--json", "--limit", "100"]);
        assert_eq!(output["events"], json!([]), "{}: {output}", place.database.name);
        let found = place.database.number("SELECT max(found) FROM v_run");
        assert!(found > 120, "the run after it looked back over it: {found}");
    }
}

/// About two posts an hour, in random order.
fn calm_posts() -> Vec<TruePost> {
    let mut random = ChaCha8Rng::seed_from_u64(20_260_312);
    let within = Uniform::new(0_i64, 3_600_000).unwrap();
    (0..24 * 17 * 2)
        .map(|n| {
            let published = Time(Time::parse(&hour(n / 2)).unwrap().0 + within.sample(&mut random));
            let text = format!("{n} of acme {:x}", within.sample(&mut random));
            TruePost {
                query: "acme".to_owned(),
                id: u64::from(n) + 1,
                text,
                published,
                indexed: published,
                deleted: None,
            }
        })
        .collect()
}
