//! Pause, resume, run now and rename, through the binary on both databases, with and without a running daemon.

use crate::support::daemons::*;
use std::time::Duration;

use topicwatch::model::{RunState, Time};

use crate::support::arrivals::SlowService;
use crate::support::databases::databases;
use crate::support::ledger::LedgerRun;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::searched::{LEASE, NOW, jobs_to_plan, open_store, plan, topic};
use crate::support::service::Sandbox;

#[test]
fn run_now_runs_at_once_and_wait_shows_the_findings() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "globex"]));
        let going = start_daemon(&place, &[]);
        let output = place.json(&["topic", "run", "acme", "--wait", "--json"]);
        assert_eq!(output["runs"][0]["state"], "ok", "{output}");
        assert_eq!(output["runs"][0]["searches"][0]["state"], "ok", "{output}");
        assert_eq!(sandbox.calls(), 1, "{}", place.database.name);
        place
            .run(&["topic", "run", "globex", "acme", "--wait"])
            .assert_stdout(0, &["2 of 2 runs ok", "acme", "globex", "stored in"]);
        let queued = place.json(&["topic", "run", "acme", "--json"]);
        let run = queued["queued"][0]["run"].as_str().unwrap().to_owned();
        wait_until("the run", || {
            place.database.number(&format!("SELECT count(*) FROM v_run WHERE run = '{run}' AND state = 'ok'")) == 1
        });
        place.run(&["topic", "run", "acmee"]).assert_stderr(2, &["there is no topic `acmee`", "did you mean `acme`?"]);
        let wrong = place.run(&["topic", "run", "acme", "--wait", "--timeout", "soon"]);
        wrong.assert_stderr(2, &["--timeout", "write 90s"]);
        going.signal("TERM");
        going.wait().assert_stderr(0, &["stopped"]);
        // No daemon is alive, and nothing is queued for a later one.
        let before = place.database.all_runs();
        let refused = place.run(&["topic", "run", "acme"]);
        refused.assert_stderr(3, &["no daemon is running", "nothing was queued", "topicwatch once --topic acme"]);
        assert_eq!(place.database.all_runs(), before);
    }
}

#[test]
fn a_wait_that_is_over_names_what_shows_the_run_and_the_daemon() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::ZERO);
        service.hold_answers(true);
        let place = Place::new(database, &service.lines(4, "unlimited"), &topics(&["acme"]));
        let going = start_daemon(&place, &[]);
        let waited = place.run(&["topic", "run", "acme", "--wait", "--timeout", "1ms"]);
        waited.assert_stderr(3, &["not finished after 1ms: acme; a running daemon continues", "topicwatch health"]);
        service.hold_answers(false);
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
    }
}

#[test]
fn a_pause_cancels_queued_runs_lets_running_ones_finish_and_shows_in_status() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::ZERO);
        service.hold_answers(true);
        let rest = format!("[scheduler]\nmax_concurrent_runs = 1\n\n{}", topics(&["acme", "globex"]));
        let place = Place::new(database, &service.lines(4, "unlimited"), &rest);
        let going = start_daemon(&place, &[]);
        place.ok(&["topic", "run", "globex"]);
        let outcomes =
            |topic: &str| place.database.ledger_runs_of(topic).iter().map(LedgerRun::outcome).collect::<Vec<_>>();
        let running = || outcomes("globex").iter().filter(|outcome| outcome.starts_with("running ")).count();
        wait_until("globex runs", || running() == 1);
        place.ok(&["topic", "run", "acme"]);
        let paused =
            place.run(&["topic", "pause", "acme", "globex", "--reason", "until the \u{1b}[31mfair\u{1b}[0m is over"]);
        paused.assert_stdout(
            0,
            &["acme: paused; queued runs cancelled: 1", "globex: paused; the current run will finish"],
        );
        let why = "the topic was paused: until the \\u{1b}[31mfair\\u{1b}[0m is over";
        assert_eq!(outcomes("acme"), [format!("cancelled {why}")]);
        service.hold_answers(false);
        wait_until("globex ends", || running() == 0);
        assert_eq!(outcomes("globex"), ["ok "]);
        place.run(&["status"]).assert_stdout(0, &["paused", "acme has been paused since 20", "the \\u{1b}[31mfair"]);
        let status = place.json(&["status", "--json"]);
        assert_eq!(status["topics"][0]["paused"]["by"], "pause", "{status}");
        assert_eq!(status["topics"][0]["next_slot"], serde_json::Value::Null);
        // A requested run happens: the pause only concerns the schedule.
        place.run(&["topic", "run", "acme", "--wait"]).assert_stdout(0, &["1 of 1 run ok"]);
        place.run(&["topic", "pause", "acme"]).assert_stdout(0, &["acme: was already paused\n"]);
        let again = place.run(&["topic", "pause", "acme", "--reason", "a better one"]);
        again.assert_stdout(0, &["acme: was already paused; reason set\n"]);
        place.run(&["status"]).assert_stdout(0, &["acme has been paused since 20", ": a better one"]);
        place.run(&["topic", "resume", "acme", "globex"]).assert_stdout(0, &["acme: resumed", "globex: resumed"]);
        place.run(&["topic", "resume", "acme"]).assert_stdout(0, &["acme: was not paused"]);
        assert_eq!(place.json(&["status", "--json"])["topics"][0]["paused"], serde_json::Value::Null);
        for verb in ["pause", "resume"] {
            place.run(&[verb, "acme", "glob"]).assert_stderr(2, &["there is no topic `glob`", "hint: "]);
        }
        assert_eq!(place.database.number("SELECT count(*) FROM topic WHERE paused = 1"), 0, "all or none");
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
    }
}

#[test]
fn a_pause_in_the_file_wins_over_resume() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let text = topics(&["acme", "globex"]).replacen("every =", "paused = true\nevery =", 1);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "globex"]));
        place.ok(&["once", "--due", "--at", NINE]);
        // The file counts even before any process has read it again.
        place.configure(&sandbox.lines(), &text);
        place
            .run(&["topic", "resume", "acme", "globex"])
            .assert_stdout(3, &["acme: stays paused", "globex: was not paused"]);
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["topic", "pause", "acme", "globex"]);
        let resumed = place.run(&["topic", "resume", "acme", "globex"]);
        resumed.assert_stdout(3, &["acme: stays paused", "`paused = true`", "globex: resumed"]);
        resumed.assert_stderr(3, &["hint: set `paused = false` in", "jobs.toml"]);
        place.run(&["status"]).assert_stdout(0, &["acme is paused in the configuration"]);
        assert_eq!(place.json(&["status", "--json"])["topics"][0]["paused"]["by"], "file");
        // The file was changed since it was read: there is nothing to set in it.
        place.configure(&sandbox.lines(), &topics(&["acme", "globex"]));
        let resumed = place.run(&["topic", "resume", "acme"]);
        resumed.assert_stdout(3, &["acme: stays paused until `run` or `once` reads the file"]);
        assert!(!resumed.err.contains("hint:"), "{resumed}");
        // A file without the topic does not pause it.
        place.configure(&sandbox.lines(), &topics(&["globex"]));
        let resumed = place.run(&["topic", "resume", "acme"]);
        resumed.assert_stdout(3, &["acme: stays paused: the file it was last read from had `paused = true`"]);
        resumed.assert_stderr(3, &["jobs.toml does not have the topic: set `paused = false` in the file that has it"]);
    }
}

#[tokio::test]
async fn a_resumed_topic_skips_the_slots_of_its_pause_and_drops_older_plans() {
    for database in databases() {
        let store = open_store(&database).await;
        let names = ["rust".to_owned()];
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let hour = |n: i64| Time(NOW.0 + n * 3_600_000);
        // Another planner read the topic before the pause and stores its plan after it.
        let late = plan(NOW, hour(1), &[(hour(1).0, RunState::Queued)]);
        store.pause_topics(&names, None, hour(1)).await.unwrap();
        assert_eq!(store.plan(&[late], hour(1)).await.unwrap(), (0, 0), "{}", database.name);
        assert!(jobs_to_plan(&store).await.is_empty());
        // A sync does not end the pause.
        store.sync_topics(&[topic("rust")], hour(2)).await.unwrap();
        assert!(jobs_to_plan(&store).await.is_empty());
        store.resume_topics(&names, hour(5)).await.unwrap();
        assert_eq!(jobs_to_plan(&store).await[0].planned_until, hour(5));
        // A manual run waits for an earlier slot of its topic.
        store.plan(&[plan(hour(5), hour(6), &[(hour(6).0, RunState::Queued)])], hour(6)).await.unwrap();
        store.queue_manual(&[("rust".into(), "M1".into()), ("rust".into(), "M2".into())], hour(6)).await.unwrap();
        for expected in [format!("topic:rust@{}", hour(6)), "M1".into(), "M2".into()] {
            let claimed = store.claim(hour(6), 9, LEASE, "t").await.unwrap();
            assert_eq!(claimed.iter().map(|run| &run.public_id).collect::<Vec<_>>(), [&expected]);
            store.finish(&claimed[0], crate::support::searched::outcome(hour(6), Vec::new())).await.unwrap();
        }
        database.close(store).await;
    }
}

/// `found` and `new` of the only run of `once --json`.
fn found(place: &Place, at: &str) -> (i64, i64) {
    let output = place.json(&["once", "--at", at, "--json"]);
    (output["sums"]["found"].as_i64().unwrap(), output["sums"]["new"].as_i64().unwrap())
}

#[test]
fn a_renamed_topic_keeps_its_history_and_a_file_with_the_old_id_is_refused() {
    const LATER: &str = "2026-03-11T09:10:00Z";
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        let (all, new) = found(&place, NINE);
        assert!(all == new && all > 0);
        let ids = place.database.texts("SELECT run FROM v_run");
        let renamed = place.run(&["topic", "rename", "acme", "acme-news"]);
        renamed
            .assert_stdout(0, &["acme renamed to acme-news", "next: change `id = \"acme\"` to `id = \"acme-news\"`"]);
        for args in [&["once", "--at", LATER][..], &["once", "--due", "--at", LATER], &["run"]] {
            place.run(args).assert_stderr(
                2,
                &["topic `acme` was renamed to `acme-news`", "topicwatch topic rename acme-news acme"],
            );
        }
        // An old id is not a topic without findings either.
        for args in [
            &["show", "acme"][..],
            &["diff", "acme"],
            &["coverage", "acme"],
            &["terms", "acme"],
            &["topic", "filter", "test", "acme"],
            &["report", "--topic", "acme"],
            &["export", "--topic", "acme"],
            &["items", "--topic", "acme"],
            &["items", "--topic", "acme", "--rank", "relevance"],
            &["runs", "--topic", "acme"],
            &["topic", "pause", "acme"],
            &["topic", "resume", "acme"],
            &["topic", "run", "acme"],
            &["topic", "rename", "acme", "acme-blog"],
            &["items", "mark", "acme", "post:x:1", "good"],
        ] {
            place.run(args).assert_stderr(2, &["topic `acme` was renamed to `acme-news`"]);
        }
        assert_eq!(place.database.texts("SELECT id FROM topic"), ["acme-news"], "{}", place.database.name);
        place.configure(&sandbox.lines(), &topics(&["acme-news"]).replace("acme-news launch", "acme launch"));
        assert_eq!(found(&place, LATER), (all, 0), "{}: old does not become new", place.database.name);
        // The file no longer has the old id, which is still no typo.
        for args in [
            &["runs", "--topic", "acme"][..],
            &["show", "acme"],
            &["topic", "pause", "acme"],
            &["topic", "run", "acme"],
        ] {
            place
                .run(args)
                .assert_stderr(2, &["topic `acme` was renamed to `acme-news`\n", "hint: use the new id: acme-news"]);
        }
        let runs = place.database.ledger_runs();
        assert_eq!(runs.iter().map(|run| run.id.clone()).take(1).collect::<Vec<_>>(), ids);
        let others = runs.iter().filter(|run| run.topic != "acme-news" || run.job != "topic:acme-news");
        assert_eq!(others.count(), 0, "{runs:?}");
        assert_eq!(place.database.number("SELECT count(*) FROM v_item WHERE topic <> 'acme-news'"), 0);
        place.run(&["show", "acme-news", "--run", &ids[0]]).assert_stdout(0, &["acme-news"]);
        // A file with both ids has a new topic under the old id.
        place.configure(&sandbox.lines(), &topics(&["acme", "acme-news"]));
        place.ok(&["once", "--at", LATER]);
        assert_eq!(place.database.number("SELECT count(*) FROM renamed"), 0);
        for (args, why) in [
            (["acme", "acme-news"], "histories cannot be merged"),
            (["acmee", "x"], "did you mean `acme`?"),
            (["acme", "Not An Id"], "an id is up to 64 characters"),
            (["acme", "acme"], "already has that id"),
        ] {
            place.run(&["topic", "rename", args[0], args[1]]).assert_stderr(2, &[why]);
        }
    }
}

#[test]
fn topic_rename_after_the_file_was_edited_joins_the_history() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        let (all, _) = found(&place, NINE);
        place.ok(&["topic", "pause", "acme", "--reason", "for now"]);
        place.configure(&sandbox.lines(), &topics(&["news"]).replace("news launch", "acme launch"));
        place.ok(&["once", "--due", "--at", NINE]);
        let renamed = place.run(&["topic", "rename", "acme", "news"]);
        renamed.assert_stdout(0, &["acme renamed to news"]);
        assert!(!renamed.out.contains("next:"), "{renamed}");
        assert_eq!(found(&place, NINE), (all, 0));
        assert_eq!(place.database.texts("SELECT id FROM topic"), ["news"]);
        place.run(&["status"]).assert_stdout(0, &["news has been paused since", "for now"]);
        // And back: the abandoned id is free again.
        place.ok(&["topic", "rename", "news", "acme"]);
        place.configure(&sandbox.lines(), &topics(&["acme"]));
        assert_eq!(found(&place, NINE), (all, 0));
    }
}

#[test]
fn a_daemon_keeps_its_own_run_when_it_renews_the_lease_late() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::ZERO);
        service.hold_answers(true);
        let rest = format!("[scheduler]\nlease = \"600s\"\n\n{}", topics(&["acme", "globex"]));
        let place = Place::new(database, &service.lines(4, "unlimited"), &rest);
        let going = start_daemon(&place, &[]);
        place.ok(&["topic", "run", "acme"]);
        wait_until("the call", || is_calling(&place));
        place.database.end_leases();
        // The same round of the loop that begins this run has looked for lost ones.
        place.ok(&["topic", "run", "globex"]);
        wait_until("globex runs", || place.database.running_where("topic = 'globex'") == 1);
        let renewed = place.database.running_where("topic = 'acme' AND lease_until > 1");
        assert_eq!(renewed, 1, "{}", place.database.name);
        service.hold_answers(false);
        wait_until("both end", || place.database.number("SELECT count(*) FROM v_run WHERE state = 'ok'") == 2);
        going.signal("TERM");
        going.wait().assert_stderr(0, &["stopped"]);
    }
}

#[test]
fn a_topic_is_not_renamed_to_another_topic_of_the_file() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "other"]));
        place.ok(&["once", "--topic", "acme", "--at", NINE]);
        place.run(&["topic", "rename", "acme", "other"]).assert_stderr(
            2,
            &["has both topics, `acme` and `other`", "choose another id, or remove topic `other` from the file first"],
        );
        place.ok(&["once", "--at", NINE]);
        let texts = place.database.texts("SELECT topic FROM v_run ORDER BY topic");
        assert_eq!(texts, ["acme", "acme", "other"], "{}", place.database.name);
    }
}

#[test]
fn a_topic_in_the_file_under_its_former_id_cannot_take_another_topics_id() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "other"]));
        place.ok(&["once", "--topic", "acme", "--at", NINE]);
        place.ok(&["topic", "rename", "acme", "news"]);
        let both = "has both topics, `acme`, which was renamed to `news`, and `other`";
        place.run(&["topic", "rename", "news", "other"]).assert_stderr(2, &[both, "choose another id"]);
        // Undoing the renaming is allowed.
        place.ok(&["topic", "rename", "news", "acme"]);
        assert_eq!(place.database.texts("SELECT topic FROM v_run"), ["acme"], "{}", place.database.name);
    }
}

#[test]
fn a_topic_is_not_renamed_to_one_that_was_forgotten() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "other"]));
        place.ok(&["once", "--at", NINE]);
        place.configure(&sandbox.lines(), &topics(&["acme"]));
        place.ok(&["db", "forget", "--topic", "other", "--yes"]);
        place
            .run(&["topic", "rename", "acme", "other"])
            .assert_stderr(2, &["topic `other` was forgotten, but its runs are still stored", "choose another id"]);
        let texts = place.database.texts("SELECT topic FROM v_run ORDER BY topic");
        assert_eq!(texts, ["acme", "other"], "{}: each has its own run", place.database.name);
        place.ok(&["topic", "rename", "acme", "news"]);
    }
}

#[test]
fn a_topic_that_runs_is_not_renamed() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::ZERO);
        service.hold_answers(true);
        let place = Place::new(database, &service.lines(4, "unlimited"), &topics(&["acme"]));
        place.ok(&["db", "migrate"]);
        let once = place.program(&["once", "--at", NINE]).start();
        wait_until("the call", || is_calling(&place));
        place
            .run(&["topic", "rename", "acme", "news"])
            .assert_stderr(4, &["a run of topic `acme` is active", "hint: wait"]);
        service.hold_answers(false);
        assert_eq!(once.wait().code, Some(0));
        place.ok(&["topic", "rename", "acme", "news"]);
    }
}

#[test]
fn topic_rename_covers_every_column_with_a_topic_id() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        place.ok(&["db", "migrate"]);
        let sql = if place.database.name == "SQLite" {
            "SELECT m.name || '.' || p.name FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND p.name IN ('topic', 'job') ORDER BY 1"
        } else {
            "SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relkind IN ('r', 'p') \
             AND c.relnamespace = current_schema()::regnamespace AND a.attname IN ('topic', 'job') ORDER BY 1"
        };
        let known = [
            "export_placed.topic",
            "item_mark.topic",
            "job.topic",
            "provider_memory.topic",
            "pruned_day.topic",
            "request.topic",
            "run.job",
            "run.topic",
            "saved_search.topic",
            "search.topic",
            "topic_calls.topic",
            "topic_day.topic",
            "topic_day_due.topic",
            "topic_item.topic",
            "topic_latest.topic",
            "topic_term.topic",
        ];
        assert_eq!(place.database.texts(sql), known, "a new column belongs into store/ledger/sql/rename.rs");
    }
}

#[tokio::test]
async fn concurrent_renames_end_in_one_history() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("a")], NOW).await.unwrap();
        store.queue_manual(&[("a".into(), "M1".into())], NOW).await.unwrap();
        let (first, second) = tokio::join!(store.rename_topic("a", "b", NOW), store.rename_topic("a", "c", NOW));
        assert!(first.is_ok() != second.is_ok(), "{}: one request comes too late", database.name);
        let name = if first.is_ok() { "b" } else { "c" };
        assert_eq!(store.topic_ids().await.unwrap(), [name]);
        let claimed =
            tokio::time::timeout(Duration::from_secs(60), store.claim(NOW, 1, LEASE, "t")).await.unwrap().unwrap();
        assert_eq!((claimed[0].public_id.as_str(), claimed[0].topic.id.as_str()), ("M1", name));
        database.close(store).await;
    }
}
