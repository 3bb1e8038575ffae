//! Alerts on the pages and through the API, on both databases: what is shown, and acknowledging and snoozing by button
//! and by API call, up to the result.

use serde_json::Value;
use topicwatch::model::Time;

use crate::support::alert_rows::Event;
use crate::support::api_client::{get_json, send_request};
use crate::support::databases::{Database, block_on, databases};
use crate::support::printed::visible_text;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};

/// The first topic runs only on request, so that no slot ends its alerts.
const FILE: &str = "[web]\nlisten = \"127.0.0.1:0\"\n\
    [[topics]]\nid = \"acme\"\ntitle = \"Acme & Sons\"\nquery = \"acme\"\n\
    [[topics]]\nid = \"acme-two\"\nquery = \"acme two\"\nevery = \"12h\"\ncatch_up = \"none\"\n\
    [[alerts]]\nname = \"recalls\"\nrule = \"items\"\nwords = [\"recall\"]\nquiet = \"22:00-07:00\"\ntimezone = \"Europe/Berlin\"\n\
    [[alerts]]\nname = \"sick\"\nrule = \"source\"\n\
    [[alerts]]\nname = \"thrift\"\nrule = \"budget\"\n";

/// The second topic in that file.
const TWO: &str = "[[topics]]\nid = \"acme-two\"\nquery = \"acme two\"\nevery = \"12h\"\ncatch_up = \"none\"\n";

/// Inserts alert events by hand: `alerts` tests the rules themselves.
fn world(database: Database) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(database, &sandbox.lines(), FILE);
    place.ok(&["once", "--due", "--at", "2026-03-11T08:59:00Z"]);
    place.ok(&["once", "--at", NINE]);
    // The alerts have evaluated this run, so later evaluations do not end what is inserted by hand.
    place.ok(&["once", "--due", "--at", NINE]);
    let run = run_of(&place);
    let lines =
        serde_json::json!([{ "text": "a <recall>", "key": place.database.first_key() }, { "text": "and 3 more" }]);
    let of_run = Event { of: &run, ..Event::default() };
    place.database.add_events(&[
        Event { alert: "recalls", summary: "acme: 1 new <item>", lines: &lines.to_string(), ..of_run },
        Event { subject: "acme/web", at: NOW + 1, summary: "acme: web failed", message: Some("m"), ..of_run },
        Event {
            subject: "acme/social",
            kind: "recovered",
            at: NOW + 2,
            summary: "acme: social is well",
            muted: Some("snoozed"),
            acked_at: Some(5),
            ..of_run
        },
        Event { message: Some("m"), ..GONE },
    ]);
    let before = 1_773_100_000_000;
    place.database.add_firings(&[
        ("sick", "acme/web", NOW, false),
        ("gone", "acme", NOW, false),
        ("thrift", "service/2026-03-10", before, false),
        ("thrift", "acme/2026-03-10", before, false),
    ]);
    (sandbox, place)
}

/// [`NINE`] in milliseconds.
const NOW: i64 = 1_773_219_600_000;

/// The event of an alert that is no longer in the file.
const GONE: Event<'static> = Event {
    alert: "gone",
    subject: "service/2026-03-11",
    of: "2026-03-11",
    kind: "fired",
    at: NOW + 3,
    summary: "the day",
    lines: "[]",
    message: None,
    muted: None,
    acked_at: None,
};

fn run_of(place: &Place) -> String {
    place.database.texts("SELECT run FROM v_run WHERE topic = 'acme' ORDER BY seq").remove(0)
}

/// Sections of providers with these names, each with a daily limit.
fn providers(sandbox: &Sandbox, names: &[&str]) -> String {
    let sections = names.iter().map(|name| sandbox.hacker_news().replace("providers.hn", &format!("providers.{name}")));
    sections.collect()
}

/// The stored rows of two alerts about a day: events with their words, and firing subjects.
fn stored_of_day(place: &Place) -> [Vec<String>; 2] {
    ["summary FROM alert_event", "'words' FROM alert_firing"].map(|column| {
        let (what, from) = column.split_once(" FROM ").unwrap();
        place.database.texts(&format!(
            "SELECT alert || ' ' || subject || ' ' || {what} FROM {from} \
             WHERE alert IN ('thrift', 'frugal') AND subject LIKE '%/2026-03-11' ORDER BY alert, subject"
        ))
    })
}

/// Forgets a topic that is no longer in the file; a dry run counted the same before.
fn forget_as_in_dry_run(place: &Place, topic: &str) {
    let forget = |how: &str| place.json(&["db", "forget", "--topic", topic, "--json", how]);
    let (dry_run, real) = (forget("--dry-run"), forget("--yes"));
    for counted in ["taken", "topics"] {
        assert_eq!(dry_run[counted], real[counted], "{}", place.database.name);
    }
    assert_eq!(real["topics"], serde_json::json!([topic]), "{}", place.database.name);
}

fn part<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    page.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap_or_else(|| panic!("no {from}\n{page}"))
}

#[test]
fn the_alerts_page_shows_the_state_and_events_of_each_alert() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = world(database);
        place.database.add_snooze("sick", NOW - 600_000, NOW + 3_600_000);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let page = pages.page("/alerts");
        let rows = part(&page, "<tbody>", "</tbody>");
        let seen = part(&page, "<ol class=\"found\">", "</ol>");
        insta::allow_duplicates! {
            insta::assert_snapshot!(visible_text(rows), @r"
            recalls
            items: recall
            not firing
            1 event not reported yet
            –
            quiet 22:00–07:00 Europe/Berlin
            no channel
            sick
            source
            firing
            snoozed
            until
            2026-03-11 10:00 UTC
            acme/web
            since
            2026-03-11 09:00 UTC
            2026-03-11 08:50 UTC
            its message is no longer in the outbox
            cool-down until
            2026-03-11 09:50 UTC
            no channel
            thrift
            budget
            not firing
            –
            no channel
            ");
            // The latest is first.
            insta::assert_snapshot!(visible_text(seen), @r"
            fired
            gone
            2026-03-11 09:00 UTC
            the day
            service/2026-03-11 · its message is no longer in the outbox
            over
            sick
            2026-03-11 09:00 UTC
            acme: social is well
            acme/social
            ·
            its run
            · not reported: snoozed · acknowledged
            1970-01-01 00:00 UTC
            fired
            sick
            2026-03-11 09:00 UTC
            acme: web failed
            acme/web
            ·
            its run
            · its message is no longer in the outbox
            fired
            recalls
            2026-03-11 09:00 UTC
            acme: 1 new &lt;item&gt;
            a &lt;recall&gt;
            and 3 more
            acme
            ·
            its run
            ·
            what it counted
            · not reported yet
            ");
        }
        for (listed, link) in [(rows, "href=\"/topics/acme\">acme/web</a> since"), (seen, "href=\"/item?key=")] {
            assert!(listed.contains(link), "{name}: {link}\n{listed}");
        }
        assert!(seen.contains("a &lt;recall&gt;</a>"), "{name}: {seen}");
        // It links to the run of the event; a daily budget has no run, and the service has no page.
        let link = part(seen, "web failed", "its run").rsplit("href=\"").next().unwrap().split('"').next().unwrap();
        let run = pages.page(link);
        assert!(run.contains(&run_of(&place)) && run.contains("One run."), "{name}: {run}");
        let day = part(seen, "the day", "</li>");
        assert!(!day.contains("href=\"/topics") && !day.contains("its run"), "{name}: {day}");
        // One alert; one that is no longer configured; none.
        let one = pages.page("/alerts?alert=sick");
        assert!(one.contains("web failed") && !one.contains("1 new"), "{name}: {one}");
        assert!(one.contains("Alerts and their states") && !one.contains("Every alert"), "{name}: {one}");
        assert!(pages.page("/alerts?alert=gone").contains("no longer in the configuration"), "{name}");
        assert_eq!(pages.get("/alerts?alert=nobody").status, 404, "{name}");
        for wrong in ["/alerts?before=x", "/alerts?before=1", "/alerts?before=x%2Fy"] {
            assert_eq!(pages.get(wrong).status, 400, "{name}: {wrong}");
        }
        // A firing alert is shown next to its topic; a removed alert is not.
        let overview = pages.page("/");
        let row = part(&overview, "href=\"/topics/acme\"", "</tr>");
        assert!(row.contains("href=\"/alerts?alert=sick\">alert sick</a> (web)"), "{name}: {row}");
        assert!(overview.contains("1 alert firing"), "{name}: {overview}");
        let other = part(&overview, "href=\"/topics/acme-two\"", "</tr>");
        assert!(!other.contains("/alerts"), "{name}: {other}");
        let topic = pages.page("/topics/acme");
        assert!(topic.contains("alert sick</a> (web)") && !topic.contains("alert gone"), "{name}: {topic}");
        // A budget's alert of a day that is over fires nowhere.
        assert!(!topic.contains("alert thrift") && !rows.contains("2026-03-10"), "{name}: {topic}");
        assert!(!get_json(&pages, "/api/v1/alerts").to_string().contains("2026-03-10"), "{name}");
        assert!(!pages.page("/topics/acme-two").contains("alert sick"), "{name}");
        // A message that was sent by a clock that was ahead silences nothing.
        let cooling = || get_json(&pages, "/api/v1/alerts/sick")["data"]["cooling_until"].clone();
        assert!(cooling().is_string(), "{name}");
        place.database.move_last_message("sick", 86_400_000);
        assert!(cooling().is_null() && !pages.page("/alerts").contains("cool-down until"), "{name}");
        // The same list in a terminal, of some alerts by name.
        let listed = |names: &[&str]| {
            let output = place.json(&[&["alerts", "list", "--at", NINE, "--json"][..], names].concat());
            let of = |list: &str, field: &str| {
                let all = output[list].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap().to_owned());
                all.collect::<Vec<String>>()
            };
            (of("alerts", "name"), of("events", "alert"))
        };
        for (names, alerts, events) in [
            (vec![], vec!["recalls", "sick", "thrift"], vec!["gone", "sick", "sick", "recalls"]),
            (vec!["recalls"], vec!["recalls"], vec!["recalls"]),
            (vec!["thrift"], vec!["thrift"], vec![]),
            (vec!["sick", "recalls", "sick"], vec!["recalls", "sick"], vec!["sick", "sick", "recalls"]),
            (vec!["sick", "recalls", "--limit", "2"], vec!["recalls", "sick"], vec!["sick", "sick"]),
        ] {
            let expected = [alerts, events].map(|all| all.into_iter().map(str::to_owned).collect::<Vec<String>>());
            assert_eq!(<[Vec<String>; 2]>::from(listed(&names)), expected, "{name}: {names:?}");
        }
        let unknown = ["there is no alert `recals`", "did you mean `recalls`?"];
        place.run(&["alerts", "list", "recals"]).assert_stderr(2, &unknown);
        place.run(&["alerts", "recalls"]).assert_stderr(2, &["recalls"]);
        // Nothing can be requested here.
        assert!(!page.contains("<button"), "{name}: {page}");
        assert_eq!(pages.request("POST", "/alerts", &[("Origin", &pages.origin())], "kind=ack&alert=sick").status, 403);
        // Many alerts fire, and one for many subjects: all are counted and listed.
        let jobs: Vec<String> = (0..60)
            .map(|n| {
                format!(
                    "INSERT INTO job (id, kind, definition, generation, paused, created_at) SELECT 'alert:more{n:02}', kind, \
                     replace(definition, '\"sick\"', '\"more{n:02}\"'), generation, 0, created_at FROM job WHERE id = 'alert:sick'"
                )
            })
            .collect();
        block_on(place.database.execute(&jobs.join("; ")));
        let of_more = (0..60).map(|n| (format!("more{n:02}"), "acme/web".to_owned()));
        let of_sick = (0..34).map(|n| ("sick".to_owned(), format!("topic{n:02}/web")));
        let firing: Vec<(String, String)> = of_more.chain(of_sick).collect();
        let firing: Vec<_> = firing.iter().map(|(alert, subject)| (&**alert, &**subject, NOW, false)).collect();
        place.database.add_firings(&firing);
        assert!(pages.page("/").contains("61 alerts firing"), "{name}");
        let (mut path, mut rows, mut rest) = (Some("/alerts?firing=true".to_owned()), 0, 0);
        while let Some(here) = path {
            let page = pages.page(&here);
            rows += page.matches("<th scope=\"row\">").count();
            assert!(rows <= 61, "{name}: {here}");
            // Five of 35 subjects are named; the page of the alert names all.
            rest += page.matches("and <a href=\"/alerts?alert=sick\">30 more</a></span>").count();
            let next = page.split("rel=\"next\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
            path = next.map(|link| link.replace("&amp;", "&"));
        }
        assert_eq!((rows, rest), (61, 1), "{name}");
        let one = pages.page("/alerts?alert=sick");
        assert!(!one.contains(" more</a></span>"), "{name}: {one}");
        assert_eq!(one.matches("/web since ").count() + one.matches("/web</a> since ").count(), 35, "{name}: {one}");
    }
}

#[test]
fn a_provider_budget_event_is_not_linked_to_a_topic_with_that_name() {
    for database in databases() {
        let name = database.name;
        let (sandbox, place) = world(database);
        let limited = FILE.replace("every = \"12h\"", "every = \"12h\"\nmax_calls_per_day = 1000");
        let frugal = "[[alerts]]\nname = \"frugal\"\nrule = \"budget\"\ntopics = [\"acme-two\"]\n";
        place.configure(&sandbox.lines(), &format!("{limited}{frugal}"));
        place.ok(&["once", "--due", "--at", NINE]);
        let subject = "acme-two/2026-03-11";
        let alerts = [("thrift", Value::Null), ("frugal", "acme-two".into())];
        for (alert, _) in &alerts {
            let alert: &str = alert;
            place.database.add_firings(&[(alert, subject, NOW, false)]);
            place.database.add_events(&[Event { alert, subject, of: "2026-03-11", ..Event::default() }]);
        }
        let pages = Pages::serve(&place, &["--at", NINE]);
        for (alert, topic) in alerts {
            let firing = get_json(&pages, &format!("/api/v1/alerts/{alert}"))["data"]["firing"][0].clone();
            let event = get_json(&pages, &format!("/api/v1/alert-events?alert={alert}"))["data"][0].clone();
            for one in [firing, event] {
                assert_eq!((&one["subject"], &one["topic"]), (&Value::from(subject), &topic), "{name}: {one}");
            }
            let page = pages.page(&format!("/alerts?alert={alert}"));
            let link = "<a href=\"/topics/acme-two\">acme-two/2026-03-11</a>";
            assert_eq!(page.matches(link).count(), if topic.is_null() { 0 } else { 2 }, "{name}: {page}");
            let of_topic = pages.page("/topics/acme-two");
            assert_eq!(of_topic.contains(&format!("alert {alert}")), !topic.is_null(), "{name}: {of_topic}");
        }
        // If an alert changes, its earlier events may be about another topic or provider; the API's document says so.
        place.configure(&sandbox.lines(), &format!("{limited}{}", frugal.replace("topics = [\"acme-two\"]\n", "")));
        place.ok(&["once", "--due", "--at", NINE]);
        let event = get_json(&pages, "/api/v1/alert-events?alert=frugal")["data"][0].clone();
        assert_eq!(event["topic"], Value::Null, "{name}: {event}");
        let document = get_json(&pages, "/api/v1/openapi.json");
        let said = &document["components"]["schemas"]["AlertEvent"]["properties"]["topic"]["description"];
        assert!(said.as_str().unwrap().contains("judged by the alert's present definition"), "{name}: {said}");
    }
}

#[test]
fn provider_budget_alerts_do_not_crowd_out_topic_alerts_on_the_overview() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = world(database);
        let days =
            (2027..2029).flat_map(|year| (1..=12).flat_map(move |month| (1..=28).map(move |day| (year, month, day))));
        let subjects: Vec<String> = days.map(|(year, month, day)| format!("acme/{year}-{month:02}-{day:02}")).collect();
        let firings: Vec<_> = subjects.iter().map(|subject| ("thrift", subject.as_str(), NOW, false)).collect();
        place.database.add_firings(&firings);
        place.database.add_firings(&[("sick", "acme-two/web", NOW, false)]);
        let page = Pages::serve(&place, &["--at", NINE]).page("/");
        assert_eq!(
            (page.matches("alert sick").count(), page.matches("alert thrift").count()),
            (2, 0),
            "{name}: {page}"
        );
    }
}

#[test]
fn renaming_or_forgetting_a_topic_keeps_a_provider_budget_with_its_name() {
    for database in databases() {
        let name = database.name;
        let (sandbox, place) = world(database);
        let frugal = "[[alerts]]\nname = \"frugal\"\nrule = \"budget\"\ntopics = [\"acme-two\"]\n";
        let limited = FILE.replace("every = \"12h\"", "every = \"12h\"\nmax_calls_per_day = 1000");
        let named = providers(&sandbox, &["acme-two", "acme-three"]);
        place.configure(&sandbox.lines(), &format!("{limited}{frugal}{named}"));
        place.ok(&["once", "--due", "--at", NINE]);
        let fires = |alert: &str, subject: &str| {
            place.database.add_firings(&[(alert, subject, NOW, false)]);
            place.database.add_events(&[Event { alert, subject, of: "2026-03-11", ..Event::default() }]);
        };
        fires("thrift", "acme-two/2026-03-11");
        fires("frugal", "acme-two/2026-03-11");
        // Left from a time when this alert was about providers.
        place.database.add_firings(&[("frugal", "acme-three/2026-03-11", NOW, false)]);
        place.ok(&["topic", "rename", "acme-two", "acme-three"]);
        for rows in stored_of_day(&place) {
            let expected = ["frugal acme-three/2026-03-11 words", "thrift acme-two/2026-03-11 words"];
            assert_eq!(rows, expected, "{name}");
        }
        fires("thrift", "acme-three/2026-03-11");
        place.configure(&sandbox.lines(), &FILE.replace(TWO, ""));
        forget_as_in_dry_run(&place, "acme-three");
        for rows in stored_of_day(&place) {
            let expected = ["thrift acme-three/2026-03-11 words", "thrift acme-two/2026-03-11 words"];
            assert_eq!(rows, expected, "{name}");
        }
    }
}

#[test]
fn renaming_or_forgetting_a_topic_covers_alerts_that_no_longer_name_it() {
    for database in databases() {
        let name = database.name;
        let (sandbox, place) = world(database);
        let limited = FILE.replace("every = \"12h\"", "every = \"12h\"\nmax_calls_per_day = 1000");
        // The use of another provider does not belong to the topic.
        let other = providers(&sandbox, &["acme"]);
        let topics = "topics = [\"acme-two\"]\n";
        let frugal = format!("[[alerts]]\nname = \"frugal\"\nrule = \"budget\"\n{topics}");
        let sync = |alert: &str| {
            place.configure(&sandbox.lines(), &format!("{limited}{alert}{other}"));
            place.ok(&["once", "--due", "--at", NINE]);
        };
        sync(&frugal);
        for subject in ["acme/2026-03-11", "acme-two/2026-03-11", "service/2026-03-11"] {
            place.database.add_firings(&[("frugal", subject, NOW, false)]);
            place.database.add_events(&[Event { alert: "frugal", subject, of: "2026-03-11", ..Event::default() }]);
        }
        sync(&frugal.replace(topics, ""));
        place.ok(&["topic", "rename", "acme-two", "acme-three"]);
        let others = ["frugal acme/2026-03-11 words", "frugal service/2026-03-11 words"];
        for rows in stored_of_day(&place) {
            assert_eq!(rows, ["frugal acme-three/2026-03-11 words", others[0], others[1]], "{name}");
        }
        place.configure(&sandbox.lines(), &FILE.replace(TWO, ""));
        forget_as_in_dry_run(&place, "acme-three");
        for rows in stored_of_day(&place) {
            assert_eq!(rows, others, "{name}");
        }
    }
}

#[test]
fn renaming_a_topic_to_a_provider_name_does_not_move_its_budget_days() {
    for database in databases() {
        let (sandbox, place) = world(database);
        let limited = FILE.replace("every = \"12h\"", "every = \"12h\"\nmax_calls_per_day = 1000");
        let (other, topics) = (providers(&sandbox, &["acme-three"]), "topics = [\"acme-two\"]\n");
        let frugal = format!("[[alerts]]\nname = \"frugal\"\nrule = \"budget\"\n{topics}");
        let sync = |alert: &str| {
            place.configure(&sandbox.lines(), &format!("{limited}{alert}{other}"));
            place.ok(&["once", "--due", "--at", NINE]);
        };
        sync(&frugal);
        let subject = "acme-two/2026-03-11";
        place.database.add_firings(&[("frugal", subject, NOW, false)]);
        place.database.add_events(&[Event { alert: "frugal", subject, of: "2026-03-11", ..Event::default() }]);
        sync(&frugal.replace(topics, ""));
        place.ok(&["topic", "rename", "acme-two", "acme-three"]);
        let [events, firing] = stored_of_day(&place);
        assert_eq!(events, ["frugal acme-two/2026-03-11 words"], "{}", place.database.name);
        assert!(firing.is_empty(), "{}: {firing:?}", place.database.name);
    }
}

#[test]
fn a_budget_event_of_an_unreadable_alert_is_hidden_and_forgotten_with_the_topic() {
    for database in databases() {
        let name = database.name;
        let (sandbox, place) = world(database);
        place.configure(&sandbox.lines(), &format!("{FILE}{}", providers(&sandbox, &["acme-two"])));
        place.ok(&["once", "--due", "--at", NINE]);
        place.database.make_alert_unreadable("thrift", "budget");
        let day = "acme-two/2026-03-11";
        place.database.add_firings(&[("thrift", day, NOW, false)]);
        place.database.add_events(&[Event { alert: "thrift", subject: day, of: "2026-03-11", ..Event::default() }]);
        // The name of this source only looks like a date.
        place.database.add_firings(&[("sick", "acme-two/news-de-at", NOW, false)]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        for path in ["/", "/topics/acme-two"] {
            let page = pages.page(path);
            assert!(page.contains("alert sick</a> (news-de-at)"), "{name}: {path}: {page}");
            assert!(!page.contains("alert thrift"), "{name}: {path}: {page}");
        }
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
        // In doubt it belongs to the topic.
        place.configure(&sandbox.lines(), &FILE.replace(TWO, ""));
        forget_as_in_dry_run(&place, "acme-two");
        assert_eq!(stored_of_day(&place), [Vec::<String>::new(), Vec::new()], "{name}");
    }
}

#[test]
fn alert_events_are_paged_and_each_appears_once() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = world(database);
        let names: Vec<_> = (0..70).map(|n| (n / 3, format!("R{n:03}"), format!("number {n:03};"))).collect();
        let events: Vec<Event<'_>> = names
            .iter()
            .map(|(at, of, summary)| Event { subject: "acme/web", at: *at, of, summary, ..Event::default() })
            .collect();
        place.database.add_events(&events);
        let pages = Pages::serve(&place, &["--at", NINE]);
        for (begin, many) in [("/alerts", 74), ("/alerts?alert=sick", 72)] {
            let (mut path, mut all) = (Some(begin.to_owned()), Vec::new());
            while let Some(here) = path {
                let page = pages.page(&here);
                let seen = part(&page, "<ol class=\"found\">", "</ol>");
                all.extend(
                    seen.split("<li><p>").skip(1).map(|event| part(event, "<p dir=\"auto\">", "</p>").to_owned()),
                );
                assert!(all.len() < 200, "{name}: the pages form a loop");
                let next = page.split("rel=\"next\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
                path = next.map(|link| link.replace("&amp;", "&"));
            }
            let listed = all.len();
            all.sort();
            all.dedup();
            assert_eq!((listed, all.len()), (many, many), "{name}: {begin}");
        }
    }
}

#[test]
fn buttons_acknowledge_and_snooze_and_show_the_result() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = world(database);
        let pages = Pages::wait_for_address(place.program(&["run"]).env("TOPICWATCH_WEB_TOKEN", TOKEN).start());
        let (cookie, origin) = (pages.log_in(), pages.origin());
        let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str())];
        let see = || pages.request("GET", "/alerts", &headers[..1], "").body;
        let press = |form: &str| {
            let answer = pages.request("POST", "/alerts", &headers, form);
            assert_eq!((answer.status, answer.header("location")), (303, Some("/alerts")), "{name}: {}", answer.text);
        };
        let reported = |what: &str| wait_until(what, || see().contains(what));
        let number = |sql: &str| place.database.number(sql);
        assert!(see().contains("Acknowledge sick"), "{name}: {}", see());
        // The event of an alert that is no longer configured is listed, but nothing could be requested about it.
        assert!(see().contains("/alerts?alert=gone") && !see().contains("value=\"gone\""), "{name}: {}", see());
        // One event, then all events of an alert, including what is firing.
        let event = format!("alert:recalls/{}/acme/fired", run_of(&place));
        let coded: String = url::form_urlencoded::byte_serialize(event.as_bytes()).collect();
        press(&format!("kind=ack&alert=recalls&event={coded}"));
        reported("acknowledged: 1 event");
        assert_eq!(number("SELECT count(*) FROM alert_event WHERE alert = 'recalls' AND acked_at > 5"), 1);
        press("kind=ack&alert=sick");
        wait_until("the firing alerts", || number("SELECT acked FROM alert_firing WHERE alert = 'sick'") == 1);
        reported("firing, acknowledged");
        assert!(!see().contains("Acknowledge sick"), "{name}: the button is gone");
        // Again, from a page that was opened before.
        press("kind=ack&alert=sick");
        reported("nothing to acknowledge");
        press("kind=snooze&alert=sick&length=4h");
        reported("snoozed until");
        reported(">snoozed<");
        let until = place.database.number("SELECT snoozed_until FROM alert_state WHERE alert = 'sick'");
        let until = Time(until);
        let shown =
            format!("snoozed until <time datetime=\"{until}\">{} UTC", &until.to_string()[..16].replace('T', " "));
        assert!(see().contains(&shown), "{name}: {shown}: {}", see());
        let length = "SELECT snoozed_until - (SELECT max(asked_at) FROM request WHERE kind = 'snooze') FROM alert_state WHERE alert = 'sick'";
        assert_eq!(number(length), 4 * 3_600_000, "{name}");
        press("kind=unsnooze&alert=sick");
        reported("no longer snoozed");
        assert!(see().contains("End the snooze of <strong>sick</strong>"), "{name}: {}", see());
        press("kind=unsnooze&alert=sick");
        reported("was not snoozed");
        // Unauthorised and invalid requests.
        let rows = place.database.requests();
        for (status, headers, form) in [
            (403, vec![headers[0]], "kind=ack&alert=sick"),
            (403, vec![headers[0], ("Origin", "http://evil.example")], "kind=ack&alert=sick"),
            (401, vec![headers[1]], "kind=ack&alert=sick"),
            (404, headers.to_vec(), "kind=ack&alert=nobody"),
            (404, headers.to_vec(), "kind=ack&alert=gone"),
            (404, headers.to_vec(), "kind=ack"),
            (400, headers.to_vec(), "kind=pause&alert=sick"),
            (400, headers.to_vec(), "kind=snooze&alert=sick"),
            (400, headers.to_vec(), "kind=snooze&alert=sick&length=9h"),
            (400, headers.to_vec(), ""),
        ] {
            assert_eq!(pages.request("POST", "/alerts", &headers, form).status, status, "{name}: {form}");
        }
        let missing = pages.request("POST", "/alerts", &headers, "kind=snooze&alert=sick");
        assert!(missing.body.contains("<h1>`length` is missing</h1>"), "{name}: {}", missing.text);
        // The topic's form accepts no request about an alert.
        assert_eq!(pages.request("POST", "/topics/acme", &headers, "kind=ack").status, 400);
        assert_eq!(place.database.requests(), rows, "{name}");
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
    }
}

#[test]
fn the_api_acknowledges_with_a_token_and_returns_the_result() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = world(database);
        let pages = Pages::wait_for_address(place.program(&["run"]).env("TOPICWATCH_WEB_TOKEN", TOKEN).start());
        let bearer = format!("Bearer {TOKEN}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let requests = "/api/v1/alerts/sick/requests";
        let see = |path: &str| -> Value { send_request(&pages, "GET", path, &headers[..1], "").json() };
        let put = |body: &str| -> Value {
            let reply = send_request(&pages, "POST", requests, &headers, body);
            assert_eq!(reply.status, 202, "{name}: {}", reply.text());
            let at = reply.header("location").unwrap().to_owned();
            wait_until("the end of a request", || see(&at)["data"]["state"] != "queued");
            see(&at)["data"].clone()
        };
        let known = put("{\"action\": \"ack\"}");
        assert_eq!(
            (&known["alert"], &known["action"], &known["state"]),
            (&"sick".into(), &"ack".into(), &"done".into())
        );
        assert_eq!(known["answer"], "acknowledged: 1 event", "{name}");
        let alert = see("/api/v1/alerts/sick");
        assert_eq!((&alert["data"]["firing"][0]["acked"], &alert["data"]["firing_count"]), (&true.into(), &1.into()));
        assert_eq!(put("{\"action\": \"ack\"}")["answer"], "nothing to acknowledge", "{name}");
        let gone = put("{\"action\": \"ack\", \"event\": \"alert:sick/nothing\"}");
        assert_eq!((&gone["state"], &gone["answer"]), (&"refused".into(), &"`sick` has no such event any more".into()));
        let snoozed = put("{\"action\": \"snooze\", \"for\": \"1h30m\"}");
        assert_eq!((&snoozed["for_ms"], &snoozed["state"]), (&5_400_000.into(), &"done".into()), "{name}");
        assert!(see("/api/v1/alerts/sick")["data"]["snoozed_until"].is_string(), "{name}");
        assert_eq!(put("{\"action\": \"unsnooze\"}")["answer"], "no longer snoozed", "{name}");
        assert_eq!(see(requests)["data"].as_array().unwrap().len(), 5, "{name}");
        let events = see("/api/v1/alert-events?alert=sick");
        let acked = events["data"].as_array().unwrap().iter().all(|event| event["acked_at"].is_string());
        assert!(acked && events["data"].as_array().unwrap().len() == 2, "{name}: {events}");
        // No other visitor, and no other request.
        let rows = place.database.requests();
        let (cookie, origin) = (pages.log_in(), pages.origin());
        let json = headers[1];
        for (status, headers, body) in [
            (401, vec![json], "{\"action\": \"ack\"}"),
            (401, vec![json, ("Cookie", cookie.as_str()), ("Origin", origin.as_str())], "{\"action\": \"ack\"}"),
            (415, vec![headers[0]], "{\"action\": \"ack\"}"),
            (400, headers.to_vec(), "{\"action\": \"pause\"}"),
            (400, headers.to_vec(), "{\"action\": \"snooze\"}"),
            (400, headers.to_vec(), "{\"action\": \"snooze\", \"for\": \"soon\"}"),
            (400, headers.to_vec(), "{\"action\": \"snooze\", \"for\": \"0s\"}"),
            (400, headers.to_vec(), "{\"action\": \"snooze\", \"for\": \"367d\"}"),
            (400, headers.to_vec(), "{\"action\": \"ack\", \"for\": \"1h\"}"),
            (400, headers.to_vec(), "{\"action\": \"snooze\", \"for\": \"1h\", \"event\": \"x\"}"),
            (400, headers.to_vec(), "{\"action\": \"ack\", \"more\": 1}"),
            (400, headers.to_vec(), "[]"),
        ] {
            send_request(&pages, "POST", requests, &headers, body).assert_problem(status);
        }
        send_request(&pages, "POST", "/api/v1/alerts/gone/requests", &headers, "{\"action\": \"ack\"}")
            .assert_problem(404);
        assert_eq!(place.database.requests(), rows, "{name}");
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
    }
}

#[test]
fn requests_for_a_removed_alert_end_with_a_reason() {
    for database in databases() {
        let name = database.name;
        let (sandbox, place) = world(database);
        // Requests that nothing handled until the alert was gone from the file, or the snooze was over.
        let asked = topicwatch::daemon::system_clock()().0 - 120_000;
        block_on(place.database.execute(&format!(
            "INSERT INTO request (id, kind, alert, length, asked_at, state) VALUES ('A1', 'ack', 'sick', NULL, {asked}, 'queued'), \
             ('A2', 'snooze', 'recalls', 60000, {asked}, 'queued')"
        )));
        let gone = FILE.replace("name = \"sick\"", "name = \"well\"");
        place.configure(&sandbox.lines(), &gone);
        let pages = Pages::wait_for_address(place.program(&["run"]).env("TOPICWATCH_WEB_TOKEN", TOKEN).start());
        let state = |id: &str| {
            place
                .database
                .texts(&format!("SELECT state || ': ' || coalesce(answer, '') FROM request WHERE id = '{id}'"))
                .remove(0)
        };
        wait_until("both to be refused", || state("A1").starts_with("refused") && state("A2").starts_with("refused"));
        assert_eq!(state("A1"), "refused: there is no alert `sick` any more", "{name}");
        assert_eq!(state("A2"), "refused: the snooze was over before a daemon handled it", "{name}");
        assert_eq!(
            place.database.number("SELECT count(*) FROM alert_event WHERE alert = 'sick' AND acked_at IS NULL"),
            1
        );
        let bearer = format!("Bearer {TOKEN}");
        let page = pages.request("GET", "/alerts", &[("Authorization", &bearer)], "").body;
        assert!(page.contains("refused: </strong>there is no alert `sick` any more"), "{name}: {page}");
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
    }
}

#[test]
fn forgetting_a_topic_deletes_alert_requests_about_it() {
    for database in databases() {
        let (sandbox, place) = world(database);
        let event = format!("alert:sick/{}/acme/web/fired", run_of(&place));
        place.configure(&sandbox.lines(), &FILE.replace("id = \"acme\"", "id = \"other\""));
        block_on(place.database.execute(&format!(
            "INSERT INTO request (id, kind, alert, event, asked_at, state) VALUES ('A1', 'ack', 'sick', '{event}', 1, 'done'), \
             ('A2', 'ack', 'gone', 'alert:gone/2026-03-11/service/2026-03-11/fired', 1, 'done')"
        )));
        place.ok(&["forget", "--topic", "acme", "--yes"]);
        assert_eq!(place.database.texts("SELECT id FROM request"), ["A2"], "{}", place.database.name);
    }
}

#[test]
fn the_alerts_page_without_alerts_shows_how_to_write_one() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(crate::support::databases::sqlite(), &sandbox.lines(), crate::support::web_topics::TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let page = pages.page("/alerts");
    assert!(page.contains("No alert has been evaluated yet.") && page.contains("Nothing yet"), "{page}");
    assert!(!pages.page("/").contains("firing"));
    assert_eq!(get_json(&pages, "/api/v1/alerts")["data"], Value::Array(Vec::new()));
    // The last one was removed; its event is kept.
    place.database.add_events(&[GONE]);
    let page = pages.page("/alerts");
    assert!(page.contains("No alert is configured now.") && page.contains("alert=gone"), "{page}");
    assert!(!page.contains("No alert has been evaluated yet."), "{page}");
}
