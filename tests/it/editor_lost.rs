//! Typed input is never lost: where the file cannot be changed, while it is invalid, and when a topic is removed
//! meanwhile. An undo that is offered always works.

use crate::support::access_stage::{Visitor, add_token};
use crate::support::databases::databases;
use crate::support::editor::{Form, delete_topic, place_with, post_form};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

const FILE: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"12h\"\n\n\
    [[topics]]\nid = \"rust\"\nquery = \"rust\"\nevery = \"12h\"\nping = \"https://ping.example/s3cret\"\n";

fn file(place: &Place) -> String {
    std::fs::read_to_string(place.path("jobs.toml")).unwrap()
}

fn delete(pages: &Pages, topic: &str) -> String {
    let gone = delete_topic(pages, topic);
    assert_eq!(gone.status, 303, "{}", gone.text);
    gone.header("location").unwrap().to_owned()
}

#[test]
fn long_lines_are_checked_where_the_file_cannot_be_changed() {
    let long = format!("# {}\n", "long words ".repeat(600));
    for (web, role) in [("[web]\nedit = true\n", "read"), ("[web]\nedit = false\n", "edit")] {
        let (_sandbox, place) = place_with(&format!("{web}{FILE}"));
        let secret = add_token(&place, &["reader", "--role", role]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let before = file(&place);
        let ask =
            |method: &str, path: &str, body: &str| Visitor::Bearer(&secret).request(&pages, 1, method, path, body);
        for path in ["/jobs/new?as=toml", "/jobs/topics/rust?as=toml"] {
            let page = ask("GET", path, "").body_text();
            let action = page.split("<form class=\"topic\" ").nth(1).unwrap().split('>').next().unwrap();
            assert!(action.contains("method=\"post\" action=\"/jobs/check\""), "{action}");
            let id = if path.contains("new") { "zig" } else { "rust" };
            let toml =
                format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nping = \"(hidden)\"\n{long}every = \"1d\"\n");
            let mut fields = vec![("as", "toml"), ("do", "preview"), ("toml", toml.as_str())];
            let ping = "ping = \"(hidden)\"\n";
            let typed = toml.replace(ping, "");
            if id == "zig" {
                fields[2].1 = &typed;
            } else {
                fields.push(("topic", "rust"));
            }
            let send = |fields: &[(&str, &str)]| {
                let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
                ask("POST", "/jobs/check", &form)
            };
            let shown = send(&fields);
            assert_eq!(shown.status, 200, "{path}\n{}", shown.text());
            let page = shown.body_text();
            assert!(page.contains("Lines to copy") && page.matches("long words long").count() > 500, "{path}\n{page}");
            assert!(!page.contains("s3cret") && !page.contains("value=\"save\""), "{path}\n{page}");
            // Mistakes are shown, and the input stays.
            let wrong = fields[2].1.replace("1d", "soon");
            let fields: Vec<(&str, &str)> = fields
                .iter()
                .map(|(name, value)| (*name, if *name == "toml" { wrong.as_str() } else { *value }))
                .collect();
            let shown = send(&fields);
            assert_eq!(shown.status, 422, "{path}\n{}", shown.text());
            assert!(shown.body_text().contains("every = &quot;soon&quot;"), "{path}\n{}", shown.body_text());
        }
        assert_eq!(file(&place), before);
    }
}

#[test]
fn edits_of_a_topic_removed_meanwhile_can_be_saved_as_a_new_topic() {
    let (_sandbox, place) = place_with(FILE);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let form = Form::fetch(&pages, "/jobs/topics/rust").with("title", "Typed & long");
    let toml = Form::fetch(&pages, "/jobs/topics/rust?as=toml");
    let toml = toml.with("toml", "[[topics]]\nid = \"rust\"\nquery = \"typed\"\n");
    let copy = Form::fetch(&pages, "/jobs/new?from=rust").with("title", "A copy");
    delete(&pages, "rust");
    let left = file(&place);
    for (form, reported) in
        [(&form, "value=\"Typed &amp; long\""), (&toml, "query = &quot;typed&quot;"), (&copy, "value=\"A copy\"")]
    {
        let late = form.submit(&pages, "save");
        assert_eq!((late.status, file(&place)), (409, left.clone()), "{}", late.text);
        assert!(
            late.body.contains(reported) && late.body.contains("The file has changed since"),
            "{reported}\n{}",
            late.body
        );
        assert!(late.body.contains("no longer in the file"), "{}", late.body);
    }
    let late = form.submit(&pages, "save");
    let again = Form::parse(&late.body, "/jobs/new").submit(&pages, "save");
    assert_eq!((again.status, again.header("location")), (303, Some("/topics/rust")), "{}", again.text);
    assert!(file(&place).contains("title = \"Typed & long\""), "{}", file(&place));
}

#[test]
fn edits_made_while_the_file_was_invalid_can_be_saved_once_it_is_valid() {
    let (_sandbox, place) = place_with(FILE);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let before = file(&place);
    let form = Form::fetch(&pages, "/jobs/topics/rust").with("title", "Typed & long");
    let toml = Form::fetch(&pages, "/jobs/new?as=toml");
    let toml = toml.with("toml", "[[topics]]\nid = \"zig\"\nquery = \"typed\"\n");
    for (broken, why) in [
        (format!("{before}\n[[topics]\n"), "not valid TOML (line "),
        (format!("alerts = [{{ name = \"a\" }}]\n{before}"), "`alerts` is not a list of tables"),
    ] {
        std::fs::write(place.path("jobs.toml"), &broken).unwrap();
        for (form, typed) in [(&form, "value=\"Typed &amp; long\""), (&toml, "query = &quot;typed&quot;")] {
            for button in ["preview", "save"] {
                let late = form.submit(&pages, button);
                assert_eq!((late.status, file(&place)), (409, broken.clone()), "{}", late.text);
                assert!(late.body.contains(typed) && late.body.contains(why), "{typed} {why}\n{}", late.body);
                assert!(!late.body.contains("<li>: "), "{}", late.body);
            }
        }
    }
    let late = form.submit(&pages, "save");
    std::fs::write(place.path("jobs.toml"), &before).unwrap();
    let again = Form::parse(&late.body, "/jobs/topics/rust").submit(&pages, "save");
    assert_eq!((again.status, again.header("location")), (303, Some("/topics/rust")), "{}", again.text);
    assert!(file(&place).contains("title = \"Typed & long\""), "{}", file(&place));
}

#[test]
fn undo_is_offered_only_while_it_can_be_done() {
    let (_sandbox, place) = place_with(FILE);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let offered = |at: &str| pages.page(at).contains("Deleted: topic");
    let (before, at) = (file(&place), delete(&pages, "rust"));
    assert!(offered(&at));
    let id = at.split("undo=").nth(1).unwrap();
    let undo = || post_form(&pages, "/jobs", &[("do", "undo"), ("undo", id)]).status;
    assert_eq!((undo(), file(&place)), (303, before));
    assert!(!offered(&at), "it is undone");
    assert_eq!(undo(), 404);
    let at = delete(&pages, "rust");
    assert!(offered(&at));
    std::fs::write(place.path("jobs.toml"), format!("{}\n# by hand\n", file(&place))).unwrap();
    assert!(!offered(&at), "the file was changed since");
}

#[test]
fn settings_show_a_topic_that_is_paused_outside_the_file() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &FILE.replace("https://ping.example/s3cret", ""));
        place.ok(&["once", "--at", NINE]);
        place.ok(&["topic", "pause", "acme"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let state = |topic: &str| {
            let page = pages.page("/jobs");
            let head = format!("<th scope=\"row\"><a href=\"/topics/{topic}\">");
            let row = page.split_once(&head).unwrap_or_else(|| panic!("{page}")).1;
            row.split("data-label=\"State\"").nth(1).unwrap().split("</td>").next().unwrap().to_owned()
        };
        let acme = state("acme");
        // No button did it, and these pages have none.
        let reported = acme.contains("paused outside the file") && acme.contains("topicwatch topic resume acme");
        assert!(reported && !acme.contains("on its page"), "{}: {acme}", place.database.name);
        assert!(state("rust").contains(">on<"), "{}", state("rust"));
        place.ok(&["topic", "resume", "acme"]);
        assert!(state("acme").contains(">on<"), "{}", state("acme"));
    }
}

#[test]
fn a_manual_save_during_the_editors_write_is_kept() {
    let (_sandbox, place) = place_with(FILE);
    let trace = place.path("trace");
    let program = place
        .program(&["serve", "--listen", "127.0.0.1:0", "--at", NINE])
        .env("TOPICWATCH_TEST_FAILPOINT", "stop editor/written")
        .env("TOPICWATCH_TEST_FAILPOINT_TRACE", trace.to_str().unwrap());
    let pages = Pages::wait_for_address(program.start());
    let form = Form::fetch(&pages, "/jobs/topics/acme").with("title", "One");
    let by_hand = format!("{}\n# by hand\n", file(&place));
    let answer = std::thread::scope(|scope| {
        let saving = scope.spawn(|| form.submit(&pages, "save"));
        wait_until("the new file", || {
            std::fs::read_to_string(&trace).is_ok_and(|passed| passed.contains("editor/written"))
        });
        std::fs::write(place.path("jobs.toml"), &by_hand).unwrap();
        wait_until("an answer", || {
            pages.program.signal("CONT");
            saving.is_finished()
        });
        saving.join().unwrap()
    });
    assert_eq!((answer.status, file(&place)), (409, by_hand), "{}", answer.text);
}

#[test]
fn the_second_of_two_concurrent_saves_gets_a_conflict() {
    let (_sandbox, place) = place_with(FILE);
    let traces = ["one", "two"].map(|name| place.path(name));
    let [one, two] = ["stop editor/looked", "none editor/looked"].map(|point| {
        let trace = traces[usize::from(point.starts_with("none"))].to_str().unwrap();
        let program = place.program(&["serve", "--listen", "127.0.0.1:0", "--at", NINE]);
        let program = program.env("TOPICWATCH_TEST_FAILPOINT", point).env("TOPICWATCH_TEST_FAILPOINT_TRACE", trace);
        Pages::wait_for_address(program.start())
    });
    let passed = |n: usize, point: &str| std::fs::read_to_string(&traces[n]).is_ok_and(|passed| passed.contains(point));
    let [first, second] = [(&one, "First"), (&two, "Second")]
        .map(|(pages, title)| Form::fetch(pages, "/jobs/topics/acme").with("title", title));
    let answers = std::thread::scope(|scope| {
        let first = scope.spawn(|| first.submit(&one, "save"));
        wait_until("the last look", || passed(0, "editor/looked"));
        let second = scope.spawn(|| second.submit(&two, "save"));
        wait_until("the second", || passed(1, "editor/waits") || second.is_finished());
        wait_until("both answers", || {
            one.program.signal("CONT");
            first.is_finished() && second.is_finished()
        });
        [first, second].map(|one| one.join().unwrap())
    });
    assert_eq!((answers[0].status, answers[1].status), (303, 409), "{}\n{}", answers[0].text, answers[1].text);
    assert!(file(&place).contains("First") && !file(&place).contains("Second"), "{}", file(&place));
}

#[test]
fn reading_pages_changes_no_files() {
    let (_sandbox, place) = place_with(FILE);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let changed = || std::fs::metadata(place.folder.path()).unwrap().modified().unwrap();
    let before = changed();
    for path in ["/jobs", "/jobs/new", "/jobs/topics/acme"] {
        assert!(pages.page(path).contains("<form"), "{path}");
    }
    assert_eq!(changed(), before);
}

#[test]
fn an_emptied_field_shows_the_default_that_applies() {
    let (_sandbox, place) = place_with(
        "[defaults]\nsources = [\"social\"]\nlang = [\"de\"]\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\n\
         every = \"12h\"\nsources = [\"web\"]\nlang = [\"en\"]\n",
    );
    let pages = Pages::serve(&place, &["--at", NINE]);
    let form = Form::fetch(&pages, "/jobs/topics/acme");
    assert!(!form.page.contains("From [defaults]: "), "{}", form.page);
    let emptied = form.with("sources", "").with("lang", "");
    let shown = emptied.submit(&pages, "preview");
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert!(shown.body.contains("From [defaults]: <code>social</code>"), "{}", shown.body);
    assert!(!shown.body.contains("<code>de</code>") && shown.body.contains("\nlang = []\n"), "{}", shown.body);
    assert_eq!(emptied.submit(&pages, "save").status, 303);
    let saved = file(&place);
    assert!(saved.contains("every = \"12h\"\nlang = []\n") && !saved.contains("\"web\""), "{saved}");
    place.ok(&["check"]);
    // An empty list stays one.
    assert_eq!(Form::fetch(&pages, "/jobs/topics/acme").submit(&pages, "save").status, 303);
    assert_eq!(file(&place), saved);
}

#[test]
fn pages_that_edit_the_file_but_run_nothing_say_so() {
    let (_sandbox, place) = place_with(FILE);
    let pages = Pages::serve(&place, &["--at", NINE]);
    for path in ["/items/star", "/items/note", "/searches", "/topics/acme"] {
        let refused = post_form(&pages, path, &[("key", "a")]);
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
        assert!(refused.body.contains("topicwatch run"), "{path}: {}", refused.body);
        assert!(
            !refused.body.contains("edit = true") && !refused.body.contains("read-only"),
            "{path}: {}",
            refused.body
        );
    }
}

#[test]
fn long_lists_are_saved_whole() {
    let (_sandbox, place) = place_with(FILE);
    let pages = Pages::serve(&place, &["--at", NINE]);
    // More than 32 KiB as a browser sends it.
    let terms: Vec<String> = (0..150).map(|n| format!("слово{n} длинное предложение о другом")).collect();
    let form = Form::fetch(&pages, "/jobs/topics/acme").with("exclude", &terms.join("\n"));
    let saved = form.submit(&pages, "save");
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert!(file(&place).contains(&terms[149]));
    let huge = form.with("exclude", &"я".repeat(130_000)).submit(&pages, "save");
    assert!(matches!(huge.status, 0 | 413), "{}", huge.text);
}
