//! Reports and `diff` about a time with pruned snapshots, texts or searches: they say less, but nothing false. Through
//! the binary on both databases.

use serde_json::{Value, json};

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

fn report(place: &Place, more: &[&str]) -> [String; 2] {
    ["told.md", "told.html"].map(|name| {
        place.ok(&[&["report", "--out", name], more].concat());
        std::fs::read_to_string(place.path(name)).unwrap()
    })
}

#[test]
fn changes_are_lower_bounds_where_snapshots_and_texts_were_pruned() {
    let keeps = [
        ("sightings = \"5d\"\nitems = \"10d\"", hour(380), 0),
        ("sightings = \"30d\"\nruns = \"30d\"", "2026-04-12T00:00:00Z".to_owned(), 1),
    ];
    let world = ScriptedService::new();
    let made = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    world.set_posts(&[post(1, 20, "acme one is here", 5), post(2, 21, "acme costs $10 now", 5)]);
    for n in [24, 25, 26] {
        run_once(&made, n);
    }
    // Post 1 is gone, and post 2 is edited.
    world.set_posts(&[post(3, 25, "acme three", 1), post(2, 21, "acme costs $12 now", 5)]);
    run_once(&made, 28);
    world.set_posts(&[post(9, 350, "acme nine", 1)]);
    for n in [360, 361, 362] {
        run_once(&made, n);
    }
    for (keep, now, edited) in keeps {
        for database in databases() {
            let place = made.copy_to(database);
            // The last runs are those of each database.
            run_once(&place, 363);
            run_once(&place, 364);
            let retention = format!("[retention]\nprune = \"never\"\n{keep}\n\n");
            place.configure(&world.lines(), &format!("{retention}{}", topic("acme", "")));
            let name = place.database.name;
            let day = ["--date", "2026-03-12", "--at", &now];
            let diff = |since: &str| {
                let until = ["diff", "acme", "--since", since];
                (place.json(&[&until[..], &["--json"]].concat()), place.ok(&until))
            };
            let (before, _) = diff("2026-03-12");
            assert_eq!((&before["counts"]["gone"], &before["counts"]["edited"]), (&json!(1), &json!(1)), "{name}");
            assert_eq!(before["counts"]["pruned"], json!(false), "{name}");
            let [text, _] = report(&place, &day);
            assert!(text.contains("### Gone: 1") && text.contains("### Edited: 1"), "{name}: {text}");

            place.ok(&["db", "prune", "--at", &now]);
            let (after, reported) = diff("2026-03-12");
            assert_eq!((&after["counts"]["gone"], &after["counts"]["pruned"]), (&json!(0), &json!(true)), "{name}");
            assert!(reported.contains(&format!(" new · ≥0 gone · ≥{edited} edited · ≥0 rising")), "{name}: {reported}");
            assert!(reported.contains("data of this span was pruned: more items may have gone"), "{name}: {reported}");
            for text in report(&place, &day) {
                assert!(!text.contains("No item is gone"), "{name}: {text}");
                assert!(
                    text.contains("Gone items could not be determined: ") && text.contains("were pruned"),
                    "{name}: {text}"
                );
                assert!(text.contains("more items may be gone or edited."), "{name}: {text}");
                assert!(!text.contains("No edits were seen in the period"), "{name}: {text}");
            }
            // Nothing was pruned of the last run.
            let (after, reported) = diff(&hour(364));
            assert_eq!(after["counts"]["pruned"], json!(false), "{name}: {after}");
            assert_eq!(after["sources"][0]["gone_judged"], json!(true), "{name}: {after}");
            assert!(reported.contains(" new · 0 gone · 0 edited"), "{name}: {reported}");
        }
    }
}

#[test]
fn a_span_with_pruned_runs_keeps_its_start_and_counts_at_least_the_remaining_runs() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"30d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", topic("acme", "")));
        for n in [24, 200, 210, 220, 361, 370] {
            world.set_posts(&[post(n, n - 2, &format!("acme {n} is here"), 5)]);
            run_once(&place, n);
        }
        let name = place.database.name;
        let runs = place.json(&["runs", "--json"]);
        let run_at = |n: u32| {
            let at = hour(n).replace('Z', ".000Z");
            let run = runs["runs"].as_array().unwrap().iter().find(|run| run["started_at"] == at.as_str());
            run.unwrap()["run"].as_str().unwrap().to_owned()
        };
        let (pruned, stored) = (run_at(210), run_at(361));
        let diff = |since: &str| {
            let args = ["diff", "acme", "--since", since];
            let compared = place.json(&[&args[..], &["--json"]].concat())["since"]["run"].clone();
            (place.ok(&args).lines().next().unwrap().to_owned(), compared)
        };
        let new = |since: &str| place.ok(&["diff", "acme", "--since", since]).lines().nth(1).unwrap().to_owned();
        let since_run = |since: &str| {
            let rows = place.ok(&["export", "--what", "changes", "--format", "jsonl", "--since", since]);
            serde_json::from_str::<Value>(rows.lines().next().unwrap()).unwrap()["since_run"].clone()
        };
        let (from, until) = (hour(210), hour(370));
        assert_eq!(diff(&pruned), (format!("acme · 3 runs from {from} to {until}"), json!(pruned)), "{name}");
        assert_eq!(diff("2026-01-01").0, format!("acme · 6 runs up to {until}, from the start"), "{name}");
        assert!(new(&pruned).starts_with("3 new · "), "{name}: {}", new(&pruned));

        place.ok(&["db", "prune", "--at", "2026-04-22T00:00:00Z"]);
        assert_eq!(place.database.number("SELECT count(*) FROM v_search"), 3, "{name}");
        assert_eq!(diff(&pruned), (format!("acme · ≥2 runs from {from} to {until}"), json!(pruned)), "{name}");
        assert_eq!(since_run(&pruned), json!(pruned), "{name}");
        assert_eq!(diff("2026-01-01").0, format!("acme · ≥3 runs up to {until}, from the start"), "{name}");
        // Replies to the pruned searches may have been full.
        assert!(new(&pruned).starts_with("≥3 new · "), "{name}: {}", new(&pruned));
        // From this run on, all are stored.
        let from = hour(361);
        assert_eq!(diff(&stored), (format!("acme · 1 run from {from} to {until}"), json!(stored)), "{name}");
        assert!(new(&stored).starts_with("1 new · "), "{name}: {}", new(&stored));
    }
}

#[test]
fn pruned_copies_and_authors_are_reported_as_lower_bounds_or_unknown() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nitems = \"10d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", topic("acme", "")));
        let words = "a quick brown fox jumps over the lazy dog beside the quiet river";
        let all: Vec<Value> = (1..=16)
            .map(|id| {
                let mut copy = post(id, id % 8, words, 1);
                copy["user"] = json!(format!("user{id}"));
                copy
            })
            .collect();
        world.set_posts(&all);
        run_once(&place, 9);
        // Eleven of them are seen again, so their texts are kept longer.
        world.set_posts(&all[5..]);
        run_once(&place, 24 * 20);
        let (name, now) = (place.database.name, "2026-04-05T00:00:00Z");
        let month = ["--month", "2026-03", "--at", now];
        let [text, _] = report(&place, &month);
        assert!(text.contains("one text, 16 authors: 16 posts within"), "{name}: {text}");
        assert!(text.contains("16 of 16 posts contain no word of the query: check them before you quote.\n"), "{text}");
        place.ok(&["db", "prune", "--at", now]);
        for text in report(&place, &month) {
            assert!(text.contains("one text, ≥\u{a0}11 authors: 16 posts within"), "{name}: {text}");
            assert!(text.contains("100% of the items of the period: “a quick brown fox"), "{name}: {text}");
            let relevance = "11 of 11 posts contain no word of the query: check them before you quote. 5 more posts have no stored text.";
            assert!(text.contains(relevance), "{name}: {text}");
            assert!(text.contains("authors unknown") && !text.contains("authors not given"), "{name}: {text}");
        }
        let kept = "SELECT count(*) FROM v_item WHERE text IS NOT NULL";
        assert_eq!(place.database.number(kept), 11, "{name}: also the words of the first of the cluster go");
    }
}

#[test]
fn after_pruning_no_rise_from_weeks_before_the_period_is_reported() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"30d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", topic("acme", "")));
        // Post 1 rises on 19 March, post 2 on 26 March and after.
        for (n, one, two) in
            [(24, 5, 5), (200, 700, 10), (336, 700, 10), (361, 702, 12), (370, 703, 40), (385, 704, 60)]
        {
            world.set_posts(&[post(1, 20, "acme one is here", one), post(2, 21, "acme costs $10", two)]);
            run_once(&place, n);
        }
        let (name, now) = (place.database.name, "2026-04-25T00:00:00Z");
        let rising = |since: &str, pruned: bool| {
            let diff = place.json(&["diff", "acme", "--since", since, "--json"]);
            assert_eq!(diff["counts"]["pruned"], json!(pruned), "{name}: {since}: {diff}");
            let export = ["export", "--what", "changes", "--format", "jsonl", "--since", since];
            let rows: Vec<Value> = place.ok(&export).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let exported: Vec<Value> =
                rows.iter().filter(|row| row["change"] == "rising").map(|row| row["key"].clone()).collect();
            let all = diff["rising"].as_array().unwrap();
            assert_eq!(exported, all.iter().map(|item| item["key"].clone()).collect::<Vec<_>>(), "{name}: {since}");
            all.iter().map(|item| format!("{} +{}", item["key"].as_str().unwrap(), item["gain"])).collect::<Vec<_>>()
        };
        let day = ["--date", "2026-03-26", "--at", now];
        assert_eq!(rising("2026-03-26", false), ["post:x:2 +50"], "{name}");
        for text in report(&place, &day) {
            assert!(
                text.contains("+30 reactions and bookmarks") && !text.contains("Runs were pruned"),
                "{name}: {text}"
            );
        }

        place.ok(&["db", "prune", "--at", now]);
        // The run of 12 March is kept, as the first answer, but not those after it.
        assert_eq!(place.database.number("SELECT count(*) FROM v_search"), 4, "{name}");
        assert_eq!(rising("2026-03-26", true), ["post:x:2 +48"], "{name}");
        let output = place.ok(&["diff", "acme", "--since", "2026-03-26"]);
        assert!(output.contains(" · ≥1 rising"), "{name}: {output}");
        for text in report(&place, &day) {
            assert!(text.contains("+28 reactions and bookmarks") && !text.contains("(5 before)"), "{name}: {text}");
            assert!(text.contains("Runs were pruned: these may have begun to rise earlier"), "{name}: {text}");
        }
        // The run before the next day is stored, so that day is compared with it.
        assert_eq!(rising("2026-03-27", false), ["post:x:2 +20"], "{name}");
        let [text, page] = report(&place, &["--date", "2026-03-27", "--at", now]);
        assert!(
            text.contains("+20 reactions and bookmarks") && page.contains("+20 reactions and bookmarks"),
            "{name}: {text}"
        );
        assert!(!text.contains("Runs were pruned"), "{name}: {text}");
    }
}

/// One of three posts a day passes the filter. Where the words are gone, all three count, so nothing is compared.
#[test]
fn days_with_pruned_texts_are_not_compared_with_filtered_days() {
    let world = ScriptedService::new();
    let keep = "[retention]\nprune = \"never\"\nitems = \"5d\"\n\n";
    let made = Place::new(sqlite(), &world.lines(), &format!("{keep}{}", topic("acme", "must = [\"launch\"]")));
    let run = |place: &Place, day: u32| {
        let (first, at) = (day * 3, day * 24 + 6);
        let words = ["the launch", "a fair", "an office"];
        let posts: Vec<Value> =
            (0..3).map(|n| post(first + n, at, &format!("acme {} {day}", words[n as usize]), 1)).collect();
        world.set_posts(&posts);
        run_once(place, at + 6);
        run_once(place, at + 17);
    };
    (0..17).for_each(|day| run(&made, day));
    for database in databases() {
        let place = made.copy_to(database);
        // The last days are runs of each database.
        (17..19).for_each(|day| run(&place, day));
        let (name, now) = (place.database.name, hour(19 * 24 + 3));
        let day = ["--date", "2026-03-28", "--at", &now];
        let week = ["--week", "2026-W13", "--at", &now];
        for text in report(&place, &day) {
            assert!(text.contains("Day before (Friday 03-27): 1 item; now 1, as many"), "{name}: {text}");
            assert!(text.contains("Week before (Saturday 03-21): 1 item; now 1, as many"), "{name}: {text}");
        }
        // The legend names the possible reasons for a lower bound.
        let without_legend = |text: &String| text.replace("or runs were pruned. A share", "");
        assert!(report(&place, &week).iter().all(|text| !without_legend(text).contains("pruned")), "{name}");
        place.ok(&["db", "prune", "--at", &now]);
        let pruned = "its words were pruned, so the filter cannot be applied";
        for text in report(&place, &day) {
            assert!(text.contains("Day before (Friday 03-27): 1 item; now 1, as many"), "{name}: {text}");
            assert!(text.contains(&format!("Week before (Saturday 03-21): not compared, {pruned}")), "{name}: {text}");
            assert!(
                text.contains("items whose text was pruned are counted regardless of the filter"),
                "{name}: {text}"
            );
        }
        for text in report(&place, &week) {
            assert!(text.contains(pruned), "{name}: {text}");
        }
    }
}

/// The first day of a topic is covered in part, and the other topic is not watched yet. Pruning makes neither exact.
#[test]
fn pruning_makes_no_count_of_a_partly_searched_day_exact() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"32d\"\n\n";
        // No later search looks back over the rest of the first day.
        let more = "every = \"1h\"\ncatch_up_window = \"1h\"";
        let late = topic("globex", "").replace("\"acme\"", "\"globex\"");
        let place = Place::new(database, &world.lines(), &format!("{keep}{}{late}", topic("acme", more)));
        world.set_posts(&[post(1, 10, "acme one", 5), post(2, 11, "acme two", 5)]);
        for at in [18, 60, 62] {
            place.ok(&["once", "--at", &hour(at), "--topic", "acme"]);
        }
        world.set_posts(&[post(3, 390, "acme and globex", 5)]);
        for at in [400, 420, 440] {
            run_once(&place, at);
        }
        let (name, now) = (place.database.name, "2026-04-25T00:00:00Z");
        let day = ["--date", "2026-03-11", "--at", now];
        let check = |texts: [String; 2], when: &str| {
            for text in &texts {
                assert!(text.contains("≥\u{a0}2"), "{name} {when}: {text}");
                assert!(
                    text.contains("not watched yet") || text.contains("Nothing was searched"),
                    "{name} {when}: {text}"
                );
                assert!(!text.contains("0% (0)") && !text.contains("**0** items"), "{name} {when}: {text}");
            }
        };
        check(report(&place, &day), "before");
        place.ok(&["db", "prune", "--at", now]);
        check(report(&place, &day), "after");
        for month in report(&place, &["--month", "2026-03", "--at", now]) {
            assert!(month.contains("≥\u{a0}3"), "{name}: {month}");
        }
    }
}

#[test]
fn a_report_on_a_day_with_pruned_sightings_does_not_say_that_nothing_rose() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nsightings = \"5d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", topic("acme", "")));
        // Post 1 rises on 13 March, and is not in that day's last reply, which is kept.
        for (n, likes) in [(30, Some(5)), (47, Some(5)), (50, Some(90)), (60, None), (75, Some(95))] {
            let one = likes.map(|likes| post(1, 20, "acme one is here", likes));
            let of_the_day = (n >= 50).then(|| post(3, 49, "acme three", 7));
            let posts: Vec<Value> =
                one.into_iter().chain(of_the_day).chain([post(2, 21, "acme costs $10", 7)]).collect();
            world.set_posts(&posts);
            run_once(&place, n);
        }
        let (name, now) = (place.database.name, hour(400));
        let day = ["--date", "2026-03-13", "--at", &now];
        let [_, page] = report(&place, &day);
        assert!(page.contains("+85 reactions and bookmarks"), "{name}: {page}");
        place.ok(&["db", "prune", "--at", &now]);
        let [_, page] = report(&place, &day);
        assert!(!page.contains("+85 reactions") && !page.contains("No item gained"), "{name}: {page}");
        assert!(page.contains("Runs were pruned. Of the sightings that could still be compared"), "{name}: {page}");
    }
}

#[test]
fn a_source_that_last_found_something_before_pruned_sightings_hides_no_rises() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nsightings = \"5d\"\n\n";
        let both = topic("acme", "").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &world.lines(), &format!("{keep}{both}"));
        // Web finds a page once. Of 13 March, sightings of the first two runs are pruned, which nothing is compared with.
        for n in [30, 50, 52, 54, 385, 390] {
            let page = json!({ "title": "About acme", "url": "https://a.example/1", "snippet": "acme" });
            world.set_pages(&(n == 30).then_some(page).into_iter().collect::<Vec<Value>>());
            let of_the_day = (n > 384).then(|| post(3, 384, "acme three", 7));
            let old = [post(1, 20, "acme one is here", 5), post(2, 21, "acme costs $10", 7)];
            world.set_posts(&old.into_iter().chain(of_the_day).collect::<Vec<Value>>());
            run_once(&place, n);
        }
        let (name, now) = (place.database.name, hour(410));
        place.ok(&["db", "prune", "--at", &now]);
        assert_eq!(place.database.number("SELECT count(*) FROM v_run WHERE thinned = 1"), 2, "{name}");
        let [_, page] = report(&place, &["--date", "2026-03-27", "--at", &now]);
        assert!(
            page.contains("No item gained at least 10 reactions") && !page.contains("Runs were pruned"),
            "{name}: {page}"
        );
    }
}
