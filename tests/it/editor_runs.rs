//! From a form to a report without a shell: a daemon loads a topic that was added on a page, runs it when a button is
//! pressed, shows progress and makes its report. Also switches and tries reports, alerts, exports and channels there.

use crate::support::daemons::sandbox_of_today;
use crate::support::databases::{databases, sqlite};
use crate::support::editor::{Form, post_form};
use crate::support::program::{Place, wait_until};
use crate::support::receivers::WebhookServer;
use crate::support::stored::COST;
use crate::support::web_client::{Pages, without_links};

const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";
const ACME: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"12h\"\n";

#[test]
fn a_topic_added_on_a_page_is_run_and_reported_without_a_shell() {
    for database in databases() {
        let name = database.name;
        let sandbox = sandbox_of_today(&["source=social,delay=4s"]);
        let place = Place::new(database, &sandbox.lines(), &format!("{WEB}{ACME}"));
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        let form = Form::fetch(&pages, "/jobs/new").with("id", "rust").with("query", "rust async");
        let form = form.with("sources", "social web").with("every", "6h");
        assert_eq!(form.submit(&pages, "save").header("location"), Some("/topics/rust"));
        assert!(pages.page("/topics/rust").contains("rust"));
        wait_until("the daemon takes it over", || pages.page("/topics/rust").contains("value=\"run_now\""));
        let asked = post_form(&pages, "/topics/rust", &[("kind", "run_now")]);
        let at = asked.header("location").unwrap().to_owned();
        let run = at.strip_prefix("/progress/").unwrap_or_else(|| panic!("{}", asked.text)).to_owned();
        assert!(pages.page(&at).contains(&format!("data-events=\"{at}/events\"")));
        // The stream shows what is being searched, then the stored counts, and ends by itself.
        let stream = pages.get(&format!("{at}/events"));
        assert_eq!(stream.header("content-type"), Some("text/event-stream"), "{}", stream.text);
        let plain = without_links(&stream.body).replace("≥\u{a0}", "");
        let (going, over) = plain.split_once("event: over").unwrap_or_else(|| panic!("{name}: {}", stream.body));
        assert!(going.contains("event: progress") && going.contains("searching …"), "{name}: {going}");
        let figures = place.database.texts(&format!(
            "SELECT found || ' found, ' || new || ' new' FROM v_run WHERE run = '{run}' AND state = 'ok'"
        ));
        assert!(over.contains(&figures[0]) && !over.contains("searching …"), "{name}: {figures:?}\n{over}");
        let number = |part: &str| place.database.number(&format!("SELECT {part} FROM v_run WHERE run = '{run}'"));
        let cost = topicwatch::model::Micros(number(COST)).to_string();
        assert!(over.contains(&format!("cost {cost}")) && number("found") > 0, "{name}: {cost}\n{over}");
        // The page shows the same without JavaScript.
        let page = without_links(&pages.page(&at)).replace("≥\u{a0}", "");
        assert!(page.contains(&figures[0]) && !page.contains("data-events"), "{page}");
        let report = pages.get("/topics/rust/report");
        assert!(report.status == 200 && report.body.contains("<h1"), "{}", report.text);
        // There was no report before it.
        let words = ["the last 24 hours. Created ", "since the last report"].map(|words| report.body.contains(words));
        assert_eq!(words, [true, false], "{}", report.text);
        assert!(report.header("content-security-policy").unwrap().starts_with("sandbox"), "{}", report.text);
        let kept = pages.get("/topics/rust/report?as=file");
        assert_eq!(kept.header("content-disposition"), Some("attachment; filename=\"topicwatch-rust.html\""));
        for (path, status) in
            [("/progress/nobody", 404), ("/progress/nobody/events", 404), ("/topics/nobody/report", 404)]
        {
            assert_eq!(pages.get(path).status, status, "{path}");
        }
        // A stop does not wait for open event streams.
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
    }
}

#[test]
fn reports_alerts_exports_and_channels_are_switched_run_and_tried() {
    for database in databases() {
        let name = database.name;
        let (sandbox, hook) = (sandbox_of_today(&[]), WebhookServer::accepting());
        let rest = format!(
            "{WEB}{ACME}\n# kept\n[[reports]]\nname = \"daily\" # one\nchannels = [\"hook\"]\nschedule = \"0 0 1 1 *\"\n\n[[exports]]\nname = \"all\"\n\
             what = \"items\"\npath = \"all.csv\"\nschedule = \"0 0 1 1 *\"\n\n[[alerts]]\nname = \"many\"\nrule = \"items\"\n\n\
             [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
            hook.url()
        );
        let place = Place::new(database, &sandbox.lines(), &rest);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        let read = || std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        let press = |pages: &Pages, verb: &str, kind: &str, of: &str| {
            let seen = Form::fetch(pages, "/jobs").value("seen");
            let answer = post_form(pages, "/jobs", &[("do", verb), ("kind", kind), ("name", of), ("seen", &seen)]);
            assert_eq!(answer.status, 303, "{name}: {verb} {kind}: {}", answer.text);
            answer.header("location").unwrap().to_owned()
        };
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        for (kind, of) in [("report", "daily"), ("export", "all")] {
            let at = press(&pages, "run", kind, of);
            let stream = pages.get(&format!("{at}/events"));
            assert!(
                stream.body.contains("event: over") && stream.body.contains("state good"),
                "{name}: {}",
                stream.text
            );
        }
        let files = pages.page("/files");
        assert!(files.contains("all.csv") && files.contains("daily-"), "{name}: {files}");
        wait_until("the report's message", || hook.received().len() == 1);
        press(&pages, "run", "channel", "hook");
        wait_until("the test", || hook.received().len() == 2);
        assert_eq!(hook.received()[1].json()["subject"], "Test from topicwatch");
        wait_until("that it is told", || pages.page("/jobs").contains("<strong>sent</strong>"));
        // Pausing and resuming changes one line of the file each time.
        let before = read();
        let switched_off = |kind: &str, of: &str, after: &str| {
            let now = read();
            press(&pages, "off", kind, of);
            let (head, rest) = after.split_once('\n').unwrap();
            assert_eq!(read(), now.replacen(after, &format!("{head}\npaused = true\n{rest}"), 1), "{kind}");
        };
        switched_off("channel", "hook", "allow_private = true\n");
        switched_off("topic", "acme", "every = \"12h\"\n");
        wait_until("all is taken over", || pages.page("/topics/acme").contains("in the configuration"));
        // A paused channel keeps its messages.
        press(&pages, "run", "report", "daily");
        wait_until("the second report waits", || place.database.number("SELECT count(*) FROM outbox") == 3);
        // `outbox deliver` does not deliver them either.
        assert!(!place.ok(&["outbox", "deliver"]).contains("report:"));
        assert_eq!(hook.received().len(), 2);
        switched_off("report", "daily", "schedule = \"0 0 1 1 *\"\n\n[[exports");
        switched_off("export", "all", "schedule = \"0 0 1 1 *\"\n\n[[alerts");
        switched_off("alert", "many", "rule = \"items\"\n");
        let config = place.json(&["check", "--json"]);
        assert!(
            config["alerts"][0]["paused"] == true && config["reports"][0]["schedule"]["paused"] == true,
            "{config}"
        );
        press(&pages, "on", "channel", "hook");
        wait_until("it is sent after all", || hook.received().len() == 3);
        for (kind, of) in [("report", "daily"), ("export", "all"), ("alert", "many"), ("topic", "acme")] {
            press(&pages, "on", kind, of);
        }
        assert_eq!(read().replace("paused = false\n", ""), before);
    }
}

#[test]
fn a_ping_with_an_unset_variable_is_reported_by_check_and_before_saving() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &format!("{WEB}{ACME}"));
    let pages = Pages::wait_for_address(place.program(&["run"]).start());
    let file = || std::fs::read_to_string(place.path("jobs.toml")).unwrap();
    let before = file();
    let form = Form::fetch(&pages, "/jobs/topics/acme?as=toml");
    for (ping, problem) in [
        ("ping_env = \"NO_SUCH_PING\"\n", "NO_SUCH_PING is not set"),
        ("ping_env = \"HOME\"\n", "HOME does not contain the URL of a web server"),
    ] {
        let typed = form.with("toml", &format!("{ACME}{ping}"));
        for button in ["preview", "save"] {
            let refused = typed.submit(&pages, button);
            assert!(refused.status == 422 && refused.body.contains(problem), "{button} {ping}\n{}", refused.text);
        }
        assert_eq!(file(), before);
        place.configure(&sandbox.lines(), &format!("{WEB}{ACME}{ping}"));
        let checked = place.json(&["check", "--json"]);
        assert_eq!(checked["pings"][0]["job"], "topic:acme", "{checked}");
        assert!(checked["pings"][0]["problem"].as_str().unwrap().contains(problem), "{checked}");
        let shown = place.ok(&["check"]);
        assert!(shown.contains("ping of") && shown.contains(problem), "{shown}");
        std::fs::write(place.path("jobs.toml"), &before).unwrap();
    }
}

/// Otherwise the page would show the change, and the daemon would go on with the old schedule.
#[test]
fn a_file_without_any_schedule_is_refused_before_saving() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &format!("{WEB}{ACME}"));
    let pages = Pages::wait_for_address(place.program(&["run"]).start());
    let before = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
    let form = Form::fetch(&pages, "/jobs/topics/acme").with("every", "");
    for button in ["preview", "save"] {
        let refused = form.submit(&pages, button);
        assert!(refused.status == 422 && refused.body.contains("nothing to run"), "{button}\n{}", refused.text);
        assert_eq!(std::fs::read_to_string(place.path("jobs.toml")).unwrap(), before, "{button}");
    }
}
