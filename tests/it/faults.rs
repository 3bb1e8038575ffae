//! A service that refuses, fails, is slow or missing, through the binary on both databases: which calls are still made,
//! what the ledger records, what is stored, and the exit code.

use crate::support::daemons::is_calling;
use crate::support::databases::databases;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::receivers::{Answer, WebhookServer};
use crate::support::replies::{self, ReplyServer};
use crate::support::service::{FakeServer, Sandbox, reply};
use crate::support::stored::COST;
use crate::support::web_client::Pages;

fn topics(names: &[&str]) -> String {
    names.iter().map(|name| format!("[[topics]]\nid = \"{name}\"\nquery = \"{name}\"\nevery = \"6h\"\n\n")).collect()
}

/// `topic source state class` of every search, and `topic state class` of every run, in order.
fn ledger(place: &Place) -> (Vec<String>, Vec<String>) {
    let searches = place.database.texts(
        "SELECT topic || ' ' || source || ' ' || state || ' ' || coalesce(error_class, '-') FROM v_search ORDER BY 1",
    );
    let runs =
        place.database.texts("SELECT topic || ' ' || state || ' ' || coalesce(error_class, '-') FROM v_run ORDER BY 1");
    (searches, runs)
}

#[test]
fn a_refusal_that_concerns_every_call_stops_all_waiting_searches() {
    for (rule, class, hint) in [
        ("status=401", "key_refused", "hint: check the API key"),
        ("status=403", "key_refused", "hint: check the API key"),
        ("status=402", "balance_spent", "hint: top up the account"),
    ] {
        for database in databases() {
            let sandbox = Sandbox::at(NINE, &[rule]);
            let names: Vec<String> = (10..30).map(|n| format!("topic-{n}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let place = Place::new(database, &format!("{}max_concurrent = 1\n", sandbox.lines()), &topics(&names));
            place.run(&["once", "--at", NINE]).assert_stdout(3, &[class, hint, "\n20 runs: 20 failed · "]);
            // One more call may have started just before the refusal.
            let calls = sandbox.calls();
            assert!((1..=2).contains(&calls), "{rule} on {}: {calls} calls", place.database.name);
            let (searches, runs) = ledger(&place);
            assert_eq!((searches.len(), runs.len()), (60, 20));
            assert!(searches.iter().all(|s| s.ends_with(class)), "{searches:#?}");
            assert_eq!(searches.iter().filter(|s| s.contains(" not_run ")).count() as u64, 60 - calls);
            assert!(runs.iter().all(|r| r.ends_with(&format!("failed {class}"))), "{runs:#?}");
            let untried = place.database.texts("SELECT DISTINCT error_text FROM v_search WHERE state = 'not_run'");
            let told = place.ok(&["runs", "--searches"]);
            let again = format!("· {class}");
            assert!(told.contains("not called until "), "{told}");
            assert!(!told.lines().any(|line| line.trim_end().ends_with(&again)), "the class is shown once: {told}");
            let status = rule.replace('=', " ").replace("status", "because an earlier call got");
            let says =
                |text: &String| text.starts_with("not called until 2026-03-11T09:05:0") && text.contains(&status);
            assert!(!untried.is_empty() && untried.iter().all(says), "{untried:#?}");
            assert_eq!(place.database.calls_made() as u64, calls);
            assert_eq!(place.database.number("SELECT count(*) FROM v_run WHERE error_text IS NULL"), 0);
            assert_eq!(place.database.unpublished_runs(), 0);
            assert_eq!(
                place.database.number("SELECT count(*) FROM v_search WHERE cost_usd > 0"),
                0,
                "a refused call is free"
            );
            let status = place.json(&["status", "--json"]);
            assert_eq!(status["topics"][0]["state"], "failed", "{status}");
            let report = place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", "-"]);
            assert!(report.contains("ai not searched"), "{report}");
        }
    }
}

#[test]
fn a_failed_search_keeps_its_error_when_another_is_refused_before_its_retry() {
    for (source, database) in
        ["web", "alt"].into_iter().flat_map(|source| databases().into_iter().map(move |d| (source, d)))
    {
        // The other topic's only call comes while the first waits for its next try.
        let calls = std::sync::atomic::AtomicU32::new(0);
        let server = FakeServer::respond_with(move |_| match calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => reply("503 Service Unavailable", "retry-after: 5\r\nx-desearch-cost-usd: 0.01\r\n", b""),
            _ => reply("402 Payment Required", "", b""),
        });
        let lines = server.lines().replace("max_tries = 1", "max_tries = 3");
        let alt = lines.replace("base_url", "kind = \"spec-web\"\nkey_env = \"ONE\"\nbase_url");
        let topic = |id: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nsources = [\"{source}\"]\n\n");
        let rest = format!("[providers.alt]\n{alt}\n{}{}", topic("first"), topic("second"));
        let place = Place::new(database, &lines, &rest);
        let name = place.database.name;
        let ended = place.program(&["once", "--at", NINE]).env("ONE", "key-of-one").run();
        ended.assert_stdout(3, &["503 Service Unavailable; not tried again: another search got 402 Payment Required"]);
        let searches = place.database.texts(&format!(
            "SELECT state || ' ' || error_class || ' ' || tries || ' ' || {COST} || ' ' || cost_basis || ' ' || http_status FROM v_search ORDER BY 1",
        ));
        assert_eq!(searches, ["error balance_spent 1 0 none 402", "error server 1 10000 billed 503"], "{name}");
        let runs = place.database.texts("SELECT state || ' ' || error_class FROM v_run ORDER BY 1");
        assert_eq!(runs, ["failed balance_spent", "failed server"], "{name}");
    }
}

#[test]
fn a_permanent_error_stops_only_its_own_search() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["source=web,status=422"]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "globex"]));
        place
            .run(&["once", "--at", NINE])
            .assert_stdout(3, &["bad_request: 422", "once --dry-run", "\n2 runs: 2 partial · "]);
        assert_eq!((sandbox.calls_to("/web/search"), sandbox.calls()), (2, 6), "asked once for each topic");
        let (searches, runs) = ledger(&place);
        assert_eq!(runs, ["acme partial bad_request", "globex partial bad_request"]);
        let expected = ["ai ok -", "social ok -", "web error bad_request"];
        let expected: Vec<String> =
            ["acme", "globex"].iter().flat_map(|t| expected.map(|rest| format!("{t} {rest}"))).collect();
        assert_eq!(searches, expected);
        place.run(&["show", "acme"]).assert_stdout(0, &["! web error: bad_request: 422", "Posts"]);
        let failed =
            "acme: failed in the last run: web (bad_request)\nglobex: failed in the last run: web (bad_request)\n";
        place.run(&["status"]).assert_stdout(0, &["partial", failed]);
        // A repeated attempt is not reported as a problem.
        place.database.attempt_again("web");
        let (name, shown) = (place.database.name, place.ok(&["show", "acme"]));
        assert!(shown.contains("Posts") && !shown.contains("! web"), "{name}: {shown}");
        // The last attempt may be lost, too: nothing takes the run over then.
        place.database.lose_first_attempt("web");
        let pages = Pages::serve(&place, &["--at", NINE]);
        let lost = "the process ended during the search";
        for (values, hint) in [
            ("attempt = 2", format!("{lost}; the run was made again<")),
            ("attempt = 1", format!("{lost}<")),
            ("state = 'queued', finished_at = NULL", format!("{lost}; its run will be made again<")),
        ] {
            place.database.change_runs(values);
            let page = pages.page("/runs");
            assert!(page.contains(&hint), "{name}: {hint}\n{page}");
        }
    }
}

#[test]
fn a_failing_source_does_not_lose_the_findings_of_others() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["source=social,status=503"]);
        let lines = sandbox.lines().replace("max_tries = 1", "max_tries = 2");
        let place = Place::new(database, &lines, &topics(&["acme"]));
        place
            .run(&["once", "--at", NINE])
            .assert_stdout(3, &["acme social: server: 503", "\n1 run: 1 partial · ≥5 found = ≥5 new"]);
        assert_eq!((sandbox.calls_to("/X/search"), sandbox.calls()), (2, 4), "a temporary failure is retried");
        assert_eq!(ledger(&place).1, ["acme partial server"]);
        assert_eq!(place.database.number("SELECT tries FROM v_search WHERE source = 'social'"), 2);
        assert_eq!(place.database.items_of_all(), 5);
    }
}

#[test]
fn a_service_that_is_down_is_recorded_and_other_topics_are_unaffected() {
    for database in databases() {
        let place = Place::new(database, &FakeServer::unreachable(), &topics(&["acme", "globex"]));
        let ended = place.run(&["once", "--at", NINE]);
        ended.assert_stdout(
            3,
            &[
                "acme social: transport: ",
                "globex web: transport: ",
                "globex ai: no other source answered",
                "hint: check `service.base_url`",
            ],
        );
        let (_, runs) = ledger(&place);
        assert_eq!(runs, ["acme failed transport", "globex failed transport"]);
        let texts = place.database.texts("SELECT error_text FROM v_run");
        assert!(texts.iter().all(|text| text.contains("refused")), "{texts:?}");

        // The service is back: the same topics run normally.
        let sandbox =
            Sandbox::at(NINE, &["path=/X,after=1,reset", "path=/web,after=1,reset", "path=/ai,after=1,reset"]);
        place.configure(&sandbox.lines(), &topics(&["acme", "globex"]));
        place.run(&["once", "--at", NINE, "--topic", "acme"]).assert_stdout(0, &["1 of 1 run ok"]);
        // It fails again for the other topic; the findings of the first stay.
        place.run(&["once", "--at", NINE, "--topic", "globex"]).assert_stdout(3, &["transport"]);
        place
            .run(&["status"])
            .assert_stdout(0, &["globex: failed in the last run: social (transport)", "; no successful run yet\n"]);
        place.configure(&FakeServer::unreachable(), &topics(&["acme"]));
        place.run(&["once", "--at", "2026-03-11T11:00:00Z", "--topic", "acme"]).assert_stdout(3, &["transport"]);
        place.run(&["status"]).assert_stdout(
            0,
            &["acme: failed in the last run: social (transport)", "; last results 2026-03-11T09:00:00Z\n"],
        );
        place.run(&["show", "acme"]).assert_stdout(0, &["Posts"]);
        place.run(&["show", "globex"]).assert_stdout(0, &["failed", "! social error: transport"]);
    }
}

#[test]
fn the_daily_call_limit_is_never_exceeded() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let lines = format!("{}max_calls_per_day = 2\n", sandbox.lines());
        let place = Place::new(database, &lines, &topics(&["acme", "globex"]));
        place
            .run(&["once", "--at", NINE, "--topic", "acme"])
            .assert_stdout(3, &["over_quota", "max_calls_per_day", "midnight"]);
        for _ in 0..2 {
            place.run(&["once", "--at", NINE]).assert_stdout(3, &["over_quota", "\n2 runs: 2 over_quota · "]);
        }
        assert_eq!(sandbox.calls(), 2);
        assert_eq!(place.database.calls_made(), 2);
        let runs = ledger(&place).1;
        assert_eq!(runs[0], "acme over_quota -");
        assert_eq!(runs[2], "acme partial -");
        assert_eq!(runs[3..], ["globex over_quota -", "globex over_quota -"]);
        // Nothing was searched, so no number of findings is shown.
        let listed = place.ok(&["runs", "--topic", "globex"]);
        let row: Vec<&str> =
            listed.lines().find(|line| line.starts_with("globex")).unwrap().split_whitespace().collect();
        assert_eq!(row[2..5], ["over_quota", "-", "-"], "{listed}");
        let listed = place.ok(&["runs", "--topic", "globex", "--searches"]);
        assert!(listed.contains("social search over_quota · 0 tries") && !listed.contains(" found"), "{listed}");
        let pages = Pages::serve(&place, &["--at", NINE]);
        let listed = pages.page("/runs?topic=globex");
        assert!(listed.contains("data-label=\"Found\">–<") && !listed.contains("0 found"), "{listed}");
        let shown = pages.page(&format!("/progress/{}", place.database.last_run("globex")));
        assert!(shown.contains("Cost $0.000.") && !shown.contains("0 found"), "{shown}");
        assert!(shown.contains("data-label=\"Found\">–<") && shown.contains("data-label=\"New\">–<"), "{shown}");
        place.run(&["status"]).assert_stdout(0, &["over quota"]);
        // The next day has a new quota.
        place.run(&["once", "--at", "2026-03-12T00:00:00Z", "--topic", "globex"]).assert_stdout(3, &["over_quota"]);
        assert_eq!(sandbox.calls(), 4);
    }
}

#[test]
fn an_interrupt_stores_what_was_found_and_leaves_nothing_running() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["source=web,delay=5m"]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        place.ok(&["db", "migrate"]);
        let calling = || {
            let searches = place.database.ledger_searches();
            searches.iter().filter(|search| search.source == "web" && search.state == "started").count()
        };
        let going = place.program(&["once", "--at", NINE]).start();
        wait_until("the slow call", || calling() == 1);
        going.signal("INT");
        let ended = going.wait();
        ended.assert_stderr(130, &["stopping: storing the findings so far"]);
        assert!(ended.out.contains("acme web: interrupted\n"), "{ended}");
        let (searches, runs) = ledger(&place);
        assert_eq!(runs, ["acme partial interrupted"], "{ended}");
        assert_eq!(searches, ["acme ai not_run -", "acme social ok -", "acme web lost interrupted"]);
        let shown = place.ok(&["runs", "--searches"]) + &place.ok(&["show", "acme"]);
        assert!(shown.contains("web lost: interrupted") && !shown.contains("interrupted: interrupted"), "{shown}");
        // A report does not say that the source answered, because its call was not made.
        place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T00:00:00Z", "--out", "day.html"]);
        let report = std::fs::read_to_string(place.path("day.html")).unwrap();
        assert!(report.contains("ai not searched"), "{}: {report}", place.database.name);
        // The last attempt may be lost, too: nothing takes the run over then.
        let page = Pages::serve(&place, &["--at", NINE]).page("/runs");
        assert!(page.contains("the process ended during the search"), "{}: {page}", place.database.name);
        assert_ne!(place.database.items_of_all(), 0);
        assert_eq!(place.database.unpublished_runs(), 0);
        assert_eq!(sandbox.calls_to("/ai/search"), 0);
    }
}

#[test]
fn an_interrupt_within_a_search_stores_the_pages_that_were_answered() {
    let hit =
        |n: i64| format!("{{\"objectID\":\"{n}\",\"created_at_i\":{},\"comment_text\":\"{n}\"}}", 1_773_219_000 - n);
    let hits = (0..1_000).map(hit).collect::<Vec<_>>().join(",");
    for database in databases() {
        let page = replies::reply(200, &[], &format!("{{\"hits\":[{hits}],\"nbHits\":1200}}"));
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let wait = std::sync::Mutex::new(wait);
        let server = ReplyServer::answering(move |n, _| {
            if n > 0 {
                wait.lock().unwrap().recv_timeout(std::time::Duration::from_secs(120)).ok();
            }
            page.clone()
        });
        let file = format!(
            "[providers.hn]\nkind = \"hackernews\"\nbase_url = \"{}\"\nprice.call = 0.001\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nhn.limit = 2000\n",
            server.url()
        );
        let place = Place::without_service(database, &file);
        place.ok(&["db", "migrate"]);
        let going = place.program(&["once", "--at", NINE]).start();
        wait_until("the second page is asked for", || server.heads().len() == 2);
        going.signal("INT");
        let ended = going.wait();
        drop(release);
        ended.assert_stderr(130, &["stopping: storing the findings so far"]);
        assert_eq!(place.database.items_of_all(), 1_000, "{ended}");
        let searches = format!("SELECT state || ' ' || tries || ' ' || {COST} FROM v_search");
        assert_eq!(place.database.texts(&searches), ["lost 2 2000"], "{ended}");
        assert_eq!(place.database.number("SELECT count(*) FROM v_run WHERE state = 'failed' AND found = 1000"), 1);
    }
}

/// The first feed hangs; the others are answered one after another, because two calls may be in flight. The search says
/// what was not read, and no reason that is not true.
#[test]
fn an_interrupt_stores_answers_received_during_a_hanging_call() {
    for database in databases() {
        let hangs = WebhookServer::answering(|_| Answer::Hang);
        let (release, wait) = std::sync::mpsc::channel::<()>();
        let wait = std::sync::Mutex::new(wait);
        let server = ReplyServer::answering(move |n, path| {
            if n == 2 {
                wait.lock().unwrap().recv_timeout(std::time::Duration::from_secs(120)).ok();
            }
            let item = format!("<item><title>x</title><link>https://a.example{path}</link></item>");
            let feed = format!("<rss version=\"2.0\"><channel><title>t</title>{item}</channel></rss>");
            replies::reply(200, &[], &feed)
        });
        let urls: Vec<String> = ["/1", "/2", "/3"].iter().map(|path| format!("{}{path}", server.url())).collect();
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_concurrent = 2\nrate_limit = \"unlimited\"\nprice.call = 0.001\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nnews.urls = [\"{}\", \"{}\"]\n",
            hangs.url_of("/0"),
            urls.join("\", \"")
        );
        let place = Place::without_service(database, &file);
        place.ok(&["db", "migrate"]);
        let going = place.program(&["once", "--at", NINE]).start();
        wait_until("the last feed is asked for", || server.heads().len() == 3 && hangs.received().len() == 1);
        going.signal("INT");
        let ended = going.wait();
        drop(release);
        ended.assert_stderr(130, &["stopping: storing the findings so far"]);
        assert_eq!(place.database.items_of_all(), 2, "{ended}");
        let searches = format!("SELECT state || ' ' || tries || ' ' || {COST} || ' ' || reason FROM v_search");
        let says = "lost 4 4000 2 of 4 feeds were not read; the next search begins with those asked longest ago";
        assert_eq!(place.database.texts(&searches), [says], "{ended}");
    }
}

#[test]
fn an_interrupt_before_anything_was_found_ends_the_run_too() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["delay=5m"]);
        let lines = format!("{}max_concurrent = 1\n", sandbox.lines());
        let place = Place::new(database, &lines, &topics(&["acme", "globex"]));
        place.ok(&["db", "migrate"]);
        let going = place.program(&["once", "--at", NINE]).start();
        wait_until("the slow call", || is_calling(&place) && place.database.all_runs() == 2);
        going.signal("INT");
        assert_eq!(going.wait().code, Some(130));
        assert_eq!(place.database.open_runs(), 0);
        assert_eq!(place.database.calls_under_way(), 0);
        assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE state = 'lost'"), 1);
    }
}
