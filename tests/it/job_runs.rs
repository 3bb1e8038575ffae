//! Reports and exports started on a page, and channels and alerts tried there, on both databases. One press is one run,
//! also when it is sent twice or the process is killed; impossible requests get the right HTTP status; a test of an
//! alert stores and sends nothing.

use serde_json::json;

use crate::support::daemons::sandbox_of_today;
use crate::support::databases::{Database, databases};
use crate::support::editor::post_form;
use crate::support::program::{Place, wait_until};
use crate::support::receivers::{Answer, WebhookServer};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};

/// A report and an export whose slots are far away, a channel and alerts.
fn configuration(hook: &WebhookServer) -> String {
    format!(
        "[web]\nlisten = \"127.0.0.1:0\"\n[scheduler]\nlease = \"3s\"\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"12h\"\nmax_calls_per_day = 2\n\
         [[reports]]\nname = \"daily\"\nwindow = \"since_last\"\nschedule = \"0 0 1 1 *\"\nchannels = [\"hook\"]\n\
         [[reports]]\nname = \"off\"\nwindow = \"since_last\"\nschedule = \"0 0 1 1 *\"\npaused = true\n\
         [[reports]]\nname = \"by-hand\"\nwindow = \"day\"\n\
         [[exports]]\nname = \"all\"\nwhat = \"items\"\npath = \"all.csv\"\nschedule = \"0 0 1 1 *\"\n\
         [[alerts]]\nname = \"many\"\nrule = \"items\"\nchannels = [\"hook\"]\npaused = true\n\
         [[alerts]]\nname = \"thrift\"\nrule = \"budget\"\ntopics = [\"acme\"]\npercent = 50\npaused = true\n\
         [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n\
         [[channels]]\nname = \"still\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\npaused = true\n",
        hook.url_of("/very-secret-part"),
        hook.url()
    )
}

fn place_with_channel(database: Database, hook: &WebhookServer) -> (Sandbox, Place) {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(database, &sandbox.lines(), &configuration(hook));
    (sandbox, place)
}

/// The `press` value of a row's button.
fn press_token(pages: &Pages, kind: &str, name: &str) -> String {
    let page = pages.page("/jobs");
    let form = page.split("<form ").find(|form| {
        let has = |field: &str, value: &str| form.contains(&format!("name=\"{field}\" value=\"{value}\""));
        has("do", "run") && has("kind", kind) && has("name", name)
    });
    let form = form.unwrap_or_else(|| panic!("no button of {kind} {name}\n{page}"));
    let press = form.split("name=\"press\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    press.unwrap().to_owned()
}

fn press_button(pages: &Pages, kind: &str, name: &str, press: &str) -> String {
    let answer = post_form(pages, "/jobs", &[("do", "run"), ("kind", kind), ("name", name), ("press", press)]);
    assert_eq!(answer.status, 303, "{kind} {name}: {}", answer.text);
    answer.header("location").unwrap().to_owned()
}

fn runs(place: &Place, job: &str) -> Vec<String> {
    place.database.ledger_runs().into_iter().filter(|run| run.job == job).map(|run| run.state).collect()
}

#[test]
fn a_button_press_sent_twice_starts_one_run() {
    for database in databases() {
        let name = database.name;
        let hook = WebhookServer::accepting();
        let (_sandbox, place) = place_with_channel(database, &hook);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        for (kind, of) in [("report", "daily"), ("export", "all")] {
            let job = format!("{kind}:{of}");
            let id = press_token(&pages, kind, of);
            let at = press_button(&pages, kind, of, &id);
            assert_eq!(at, format!("/progress/{id}"), "{name}");
            assert_eq!(press_button(&pages, kind, of, &id), at, "{name}: sent twice");
            wait_until("its end", || runs(&place, &job) == ["ok"]);
            // The same press after its run returns that run; another press starts another.
            assert_eq!(press_button(&pages, kind, of, &id), at, "{name}");
            assert_eq!(runs(&place, &job), ["ok"], "{name}");
            let reported = pages.page(&at);
            assert!(reported.contains(&format!("Run of {job}")) && !reported.contains("0 found"), "{name}: {reported}");
            // The page names what the run made, and links to its files.
            wait_until("its files", || pages.page(&at).contains(&format!("href=\"/file?run={id}&amp;n=0\"")));
            assert!(pages.page("/runs").contains(&format!("<strong>{job}</strong>")), "{name}");
            let listed = place.json(&["runs", "--json", "--limit", "1"])["runs"][0].clone();
            assert_eq!((&listed["job"], &listed["run"]), (&json!(job), &json!(id)), "{name}");
            place.run(&["runs", "--limit", "1"]).assert_stdout(0, &[&format!("{job} "), &id]);
            let next = press_button(&pages, kind, of, &press_token(&pages, kind, of));
            assert_ne!(next, at, "{name}");
            wait_until("the next", || runs(&place, &job) == ["ok", "ok"]);
        }
        // Like a scheduled run: its files, its record, its message once.
        assert!(std::fs::read_to_string(place.path("all.csv")).unwrap().contains("acme"), "{name}");
        assert_eq!(place.database.number("SELECT count(*) FROM report WHERE name = 'report:daily'"), 2, "{name}");
        wait_until("the messages", || hook.received().len() == 2);
        wait_until("that they are settled", || {
            place.database.number("SELECT count(*) FROM outbox WHERE state = 'sent'") == 2
        });
        // A topic's button works the same.
        let page = pages.page("/topics/acme");
        let id = page.split("name=\"press\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        for _ in 0..2 {
            let answer = post_form(&pages, "/topics/acme", &[("kind", "run_now"), ("press", id)]);
            assert_eq!(answer.header("location"), Some(format!("/progress/{id}").as_str()), "{}", answer.text);
        }
        wait_until("its run", || runs(&place, "topic:acme").iter().filter(|state| *state == "ok").count() >= 2);
        assert_eq!(place.database.ledger_runs().iter().filter(|run| run.id == id).count(), 1, "{name}");
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
    }
}

#[test]
fn a_requested_job_runs_once_even_if_its_process_is_killed() {
    for database in databases() {
        let name = database.name;
        let hook = WebhookServer::accepting();
        let (_sandbox, place) = place_with_channel(database, &hook);
        place.ok(&["once"]);
        for (n, (kind, of, point)) in [
            ("report", "daily", "requests::execute/committed"),
            ("report", "daily", "job/begun"),
            ("report", "daily", "job/made"),
            ("export", "all", "export/renamed"),
        ]
        .into_iter()
        .enumerate()
        {
            let job = format!("{kind}:{of}");
            let before = runs(&place, &job).len();
            let program = place.program(&["run"]).env("TOPICWATCH_TEST_FAILPOINT", &format!("kill {point}"));
            let pages = Pages::wait_for_address(program.start());
            let id = press_token(&pages, kind, of);
            // The process may die before it has answered.
            let form = [("do", "run"), ("kind", kind), ("name", of), ("press", id.as_str())];
            assert!([303, 0].contains(&post_form(&pages, "/jobs", &form).status), "{name}: {point}");
            assert_eq!(pages.program.wait().code, None, "{name}: {point} was not reached");
            let pages = Pages::wait_for_address(place.program(&["run"]).start());
            wait_until("its end", || place.database.ledger_runs().iter().any(|run| run.id == id && run.state == "ok"));
            assert_eq!(runs(&place, &job).len(), before + 1, "{name}: {point}");
            if kind == "report" {
                let records = format!("SELECT count(*) FROM report WHERE run = '{id}' AND delivered_at IS NOT NULL");
                wait_until("its delivery", || place.database.number(&records) == 1);
                assert_eq!(hook.received().len(), n + 1, "{name}: {point}: reported once");
            } else {
                let rows = place.database.items_of("acme");
                let text = std::fs::read_to_string(place.path("all.csv")).unwrap();
                assert!(rows > 0 && text.lines().count() > usize::try_from(rows).unwrap(), "{name}: {point}");
            }
            pages.program.signal("TERM");
            assert_eq!(pages.program.wait().code, Some(0), "{name}: {point}");
        }
    }
}

#[test]
fn a_daemon_keeps_its_own_job_when_it_renews_the_lease_late() {
    for database in databases() {
        let name = database.name;
        let (sandbox, hook) = (sandbox_of_today(&[]), WebhookServer::accepting());
        let file = configuration(&hook).replace("lease = \"3s\"", "lease = \"600s\"");
        let place = Place::new(database, &sandbox.lines(), &file);
        let hung = "hang job/begun of=report:daily";
        let pages = Pages::wait_for_address(place.program(&["run"]).env("TOPICWATCH_TEST_FAILPOINT", hung).start());
        press_button(&pages, "report", "daily", &press_token(&pages, "report", "daily"));
        wait_until("the report is being made", || runs(&place, "report:daily") == ["running"]);
        place.database.change_runs("lease_until = 1");
        // The round of the loop that begins this run looks for lost ones.
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        wait_until("its lease is renewed", || place.database.first_lease_end() > 1);
        let made = place.database.ledger_runs().into_iter().find(|run| run.job == "report:daily").unwrap();
        assert_eq!((made.state.as_str(), made.attempt), ("running", 1), "{name}");
        assert!(pages.program.kill(), "{name}");
    }
}

#[test]
fn an_alert_test_shows_its_result_and_sends_nothing() {
    for database in databases() {
        let name = database.name;
        let hook = WebhookServer::accepting();
        let (_sandbox, place) = place_with_channel(database, &hook);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        let reported = |alert: &str| {
            let at = press_button(&pages, "alert", alert, &press_token(&pages, "alert", alert));
            assert!(at.starts_with("/jobs?tested="), "{at}");
            (pages.page(&at), at)
        };
        let (page, _) = reported("many");
        assert!(page.contains("Nothing would fire now.") && page.contains("0 times"), "{name}: {page}");
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        let (page, at) = reported("many");
        assert!(page.contains("In 1 run since") && page.contains("fired 0 times."), "{name}: {page}");
        assert!(page.contains("It notifies hook.") && page.contains("It is paused."), "{name}: {page}");
        let (page, _) = reported("thrift");
        assert!(page.contains("1 subject would fire now") && page.contains("1 of 2 calls"), "{name}: {page}");
        // Like `alerts backtest`, it says nothing about the past of a budget.
        let why = "a budget alert cannot be backtested: usage is not stored call by call";
        assert!(page.contains(why) && !page.contains("would have fired"), "{name}: {page}");
        assert!(place.program(&["alerts", "backtest", "thrift"]).run().err.contains(why), "{name}");
        assert!(page.contains("It has no channels, so it sends nothing."), "{name}: {page}");
        // Reloading does not test again, and an unknown id shows a page without a result.
        let tested =
            |page: &str| page.split("id=\"tested\"").nth(1).unwrap().split("<section").next().unwrap().to_owned();
        assert_eq!(tested(&pages.page(&at)), tested(&pages.page(&at)));
        assert!(!pages.page("/jobs?tested=nothing").contains("id=\"tested\""));
        for table in ["alert_event", "alert_firing", "outbox", "request"] {
            assert_eq!(place.database.number(&format!("SELECT count(*) FROM {table}")), 0, "{name}: {table}");
        }
        assert!(hook.received().is_empty());
        // If there are many runs, only the latest are evaluated: a week may have more.
        place.database.skip_run_numbers(2_000);
        let (page, _) = reported("many");
        assert!(page.contains("In the latest 1 run it would have fired 0 times."), "{name}: {page}");
    }
}

#[test]
fn the_answer_to_a_channel_test_is_shown_without_secrets() {
    for database in databases() {
        let name = database.name;
        let hook = WebhookServer::answering(|_| {
            let said = "no such hook /very-secret-part here";
            Answer::Say(format!("404 Not Found\r\ncontent-length: {}\r\n\r\n{said}", said.len()).leak())
        });
        let (_sandbox, place) = place_with_channel(database, &hook);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        let id = press_token(&pages, "channel", "hook");
        assert_eq!(press_button(&pages, "channel", "hook", &id), "/jobs#channels", "{name}");
        assert_eq!(press_button(&pages, "channel", "hook", &id), "/jobs#channels", "{name}");
        wait_until("its log line", || pages.page("/jobs").contains("no such hook"));
        let page = pages.page("/jobs");
        let said = page.split("Test, requested").nth(1).unwrap_or_else(|| panic!("{name}: {page}"));
        let said = said.split("</td>").next().unwrap();
        assert!(
            said.contains("<strong>not delivered</strong>")
                && said.contains("404")
                && !page.contains("very-secret-part"),
            "{name}: {said}"
        );
        assert_eq!(place.database.number("SELECT count(*) FROM outbox"), 1, "{name}: one message");
    }
}

#[test]
fn a_channel_test_held_back_by_a_pause_shows_no_next_try() {
    for database in databases() {
        let (hook, _answer) = WebhookServer::changeable("503 Service Unavailable");
        let (sandbox, place) = place_with_channel(database, &hook);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        press_button(&pages, "channel", "hook", &press_token(&pages, "channel", "hook"));
        wait_until("a refused try", || pages.page("/jobs").contains("next try at"));
        let begin = "/very-secret-part\"\nallow_private = true\n";
        place.configure(&sandbox.lines(), &configuration(&hook).replace(begin, &format!("{begin}paused = true\n")));
        wait_until("the pause", || pages.page("/jobs").contains("not tried while the channel is paused"));
        assert!(!pages.page("/jobs").contains("next try at"), "{}", place.database.name);
    }
}

#[test]
fn invalid_job_requests_are_refused_and_write_nothing() {
    for database in databases() {
        let name = database.name;
        let hook = WebhookServer::accepting();
        let (_sandbox, place) = place_with_channel(database, &hook);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        let run = |kind: &str, of: &str| post_form(&pages, "/jobs", &[("do", "run"), ("kind", kind), ("name", of)]);
        for (kind, of, status, why) in [
            ("report", "nobody", 404, "There is no report `nobody`"),
            ("export", "nobody", 404, "There is no export `nobody`"),
            ("channel", "nobody", 404, "There is no channel `nobody`"),
            ("alert", "nobody", 404, "There is no alert `nobody`"),
            ("report", "<b>", 404, "There is no report `&lt;b&gt;`"),
            ("report", "off", 409, "The report `off` is paused"),
            ("channel", "still", 409, "The channel `still` is paused"),
            ("report", "by-hand", 409, "create it in a shell: topicwatch report by-hand"),
            ("topic", "acme", 400, "is not a valid `kind`"),
            ("prune", "prune", 400, "is not a valid `kind`"),
        ] {
            let answer = run(kind, of);
            assert_eq!(answer.status, status, "{name}: {kind} {of}: {}", answer.text);
            assert!(answer.body.contains(why), "{name}: {kind} {of}: {}", answer.body);
        }
        for verb in ["on", "off"] {
            let answer = post_form(&pages, "/jobs", &[("do", verb), ("kind", "report"), ("name", "nobody")]);
            assert_eq!(answer.status, 404, "{}", answer.text);
        }
        // A GET changes nothing and accepts no form parameters. A form on another site has no effect.
        assert_eq!(pages.get("/jobs?do=run&kind=report&name=daily").status, 400);
        let form = "do=run&kind=report&name=daily";
        for origin in ["http://evil.example", "null"] {
            assert_eq!(pages.request("POST", "/jobs", &[("Origin", origin)], form).status, 403);
        }
        assert_eq!(pages.request("POST", "/jobs", &[], form).status, 403);
        // No button for what would be refused.
        let page = pages.page("/jobs");
        let button = |reported: &str| page.contains(&format!("aria-label=\"{reported}\""));
        assert!(button("Run now: report daily") && button("Test: alert many"), "{page}");
        assert!(!button("Run now: report off") && !button("Send a test: channel still"), "{page}");
        // Where a token is required, nothing happens without it; `serve` refuses, because no daemon would do it.
        let some = Pages::serve_with_token(&place, &[]);
        let origin = some.origin();
        assert_eq!(some.request("POST", "/jobs", &[("Origin", &origin)], form).status, 401);
        let bearer = format!("Bearer {TOKEN}");
        for form in [form, "do=run&kind=alert&name=many", "do=run&kind=channel&name=hook"] {
            assert_eq!(some.request("POST", "/jobs", &[("Authorization", &bearer)], form).status, 403, "{form}");
        }
        for table in ["request", "outbox"] {
            assert_eq!(place.database.number(&format!("SELECT count(*) FROM {table}")), 0, "{name}: {table}");
        }
    }
}
