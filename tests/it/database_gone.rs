//! A PostgreSQL server that disappears under a daemon with pages: requests still get an answer, and a stop does not
//! wait for the server. Also servers that cannot be used at all: a database with another encoding, a user without
//! rights.

use std::time::{Duration, Instant};

use crate::support::access_stage::add_token;
use crate::support::arrivals::{SlowService, topics};
use crate::support::daemons::{sandbox_of_today, start_daemon};
use crate::support::database_proxy::{DatabaseProxy, Mode};
use crate::support::databases::{block_on, on_server, postgres};
use crate::support::postgres_server::PostgresServer;
use crate::support::program::{Place, wait_until};
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages, TOKEN};

#[test]
fn requests_and_a_stop_do_not_hang_while_the_server_refuses_connections() {
    assert_answers_and_stops(Mode::Gone);
}

#[test]
fn a_silent_server_blocks_neither_requests_nor_a_stop() {
    assert_answers_and_stops(Mode::Silent);
}

#[test]
fn a_lost_network_blocks_neither_requests_nor_a_stop() {
    assert_answers_and_stops(Mode::Stalled);
}

/// A topic whose calls are held without an answer.
fn place_with_held_call(cluster: &PostgresServer) -> (SlowService, Place) {
    let service = SlowService::answering_after(Duration::ZERO);
    service.hold_answers(true);
    let topic = topics(1, "every = \"12h\"");
    let place = Place::new(on_server(&cluster.url()), &service.lines(2, "unlimited"), &topic);
    (service, place)
}

#[test]
fn a_run_is_stored_if_the_server_returns_within_the_shutdown_grace() {
    let Some(cluster) = PostgresServer::start("a server that restarts under a stop", &[]) else { return };
    let (service, place) = place_with_held_call(&cluster);
    let mut daemon = start_daemon(&place, &[]);
    place.ok(&["topic", "run", "t0"]);
    wait_until("a call is under way", || service.in_flight() == 1);
    cluster.restart_with("fast", || {
        daemon.signal("TERM");
        daemon.wait_until("it stops", |said| said.contains("stopping"));
        // The answer comes while no server is there to store it.
        service.hold_answers(false);
        wait_until("the answer", || service.in_flight() == 0);
    });
    daemon.wait_until("it is stored", |said| said.contains("run stored"));
    daemon.wait_within(Duration::from_secs(30)).assert_stderr(0, &["stopped"]);
    assert_eq!(place.database.runs_in("ok"), 1);
}

#[test]
fn findings_are_stored_even_if_the_server_returns_after_the_connection_timeout() {
    let Some(cluster) = PostgresServer::start("a server that is away for long", &[]) else { return };
    let (service, place) = place_with_held_call(&cluster);
    place.ok(&["db", "migrate"]);
    let mut once = place.program(&["once"]).env("TOPICWATCH_TEST_BOUND", "acquire=3000").start();
    wait_until("a call is under way", || service.in_flight() == 1);
    cluster.restart_with("fast", || {
        service.hold_answers(false);
        once.wait_until("it could not be stored", |said| said.contains("cannot store the findings now"));
    });
    once.wait().assert_stdout(0, &["1 of 1 run ok"]);
    assert_eq!(place.database.runs_in("ok"), 1);
    assert_eq!(service.calls(), 1, "the call is not repeated");
}

fn assert_answers_and_stops(way: Mode) {
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
    let reader = format!("Bearer {}", add_token(&place, &["reader", "--role", "read"]));
    let gate = DatabaseProxy::to(&place.database.url);
    let url = gate.url(&place.database.url);
    let program = place.program(&["run", "--database", &url]).env("TOPICWATCH_WEB_TOKEN", TOKEN);
    let pages = Pages::wait_for_address(program.start());
    let owner = format!("Bearer {TOKEN}");
    let ask = |path: &str, token: &str| {
        let begun = Instant::now();
        let status = pages.request("GET", path, &[("Authorization", token)], "").status;
        // About 8 s on an idle machine, so a scraper with a timeout of 10 s gets its answer.
        assert!(begun.elapsed() < Duration::from_secs(20), "{path}: {:?}", begun.elapsed());
        status
    };
    wait_until("it is served", || ask("/", &reader) == 200);
    gate.shut(way);
    std::thread::scope(|scope| {
        for path in
            ["/", "/topics/acme", "/items", "/api/v1/topics", "/metrics", "/items.csv", "/api/v1/exports/runs.jsonl"]
        {
            for token in [&owner, &reader] {
                scope.spawn(move || {
                    // Metrics of the process itself are served to visitors that are recognised without the database.
                    let wanted: &[u16] = if path == "/metrics" { &[200, 503] } else { &[503] };
                    let status = ask(path, token);
                    assert!(wanted.contains(&status), "{way:?} {path}: {status}");
                });
            }
        }
        scope.spawn(|| assert_eq!(ask("/healthz", &owner), 200, "{way:?}"));
    });
    pages.program.signal("TERM");
    // Up to 20 s on an idle machine: several short waits. The pool itself would wait for thirty seconds, for each of
    // several statements.
    let ended = pages.program.wait_within(Duration::from_secs(50));
    assert_eq!(ended.code, Some(0), "{way:?}: {ended}");
}

#[test]
fn a_database_of_another_encoding_is_refused_before_a_call_is_made() {
    let Some(cluster) = PostgresServer::start("a database of another encoding", &[]) else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(on_server(&cluster.url()), &sandbox.lines(), ON_DEMAND_TOPIC);
    block_on(place.database.execute("SELECT 1"));
    for encoding in ["LATIN1", "SQL_ASCII"] {
        let name = format!("of_{}", encoding.to_lowercase());
        place.database.execute_without_schema(&format!(
            "CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        ));
        let url = cluster.url().replace("/postgres", &format!("/{name}"));
        for verb in [&["once"][..], &["status"], &["health"], &["run"], &["db", "migrate"]] {
            let ended = place.run(&[verb, &["--database", &url]].concat());
            ended.assert_stderr(4, &[encoding, "hint: create one with UTF-8"]);
        }
    }
    assert_eq!(sandbox.calls(), 0);
}

#[test]
fn missing_database_rights_are_named() {
    let Some(cluster) = PostgresServer::start("a user without rights", &[]) else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(on_server(&cluster.url()), &sandbox.lines(), ON_DEMAND_TOPIC);
    let url = cluster.url().replace("topicwatch@", "worker@");
    let schema = &place.database.schema;
    let refused = |verb: &[&str], said: &str, hint: &str| {
        place.run(&[verb, &["--database", &url]].concat()).assert_stderr(4, &[said, "hint: ", hint]);
    };
    place.database.execute_without_schema("CREATE ROLE worker LOGIN");
    for verb in [&["once"][..], &["db", "migrate"]] {
        refused(verb, "permission denied for database", "GRANT CREATE ON DATABASE");
    }
    place.ok(&["db", "migrate"]);
    for verb in [&["once"][..], &["status"], &["health"]] {
        refused(verb, "this user is not allowed to use schema", "GRANT ALL ON SCHEMA");
    }
    place.database.execute_without_schema(&format!("GRANT USAGE ON SCHEMA {schema} TO worker"));
    for verb in [&["once"][..], &["status"]] {
        refused(verb, "permission denied for table", "GRANT ALL ON SCHEMA");
    }
    place.database.execute_without_schema(&format!(
        "GRANT ALL ON SCHEMA {schema} TO worker; GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO worker; \
         GRANT ALL ON ALL SEQUENCES IN SCHEMA {schema} TO worker"
    ));
    place.ok(&["status", "--database", &url]);
    assert_eq!(sandbox.calls(), 0);
}
