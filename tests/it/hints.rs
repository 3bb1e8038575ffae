//! The hint after a provider refuses: it names that provider and its own keys, never a `[service]` that the file does
//! not have.

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};
use crate::support::replies::{ReplyServer, reply};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n";

#[test]
fn a_refusal_hint_names_the_providers_own_keys() {
    let feed = "<rss version=\"2.0\"><channel><item><title>One</title></item></channel></rss>";
    for (status, section, asks, hint, record) in [
        (
            401,
            "kind = \"openai\"\nbase_url = \"{url}/v1\"\nkey_env = \"KEY\"",
            "one.model = \"m\"",
            "`providers.one.key_env` or `providers.one.key_file`); it is sent as `Authorization: Bearer`",
            "providers.one.key_env",
        ),
        (
            401,
            "kind = \"bluesky\"\nbase_url = \"{url}\"\nuser = \"a.example\"\nkey_env = \"KEY\"",
            "",
            "check `providers.one.user` and the app password",
            "providers.one.key_env",
        ),
        (
            401,
            "kind = \"desearch\"\nbase_url = \"{url}\"\nkey_env = \"KEY\"",
            "",
            "`providers.one.key_file`); it is sent unchanged",
            "providers.one.key_env",
        ),
        (
            302,
            "kind = \"hackernews\"\nbase_url = \"{url}\"",
            "",
            "redirects are not followed; set `providers.one.base_url`",
            "providers.one.base_url",
        ),
        (
            404,
            "kind = \"hackernews\"\nbase_url = \"{url}\"",
            "",
            "check `providers.one.base_url`",
            "the topic or the provider",
        ),
        (
            429,
            "kind = \"hackernews\"\nbase_url = \"{url}\"",
            "",
            "lower `providers.one.rate_limit` or `providers.one.max_concurrent`",
            "providers.one.rate_limit",
        ),
        (
            404,
            "kind = \"feeds\"\nallow_private = true",
            "one.urls = [\"{url}/gone\"]",
            "check the feed's address",
            "check the feed's address",
        ),
    ] {
        let server = ReplyServer::answering(move |_, path| match path {
            "/feed" => reply(200, &[], feed),
            _ => reply(status, &[("Location", "/elsewhere")], "{}"),
        });
        let whole = |text: &str| text.replace("{url}", &server.url());
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\n\n[providers.one]\n{}\nmax_tries = 1\n\n{TOPIC}news.urls = [\"{}/feed\"]\n{}\n",
            whole(section),
            server.url(),
            whole(asks)
        );
        let place = Place::without_service(sqlite(), &file);
        let ended = place.program(&["once", "--at", NINE]).env("KEY", "k-0123456789").env("COLUMNS", "500").run();
        ended.assert_stdout(3, &[hint]);
        assert!(!format!("{}{}", ended.out, ended.err).contains("service."), "{ended}");
        let kept =
            place.database.texts("SELECT error_class || ' ' || error_text FROM v_search WHERE error_class IS NOT NULL");
        let (class, text) = kept[0].split_once(' ').unwrap();
        let feeds = section.contains("feeds");
        let reported = topicwatch::search::hint_for_stored_failure("one", feeds, class, None, text).unwrap();
        assert!(reported.contains(record) && !reported.contains("service."), "{reported}");
        // The page of the run knows the providers of the file.
        let run = &place.database.texts("SELECT run FROM v_run")[0];
        let page = Pages::serve(&place, &["--at", NINE]).page(&format!("/runs?run={run}"));
        let record = if feeds { record } else { "providers.one" };
        assert!(page.contains(record) && !page.contains("service."), "{reported}: {page}");
        assert!(!feeds || !page.contains("base_url"), "feeds have no such key: {page}");
    }
}

#[test]
fn suggested_commands_name_the_same_file_and_database() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPIC);
    std::fs::rename(place.path("jobs.toml"), place.path("my jobs.toml")).unwrap();
    let there = ["--config", "my jobs.toml", "--database", "sqlite:elsewhere.db"];
    let with = |args: &[&str]| place.run(&[args, &there].concat());
    with(&["db", "migrate"]).assert_stdout(0, &[]);
    let same = "--config 'my jobs.toml' --database sqlite:elsewhere.db";
    for verb in ["show", "diff", "coverage"] {
        with(&[verb, "acme"]).assert_stderr(2, &[&format!("run it: topicwatch once --topic acme {same}")]);
    }
    // Nothing was found yet, so no item is said to be marked.
    let none = "among the latest 5,000 items, no unmarked one has words and is shown by the topic's filter";
    with(&["items", "--topic", "acme", "--suggest"]).assert_stdout(0, &[&format!("nothing to mark: {none}\n")]);
    with(&["export", "--tag", "news"])
        .assert_stderr(2, &["there is no tag `news`", "hint: tags are set in `tags` of [[topics]]"]);
    let stored =
        format!("my jobs.toml has it, but the database does not: run it (topicwatch once --topic acme {same})");
    with(&["topic", "pause", "acme"]).assert_stderr(2, &[&format!("{stored}, or change the file")]);
    with(&["items", "mark", "acme", "post:x:1", "good"]).assert_stderr(2, &[&format!("{stored}\n")]);
    with(&["topic", "run", "acme"]).assert_stderr(3, &[&format!("run it here: topicwatch once --topic acme {same}")]);
    let next = format!(
        "next: topicwatch show acme {same} · topicwatch items --new-since 24h {same} · topicwatch export --out items.csv {same}\n"
    );
    let probe = format!("$TOPICWATCH_API_KEY, then topicwatch check --probe {same}\n");
    with(&["once", "--at", NINE]).assert_stdout(0, &[&next, &probe]);
    // The file cannot change a value that the environment sets.
    let by_variable = place.program(&[&["once", "--at", NINE][..], &there].concat());
    let by_variable = by_variable.env("TOPICWATCH_SERVICE_BASE_URL", "sandbox").run();
    by_variable.assert_stdout(0, &["for real searches: set TOPICWATCH_SERVICE_BASE_URL and put"]);
    std::fs::write(place.path("address"), "sandbox\n").unwrap();
    let by_file = place.program(&[&["once", "--at", NINE][..], &there].concat());
    let by_file = by_file.env("TOPICWATCH_SERVICE_BASE_URL_FILE", &place.path("address").display().to_string()).run();
    by_file.assert_stdout(0, &["set the address in the file that TOPICWATCH_SERVICE_BASE_URL_FILE names and put"]);
}

#[test]
fn a_topic_removed_before_its_first_run_is_not_suggested_to_run() {
    let both = format!("{TOPIC}schedule = \"0 0 1 1 *\"\n[[topics]]\nid = \"globex\"\nquery = \"globex\"\n");
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", &both);
    place.ok(&["once", "--due", "--at", NINE]);
    place.configure("base_url = \"sandbox\"", &TOPIC.replace("acme", "globex"));
    place.run(&["diff", "acme"]).assert_stderr(
        2,
        &["has no run with results yet", "jobs.toml does not have it: name the file that does with --config"],
    );
    // It has no items, so none is said to be marked.
    let page = Pages::serve(&place, &["--at", NINE]).page("/topics/globex?order=suggested");
    assert!(page.contains("Nothing to mark: among the latest 5,000 items, no unmarked one has words"), "{page}");
}

#[test]
fn the_sandbox_hint_names_no_service_section_that_the_file_lacks() {
    let server = ReplyServer::answering(|_, _| reply(200, &[], "{\"hits\":[],\"nbHits\":0}"));
    let file = format!("[providers.hn]\nkind = \"hackernews\"\nbase_url = \"{}\"\n\n{TOPIC}", server.url());
    let place = Place::without_service(sqlite(), &file);
    place.ok(&["once", "--at", NINE]);
    let file = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
    std::fs::write(place.path("jobs.toml"), file.replace(&server.url(), "sandbox")).unwrap();
    let refused = place.run(&["once"]);
    refused.assert_stderr(
        4,
        &["cannot be mixed with SANDBOX", "hint: choose another database", "`base_url` is \"sandbox\""],
    );
}

#[test]
fn after_all_runs_failed_the_suggestion_is_to_find_the_cause() {
    let sandbox = Sandbox::at(NINE, &["status=401"]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPIC);
    let failed = place.run(&["once", "--at", NINE]);
    failed.assert_stdout(3, &["next: topicwatch check --probe"]);
    assert!(!failed.out.contains("topicwatch show"), "{failed}");
}

#[test]
fn try_names_the_sources_it_cannot_call_and_why() {
    let server = ReplyServer::answering(|_, _| reply(200, &[], "{\"hits\":[],\"nbHits\":0}"));
    let url = server.url();
    let file = |hn: &str| {
        format!(
            "{hn}[providers.news]\nkind = \"feeds\"\nallow_private = true\n\n[providers.writer]\nkind = \"openai\"\nbase_url = \"{url}/v1\"\n\n\
             {TOPIC}news.urls = [\"{url}/feed\"]\nwriter.model = \"m\"\n"
        )
    };
    let reasons = ["reads the addresses of a topic", "writes about the new items of a run"];
    let place = Place::without_service(sqlite(), &file(""));
    for args in [&["try", "acme"][..], &["try", "acme", "--json"], &["try", "acme", "--source", "news"]] {
        let ended = place.run(args);
        ended.assert_stderr(2, &["nothing can be tried: news (it reads the addresses of a topic", "once --topic"]);
        assert_eq!(ended.err.contains(reasons[1]), args.len() < 4, "{ended}");
    }
    place
        .run(&["try", "acme", "--source", "web"])
        .assert_stderr(2, &["web (the file has no search service ([service]))"]);
    assert_eq!(server.heads().len(), 0);
    let hn = format!("[providers.hn]\nkind = \"hackernews\"\nbase_url = \"{url}\"\n\n");
    let place = Place::without_service(sqlite(), &file(&hn));
    place
        .run(&["try", "acme"])
        .assert_stdout(0, &["hn · 0 found", "news · not asked: it reads", "writer · not asked: it writes"]);
    let output = place.json(&["try", "acme", "--json"]);
    let names: Vec<&str> =
        output["not_asked"].as_array().unwrap().iter().map(|one| one["source"].as_str().unwrap()).collect();
    assert_eq!((output["sources"][0]["source"].as_str(), names), (Some("hn"), vec!["news", "writer"]), "{output}");
}

#[test]
fn try_sends_no_query_without_a_visible_character() {
    let server = ReplyServer::answering(|_, _| reply(200, &[], "{\"hits\":[],\"nbHits\":0}"));
    let hn = format!("[providers.hn]\nkind = \"hackernews\"\nbase_url = \"{}\"\n\n{TOPIC}", server.url());
    let place = Place::without_service(sqlite(), &hn);
    for query in ["", " ", "\u{200b}", "\u{200b} \u{2060}\u{ad}", "\u{2800}"] {
        place.run(&["try", query]).assert_stderr(2, &["there is nothing to search for", "give search words"]);
    }
    assert_eq!(server.heads().len(), 0);
}

#[test]
fn a_time_more_than_a_century_ago_is_refused_with_the_limit() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPIC);
    place.run(&["once", "--at", NINE]).assert_stdout(0, &[]);
    let refused: &[(&[&str], &str)] = &[
        (&["runs", "--since", "99999d"], "--since"),
        (&["items", "--new-since", "99999d"], "--new-since"),
        (&["items", "--search", "acme", "--since", "99999d"], "--since"),
        (&["coverage", "acme", "--since", "99999d"], "--since"),
        (&["db", "replay", "--since", "99999d"], "--since"),
        (&["export", "--since", "99999d"], "--since"),
        (&["export", "--until", "99999d"], "--until"),
        (&["export", "--what", "changes", "--since", "99999d"], "--since"),
        (&["diff", "acme", "--since", "99999d"], "--since"),
    ];
    for (args, option) in refused {
        let text = format!("{option}: `99999d` is more than 100 years ago");
        place.run(args).assert_stderr(2, &[&text, "hint: write at most 36500d, or a date"]);
    }
}

#[test]
fn an_export_without_rows_names_the_filters_in_use() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPIC);
    place.run(&["once", "--at", NINE]).assert_stdout(0, &[]);
    let export = |args: &[&str]| place.run(&[&["export", "--out", "none.csv"], args].concat());
    let none = "SANDBOX: 0 items written to none.csv";
    export(&["--search", "qqxyzzy"]).assert_stderr(0, &[&format!("{none} with --search; try without it\n")]);
    export(&["--topic", "acme", "--since", "2090-01-01"])
        .assert_stderr(0, &[&format!("{none} with --topic and --since; try without one of them\n")]);
    let all = export(&["--topic", "acme"]);
    assert!(all.err.ends_with(" items written to none.csv\n"), "{all}");
}

#[test]
fn stored_errors_have_a_hint_that_fits_their_cause() {
    const NAME: &str = "error sending request: invalid peer certificate: certificate not valid for name \"a.example\"";
    const OLD: &str =
        "error sending request: invalid peer certificate: certificate expired: verification time 9 (UNIX)";
    const INNER: &str = "https://a.example/feed: the address points into a private network";
    for (provider, feeds, class, status, text, helps) in [
        ("service", false, "timeout", None, "the run's timeout was reached", "raise the topic's `timeout` ([[topics]]"),
        ("one", true, "timeout", None, "the run's timeout was reached", "raise the topic's `timeout` ([[topics]]"),
        ("service", false, "timeout", None, "no answer after 120s", "raise `service.call_timeout`"),
        ("service", false, "bad_request", None, "this process has no provider `service`", "has no [service]"),
        ("one", false, "bad_request", None, "this process has no provider `one`", "has no [providers.one]"),
        ("one", true, "bad_request", None, "this process has no provider `one`", "has no [providers.one]"),
        ("one", true, "bad_request", None, INNER, "set providers.one.allow_private = true"),
        ("one", true, "bad_request", Some(404), INNER, "set providers.one.allow_private = true"),
        (
            "one",
            true,
            "transport",
            None,
            "a.example points into a private network",
            "providers.one.allow_private = true",
        ),
        ("service", false, "transport", None, NAME, "for another name; check `service.base_url`"),
        ("one", true, "transport", None, NAME, "for another name; check the feed's address"),
        ("service", false, "transport", None, OLD, "is this machine's clock right?"),
        (
            "service",
            false,
            "transport",
            None,
            "invalid peer certificate: UnknownIssuer",
            "`ca-certificates` or set SSL_CERT_FILE",
        ),
    ] {
        let hint = topicwatch::search::hint_for_stored_failure(provider, feeds, class, status, text).unwrap();
        assert!(hint.contains(helps), "{class} {text}: {hint}");
    }
}

/// The first page shows that the server answers JSON, so another refusal has another reason.
#[test]
fn a_failed_second_searxng_page_is_not_blamed_on_the_format() {
    let first = r#"{"results":[{"url":"https://a.example/1","title":"one"}]}"#;
    for (status, body, says) in [
        (403, "no", "page 2: 403: its limiter may block programs"),
        (200, "<html>", "page 2: an HTML page instead of JSON"),
    ] {
        let server = ReplyServer::answering(move |_, path| match path.contains("pageno=1") {
            true => reply(200, &[], first),
            false => reply(status, &[], body),
        });
        let file = format!(
            "[providers.sx]\nkind = \"searxng\"\nbase_url = \"{}\"\nmax_tries = 1\n\n{TOPIC}sx.pages = 2\nsx.time_range = \"any\"\n",
            server.url()
        );
        let place = Place::without_service(sqlite(), &file);
        for ended in [place.run(&["once", "--at", NINE]), place.run(&["check", "--probe"])] {
            ended.assert_stdout(3, &[says]);
            let all = format!("{ended}");
            assert!(all.contains("ask for fewer `pages`") && !all.contains("search.formats"), "{all}");
        }
    }
}

#[test]
fn check_probe_distinguishes_a_service_error_from_another_dialect() {
    for (body, says, hint) in [
        (r#"{"error":"no money left"}"#, "but with an error: no money left", "with a success status"),
        (
            r#"{"results":[{"title":"t","url":"https://a.example/1"}],"error":"only a part"}"#,
            "the key is accepted, but (service_error) only a part",
            "the service itself reported this error",
        ),
        ("[[1]]", "but not in dialect `spec`", "compare base_url and dialect"),
    ] {
        let server = ReplyServer::start(vec![reply(200, &[("Content-Type", "application/json")], body)]);
        let file =
            format!("[service]\nbase_url = \"{}\"\napi_key_env = \"KEY\"\nmax_tries = 1\n\n{TOPIC}", server.url());
        let place = Place::without_service(sqlite(), &file);
        let ended = place.program(&["check", "--probe"]).env("KEY", "a-key-of-many-letters").run();
        let all = format!("{ended}");
        assert!(ended.code == Some(3) && all.contains(says) && all.contains(hint), "{body}: {all}");
    }
}
