//! Providers besides the search service, from file to report, on both databases: the sandbox serves each kind, and raw
//! servers send what the sandbox never does.

use crate::support::daemons::sandbox_of_today;
use crate::support::databases::{databases, sqlite};
use crate::support::logged_sql::statements;
use crate::support::program::{NINE, Place};
use crate::support::replies::{ReplyServer, reply};
use crate::support::service::Sandbox;
use crate::support::stored::COST;
use crate::support::world::{ScriptedService, hour, post, run_once};

/// The section of a provider served by the sandbox, as if it were a third-party server.
fn provider(sandbox: &Sandbox, name: &str, kind: &str) -> String {
    let lines = sandbox.lines();
    let base = lines.lines().next().unwrap().trim_start_matches("base_url = ").trim_matches('"').to_owned();
    let more = match kind {
        "feeds" => "allow_private = true\n",
        "bluesky" => "user = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n",
        _ => "",
    };
    format!(
        "[providers.{name}]\nkind = \"{kind}\"\nbase_url = \"{base}/{kind}\"\nrate_limit = \"unlimited\"\nmax_tries = 1\n{more}\n"
    )
}

fn searches(place: &Place) -> Vec<String> {
    let sql = "SELECT source || ' ' || operation || ' ' || state || ' ' || found || ' ' || tries FROM v_search ORDER BY seq, source";
    place.database.texts(sql)
}

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"6h\"\n";

#[test]
fn every_provider_kind_is_searched_stored_once_and_shown_by_every_command() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let providers: String = [("hn", "hackernews"), ("news", "feeds"), ("sx", "searxng"), ("bsky", "bluesky")]
            .iter()
            .map(|(name, kind)| provider(&sandbox, name, kind))
            .collect();
        let file = format!("{providers}{TOPIC}news.urls = [\"acme.rss\", \"acme.atom\", \"acme.json\"]\n");
        let place = Place::without_service(database, &file);
        let run = |args: &[&str]| place.program(args).env("BSKY_PASSWORD", "app-password-0123").run();
        run(&["once", "--at", NINE]).assert_stderr(0, &[]);
        let first = searches(&place);
        assert_eq!(first.len(), 4, "{first:?}");
        assert!(first.iter().all(|search| search.contains(" ok ")), "{first:?}");
        let new = place.database.number("SELECT sum(new) FROM v_run");
        assert_eq!(new, place.database.items());
        // Posts have a tone and an identity of their own platform; pages are identified by their URL.
        for prefix in ["post:hackernews:", "post:bluesky:", "page:"] {
            let sql = format!("SELECT count(*) FROM v_item WHERE key LIKE '{prefix}%'");
            assert!(place.database.number(&sql) > 0, "{prefix}");
        }
        sandbox.set_clock("2026-03-11T09:05:00Z");
        run(&["once", "--at", "2026-03-11T09:05:00Z"]).assert_stderr(0, &[]);
        assert_eq!(place.database.items(), place.database.items_of("acme"));
        let covered = place.json(&["coverage", "--json", "--at", "2026-03-11T09:05:00Z"]);
        let of = |source: &str| {
            covered["topics"][0]["sources"].as_array().unwrap().iter().find(|one| one["source"] == source).cloned()
        };
        for source in ["hn", "bsky", "news"] {
            let one = of(source).unwrap();
            assert_eq!(one["holes"], serde_json::json!([]), "{one}");
            assert!(one["covered_ms"].as_i64().unwrap() > 0, "{one}");
        }
        assert!(of("sx").unwrap().get("checks").is_some());
        let csv = place.ok(&["export", "--what", "searches"]);
        let header = csv.lines().next().unwrap();
        assert!(header.contains(",provider"), "{header}");
        for source in ["hn", "news", "sx", "bsky"] {
            assert!(csv.lines().any(|line| line.contains(&format!(",{source},")) && line.contains(source)), "{csv}");
            assert!(!place.ok(&["export", "--source", source]).is_empty());
        }
        place.run(&["export", "--source", "hm"]).assert_stderr(2, &["no source `hm`", "did you mean `hn`?"]);
        // No secret in anything stored.
        for text in place.database.texts("SELECT request || headers FROM raw_reply") {
            assert!(!text.contains("app-password-0123") && !text.contains("accessJwt"), "{text}");
        }
        // A replay reads the stored replies unchanged.
        let replayed = place.json(&["replay", "--json", "--since", "2026-03-01", "--dry-run"]);
        assert_eq!(
            (replayed["changed_runs"].as_i64(), replayed["unreadable"].as_i64()),
            (Some(0), Some(0)),
            "{replayed}"
        );
    }
}

#[test]
fn a_second_search_service_finds_the_same_posts_in_both_dialects() {
    for (database, dialect) in databases().into_iter().flat_map(|one| ["desearch", "spec"].map(|name| (one.name, name)))
    {
        let database = databases().into_iter().find(|one| one.name == database).unwrap();
        let sandbox = Sandbox::at(NINE, &[]);
        let second = |name: &str, kind: &str| {
            format!("[providers.{name}]\nkind = \"{dialect}{kind}\"\nkey_env = \"SECOND_KEY\"\n{}\n", sandbox.lines())
        };
        let providers = second("posts", "") + &second("pages", "-web") + &second("answer", "-ai");
        let service = format!("[service]\ndialect = \"{dialect}\"\n{}\n", sandbox.lines());
        let place =
            Place::without_service(database, &format!("{service}{providers}{TOPIC}sources = [\"social\", \"web\"]\n"));
        let run = |args: &[&str]| place.program(args).env("SECOND_KEY", "a-key-of-the-second").run();
        run(&["once", "--at", NINE]).assert_stderr(0, &[]);
        // The items that `[service]` found are known when the second service is searched.
        let both = format!("{service}{providers}{TOPIC}sources = [\"posts\", \"pages\", \"answer\"]\n");
        let head = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        let head = &head[..head.find("[service]").unwrap()];
        std::fs::write(place.path("jobs.toml"), format!("{head}{both}")).unwrap();
        run(&["once", "--at", NINE]).assert_stderr(0, &[]);
        let all = searches(&place);
        let found = |source: &str| {
            let line = all.iter().find(|line| line.starts_with(&format!("{source} "))).unwrap();
            assert!(line.contains(" ok "), "{line}");
            line.split(' ').nth(3).unwrap().parse::<i64>().unwrap()
        };
        assert!(found("posts") > 0 && found("pages") > 0, "{all:?}");
        let sql = "SELECT count(DISTINCT key) FROM v_sighting WHERE source = 'posts' AND key IN \
                   (SELECT key FROM v_sighting WHERE source = 'social')";
        let shared = place.database.number(sql);
        assert!(shared > 0, "the same posts have the same keys: {shared}");
        assert_eq!(place.database.number("SELECT count(*) FROM v_answer"), 1);
        let covered = "SELECT count(*) FROM v_search WHERE source = 'posts' AND covered_from IS NOT NULL";
        assert_eq!(place.database.number(covered), 1);
        assert_eq!(
            place.database.number("SELECT count(*) FROM v_item WHERE key LIKE 'post:%' AND key NOT LIKE 'post:x:%'"),
            0
        );
        for text in place.database.texts("SELECT request || headers FROM raw_reply") {
            assert!(!text.contains("a-key-of-the-second"), "{text}");
        }
        let replayed = place.json(&["replay", "--json", "--since", "2026-03-01", "--dry-run"]);
        let (changed, unreadable) = (replayed["changed_runs"].as_i64(), replayed["unreadable"].as_i64());
        assert_eq!((changed, unreadable), (Some(0), Some(0)), "{replayed}");
        // Without its key nothing is sent, and the hint says where the key belongs.
        let keyless = both.replace("key_env = \"SECOND_KEY\"\n", "");
        std::fs::write(place.path("jobs.toml"), format!("{head}{keyless}")).unwrap();
        place.run(&["once", "--at", NINE]).assert_stderr(2, &["has no `key_env`", "hint: set key_env"]);
    }
}

/// A topic whose posts are searched in the service and in a second one.
fn two_services(database: crate::support::databases::Database) -> (ScriptedService, ScriptedService, Place) {
    let (first, second) = (ScriptedService::new(), ScriptedService::new());
    let provider =
        format!("[providers.second]\nkind = \"spec\"\nkey_env = \"TOPICWATCH_API_KEY\"\n{}\n", second.lines());
    let place = Place::new(database, &first.lines(), &format!("{provider}{TOPIC}sources = [\"social\", \"second\"]\n"));
    (first, second, place)
}

/// A post has as many wordings as sources, and these answer in turn.
#[test]
fn two_services_with_different_texts_of_a_post_make_no_edit() {
    for database in databases() {
        let name = database.name;
        let (first, second, place) = two_services(database);
        let step = |at: u32, of_first: &[&str], of_second: &[(u32, &str)]| {
            first.set_posts(&of_first.iter().map(|text| post(1, 8, text, 1)).collect::<Vec<_>>());
            second.set_posts(&of_second.iter().map(|(id, text)| post(*id, 8, text, 1)).collect::<Vec<_>>());
            run_once(&place, at);
            let diff = place.json(&["diff", "acme", "--since", &hour(0), "--json"]);
            diff["edited"].as_array().unwrap().len()
        };
        let (ours, theirs) = ("acme: profits &amp; sales are up", "acme: profits & sales are up");
        assert_eq!(step(9, &[ours], &[(1, theirs), (2, "acme opens a shop")]), 0, "{name}");
        for (at, of_first, of_second) in [(10, &[][..], theirs), (11, &[ours][..], theirs), (12, &[][..], theirs)] {
            assert_eq!(step(at, of_first, &[(1, of_second)]), 0, "{name} {at}");
        }
        // An edit by the first service, and one of a post that only the second has.
        let edited = step(13, &["acme: profits are down"], &[(1, theirs), (2, "acme closes a shop")]);
        assert_eq!(edited, 2, "{name}");
    }
}

/// The words of the first service came after the span.
#[test]
fn an_edit_shows_the_text_of_its_span_despite_a_later_text_of_another_service() {
    for database in databases() {
        let name = database.name;
        let (first, second, place) = two_services(database);
        for (at, words) in [(9, "acme opens a shop"), (10, "acme closes a shop"), (11, "acme closes a shop")] {
            second.set_posts(&[post(1, 8, words, 1)]);
            if at == 11 {
                first.set_posts(&[post(1, 8, "acme shop", 1)]);
            }
            run_once(&place, at);
        }
        let span = ["--since", "2026-03-11T09:30:00Z", "--until", "2026-03-11T10:30:00Z"];
        let changes = ["export", "--what", "changes", "--topic", "acme", "--format", "jsonl"];
        let told: serde_json::Value = serde_json::from_str(place.ok(&[&changes[..], &span].concat()).trim()).unwrap();
        assert_eq!(told["text"], "acme closes a shop", "{name}: {told}");
        assert_eq!(told["old_text"], "acme opens a shop", "{name}: {told}");
    }
}

/// A web search shows a snippet of a post. Its text, found later, is not a new wording.
#[test]
fn the_full_text_after_a_web_snippet_of_a_post_is_not_an_edit() {
    for database in databases() {
        let (name, world) = (database.name, ScriptedService::new());
        let place = Place::new(database, &world.lines(), &format!("{TOPIC}sources = [\"social\", \"web\"]\n"));
        let url = "https://x.com/a/status/1";
        world.set_pages(&[serde_json::json!({ "title": "Ann on X", "url": url, "snippet": "acme opens a …" })]);
        run_once(&place, 9);
        for (at, text, edits) in [(10, "acme opens a shop", 0), (11, "acme closes a shop", 1)] {
            world.set_posts(&[post(1, 8, text, 1)]);
            run_once(&place, at);
            let diff = place.json(&["diff", "acme", "--since", &hour(0), "--json"]);
            assert_eq!(diff["edited"].as_array().unwrap().len(), edits, "{name} {at}: {diff}");
            assert_eq!(place.json(&["items", "--json"])["items"][0]["text"], text, "{name} {at}");
        }
    }
}

#[test]
fn a_report_shows_items_per_source_and_their_overlap() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let providers = provider(&sandbox, "hn", "hackernews") + &provider(&sandbox, "news", "feeds");
        let other = "[[topics]]\nid = \"rival\"\nquery = \"rival\"\nnews.urls = [\"rival.rss\"]\n";
        let file = format!("{providers}{TOPIC}news.urls = [\"acme.rss\"]\n\n{other}");
        let place = Place::without_service(database, &file);
        place.ok(&["once", "--at", NINE]);
        place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-11T10:00:00Z", "--out", "report.md"]);
        let page = std::fs::read_to_string(place.path("report.md")).unwrap();
        for source in ["hn", "news"] {
            let sql = format!(
                "SELECT count(DISTINCT s.key) FROM v_sighting s JOIN v_item i ON i.key = s.key AND i.topic = s.topic \
                 WHERE s.topic = 'acme' AND s.source = '{source}' \
                 AND coalesce(CASE WHEN i.published_at < i.first_seen THEN i.published_at END, i.first_seen) >= '2026-03-11T00:00:00.000Z'"
            );
            let items = place.database.number(&sql);
            assert!(items > 0 && page.contains(&format!("| {source} | {items} | ")), "{items} of {source}: {page}");
        }
        assert!(page.contains("found by more than one source."), "{page}");
        assert!(page.contains("acme, by source: hn "), "{page}");
        place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-11T10:00:00Z", "--out", "report.html"]);
        let page = std::fs::read_to_string(place.path("report.html")).unwrap();
        assert!(page.contains("Only this source") && page.contains("By source"), "{page}");
        // For all but one run of the day, only first and last sightings are then known.
        for at in ["2026-03-11T09:10:00Z", "2026-03-11T09:20:00Z"] {
            place.ok(&["once", "--at", at]);
        }
        place.ok(&["db", "prune", "--at", "2026-08-01T00:00:00Z"]);
        assert!(place.database.number("SELECT count(*) FROM v_run WHERE topic = 'acme' AND thinned = 1") > 0);
        for (name, unknown) in [("report.md", " | – |\n"), ("report.html", "<td class=\"n\">–</td></tr>")] {
            let about = ["report", "--date", "2026-03-11", "--at", "2026-03-11T10:00:00Z", "--log-format", "json"];
            let program = place.program(&[&about[..], &["--out", name]].concat());
            let ended = program.env("RUST_LOG", "sqlx::query=debug").run();
            assert_eq!(ended.code, Some(0), "{ended}");
            // Only runs since then are read. Which index PostgreSQL takes depends on its statistics.
            let thinned = statements(&ended.err).find(|sql| sql.starts_with("SELECT max(coalesce(started_at"));
            let plan = place.database.query_plan(&thinned.unwrap());
            let is_bounded = plan.iter().any(|line| line.contains("(topic=? AND <expr>>?"));
            assert!(place.database.name != "SQLite" || is_bounded, "{plan:?}");
            let page = std::fs::read_to_string(place.path(name)).unwrap();
            assert!(page.contains("Some runs were pruned since: a source may have found more of these"), "{page}");
            let (_, listed) = page.split_once("Found by").unwrap();
            let listed = listed.split(if name == "report.md" { "\n##" } else { "</section>" }).next().unwrap();
            assert_eq!((listed.matches(unknown).count(), listed.matches("≥\u{a0}").count()), (2, 4), "{listed}");
        }
    }
}

/// A topic without providers counts where it is compared with one that has some; its own section lists no sources. Only
/// what both can have found is compared.
#[test]
fn shares_by_source_count_topics_without_providers() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let one =
            |id: &str, sources: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nsources = [{sources}]\n");
        let all = one("acme", "\"social\", \"hn\"") + &one("globex", "\"social\"") + &one("initech", "\"hn\"");
        let service = format!("[service]\n{}\n", sandbox.lines());
        let place =
            Place::without_service(database, &format!("{service}{}{all}", provider(&sandbox, "hn", "hackernews")));
        place.ok(&["once", "--at", NINE]);
        let report = |topics: &[&str]| {
            let about = ["report", "--date", "2026-03-11", "--at", "2026-03-11T10:00:00Z", "--out", "report.md"];
            place.ok(&[&about[..], topics].concat());
            std::fs::read_to_string(place.path("report.md")).unwrap()
        };
        let page = report(&["--topic", "acme", "--topic", "globex"]);
        assert!(
            page.contains("Only items found by social count: no other source was searched for every topic"),
            "{page}"
        );
        // The items and the unique ones that the table counts.
        let reported = |id: &str| {
            let row = page.lines().find(|line| line.starts_with(&format!("| {id} |"))).unwrap();
            [2, 3].map(|at| {
                let count = row.split('|').nth(at).unwrap().split('(').nth(1).unwrap();
                count.chars().filter(char::is_ascii_digit).collect::<String>().parse::<i64>().unwrap()
            })
        };
        for id in ["acme", "globex"] {
            let found = |what: &str, sources: &str| {
                place.database.number(&format!(
                    "SELECT count(DISTINCT {what}) FROM v_sighting s JOIN v_item i ON i.key = s.key AND i.topic = s.topic \
                     WHERE s.topic = '{id}' AND s.source IN ({sources}) AND \
                     coalesce(CASE WHEN i.published_at < i.first_seen THEN i.published_at END, i.first_seen) >= '2026-03-11T00:00:00.000Z'"
                ))
            };
            let by_social = [found("i.key", "'social'"), found("coalesce(i.cluster, i.key)", "'social'")];
            assert_eq!(reported(id), by_social, "{id}: {page}");
            assert!(
                id == "globex" || by_social[0] < found("i.key", "'social', 'hn'"),
                "{id} has more in total: {page}"
            );
        }
        let alone = report(&["--topic", "globex", "--topic", "initech"]);
        assert!(alone.contains("No shares: the topics have no source in common"), "{alone}");
        assert!(!alone.contains("| topic | items | unique | authors |"), "{alone}");
        let share = |id: &str| {
            let reported =
                page.split(&format!("\n{id}, by source: ")).nth(1).unwrap_or_else(|| panic!("no {id}: {page}"));
            let reported = reported.split("social ").nth(1).unwrap().split('%').next().unwrap();
            reported.trim_start_matches(|sign: char| !sign.is_ascii_digit()).parse::<u32>().unwrap()
        };
        let (acme, globex) = (share("acme"), share("globex"));
        assert!(acme > 0 && globex > 0 && acme.abs_diff(100 - globex) <= 1, "{acme} {globex}: {page}");
        assert_eq!(page.matches("### Found by").count(), 1, "{page}");
        // For all but one run of the day, only first and last sightings are known.
        let note = "Some runs were pruned since: items that these sources did not find first or last may be missing.";
        for at in ["2026-03-11T09:10:00Z", "2026-03-11T09:20:00Z"] {
            place.ok(&["once", "--at", at]);
        }
        assert!(!report(&["--topic", "acme", "--topic", "globex"]).contains(note));
        place.ok(&["db", "prune", "--at", "2026-08-01T00:00:00Z"]);
        assert!(place.database.number("SELECT count(*) FROM v_run WHERE thinned = 1") > 0);
        let page = report(&["--topic", "acme", "--topic", "globex"]);
        assert!(page.contains(note), "{page}");
    }
}

#[test]
fn a_key_that_one_provider_refuses_stops_no_other() {
    let sandbox = Sandbox::at(NINE, &["source=bluesky,path=/bluesky/xrpc/com.atproto.server,status=401"]);
    let providers = provider(&sandbox, "bsky", "bluesky") + &provider(&sandbox, "hn", "hackernews");
    let place = Place::without_service(sqlite(), &format!("{providers}{TOPIC}"));
    let run = || place.program(&["once", "--at", NINE]).env("BSKY_PASSWORD", "wrong").run();
    run().assert_stdout(3, &["bsky", "key_refused"]);
    let states = "SELECT source || ' ' || state || ' ' || coalesce(error_class, '-') FROM v_search ORDER BY source";
    assert_eq!(place.database.texts(states), ["bsky error key_refused", "hn ok -"]);
    assert_eq!(place.database.texts("SELECT state FROM v_run"), ["partial"]);
}

/// Without a login, a refusal concerns one call; a wait concerns all. The server is asked for its engines before the search
/// itself.
#[test]
fn a_provider_is_not_called_after_its_retry_after() {
    for (status, headers, calls) in [(429, &[("retry-after", "3600")][..], 1), (403, &[], 2)] {
        let server = ReplyServer::start(vec![reply(status, headers, "no")]);
        let file = format!(
            "[providers.searx]\nkind = \"searxng\"\nbase_url = \"{}\"\nmax_tries = 1\nrate_limit = \"unlimited\"\n\n{TOPIC}",
            server.url()
        );
        let place = Place::without_service(sqlite(), &file);
        place.run(&["once", "--at", NINE]).assert_stderr(3, &[]);
        assert_eq!(searches(&place), [format!("searx searxng error 0 {calls}")]);
        assert_eq!(server.heads().len(), calls, "{status}");
    }
}

#[test]
fn each_provider_has_its_own_daily_call_limit() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let limited =
            provider(&sandbox, "hn", "hackernews").replace("max_tries = 1", "max_tries = 1\nmax_calls_per_day = 1");
        let providers = limited + &provider(&sandbox, "sx", "searxng");
        let place = Place::without_service(database, &format!("{providers}{TOPIC}sx.time_range = \"any\"\n"));
        place.ok(&["once", "--at", NINE]);
        place.run(&["once", "--at", "2026-03-11T09:10:00Z"]).assert_stdout(3, &["[providers.hn] max_calls_per_day"]);
        let made = "SELECT provider || ' ' || made FROM calls ORDER BY provider";
        assert_eq!(place.database.texts(made), ["hn 1", "sx 2"]);
        let states = "SELECT state FROM v_search WHERE source = 'hn' ORDER BY seq";
        assert_eq!(place.database.texts(states), ["ok", "over_quota"]);
        place
            .run(&["status", "--at", "2026-03-11T09:20:00Z"])
            .assert_stdout(0, &["hn: 1 of 1 calls today (UTC), $0.000", "sx: 2 of 10000 calls today (UTC)"]);
        let status = place.json(&["status", "--json", "--at", "2026-03-11T09:20:00Z"]);
        assert_eq!(status["providers"][0]["calls_today"], 1, "{status}");
        // Four slots a day; one of them is allowed.
        place
            .run(&["plan", "--at", "2026-03-11T09:20:00Z"])
            .assert_stdout(0, &["raise [providers.hn] max_calls_per_day"]);
    }
}

#[test]
fn a_plan_counts_the_maximum_calls_of_long_searches() {
    let file = |limits: &str| {
        format!(
            "[providers.hn]\nkind = \"hackernews\"\nprice.call = 0.01\n\n\
             [providers.bsky]\nkind = \"bluesky\"\nuser = \"ann.example\"\nkey_env = \"PASSWORD\"\n{limits}\n\
             {TOPIC}hn.limit = 4001\nbsky.limit = 150\n\n\
             [[topics]]\nid = \"short\"\nquery = \"acme\"\nevery = \"6h\"\nhn.limit = 1000\nbsky.limit = 100\n"
        )
    };
    let place = Place::without_service(sqlite(), &file("max_calls_per_day = 11\n"));
    let run = |args: &[&str]| place.program(args).env("PASSWORD", "app-password-0123").run();
    let plan: serde_json::Value =
        serde_json::from_str(&run(&["plan", "--json", "--days", "1", "--at", NINE]).out).unwrap();
    let calls = |n: usize| (plan["topics"][n]["calls"]["providers"].clone(), plan["topics"][n]["upper_bound"].clone());
    // Five and two calls, or one of each.
    assert_eq!(calls(0), ((4 * 7).into(), true.into()), "{plan}");
    assert_eq!(calls(1), ((4 * 2).into(), false.into()), "{plan}");
    assert_eq!(plan["without_retries"]["per_day_usd"], 0.24, "{plan}");
    // Three tries of each call; a login that has expired may cost bsky one more.
    assert_eq!(plan["at_most"]["per_day_usd"], 0.72, "{plan}");
    assert_eq!(plan["tries"]["providers"], 24 * 3 + 12 * 4, "{plan}");
    let quota = &plan["providers"].as_array().unwrap().iter().find(|one| one["provider"] == "bsky").unwrap();
    assert_eq!((&quota["fullest_day_calls"], &quota["upper_bound"]), (&12.into(), &true.into()), "{plan}");
    let shown = run(&["plan", "--days", "1", "--at", NINE]).out;
    let row = |id: &str| shown.lines().find(|line| line.starts_with(id)).unwrap_or_default().to_owned();
    let rows: Vec<String> =
        shown.lines().filter(|line| line.ends_with("28") || line.ends_with(" 8")).map(str::to_owned).collect();
    assert_eq!(rows.len(), 2, "{shown}");
    assert!(rows[0].contains("≤$0.200") && rows[0].ends_with("≤28") && !rows[1].contains('≤'), "{shown}");
    assert!(row("no retries").contains("≤$0.240") && row("no retries").ends_with("≤36"), "{shown}");
    assert!(row("at most").contains("≤$0.720") && row("at most").ends_with("≤120"), "{shown}");
    assert!(row("calls per day").ends_with(" calls") && !row("calls per day").contains("social"), "{shown}");
    for part in [
        "≤ if every search needs all its calls; one that finds little, or knows its SearXNG's /config, needs fewer",
        "the 11 calls of the day for bsky may be used up from 18:00 UTC; at most 12 are planned",
    ] {
        let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(part), "`{part}` is not in\n{shown}");
    }
}

#[test]
fn a_plan_counts_every_feed_and_a_budget_alert_covers_providers() {
    let sandbox = Sandbox::at(NINE, &[]);
    let limited = provider(&sandbox, "news", "feeds").replace("max_tries = 1", "max_tries = 1\nmax_calls_per_day = 4");
    let alert = "[[channels]]\nname = \"team\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\n\n[[alerts]]\nname = \"money\"\nrule = \"budget\"\npercent = 70\nchannels = [\"team\"]\n";
    let topic = format!("{TOPIC}news.urls = [\"acme.rss\", \"acme.atom\", \"acme.json\"]\n");
    let place = Place::without_service(sqlite(), &format!("{limited}{topic}\n{alert}"));
    let plan = place.json(&["plan", "--json", "--at", NINE]);
    assert_eq!(plan["calls"]["providers"], 7 * 4 * 3, "{plan}");
    assert_eq!(plan["providers"][0]["provider"], "news", "{plan}");
    for at in [NINE, "2026-03-11T12:00:00Z", "2026-03-11T12:01:00Z"] {
        sandbox.set_clock(at);
        place.program(&["once", "--due", "--at", at]).env("HOOK_URL", "http://127.0.0.1:9/hook").run();
    }
    let reported = place.database.texts("SELECT subject FROM alert_firing");
    assert_eq!(reported, ["news/2026-03-11"]);
}

#[test]
fn a_feed_is_fetched_conditionally_and_not_before_its_cache_time_ends() {
    let entry = |n: u32| {
        format!(
            "<item><guid>g{n}</guid><title>Entry {n}</title><link>https://a.example/{n}</link><pubDate>Wed, 11 Mar 2026 {:02}:{:02}:00 GMT</pubDate></item>",
            n / 10,
            n % 10 * 6
        )
    };
    let feed = |ns: &[u32]| {
        let items: String = ns.iter().map(|n| entry(*n)).collect();
        format!("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>")
    };
    let server = ReplyServer::start(vec![
        reply(200, &[("ETag", "\"one\""), ("Content-Type", "application/rss+xml")], &feed(&[30, 20, 10])),
        reply(304, &[("ETag", "\"one\"")], ""),
        reply(200, &[("ETag", "\"two\""), ("Cache-Control", "max-age=3600")], &feed(&[80, 30, 20])),
        reply(200, &[("ETag", "\"three\"")], &feed(&[102, 101])),
    ]);
    let file = format!(
        "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nrate_limit = \"unlimited\"\n\n{TOPIC}news.urls = [\"{}/feed\"]\n",
        server.url()
    );
    let place = Place::without_service(sqlite(), &file);
    let at = |minute: u32| format!("2026-03-11T09:{minute:02}:00Z");
    let found =
        || place.database.texts("SELECT state || ' ' || found || ' ' || new FROM v_search ORDER BY seq").pop().unwrap();
    place.ok(&["once", "--at", &at(0)]);
    assert_eq!(found(), "ok 3 3");
    place.ok(&["once", "--at", &at(1)]);
    assert_eq!(found(), "empty 0 0");
    assert!(server.heads()[1].to_ascii_lowercase().contains("if-none-match: \"one\""), "{:?}", server.heads());
    place.ok(&["once", "--at", &at(2)]);
    assert_eq!(found(), "ok 3 1", "an entry with an older date is new");
    // For an hour it is not requested.
    place.ok(&["once", "--at", &at(40)]);
    assert_eq!(found(), "not_run 0 0");
    assert_eq!(server.heads().len(), 3);
    // None of the newest three is still there: others may have come and gone.
    place.ok(&["once", "--at", "2026-03-11T10:30:00Z"]);
    assert_eq!(found(), "ok 2 2");
    let covered = place.json(&["coverage", "--json", "--at", "2026-03-11T10:31:00Z"]);
    let source = &covered["topics"][0]["sources"][0];
    assert_eq!(source["holes"].as_array().unwrap().len(), 1, "{source}");
}

#[test]
fn a_search_that_the_limit_ends_early_shows_what_it_found() {
    let feed = "<rss version=\"2.0\"><channel><title>t</title><item><guid>1</guid><title>Acme flies</title>\
                <pubDate>Wed, 11 Mar 2026 08:30:00 GMT</pubDate></item></channel></rss>";
    for database in databases() {
        let server = ReplyServer::answering(move |_, _| reply(200, &[], feed));
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_calls_per_day = 1\n\n{TOPIC}news.urls = [\"{0}/one\", \"{0}/two\"]\n",
            server.url()
        );
        let place = Place::without_service(database, &file);
        let ended = place.run(&["once", "--at", NINE]);
        ended.assert_stdout(3, &["over_quota", "≥1 found = ≥1 new"]);
        let row = ended.out.lines().find(|line| line.starts_with("acme ")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>()[2..5], ["over_quota", "1", "1"], "{}", ended.out);
        let listed = place.ok(&["runs"]);
        let row = listed.lines().find(|line| line.starts_with("acme ")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>()[2..5], ["over_quota", "≥1", "≥1"], "{listed}");
    }
}

#[test]
fn bad_feeds_are_named_and_the_good_ones_are_kept() {
    let good = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><entry><id>urn:1</id><title>AT&amp;amp;T &amp;lt;3</title>\
                <link href=\"/x\"/><updated>0001-01-01T00:00:00Z</updated></entry></feed>";
    let entities = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><rss version=\"2.0\"><channel><title>&b;</title></channel></rss>";
    let idless: String = (0..10_000).map(|n| format!("<item><description>d{n}</description></item>")).collect();
    let many = format!("<rss version=\"2.0\"><channel>{idless}</channel></rss>");
    let author =
        "<rss version=\"2.0\"><channel><item><title>x</title><author>a@b.com (</author></item></channel></rss>";
    for (name, status, body, error) in [
        ("html", 200, "<!doctype html><html><head></head></html>", "an HTML page instead of a feed"),
        ("zip", 200, "PK\u{3}\u{4}rest", "an archive instead of a feed"),
        ("empty", 200, "", "is empty"),
        ("gone", 404, "no", "404"),
        ("shut", 403, "no", "403"),
        ("json", 200, "{\"results\": []}", "it cannot be read as a feed"),
    ] {
        let server = ReplyServer::answering(move |_, path| match path {
            "/good" => reply(200, &[], good),
            _ => reply(status, &[], body),
        });
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nmax_concurrent = 1\nrate_limit = \"unlimited\"\n\n{TOPIC}news.urls = [\"{0}/good\", \"{0}/{name}\"]\n",
            server.url()
        );
        let place = Place::without_service(sqlite(), &file);
        place.run(&["once", "--at", NINE]).assert_stdout(3, &["1 of 2 feeds failed", error]);
        assert_eq!(place.database.texts("SELECT state FROM v_run"), ["partial"], "{name}");
        let item = "SELECT title || ' ' || coalesce(published_at, '-') FROM v_item";
        assert_eq!(place.database.texts(item), ["AT&T <3 -"], "{name}");
    }
    for (body, found) in [(entities, 0), (many.as_str(), 10_000), (author, 1)] {
        let server = ReplyServer::start(vec![reply(200, &[], body)]);
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\n\n{TOPIC}news.urls = [\"{}/feed\"]\n",
            server.url()
        );
        let place = Place::without_service(sqlite(), &file);
        let ended = place.run(&["once", "--at", NINE]);
        assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
        assert_eq!(place.database.items(), found, "{ended}");
    }
}

#[test]
fn a_redirect_into_a_private_network_is_refused() {
    let server = ReplyServer::start(vec![reply(302, &[("Location", "http://169.254.169.254/latest")], "")]);
    let url = server.url();
    let file = format!("[providers.news]\nkind = \"feeds\"\nmax_tries = 1\n\n{TOPIC}news.urls = [\"{url}/feed\"]\n");
    let place = Place::without_service(sqlite(), &file);
    place.run(&["once", "--at", NINE]).assert_stdout(3, &["private network", "providers.news.allow_private"]);
    assert!(server.heads().is_empty());
    // Below the provider's own URL the owner decides; a redirect is not the owner's choice.
    let file = format!(
        "[providers.news]\nkind = \"feeds\"\nbase_url = \"{url}\"\nmax_tries = 1\n\n{TOPIC}news.urls = [\"feed\"]\n"
    );
    let place = Place::without_service(sqlite(), &file);
    place.run(&["once", "--at", NINE]).assert_stdout(3, &["private network"]);
}

#[test]
fn searxng_without_engines_is_an_error_and_without_json_has_a_hint() {
    let silent = "{\"query\":\"a\",\"results\":[],\"unresponsive_engines\":[[\"google\",\"timeout\"],[\"bing\",\"access denied\"]]}";
    let part = "{\"results\":[{\"url\":\"https://a.example/1\",\"title\":\"A\",\"content\":\"b\",\"publishedDate\":\"2026-03-11T08:00:00\"}],\
                \"unresponsive_engines\":[[\"bing\",\"CAPTCHA\"]]}";
    let nothing = "{\"results\":[],\"unresponsive_engines\":[]}";
    for (status, body, code, state, said) in [
        (200, silent, 3, "error", "bing (access denied), google (timeout) did not answer"),
        (200, part, 3, "ok", "bing (CAPTCHA) did not answer"),
        (200, nothing, 0, "empty", ""),
        (403, "<html>Forbidden</html>", 3, "error", "search.formats"),
        (200, "<html>results</html>", 3, "error", "search.formats"),
        (200, "{\"hits\":[]}", 3, "error", "no list `results`"),
    ] {
        let server = ReplyServer::start(vec![reply(status, &[], body)]);
        let file = format!(
            "[providers.sx]\nkind = \"searxng\"\nbase_url = \"{}\"\nmax_tries = 1\n\n{TOPIC}sx.time_range = \"any\"\n",
            server.url()
        );
        let place = Place::without_service(sqlite(), &file);
        place.run(&["once", "--at", NINE]).assert_stdout(code, &[said]);
        assert_eq!(place.database.texts("SELECT state FROM v_search"), [state], "{body}");
    }
}

#[test]
fn hacker_news_is_read_in_slices_and_a_cut_reply_covers_less() {
    let hit = |n: i64| {
        format!(
            "{{\"objectID\":\"{n}\",\"created_at_i\":{},\"author\":\"a\",\"comment_text\":\"c &amp; {n}\"}}",
            1_773_219_000 - n * 60
        )
    };
    let page = |from: i64, to: i64| {
        let hits: Vec<String> = (from..to).map(hit).collect();
        format!("{{\"hits\":[{}],\"nbHits\":{},\"exhaustiveNbHits\":true}}", hits.join(","), 1_200 - from)
    };
    let server = ReplyServer::start(vec![reply(200, &[], &page(0, 1_000)), reply(200, &[], &page(999, 1_200))]);
    let file = |limit: u32| {
        format!(
            "[providers.hn]\nkind = \"hackernews\"\nbase_url = \"{}\"\nmax_tries = 1\n\n{TOPIC}hn.limit = {limit}\n",
            server.url()
        )
    };
    let place = Place::without_service(sqlite(), &file(2_000));
    place.ok(&["once", "--at", NINE]);
    assert_eq!(searches(&place), ["hn hackernews ok 1200 2"]);
    assert!(server.heads()[1].contains("created_at_i%3C%3D"), "{:?}", server.heads());
    let cut = ReplyServer::start(vec![reply(200, &[], &page(0, 1_000))]);
    let place = Place::without_service(sqlite(), &file(1_000).replace(&server.url(), &cut.url()));
    place.ok(&["once", "--at", NINE]);
    let sql = "SELECT saturated || ' ' || (covered_from > asked_from) FROM v_search";
    assert_eq!(place.database.texts(sql), ["1 1"]);
}

#[test]
fn contradictory_provider_settings_are_refused_with_a_hint() {
    for (section, topic, said) in [
        ("[providers.hn]\nkind = \"hackernew\"\n", "", "did you mean"),
        ("[providers.hn]\n", "", "has no `kind`"),
        ("[providers.social]\nkind = \"hackernews\"\n", "", "is a reserved name"),
        ("[providers.query]\nkind = \"hackernews\"\n", "", "is a reserved name"),
        ("[providers.Hn]\nkind = \"hackernews\"\n", "", "is not a valid name"),
        ("[providers.hn]\nkind = \"hackernews\"\nkey_env = \"X\"\n", "", "does not use one"),
        ("[providers.sx]\nkind = \"searxng\"\n", "", "has no `base_url`"),
        ("[providers.two]\nkind = \"spec\"\nkey_env = \"KEY\"\n", "", "has no `base_url`"),
        ("[providers.hn]\nkind = \"hackernews\"\n", "hn.urls = [\"https://a.example\"]\n", "has no key `hn.urls`"),
        ("[providers.hn]\nkind = \"hackernews\"\n", "sources = [\"hm\"]\n", "did you mean `hn`?"),
        ("[providers.hn]\nkind = \"hackernews\"\n", "sources = [\"social\"]\n", "add [service]"),
        ("[providers.news]\nkind = \"feeds\"\n", "", "has no `news.urls`"),
        ("[providers.news]\nkind = \"feeds\"\n", "news.urls = [\"ftp://a.example\"]\n", "cannot use ftp:"),
        (
            "[providers.hn]\nkind = \"hackernews\"\n[providers.n]\nkind = \"hackernews\"\nbase_url = \"sandbox\"\n",
            "",
            "some providers use the sandbox",
        ),
    ] {
        let place = Place::without_service(sqlite(), &format!("{section}\n{TOPIC}{topic}"));
        place.run(&["check"]).assert_stderr(2, &[said]);
    }
}

#[test]
fn a_second_search_service_has_the_default_url() {
    for kind in ["desearch", "desearch-web", "desearch-ai"] {
        let section = format!("[providers.two]\nkind = \"{kind}\"\nkey_env = \"KEY\"\n");
        let place = Place::without_service(sqlite(), &format!("{section}\n{TOPIC}"));
        place.program(&["check"]).env("KEY", "k-0123456789").run().assert_stdout(0, &["providers.two.key_env"]);
    }
}

#[test]
fn each_template_produces_a_report_in_two_commands() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::without_service(sqlite(), "");
    std::fs::remove_file(place.path("jobs.toml")).unwrap();
    for template in ["service", "hn", "feeds", "searxng", "bluesky", "openai"] {
        let file = format!("{template}.toml");
        let output = place.ok(&["init", "--template", template, &file]);
        assert!(output.contains(&format!("topicwatch once --config {file}")), "{output}");
        place.ok(&["check", "--config", &file]);
    }
    // It creates only the last folder.
    place.ok(&["init", "config/jobs.toml"]);
    place
        .run(&["init", "a/b c/jobs.toml"])
        .assert_stderr(5, &["hint: if the path is right, create it first: mkdir -p 'a/b c'"]);
    // A new user has no folder for configurations.
    place.ok(&["init", ".config/topicwatch/jobs.toml"]);
    place.ok(&["check"]);
    std::fs::remove_dir_all(place.path(".config")).unwrap();
    let home = place.path("xdg/none");
    let file = home.join("tw/jobs.toml");
    let init = place.program(&["init", file.to_str().unwrap()]).env("XDG_CONFIG_HOME", home.to_str().unwrap()).run();
    assert!(init.code == Some(0) && file.exists(), "{init}");
    let lines = sandbox.lines();
    let base = lines.lines().next().unwrap().trim_start_matches("base_url = ").trim_matches('"');
    let written = std::fs::read_to_string(place.path("hn.toml")).unwrap();
    let here =
        written.replace("kind = \"hackernews\"", &format!("kind = \"hackernews\"\nbase_url = \"{base}/hackernews\""));
    std::fs::write(place.path("jobs.toml"), here).unwrap();
    place.ok(&["once"]);
    let day = topicwatch::daemon::system_clock()().utc_date();
    place.ok(&["report", "--date", &day, "--out", "report.md"]);
    let page = std::fs::read_to_string(place.path("report.md")).unwrap();
    assert!(page.contains("rust") && page.contains("hn"), "{page}");
}

/// The search that is made again after a token has expired is a call like any other, and no token is kept.
#[test]
fn a_search_repeated_with_a_new_token_counts_as_a_call() {
    let tokens = |n: u32| format!("{{\"accessJwt\":\"access-{n}-S3cret\",\"refreshJwt\":\"refresh-{n}-S3cret\"}}");
    let server = ReplyServer::answering(move |n, path| match path.split('?').next().unwrap() {
        "/xrpc/com.atproto.server.createSession" => reply(200, &[], &tokens(1)),
        "/xrpc/com.atproto.server.refreshSession" => reply(200, &[], &tokens(2)),
        _ if n < 2 => reply(401, &[], "{\"error\":\"ExpiredToken\",\"message\":\"expired: Bearer access-1-S3cret\"}"),
        _ => reply(200, &[], "{\"posts\":[]}"),
    });
    let file = format!(
        "[providers.bsky]\nkind = \"bluesky\"\nbase_url = \"{}\"\nuser = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n\
         max_tries = 1\nmax_calls_per_day = 10\nprice.call = 0.01\n\n{TOPIC}bsky.query = \"acme\"\n",
        server.url()
    );
    let place = Place::without_service(sqlite(), &file);
    let once = place.program(&["once", "--at", NINE]).env("BSKY_PASSWORD", "pass-0123-word").run();
    once.assert_stderr(0, &[]);
    assert_eq!(server.heads().iter().filter(|head| head.contains("searchPosts")).count(), 2);
    // The refused call cost nothing.
    assert_eq!(place.database.texts(&format!("SELECT tries || ' ' || {COST} FROM v_search")), ["2 10000"]);
    place.run(&["status", "--at", NINE]).assert_stdout(0, &["2 of 10 calls"]);
    // A token that is refused again ends the search; the service's message is not kept.
    let server = ReplyServer::answering(move |_, path| match path.split('?').next().unwrap() {
        "/xrpc/com.atproto.server.createSession" | "/xrpc/com.atproto.server.refreshSession" => {
            reply(200, &[], &tokens(1))
        }
        _ => reply(401, &[], "{\"error\":\"InvalidToken\",\"message\":\"no: Bearer access-1-S3cret\"}"),
    });
    let place = Place::without_service(sqlite(), &file.replace(&server_of(&file), &server.url()));
    let once = place.program(&["once", "--at", NINE, "-vv"]).env("BSKY_PASSWORD", "pass-0123-word").run();
    assert!(!format!("{}{}", once.out, once.err).contains("S3cret"), "{}", once.err);
    assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE error_text LIKE '%S3cret%'"), 0);
    // Neither is a token in the address of a redirect.
    let server = ReplyServer::answering(move |_, path| match path.split('?').next().unwrap() {
        "/xrpc/com.atproto.server.createSession" => reply(200, &[], &tokens(1)),
        _ => reply(302, &[("location", "http://elsewhere.example/search/access-1-S3cret")], ""),
    });
    let place = Place::without_service(sqlite(), &file.replace(&server_of(&file), &server.url()));
    let once = place.program(&["once", "--at", NINE, "-vv"]).env("BSKY_PASSWORD", "pass-0123-word").run();
    assert!(!format!("{}{}", once.out, once.err).contains("S3cret"), "{}", once.err);
    let errors = place.database.texts("SELECT error_text FROM v_search");
    assert!(errors[0].contains("it redirects to http://elsewhere.example"), "{errors:?}");
    assert!(!errors[0].contains("S3cret"), "{errors:?}");
    // A token in a good reply is not shown either.
    let post = "{\"posts\":[{\"uri\":\"at://did:plc:abc/app.bsky.feed.post/3k\",\"author\":{\"did\":\"did:plc:abc\",\"handle\":\"ann.example\"},\
                \"record\":{\"text\":\"acme, Bearer access-1-S3cret\",\"createdAt\":\"2026-03-11T08:00:00Z\"}}]}";
    let server = ReplyServer::answering(move |_, path| match path.split('?').next().unwrap() {
        "/xrpc/com.atproto.server.createSession" => reply(200, &[], &tokens(1)),
        _ => reply(200, &[("x-request-id", "Bearer access-1-S3cret")], post),
    });
    let place = Place::without_service(sqlite(), &file.replace(&server_of(&file), &server.url()));
    place.program(&["once", "--at", NINE]).env("BSKY_PASSWORD", "pass-0123-word").run().assert_stderr(0, &[]);
    assert_eq!(place.database.texts("SELECT text FROM v_item"), ["acme, Bearer ***"]);
    assert_eq!(place.database.number("SELECT count(*) FROM raw_reply WHERE headers LIKE '%S3cret%'"), 0);
}

/// A login that fails is an error of the search, and no call.
#[test]
fn a_failed_login_is_not_counted_and_costs_nothing() {
    const TOKENS: &str = "{\"accessJwt\":\"access\",\"refreshJwt\":\"refresh\"}";
    // What the first login, later ones and searches get; then the class of the error, logins and searches.
    for (first, later, search, class, logins, made) in [
        ((401, "{}"), (401, "{}"), (200, "{\"posts\":[]}"), "key_refused", 1, 0),
        ((200, "<html>"), (200, "<html>"), (200, "{\"posts\":[]}"), "malformed", 1, 0),
        ((500, ""), (500, ""), (200, "{\"posts\":[]}"), "server", 2, 0),
        ((500, ""), (200, TOKENS), (200, "{\"posts\":[]}"), "-", 2, 1),
        // The token expired, and there is no new one.
        ((200, TOKENS), (401, "{}"), (401, "{}"), "key_refused", 3, 1),
    ] {
        for database in databases() {
            let logged_in = std::sync::atomic::AtomicUsize::new(0);
            let server = ReplyServer::answering(move |_, path| {
                let (status, body) = match path.contains("Session") {
                    true if logged_in.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 => first,
                    true => later,
                    false => search,
                };
                reply(status, &[], body)
            });
            let file = format!(
                "[providers.bsky]\nkind = \"bluesky\"\nbase_url = \"{}\"\nuser = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n\
                 max_tries = 2\nmax_calls_per_day = 10\nbudget_per_day = 1\nprice.call = 0.01\n\n{TOPIC}",
                server.url()
            );
            let place = Place::without_service(database, &file);
            place.program(&["once", "--at", NINE]).env("BSKY_PASSWORD", "pass-0123-word").run();
            let heads = server.heads();
            let sent = |name: &str| heads.iter().filter(|head| head.contains(name)).count();
            assert_eq!((sent("Session"), sent("searchPosts")), (logins, made), "{class}: {heads:?}");
            let cost = if class == "-" { 10_000 } else { 0 };
            let reported = format!("SELECT coalesce(error_class, '-') || ' ' || tries || ' ' || {COST} FROM v_search");
            assert_eq!(place.database.texts(&reported), [format!("{class} {made} {cost}")], "{}", place.database.name);
            let counted = "SELECT coalesce(sum(made), 0) || ' ' || coalesce(sum(spent), 0) FROM calls";
            assert_eq!(place.database.texts(counted), [format!("{made} {cost}")], "{}", place.database.name);
        }
    }
}

/// The wait that a login asks for is kept like that of a search: it is longer than a call waits, so there is no other try.
#[test]
fn a_login_is_not_repeated_before_its_retry_after() {
    for (status, headers, body) in [
        (429, &[("Retry-After", "3600")][..], "{\"error\":\"RateLimitExceeded\"}"),
        (503, &[("Retry-After", "Wed, 11 Mar 2026 10:00:00 GMT")], ""),
        (429, &[], "{\"retry_after\":\"1 hour\"}"),
    ] {
        let server = ReplyServer::start(vec![reply(status, headers, body)]);
        let file = format!(
            "[providers.bsky]\nkind = \"bluesky\"\nbase_url = \"{}\"\nuser = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n\n{TOPIC}",
            server.url()
        );
        let place = Place::without_service(sqlite(), &file);
        let once = place.program(&["once", "--at", NINE]).env("BSKY_PASSWORD", "pass-0123-word").run();
        once.assert_stdout(3, &["the service asked to wait until 2026-03-11T10:00"]);
        assert_eq!(server.heads().len(), 1, "{status}: {once}");
    }
}

/// A page of Bluesky's search: this many posts of the afternoon before, with a cursor if it is a whole page.
fn bluesky_page(number: usize) -> String {
    let post = |n: usize| {
        serde_json::json!({ "uri": format!("at://did:plc:ann/app.bsky.feed.post/{n}"), "author": { "did": "did:plc:ann" },
            "record": { "text": format!("acme {n}"), "createdAt": "2026-03-12T14:00:00Z" } })
    };
    let posts: Vec<serde_json::Value> = (0..number).map(post).collect();
    let cursor = (number == 100).then_some("2");
    serde_json::json!({ "posts": posts, "cursor": cursor }).to_string()
}

#[test]
fn a_search_that_a_limit_stopped_between_two_pages_is_looked_back_over() {
    for database in databases() {
        // Each run logs in and makes one call; that of the second run needs another.
        let server = ReplyServer::answering(|n, path| match path {
            "/xrpc/com.atproto.server.createSession" => reply(200, &[], "{\"accessJwt\":\"a\",\"refreshJwt\":\"r\"}"),
            _ => reply(200, &[], &bluesky_page(if n == 3 { 100 } else { 3 })),
        });
        let file = format!(
            "[providers.bsky]\nkind = \"bluesky\"\nbase_url = \"{}\"\nuser = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n\
             max_calls_per_day = 1\n\n{TOPIC}",
            server.url()
        );
        let place = Place::without_service(database, &file);
        for (at, code) in [(NINE, 0), ("2026-03-12T15:00:00Z", 3), ("2026-03-13T00:30:00Z", 0)] {
            let once = place.program(&["once", "--at", at]).env("BSKY_PASSWORD", "pass-0123-word").run();
            assert_eq!(once.code, Some(code), "{} {at}: {once}", place.database.name);
        }
        let asked = place.database.texts("SELECT state || ' ' || asked_from FROM v_search ORDER BY seq");
        let expected =
            ["ok 2026-03-10T09:00:00.000Z", "over_quota 2026-03-11T08:55:00.000Z", "ok 2026-03-11T08:55:00.000Z"];
        assert_eq!(asked, expected, "{}", place.database.name);
    }
}

/// The address of the server in a file.
fn server_of(file: &str) -> String {
    file.split('"').find(|part| part.starts_with("http://")).unwrap().to_owned()
}

/// A second search service costs what the first does, if neither its replies nor the file say anything else.
#[test]
fn a_plan_uses_the_default_price_for_a_second_search_service() {
    let sandbox = Sandbox::at(NINE, &[]);
    let file = |more: &str| {
        format!(
            "[providers.more]\nkind = \"desearch\"\nkey_env = \"MORE\"\n{}{more}\n\n{TOPIC}sources = [\"more\"]\n",
            sandbox.lines()
        )
    };
    let place = Place::without_service(sqlite(), &file(""));
    let plan = |place: &Place| place.program(&["plan", "--at", NINE]).env("MORE", "k").run().out;
    let price = |text: &str| text.lines().find(|line| line.starts_with("more ")).unwrap().contains("$0.003");
    assert!(price(&plan(&place)), "{}", plan(&place));
    let free = Place::without_service(sqlite(), &file("price.call = 0"));
    assert!(!price(&plan(&free)), "{}", plan(&free));
    // Planning writes nothing, not even tables into an empty file.
    std::fs::write(place.path("empty.db"), "").unwrap();
    let url = format!("sqlite:{}", place.path("empty.db").display());
    place.program(&["plan", "--at", NINE, "--database", &url]).env("MORE", "k").run().assert_stderr(0, &[]);
    assert_eq!(std::fs::metadata(place.path("empty.db")).unwrap().len(), 0);
}
