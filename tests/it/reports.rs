//! Scheduled reports and their delivery, through the binary on both databases: made, sent, killed at every point on the
//! way, and misconfigured.

use topicwatch::notify::verify;

use crate::support::daemons::sandbox_of_today;
use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place, Program, wait_until};
use crate::support::receivers::{Answer, MailServer, WebhookServer};
use crate::support::service::Sandbox;
use crate::support::world::{ScriptedService, hour, item_keys, post, topic};

const SECRET: &str = "hook s3cret";
const TEN: &str = "2026-03-11T10:00:00Z";
const LATER: &str = "2026-03-11T10:10:00Z";

/// Hourly topics and an hourly report on all of them, delivered by both channels.
fn configuration(post: Option<&MailServer>) -> String {
    let mail = post.map_or_else(String::new, |post| {
        format!(
            "[[channels]]\nname = \"mail\"\nkind = \"email\"\nhost = \"127.0.0.1\"\nport = {}\ntls = \"none\"\n\
             from = \"Watch <watch@example.com>\"\nto = [\"team@example.com\"]\n\n",
            post.port()
        )
    });
    let channels = if post.is_some() { "\"hook\", \"mail\"" } else { "\"hook\"" };
    format!(
        "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n\n\
         [[reports]]\nname = \"daily\"\ntitle = \"What happened\"\nevery = \"1h\"\nwindow = \"since_last\"\n\
         format = [\"html\", \"markdown\"]\npath = \"out/{{name}}-{{date}}\"\nchannels = [{channels}]\n\n\
         [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nsecret_env = \"HOOK_SECRET\"\nallow_private = true\n\n{mail}"
    )
}

fn program(place: &Place, hook: &WebhookServer, args: &[&str]) -> Program {
    place.program(args).env("HOOK_URL", &hook.url()).env("HOOK_SECRET", SECRET)
}

fn cursor(place: &Place) -> Vec<String> {
    place.database.texts("SELECT name || ' ' || CAST(at AS TEXT) FROM follower WHERE name LIKE 'report:%'")
}

#[test]
fn a_report_is_made_at_its_slot_and_each_channel_gets_it() {
    for database in databases() {
        let (sandbox, hook, post) = (Sandbox::at(NINE, &[]), WebhookServer::accepting(), MailServer::accepting());
        let place = Place::new(database, &sandbox.lines(), &configuration(Some(&post)));
        let run = |args: &[&str]| program(&place, &hook, args).run();
        run(&["once", "--due", "--at", NINE]).assert_stdout(0, &["nothing was due"]);
        run(&["once", "--at", NINE]);
        run(&["diff", "acme", "--since", "last-report"])
            .assert_stderr(2, &["no report with topic acme has been delivered yet"]);
        sandbox.set_clock(TEN);
        let made = run(&["once", "--due", "--at", TEN]);
        made.assert_stdout(
            0,
            &[
                "report:daily@2026-03-11T10:00:00Z: wrote ",
                "daily-2026-03-11.html",
                "/hook: delivered",
                "/mail: delivered",
            ],
        );
        let page = std::fs::read_to_string(place.path("out/daily-2026-03-11.html")).unwrap();
        assert!(page.contains("What happened"));
        assert!(place.path("out/daily-2026-03-11.md").exists());

        let got = hook.received();
        assert_eq!(got.len(), 1, "{}", place.database.name);
        assert!(verify(SECRET.as_bytes(), got[0].header("X-Topicwatch-Signature").unwrap(), &got[0].body));
        let body = got[0].json();
        assert_eq!(body["event"], "report:daily@2026-03-11T10:00:00Z/hook");
        // The topic was due at the same time as the report, which includes it.
        let found = place.database.items_of_all();
        assert!(found > 0 && body["data"]["topics"][0]["id"] == "acme", "{body}");
        let mails = post.received();
        assert_eq!(mails.len(), 1);
        assert!(mails[0].data.contains("X-Topicwatch-Event: report:daily@2026-03-11T10:00:00Z/mail"));
        assert_eq!(cursor(&place), ["report:daily 1773223200000"]);
        let diff = ["diff", "acme", "--since", "last-report", "--json", "--at", LATER];
        let runs = || serde_json::from_str::<serde_json::Value>(&run(&diff).out).unwrap()["runs"].clone();
        assert_eq!(runs(), 0, "the report covered every item");
        run(&["once", "--at", LATER]);
        assert_eq!(runs(), 1);

        let listed = run(&["outbox", "list", "--json"]);
        let listed: serde_json::Value = serde_json::from_str(&listed.out).unwrap();
        assert_eq!(
            (&listed["counts"]["sent"], &listed["messages"][1]["state"]),
            (&2.into(), &"sent".into()),
            "{listed}"
        );
        let bare: serde_json::Value = serde_json::from_str(&run(&["outbox", "--json"]).out).unwrap();
        assert_eq!(bare, listed, "`list` is what it does");
        assert_eq!(listed["messages"][0]["channel_known"], true);
        run(&["outbox", "list", "--state", "dead"]).assert_stdout(0, &["no messages in this state\n2 sent\n"]);
        run(&["outbox", "--state", "sent"]).assert_stdout(0, &["sent", "report:daily@2026-03-11T10:00:00Z/mail"]);
        run(&["outbox", "show", "report:daily@2026-03-11T10:00:00Z/hook"])
            .assert_stdout(0, &["sent, 1 try\n", "What happened"]);
        run(&["outbox", "show", "nothing"]).assert_stderr(2, &["there is no message `nothing`"]);
        run(&["runs"]).assert_stdout(0, &["report:daily", "acme"]);
        run(&["check"])
            .assert_stdout(0, &["report", "daily", "out/{name}-{date}", "hook", "the address in $HOOK_URL", "ready"]);
        run(&["once", "--due", "--at", TEN]).assert_stdout(0, &["nothing was due"]);
        assert_eq!((hook.received().len(), post.received().len()), (1, 1));
        // A retry sends the same event.
        run(&["outbox", "retry", "report:daily@2026-03-11T10:00:00Z/hook"]).assert_stdout(0, &["queued again: 1"]);
        run(&["outbox", "deliver"]).assert_stdout(0, &["/hook: delivered"]);
        assert_eq!(hook.received()[1].json(), body, "the same body");
        run(&["outbox", "deliver"]).assert_stdout(0, &["nothing was due"]);
    }
}

#[test]
fn a_delivery_in_progress_can_be_interrupted() {
    for database in databases() {
        let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::answering(|_| Answer::Hang));
        let patient = configuration(None).replace("kind = \"webhook\"", "kind = \"webhook\"\ntimeout = \"5m\"");
        let place = Place::new(database, &sandbox.lines(), &patient);
        program(&place, &hook, &["once", "--due", "--at", NINE]).run().assert_stdout(0, &["nothing was due"]);
        sandbox.set_clock(TEN);
        let mut going = program(&place, &hook, &["once", "--due", "--at", TEN]).start();
        wait_until("the message", || hook.received().len() == 1);
        going.signal("INT");
        going.wait_until("its answer", |said| said.contains("press Ctrl-C again to stop at once"));
        going.signal("INT");
        assert_eq!(going.wait().code, Some(130), "{}", place.database.name);
    }
}

#[test]
fn diff_since_last_report_starts_at_the_end_of_the_reported_day() {
    for database in databases() {
        let world = ScriptedService::new();
        let all = topic("acme", "every = \"300d\"")
            + "[[reports]]\nname = \"daily\"\nschedule = \"0 7 * * *\"\nwindow = \"day\"\nformat = \"markdown\"\npath = \"out/{date}\"\n";
        let place = Place::new(database, &world.lines(), &all);
        let since = || place.json(&["diff", "acme", "--since", "last-report", "--json", "--at", &hour(31)]);
        let due = |at| place.run(&["once", "--due", "--at", &hour(at)]);
        due(5).assert_stdout(0, &["nothing was due"]);
        for (at, id, text) in
            [(6, 1, "the first"), (22, 2, "of yesterday"), (26, 3, "of today"), (30, 4, "of this morning")]
        {
            world.set_posts(&[post(id, at - 1, text, 5)]);
            crate::support::world::run_once(&place, at);
        }
        due(31).assert_stdout(0, &["wrote "]);
        let reported = std::fs::read_to_string(place.path("out/2026-03-11.md")).unwrap();
        assert!(
            reported.contains("of yesterday") && !reported.contains("of today"),
            "{}: {reported}",
            place.database.name
        );
        assert_eq!(since()["runs"], 2, "{}", place.database.name);
        assert_eq!(item_keys(&since()["new"]), ["post:x:4", "post:x:3"]);
        // A report since the last one includes them, too.
        place.configure(&world.lines(), &all.replace("\"day\"", "\"since_last\""));
        due(55).assert_stdout(0, &["wrote "]);
        let reported = std::fs::read_to_string(place.path("out/2026-03-13.md")).unwrap();
        assert!(
            reported.contains("of today") && reported.contains("of this morning"),
            "{}: {reported}",
            place.database.name
        );
        assert!(!reported.contains("of yesterday"), "{reported}");
    }
}

#[test]
fn the_first_since_last_report_includes_items_seen_by_a_fast_clock() {
    for database in databases() {
        let world = ScriptedService::new();
        let all = topic("acme", "every = \"300d\"")
            + "[[reports]]\nname = \"r\"\nevery = \"1h\"\nwindow = \"since_last\"\nformat = \"markdown\"\npath = \"out/{date}\"\n";
        let place = Place::new(database, &world.lines(), &all);
        let reported = || std::fs::read_to_string(place.path("out/2026-03-11.md")).unwrap();
        place.run(&["once", "--due", "--at", "2026-03-11T09:30:00Z"]).assert_stdout(0, &["nothing was due"]);
        world.set_posts(&[post(1, 9, "seen by a clock ahead", 5)]);
        place.ok(&["once", "--at", "2026-03-11T10:00:10Z"]);
        place.run(&["once", "--due", "--at", "2026-03-11T10:00:05Z"]).assert_stdout(0, &["wrote "]);
        assert!(reported().contains("seen by a clock ahead"), "{}: {}", place.database.name, reported());
        assert!(reported().contains("Items are those first seen since the period began; searches"), "{}", reported());
        // Reported once: the next report starts after it.
        place.run(&["once", "--due", "--at", "2026-03-11T11:00:05Z"]).assert_stdout(0, &["wrote "]);
        assert!(!reported().contains("seen by a clock ahead"), "{}", reported());
        assert!(reported().contains("since the last report (seq above "), "{}", reported());
    }
}

#[test]
fn of_several_missed_since_last_reports_only_the_latest_is_made() {
    for database in databases() {
        let (world, hook, name) = (ScriptedService::new(), WebhookServer::accepting(), database.name);
        let file = format!(
            "{}[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n\n",
            topic("acme", "every = \"1h\""),
            hook.url()
        );
        let report = |name: &str, channels: &str| {
            format!(
                "[[reports]]\nname = \"{name}\"\nevery = \"1h\"\nwindow = \"since_last\"\ncatch_up = \"all\"\n\
                 format = \"markdown\"\npath = \"out/{{name}}-{{date}}-{{time}}\"\n{channels}\n"
            )
        };
        let all = file + &report("sent", "channels = [\"hook\"]") + &report("kept", "");
        let place = Place::new(database, &world.lines(), &all);
        for at in [6, 7, 8] {
            place.ok(&["once", "--due", "--at", &hour(at)]);
        }
        let sent = hook.received().len();
        world.set_posts(&[post(1, 11, "while nothing ran", 5)]);
        let later = "2026-03-11T12:20:00Z";
        let ended = place.run(&["once", "--due", "--at", later]);
        let last = "report:kept@2026-03-11T12:00:00Z: wrote ";
        let why = "report:kept@2026-03-11T11:00:00Z: the report of a later slot, which is due too, covers this time";
        ended.assert_stdout(0, &[last, why]);
        assert_eq!(ended.out.matches(": wrote ").count(), 2, "{name}: {ended}");
        for report in ["kept", "sent"] {
            let text = std::fs::read_to_string(place.path(&format!("out/{report}-2026-03-11-1220+0000.md"))).unwrap();
            assert!(text.starts_with(&format!("# {report} 2026-03-11")), "{name}: {text}");
            assert!(text.contains("2026-03-11 08:00 – 12:20 (UTC)"), "{name}: {text}");
            assert!(text.contains("while nothing ran"), "{name}: {text}");
        }
        assert_eq!(hook.received().len() - sent, 1, "{name}");
    }
}

#[test]
fn a_report_is_delivered_at_least_once_after_a_kill_at_any_point() {
    const POINTS: [&str; 8] = [
        "job/begun",
        "job/made",
        "jobs::end/written",
        "jobs::end/committed",
        "outbox::claim/committed",
        "courier/sent",
        "outbox::settle/written",
        "outbox::settle/committed",
    ];
    for database in databases() {
        for (n, point) in POINTS.into_iter().enumerate() {
            // On PostgreSQL each point takes longer and runs the same code.
            if database.name != "SQLite" && n % 3 != 0 {
                continue;
            }
            let own = if database.name == "SQLite" { sqlite() } else { crate::support::databases::postgres().unwrap() };
            let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::accepting());
            let place = Place::new(own, &sandbox.lines(), &configuration(None));
            let run = |args: &[&str]| program(&place, &hook, args).run();
            assert_eq!(run(&["once", "--due", "--at", NINE]).code, Some(0));
            let killed = program(&place, &hook, &["once", "--due", "--at", TEN])
                .env("TOPICWATCH_TEST_FAILPOINT", &format!("kill {point}"))
                .run();
            assert_eq!(killed.code, None, "{point}: {killed}");
            let settled = point == "outbox::settle/committed";
            assert_eq!(cursor(&place).is_empty(), !settled, "{point}: moves only after delivery");
            let after = run(&["once", "--due", "--at", LATER]);
            assert_eq!(after.code, Some(0), "{point}: {after}");
            let got = hook.received();
            assert!((1..=2).contains(&got.len()), "{point}: {}", got.len());
            assert!(got.iter().all(|got| got.json()["event"] == "report:daily@2026-03-11T10:00:00Z/hook"), "{point}");
            assert!(place.path("out/daily-2026-03-11.html").exists());
            assert_eq!(cursor(&place).len(), 1, "{point}");
            let state = "SELECT r.state || ' ' || o.state FROM v_run r JOIN outbox o ON o.origin = r.run";
            assert_eq!(place.database.texts(state), ["ok sent"], "{point}");
            assert_eq!(place.database.number("SELECT count(*) FROM report WHERE delivered_at IS NOT NULL"), 1);
        }
    }
}

#[test]
fn a_daemon_makes_and_delivers_reports_and_a_hanging_channel_blocks_nothing() {
    for database in databases() {
        let (sandbox, post) = (sandbox_of_today(&[]), MailServer::accepting());
        let hook = WebhookServer::answering(|_| Answer::Hang);
        let all = configuration(Some(&post)).replace("every = \"1h\"", "every = \"300d\"");
        // A reload adds the report and the channels.
        let before = all.split("[[reports]]").next().unwrap().to_owned();
        let place = Place::new(database, &sandbox.lines(), &before);
        let mut daemon = program(&place, &hook, &["run"]).start();
        daemon.wait_until("its plan", |said| said.contains("next slot"));
        place.configure(&sandbox.lines(), &all);
        daemon.wait_until("the reload", |said| said.contains("configuration reloaded"));
        // A queued slot, so that the test need not wait for one.
        place.database.queue_job("report:daily", "report:daily@then");
        wait_until("the mail", || post.received().len() == 1);
        wait_until("the hook", || hook.received().len() == 1);
        // While the channel hangs, the daemon still handles requests.
        place.run(&["topic", "run", "acme", "--wait"]).assert_stdout(0, &["1 of 1 run ok"]);
        wait_until("the mail to be settled", || {
            place.database.number("SELECT count(*) FROM outbox WHERE state = 'sent'") == 1
        });
        daemon.wait_until("its lines", |said| {
            said.contains("files=2") && said.contains("job done") && said.contains("delivered")
        });
        daemon.signal("TERM");
        daemon.wait().assert_stderr(0, &["stopped"]);
        assert!(cursor(&place).is_empty(), "one channel has not received it");
    }
}

/// Even after its runs have ended, while it waits for a delivery.
#[test]
fn a_second_signal_ends_a_daemon_at_once_while_a_channel_hangs() {
    let (sandbox, hook) = (sandbox_of_today(&[]), WebhookServer::answering(|_| Answer::Hang));
    let before = configuration(None).split("[[reports]]").next().unwrap().to_owned();
    let place = Place::new(sqlite(), &sandbox.lines(), &before);
    let daemon = program(&place, &hook, &["run"]).env("TOPICWATCH_TEST_BOUND", "deliveries=600000");
    let mut daemon = daemon.start();
    daemon.wait_until("its plan", |said| said.contains("next slot"));
    let patient = configuration(None).replace("kind = \"webhook\"", "kind = \"webhook\"\ntimeout = \"5m\"");
    place.configure(&sandbox.lines(), &patient.replace("every = \"1h\"", "every = \"300d\""));
    daemon.wait_until("the reload", |said| said.contains("configuration reloaded"));
    place.database.queue_job("report:daily", "report:daily@then");
    wait_until("the message", || hook.received().len() == 1);
    daemon.signal("TERM");
    daemon.wait_until("its answer", |said| said.contains("stopping"));
    // The loop has ended, and the process is no member any more.
    wait_until("the end of the loop", || place.run(&["topic", "run", "acme"]).err.contains("no daemon is running"));
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code, Some(130));
}

#[test]
fn a_secret_that_is_not_there_is_reported_before_anything_is_written() {
    let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::accepting());
    let place = Place::new(sqlite(), &sandbox.lines(), &configuration(None));
    let refused = place.program(&["once", "--due", "--at", NINE]).env("HOOK_URL", &hook.url()).run();
    refused.assert_stderr(2, &["channel hook: no secret: HOOK_SECRET is not set", "export HOOK_SECRET"]);
    assert!(!refused.err.contains("T0KEN"), "{refused}");
    let refused = place.program(&["run"]).env("HOOK_SECRET", SECRET).run();
    refused.assert_stderr(2, &["channel hook: no address: HOOK_URL is not set"]);
    // A manual run needs no secret.
    assert_eq!(place.run(&["once", "--at", NINE]).code, Some(0));
    let warning =
        "warning: channel hook: no address: HOOK_URL is not set here: `run` and `once --due` do not start without it";
    place.run(&["check"]).assert_stdout(0, &[warning, "(hint: export HOOK_URL="]);
    let checked = place.json(&["check", "--json"]);
    let warnings = checked["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|one| one.as_str().unwrap().contains("HOOK_URL is not set here")), "{checked}");
    // A variable may be set only where `run` is started.
    place.run(&["check", "--probe"]).assert_stdout(0, &[warning, "probe: "]);
    // A file is the same there. The channel's other mistake does not hide it.
    place.configure(
        &sandbox.lines(),
        &configuration(None).replace("secret_env = \"HOOK_SECRET\"", "secret_file = \"no-such\""),
    );
    place.run(&["check", "--probe"]).assert_stdout(2, &[warning, "no-such cannot be read"]);
    // A database that cannot be opened matters more.
    let folder = format!("sqlite:{}", place.folder.path().display());
    place.run(&["check", "--probe", "--database", &folder]).assert_stdout(4, &[warning, "no-such cannot be read"]);
}

#[test]
fn a_secret_echoed_by_a_receiver_is_redacted_and_status_shows_undelivered_messages() {
    let database = sqlite();
    let sandbox = Sandbox::at(NINE, &[]);
    // The first part of the secret is inside the stored part of the answer, the second part is cut off.
    let long = format!("503 Oh\r\n\r\n{} T0KEN-in-the-path {{\"key\":\"QUERYKEY\"}}", "x".repeat(236));
    let long: &'static str = Box::leak(long.into_boxed_str());
    let hook = WebhookServer::answering(move |_| Answer::Say(long));
    let all = configuration(None).replace("format = [\"html\", \"markdown\"]", "format = \"both\"");
    let place = Place::new(database, &sandbox.lines(), &all);
    let run = |args: &[&str]| program(&place, &hook, args).run();
    run(&["once", "--due", "--at", NINE]).assert_stdout(0, &["nothing was due"]);
    sandbox.set_clock(TEN);
    let made = run(&["once", "--due", "--at", TEN]);
    assert_eq!((made.code, hook.received().len()), (Some(3), 1), "{made}");
    assert!(place.path("out/daily-2026-03-11.html").exists() && place.path("out/daily-2026-03-11.md").exists());
    let event = "report:daily@2026-03-11T10:00:00Z/hook";
    let (listed, shown) = (run(&["outbox"]), run(&["outbox", "show", event]));
    let column = place.database.texts("SELECT error FROM outbox").join("");
    for reported in [&made.out, &made.err, &listed.out, &shown.out, &column] {
        for part in ["T0KE", "QUERY"] {
            assert!(!reported.contains(part), "{part}: {reported}");
        }
    }
    for reported in [&made.out, &made.err, &shown.out, &column] {
        assert!(reported.contains("503") && reported.contains("***"), "{reported}");
    }
    let status = || -> serde_json::Value { serde_json::from_str(&run(&["status", "--json"]).out).unwrap() };
    assert_eq!(status()["undelivered"], serde_json::json!({ "dead": 0, "waiting": 1, "stranded": 0 }));
    run(&["status"]).assert_stdout(0, &["1 message waiting: topicwatch outbox\n"]);
    crate::support::databases::block_on(place.database.execute("UPDATE outbox SET state = 'dead'"));
    run(&["status"]).assert_stdout(0, &["1 message dead: topicwatch outbox\n"]);
    // Without its channel it is not tried.
    place.configure(&sandbox.lines(), "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n");
    run(&["outbox"]).assert_stdout(0, &["NO SUCH CHANNEL: 503", "no channel hook in the configuration"]);
    let listed: serde_json::Value = serde_json::from_str(&run(&["outbox", "--json"]).out).unwrap();
    assert_eq!(listed["messages"][0]["channel_known"], false);
    // A message sent long ago cannot be sent again.
    let old = "UPDATE outbox SET state = 'sent', text = '', html = NULL, data = NULL";
    crate::support::databases::block_on(place.database.execute(old));
    let why = "sent more than 30 days ago, and its text was deleted";
    run(&["outbox", "show", event]).assert_stdout(0, &[why]);
    run(&["outbox", "retry", event]).assert_stderr(2, &[why]);
    assert!(!run(&["status"]).out.contains("topicwatch outbox"));
}

#[test]
fn an_unwritable_report_is_in_status_until_one_is_written() {
    for database in databases() {
        let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::accepting());
        let place = Place::new(database, &sandbox.lines(), &configuration(None));
        let run = |args: &[&str]| program(&place, &hook, args).run();
        // A file is where the folder of the reports should be.
        std::fs::write(place.path("out"), "").unwrap();
        run(&["once", "--due", "--at", NINE]);
        sandbox.set_clock(TEN);
        let failed = run(&["once", "--due", "--at", TEN]);
        failed.assert_stdout(
            3,
            &[
                "report:daily@2026-03-11T10:00:00Z: failed: output: ",
                "\nhint: choose another folder, or move that file away\n",
            ],
        );
        run(&["status", "--at", TEN])
            .assert_stdout(0, &["report:daily failed at 2026-03-11T10:00:00Z", "could not be written"]);
        let status: serde_json::Value = serde_json::from_str(&run(&["status", "--json", "--at", TEN]).out).unwrap();
        assert_eq!(status["failed_jobs"][0]["job"], "report:daily", "{status}");
        run(&["report", "daily", "--at", TEN]).assert_stderr(
            5,
            &["a file stands where its folder should be", "hint: choose another folder, or move that file away"],
        );
        std::fs::remove_file(place.path("out")).unwrap();
        let eleven = "2026-03-11T11:00:00Z";
        sandbox.set_clock(eleven);
        run(&["once", "--due", "--at", eleven]);
        assert!(!run(&["status", "--at", eleven]).out.contains("report:daily"), "{}", place.database.name);
    }
}

#[test]
fn undeliverable_messages_are_reported_and_can_be_dropped() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let hook = WebhookServer::answering(|n| Answer::Say(if n < 2 { "404 Not Found" } else { "204 No Content" }));
        let place = Place::new(database, &sandbox.lines(), &configuration(None));
        let run = |args: &[&str]| program(&place, &hook, args).run();
        let due = |at: &str| {
            sandbox.set_clock(at);
            run(&["once", "--due", "--at", at])
        };
        let undelivered = || place.json(&["status", "--json"])["undelivered"].clone();
        due(NINE).assert_stdout(0, &["nothing was due"]);
        due(TEN).assert_stdout(3, &["/hook: gave up: 404"]);
        // The channel is removed, and its message stays.
        let all = configuration(None);
        let without = all.split("[[channels]]").next().unwrap().replace("[\"hook\"]", "[]");
        place.configure(&sandbox.lines(), &without);
        run(&["status"]).assert_stdout(0, &["1 message dead: topicwatch outbox\n"]);
        let again = run(&["outbox", "retry", "--dead"]);
        again.assert_stdout(
            0,
            &["queued again: 1\n", "no channel hook in the configuration: its messages are not delivered"],
        );
        assert!(!again.out.contains("daemon"), "{again}");
        assert_eq!(undelivered(), serde_json::json!({ "dead": 0, "waiting": 0, "stranded": 1 }));
        run(&["status"]).assert_stdout(0, &["1 message for a channel that is not in the file: topicwatch outbox\n"]);
        let event = "report:daily@2026-03-11T10:00:00Z/hook";
        run(&["outbox", "drop", event]).assert_stdout(0, &[&format!("dropped: {event}\n")]);
        run(&["outbox", "drop", event]).assert_stderr(2, &["there is no message"]);
        run(&["outbox"]).assert_stdout(0, &["the outbox is empty"]);
        assert!(!run(&["status"]).out.contains("topicwatch outbox"));
        assert!(cursor(&place).is_empty(), "{}: no channel has received it", place.database.name);

        // Its content was erased by `forget`.
        place.configure(&sandbox.lines(), &all);
        due("2026-03-11T11:00:00Z").assert_stdout(3, &["/hook: gave up: 404"]);
        let event = "report:daily@2026-03-11T11:00:00Z/hook";
        let erased = "UPDATE outbox SET subject = '[erased]', text = '', html = NULL, data = NULL";
        crate::support::databases::block_on(place.database.execute(erased));
        let why = "it contained erased data, and its text was deleted";
        run(&["outbox", "retry", "--dead"]).assert_stdout(0, &["queued again: 0\n", "not queued: 1: ", why]);
        run(&["outbox", "retry", event]).assert_stderr(2, &[why, "outbox drop"]);
        run(&["outbox", "drop", "--dead"]).assert_stdout(0, &[&format!("dropped: {event}\n")]);
        run(&["outbox", "drop", "--dead"]).assert_stdout(0, &["no dead messages"]);

        due("2026-03-11T12:00:00Z").assert_stdout(0, &["/hook: delivered"]);
        let event = "report:daily@2026-03-11T12:00:00Z/hook";
        run(&["outbox", "drop", event]).assert_stderr(2, &["was already sent"]);
        // Nothing is left to drop, and it was not sent 30 days ago.
        crate::support::databases::block_on(place.database.execute(erased));
        run(&["outbox", "retry", event]).assert_stderr(2, &[why, "`topicwatch report` can report"]);
        run(&["outbox", "show", event]).assert_stdout(0, &[why]);
    }
}

#[test]
fn mail_addresses_that_check_accepts_can_be_written_to() {
    const NOBODY: [&str; 10] = [
        "a..b@example.com",
        "a.@example.com",
        "a@-example.com",
        "a@example..com",
        "a(b@example.com",
        "a b@example.com",
        "@example.com",
        "Team <a@example.com",
        "Team <a@example.com>, b@example.com",
        "Team <team>",
    ];
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"1h\"\n\n";
    let mail = |n: usize, to: &str, more: &str| {
        format!(
            "[[channels]]\nname = \"mail{n}\"\nkind = \"email\"\nhost = \"smtp.example.com\"\nfrom = \"watch@example.com\"\nto = [{to:?}]\n{more}\n"
        )
    };
    let all: String = NOBODY.iter().enumerate().map(|(n, to)| mail(n, to, "")).collect();
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", &format!("{topic}{all}"));
    let refused = place.program(&["check"]).env("COLUMNS", "200").run();
    let reported: Vec<String> = NOBODY.iter().map(|to| format!("`to` cannot be {to:?}")).collect();
    refused.assert_stderr(2, &reported.iter().map(String::as_str).collect::<Vec<_>>());

    let lonely = mail(1, "a@example.com", "password_env = \"MAIL_PASSWORD\"\n");
    place.configure("base_url = \"sandbox\"", &format!("{topic}{lonely}"));
    place.run(&["check"]).assert_stderr(2, &["`password_env` is set without a `user`", "write user"]);

    let hook = "[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\n";
    let good = mail(1, "Größe, Jürgen <a@example.com>", "");
    place.configure("base_url = \"sandbox\"", &format!("{topic}{good}{hook}"));
    for address in ["file:///etc/passwd", "ftp://example.com/a", "data:text/plain,a", "hook"] {
        let checked = place.program(&["check"]).env("HOOK_URL", address).run();
        checked.assert_stdout(0, &["HOOK_URL does not contain the URL of a web server", "ready"]);
    }
}

#[test]
fn every_mistake_in_reports_and_channels_is_reported_at_once() {
    let place = Place::new(
        sqlite(),
        "base_url = \"sandbox\"",
        r#"
[[topics]]
id = "acme"
query = "acme"
tags = ["rivals"]

[[reports]]
name = "Daily"
topics = ["acmee"]
tags = ["rival"]
group = "nobody"
channels = ["teem"]
format = "pdf"
window = "fortnight"
path = "../{name}"
schedule = "0 0 31 2 *"
timezone = "Europe/Berlinn"

[[reports]]
title = "no name"
path = "r/{topic}"
format = []

[[reports]]
name = "a"
path = "r/all"
[[reports]]
name = "b"
path = "r/all"

[[channels]]
name = "team"
kind = "email"
host = "smtp example"
from = "nobody"
to = ["a@example.com", "b@example.com\r\nBcc: c@example.com"]
url = "https://example.com"
user = "me"
password = "hunter2hunter2"

[[channels]]
name = "team"
kind = "webhook"
url = "ftp://example.com/SECRETPATH"
max_tries = 0

[[channels]]
name = "pager"
kind = "sms"
"#,
    );
    let checked = place.program(&["check"]).env("COLUMNS", "200").run();
    checked.assert_stderr(2, &[]);
    let folder = place.path("").display().to_string();
    let mistakes = checked.err.replace(folder.trim_end_matches('/'), "/FOLDER");
    insta::assert_snapshot!(mistakes, @r#"
    error: `name` cannot be "Daily"
      --> jobs.toml:18:8
       |
    18 | name = "Daily"
       |        ^^^^^^^
       |
       = hint: an id is up to 64 characters of a-z, 0-9, - and _, and begins with a letter or a digit: "daily"

    error: `topics` names "acmee", but there is no such topic
      --> jobs.toml:19:11
       |
    19 | topics = ["acmee"]
       |           ^^^^^^^
       |
       = hint: did you mean `acme`?

    error: `tags` names "rival", but there is no such tag
      --> jobs.toml:20:9
       |
    20 | tags = ["rival"]
       |         ^^^^^^^
       |
       = hint: did you mean `rivals`?

    error: `group` names "nobody", but there is no such tag
      --> jobs.toml:21:9
       |
    21 | group = "nobody"
       |         ^^^^^^^^
       |
       = hint: the file has "rivals"

    error: `channels` names "teem", but there is no such channel
      --> jobs.toml:22:13
       |
    22 | channels = ["teem"]
       |             ^^^^^^
       |
       = hint: did you mean `team`?

    error: `format` cannot be "pdf"
      --> jobs.toml:23:10
       |
    23 | format = "pdf"
       |          ^^^^^
       |
       = hint: one of "html", "markdown", "both"

    error: `window` cannot be "fortnight"
      --> jobs.toml:24:10
       |
    24 | window = "fortnight"
       |          ^^^^^^^^^^^
       |
       = hint: one of "day", "week", "month", "since_last"

    error: `path` contains `..`
      --> jobs.toml:25:8
       |
    25 | path = "../{name}"
       |        ^^^^^^^^^^^
       |
       = hint: name the folder directly, with an absolute path if needed

    error: `schedule`: `0 0 31 2 *` never fires: none of its months has such a day
      --> jobs.toml:26:12
       |
    26 | schedule = "0 0 31 2 *"
       |            ^^^^^^^^^^^^
       |
       = hint: for the last day of the month write "0 0 L 2 *"

    error: `timezone`: there is no time zone `Europe/Berlinn`
      --> jobs.toml:27:12
       |
    27 | timezone = "Europe/Berlinn"
       |            ^^^^^^^^^^^^^^^^
       |
       = hint: did you mean Europe/Berlin?

    error: this report has no `name`
      --> jobs.toml:29:1
       |
    29 | [[reports]]
       | ^^^^^^^^^^^
       |
       = hint: write name = "…": a short, permanent name

    error: `path` contains an unknown placeholder in braces
      --> jobs.toml:31:8
       |
    31 | path = "r/{topic}"
       |        ^^^^^^^^^^^
       |
       = hint: write a path such as "reports/{name}-{date}"; only {name}, {date}, {time} are filled in

    error: `format` is empty: nothing would be written
      --> jobs.toml:32:10
       |
    32 | format = []
       |          ^^
       |
       = hint: write "html", "markdown", or both

    error: `path` is already used by another report: "/FOLDER/r/all"
      --> jobs.toml:39:8
       |
    39 | path = "r/all"
       |        ^^^^^^^
       |
       = hint: one would overwrite the other: use {name}

    error: `host` cannot be "smtp example"
      --> jobs.toml:44:8
       |
    44 | host = "smtp example"
       |        ^^^^^^^^^^^^^^
       |
       = hint: write a host name, such as "smtp.example.com"

    error: `from` cannot be "nobody": its address has no @
      --> jobs.toml:45:8
       |
    45 | from = "nobody"
       |        ^^^^^^^^
       |
       = hint: write somebody@example.com, or Name <somebody@example.com>

    error: `to` contains an entry that contains the control character \u{d}
      --> jobs.toml:46:24
       |
    46 | to = ["a@example.com", "b@example.com\r\nBcc: c@example.com"]
       |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = hint: remove it; text must be on one line

    error: `url` does not apply to a channel of kind = "email"
      --> jobs.toml:47:1
       |
    47 | url = "https://example.com"
       | ^^^
       |
       = hint: remove it

    error: unknown key `password` in [channels]
      --> jobs.toml:49:1
       |
    49 | password = ****************
       | ^^^^^^^^
       |
       = hint: keep it out of the file: name the environment variable that holds it, password_env = "…"

    error: `name` is already used by another channel: "team"
      --> jobs.toml:52:8
       |
    52 | name = "team"
       |        ^^^^^^
       |
       = hint: choose another name

    error: `url` is not the URL of a web server
      --> jobs.toml:54:7
       |
    54 | url = "ftp://example.com/SECRETPATH"
       |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = hint: write a URL such as "https://hooks.example.com/topicwatch"

    error: `max_tries` cannot be 0
      --> jobs.toml:55:13
       |
    55 | max_tries = 0
       |             ^
       |
       = hint: write a number from 1 to 20

    error: `kind` cannot be "sms"
      --> jobs.toml:59:8
       |
    59 | kind = "sms"
       |        ^^^^^
       |
       = hint: one of "email", "webhook", "slack", "mattermost", "ntfy", "telegram", "discord", "teams", "apprise"
    "#);
    for secret in ["hunter2", "SECRETPATH\")"] {
        assert!(!checked.err.contains(secret), "{checked}");
    }
}
