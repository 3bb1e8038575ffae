//! Topic filters through the binary on both databases. Filters apply when reading, so a changed filter recounts history
//! and changes no search. Hidden items are counted, and nothing is lost.

use serde_json::{Value, json};

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

fn shown(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap()).collect()
}

fn rows(place: &Place, more: &[&str]) -> (usize, String) {
    let ended = place.run(&[&["export"], more].concat());
    assert_eq!(ended.code, Some(0), "{ended}");
    (ended.out.lines().count() - 1, ended.err)
}

#[test]
fn a_filter_hides_and_counts_items_without_deleting_them() {
    let mut reported = Vec::new();
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&[post(1, 20, "acme one", 5)]);
        run_once(&place, 24);
        world.set_posts(&[
            post(1, 20, "acme one", 5),
            post(2, 24, "ACME is hiring", 5),
            post(3, 24, "two acmes", 5),
            post(4, 24, "acme four", 5),
        ]);
        run_once(&place, 25);
        let count = |diff: &Value| ["new", "filtered", "baseline"].map(|name| diff["counts"][name].as_u64().unwrap());
        assert_eq!(count(&place.json(&["diff", "acme", "--json"])), [3, 0, 0]);
        let definition = "SELECT definition FROM topic";
        assert!(!place.database.texts(definition)[0].contains("filter"), "no filter leaves definitions as they were");

        // The filter in the file can be tested before it takes effect.
        let more = "must = [\"acme\"]\nexclude = [\"hiring\", \"never\"]\nexclude_authors = [\"@AUTHOR1\"]";
        place.configure(&world.lines(), &topic("acme", more));
        let tested = place.json(&["topic", "filter", "test", "acme", "--json"]);
        let numbers = ["items", "hidden_now", "hidden_then", "would_hide", "would_show"];
        assert_eq!(numbers.map(|name| tested["told"][name].as_u64().unwrap()), [4, 0, 4, 4, 0], "{tested}");
        let entries =
            json!({ "must = acme": 1, "exclude = hiring": 1, "exclude = never": 0, "exclude_authors = @AUTHOR1": 2 });
        assert_eq!(tested["told"]["entries"], entries);
        assert_eq!(tested["preview"], tested["told"]);
        let preview = place.ok(&["topic", "filter", "test", "acme"]);
        assert_eq!(count(&place.json(&["diff", "acme", "--json"])), [3, 0, 0], "a trial changes no filter");
        let tried = place.json(&[
            "topic",
            "filter",
            "test",
            "acme",
            "--json",
            "--exclude",
            "two*",
            "--must",
            "a*",
            "--exclude-author",
            "nobody",
        ]);
        assert_eq!(shown(&tried["told"]["hides"]), ["post:x:3"]);
        place
            .run(&["topic", "filter", "test", "acme", "--must", "/(/"])
            .assert_stderr(2, &["must, entry 1 is not a valid pattern", "crate regex"]);

        // It takes effect with the next run, and earlier items are counted again.
        place.configure(
            &world.lines(),
            &topic("acme", &more.replace("\n exclude_authors", "").replace("exclude_authors = [\"@AUTHOR1\"]", "")),
        );
        run_once(&place, 26);
        assert!(place.database.texts(definition)[0].contains("\"filter\":{\"must\":[\"acme\"]"));
        let all = place.json(&["diff", "acme", "--since", "2026-03-01", "--json"]);
        assert_eq!(count(&all), [1, 2, 1], "{all}");
        assert_eq!(
            (shown(&all["new"]), &all["sources"][0]["queries"].as_array().unwrap().len()),
            (vec!["post:x:4"], &1)
        );
        place
            .run(&["diff", "acme", "--since", "2026-03-01"])
            .assert_stdout(0, &["1 new", "2 filtered", "hidden by the topic's filter"]);
        let show = place.json(&["show", "acme", "--json"]);
        assert_eq!((shown(&show["items"]), &show["filtered"]), (vec!["post:x:1", "post:x:4"], &json!(2)));
        assert_eq!(shown(&place.json(&["show", "acme", "--filtered", "only", "--json"])["items"]).len(), 2);
        place.run(&["show", "acme"]).assert_stdout(0, &["4 found, 0 new, 2 filtered"]);
        let items = place.json(&["items", "--json"]);
        assert_eq!((shown(&items["items"]), &items["filtered"]), (vec!["post:x:4", "post:x:1"], &json!(2)));
        assert_eq!(shown(&place.json(&["items", "--json", "--filtered", "keep"])["items"]).len(), 4);

        // An export contains every row unless told otherwise.
        for (mode, items, sightings) in [(None, 4, 9), (Some("hide"), 2, 5), (Some("only"), 2, 4)] {
            let more: Vec<&str> = mode.map_or(vec![], |mode| vec!["--filtered", mode]);
            let (number, said) = rows(&place, &more);
            assert_eq!(number, items, "{mode:?}");
            assert!(said.contains("2 filtered"), "{said}");
            assert_eq!(rows(&place, &[&["--what", "sightings"], &more[..]].concat()).0, sightings, "{mode:?}");
        }
        // `status` shows a new item that is hidden; the counts in the ledger ignore filters.
        world.set_posts(&[post(5, 26, "acme hiring again", 5), post(6, 26, "acme six", 5)]);
        run_once(&place, 27);
        let status = place.json(&["status", "--json"]);
        let of = &status["topics"][0];
        assert_eq!((&of["new_filtered"], &of["last_run"]["new"]), (&json!(1), &json!(2)));
        place.run(&["status"]).assert_stdout(0, &["acme: 1 more first seen in the last run, filtered"]);
        let (listed, page) = (place.ok(&["runs"]), Pages::serve(&place, &[]).page("/runs"));
        let noted = |text: &str| text.contains("ound and new also count what the filters of topics hide");
        assert!(noted(&listed) && noted(&page), "{listed}\n{page}");

        // Without the filter, all items are back.
        place.configure(&world.lines(), &topic("acme", ""));
        run_once(&place, 28);
        assert!(!noted(&place.ok(&["runs"])));
        let none = place.json(&["diff", "acme", "--since", "2026-03-01", "--json"]);
        assert_eq!(count(&none), [5, 0, 1], "{none}");
        reported.push((preview, tested["told"].clone(), all, rows(&place, &["--what", "sightings"]).0));
    }
    assert!(reported.iter().all(|other| *other == reported[0]));
    insta::assert_snapshot!(reported[0].0, @r"
    acme · 4 items · 0 hidden now, 4 with the tested filter
    4 would be hidden, 0 shown again
           1 by exclude = hiring
           0 by exclude = never
           2 by exclude_authors = @AUTHOR1
           1 by must = acme

    Would be hidden
      @author1: acme four
        exclude_authors = @AUTHOR1
      @author0: two acmes
        must = acme
      @author2: ACME is hiring
        exclude = hiring
      @author1: acme one
        exclude_authors = @AUTHOR1

    The file's filter takes effect with the next run; searches do not change.
    ");
}

#[test]
fn a_post_with_missing_fields_is_never_hidden_by_a_filter_on_them() {
    let world = ScriptedService::new();
    let more = "lang = [\"en\"]\nexclude_authors = [\"*\" , \"bot*\"]".replace("\"*\" , ", "");
    let place = Place::new(sqlite(), &world.lines(), &topic("acme", &more));
    world.set_posts(&[
        json!({ "text": "only words" }),
        json!({ "id": "1", "text": "in English", "lang": "en-GB", "created_at": hour(20), "user": "ann" }),
        json!({ "id": "2", "text": "auf Deutsch", "lang": "de", "created_at": hour(20), "user": "ann" }),
        json!({ "id": "3", "text": "a machine", "lang": "en", "created_at": hour(20), "user": "Bot7" }),
        json!({ "id": "4", "text": "no language", "lang": "und", "created_at": hour(20), "user": "robot" }),
    ]);
    run_once(&place, 24);
    let items = place.json(&["show", "acme", "--json"]);
    let words: Vec<&str> = items["items"].as_array().unwrap().iter().map(|i| i["text"].as_str().unwrap()).collect();
    assert_eq!((words.len(), &items["filtered"]), (3, &json!(2)), "{words:?}");
    assert!(words.contains(&"only words") && words.contains(&"no language"));
}

/// As in a topic's filter. A code that only begins like another one is another language.
#[test]
fn the_lang_filter_accepts_any_code_of_a_language() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let tags = ["iw", "he-IL", "in", "id", "ji", "yi", "eng", "en_GB", "enm"];
        let posts: Vec<Value> = (1..)
            .zip(tags)
            .map(|(id, tag)| json!({ "id": id.to_string(), "text": tag, "lang": tag, "created_at": hour(20) }))
            .collect();
        world.set_posts(&posts);
        run_once(&place, 24);
        for (wanted, texts) in [
            ("he", &["he-IL", "iw"][..]),
            ("IW", &["he-IL", "iw"]),
            ("iw-IL", &["he-IL"]),
            ("id", &["id", "in"]),
            ("yi", &["ji", "yi"]),
            ("en", &["en_GB", "eng"]),
            ("enm", &["enm"]),
        ] {
            let rows = place.ok(&["export", "--lang", wanted, "--format", "jsonl"]);
            let text = |row: &str| serde_json::from_str::<Value>(row).unwrap()["text"].as_str().unwrap().to_owned();
            let mut found: Vec<String> = rows.lines().map(text).collect();
            found.sort();
            assert_eq!(found, texts, "{}: {wanted}", place.database.name);
        }
    }
}

#[test]
fn items_older_than_the_window_are_not_new() {
    let world = ScriptedService::new();
    let place = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    world.set_posts(&[
        post(1, 20, "fresh", 5),
        json!({ "id": "2", "text": "stone age", "created_at": "2026-02-01T00:00:00Z" }),
        json!({ "text": "who knows when" }),
    ]);
    run_once(&place, 24);
    let new = place.json(&["items", "--new-since", "2026-03-11", "--json"]);
    assert_eq!((new["items"].as_array().unwrap().len(), &new["outside"]), (2, &json!(1)), "{new}");
    place.run(&["items"]).assert_stdout(0, &["(older) stone age", "(undated) who knows when"]);
    place
        .run(&["items", "--new-since", "2026-03-11"])
        .assert_stdout(0, &["1 first seen since then, but older than the window"]);
}

#[test]
fn once_counts_new_and_filtered_items_separately() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"hiring\"]"));
        let three = || vec![post(1, 20, "acme one", 5), post(2, 20, "acme is hiring", 5), post(3, 20, "acme three", 5)];
        world.set_posts(&three());
        let output = place.run(&["once", "--at", &hour(24)]);
        output.assert_stdout(0, &["filtered", "3 found = 2 new + 1 filtered + 0 duplicate"]);
        let four: Vec<Value> = three().into_iter().chain([post(4, 22, "hiring again", 5)]).collect();
        world.set_posts(&four);
        let sums = &place.json(&["once", "--at", &hour(25), "--json"])["sums"];
        // The counts of the ledger, followed by the filtered ones.
        assert_eq!(["found", "new", "filtered", "duplicate"].map(|name| sums[name].as_i64().unwrap()), [4, 1, 1, 3]);
        assert_eq!(place.database.number("SELECT sum(new) FROM v_search"), 4, "{}", place.database.name);
        place.run(&["once", "--at", &hour(26)]).assert_stdout(0, &["4 found = 0 new + 4 duplicate"]);
    }
}

#[test]
fn items_without_their_pruned_text_are_not_hidden_and_their_number_is_shown() {
    let retention = "[retention]\nprune = \"never\"\nraw = \"1d\"\nsightings = \"30d\"\nitems = \"30d\"\n\n";
    let of = |more: &str| format!("{retention}{}", topic("acme", more));
    let late = "2026-04-20T00:00:00Z";
    let mut output = Vec::new();
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &of("must = [\"acme\"]\nexclude = [\"spam\"]"));
        let two = || vec![post(1, 20, "acme one", 5), post(2, 20, "acme spam", 5)];
        world.set_posts(&two());
        run_once(&place, 24);
        let more = [post(3, 20, "acme three", 5), post(4, 20, "more acme spam", 5), post(5, 20, "nothing of it", 5)];
        world.set_posts(&two().into_iter().chain(more).collect::<Vec<_>>());
        run_once(&place, 25);
        let post = |id: &str, text: &str| json!({ "id": id, "text": text, "user": "z", "created_at": late });
        world.set_posts(&[post("6", "acme late"), post("7", "nothing late")]);
        place.ok(&["once", "--at", late]);

        let names = ["new", "baseline", "filtered", "unjudged"];
        let diff = || {
            let counts = place.json(&["diff", "acme", "--since", "2026-03-01", "--json"])["counts"].clone();
            names.map(|name| counts[name].as_u64().unwrap())
        };
        let tried = |more: &[&str]| {
            let output = place.json(&[&["topic", "filter", "test", "acme", "--json"], more].concat())["told"].clone();
            ["items", "hidden_now", "hidden_then", "would_hide", "would_show", "unjudged"]
                .map(|name| output[name].as_u64().unwrap())
        };
        let report = |name: &str| {
            let at = "2026-04-20T02:00:00Z";
            place.ok(&["report", "--date", "2026-03-11", "--at", at, "--out", name]);
            std::fs::read_to_string(place.path(name)).unwrap()
        };
        let sentence = "5 items whose text was pruned are counted regardless of the filter";
        assert_eq!((diff(), tried(&[])), ([2, 1, 4, 0], [7, 4, 4, 0, 0, 0]));
        assert!(report("a.md").contains("3 hidden by the topic's filter") && !report("a.html").contains("pruned are"));

        place.ok(&["db", "prune", "--at", "2026-04-20T01:00:00Z"]);
        // Pruned items are shown again; the later one, which is not pruned, stays hidden.
        assert_eq!((diff(), tried(&[])), ([4, 2, 1, 5], [7, 1, 1, 0, 0, 5]), "{}", place.database.name);
        assert_eq!(tried(&["--exclude", "late", "--exclude", "spam"]), [7, 1, 2, 1, 0, 5]);
        let page = report("a.md");
        assert!(page.contains("**5** items") && page.contains(&format!("{sentence}.")), "{page}");
        assert!(!page.contains("hidden by the topic's filter"), "{page}");
        assert!(report("a.html").contains(sentence));
        place.run(&["diff", "acme", "--since", "2026-03-01"]).assert_stdout(0, &["1 filtered", sentence]);
        place.run(&["topic", "filter", "test", "acme"]).assert_stdout(0, &["1 hidden now, 1 with", sentence]);
        assert_eq!([rows(&place, &["--filtered", "hide"]).0, rows(&place, &["--filtered", "only"]).0], [6, 1]);

        // Languages are stored, so a language filter still works.
        place.configure(&world.lines(), &of("lang = [\"en\"]"));
        place.ok(&["once", "--at", "2026-04-20T03:00:00Z"]);
        assert_eq!(diff(), [5, 2, 0, 0], "{}", place.database.name);
        output.push(page);
    }
    assert!(output.iter().all(|other| *other == output[0]));
}

#[test]
fn an_item_of_two_sources_counts_once_as_filtered() {
    for database in databases() {
        let world = ScriptedService::new();
        let both = topic("acme", "exclude = [\"hiring\"]").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &world.lines(), &both);
        let hiring = |id: u32| post(id, 20, "acme is hiring", 5);
        world.set_posts(&[hiring(1), hiring(2), post(3, 20, "acme three", 5)]);
        let page = |id: u32| json!({ "title": "acme is hiring", "snippet": "acme is hiring", "url": format!("https://x.com/a/status/{id}") });
        world.set_pages(&[page(1), page(2)]);
        run_once(&place, 24);
        assert_eq!(place.database.number("SELECT count(*) FROM v_sighting"), 5, "{}", place.database.name);
        let show = place.json(&["show", "acme", "--json"]);
        assert_eq!(
            (shown(&show["items"]), &show["filtered"]),
            (vec!["post:x:3"], &json!(2)),
            "{}",
            place.database.name
        );
        place.run(&["show", "acme"]).assert_stdout(0, &[", 2 filtered"]);
        assert_eq!(place.json(&["show", "acme", "--filtered", "only", "--json"])["filtered"], 2);
        let diff = place.json(&["diff", "acme", "--since", "2026-03-01", "--json"]);
        assert_eq!(diff["counts"]["filtered"], 2, "{diff}");
        place.run(&["items"]).assert_stdout(0, &["2 hidden by their topics' filters"]);
        // Items are not called hidden where they are listed.
        place.ok(&["items", "star", "post:x:1"]);
        for how in
            [&["--topic", "acme"][..], &["--search", "hiring"], &["--starred"], &["--topic", "acme", "--fold-noise"]]
        {
            for (mode, is_said) in [("hide", true), ("keep", false), ("only", false)] {
                let list = place.ok(&[&["items"], how, &["--filtered", mode]].concat());
                let said = list.contains(" skipped by ") || list.contains(" hidden by ");
                assert_eq!((said, list.contains("hiring")), (is_said, !is_said), "{how:?} {mode}: {list}");
                assert!(!list.contains("nothing found"), "{how:?} {mode}: {list}");
            }
        }
    }
}
