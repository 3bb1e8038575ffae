//! `jobs.toml` edited on the pages, through the program: bytes outside the edit stay as they are, errors that `check`
//! finds are shown next to their field, and the second of two concurrent editors is warned.

use std::path::PathBuf;

use topicwatch::edit::{Jobs, KeyValue, Kind};

use crate::support::databases::sqlite;
use crate::support::editor::{Form, delete_topic, post_form, with_edit};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};

/// The part after `[database]`: comments, an unusual order, sections that name topics.
const FILE: &str = "\
[defaults] # for all
every = \"12h\"

# ---- what we watch ----

[[topics]] # the first
id = \"acme\"   # stays
query = 'acme launch'
sources = [\"social\"]
# every = \"6h\"

# About rust.
[[topics]]
id = \"rust\"
query = \"async rust\"
sources = [\"social\"]
ping = \"http://127.0.0.1:9/s3cret\"
ping_allow_private = true
web.query = \"{query} notes\" # kept

# ---- what we make of it ----

[[reports]]
name = \"daily\"
topics = [\"acme\"]
schedule = \"0 7 * * *\"

# the end";

fn place(rest: &str) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &with_edit(rest));
    place.ok(&["once", "--at", NINE]);
    (sandbox, place)
}

fn file(place: &Place) -> String {
    std::fs::read_to_string(place.path("jobs.toml")).unwrap()
}

fn serve(place: &Place) -> Pages {
    Pages::serve(place, &["--at", NINE])
}

#[test]
fn forms_change_their_lines_and_nothing_else() {
    let (_sandbox, place) = place(FILE);
    let pages = serve(&place);
    let before = file(&place);
    // A new topic is inserted after the last one.
    let new =
        Form::fetch(&pages, "/jobs/new").with("id", "zig").with("query", "zig \"release\"").with("tags", "a, b\r\nc");
    let preview = new.submit(&pages, "preview");
    assert_eq!(preview.status, 200, "{}", preview.text);
    for part in [
        "Next slots",
        "2026-03-11 ",
        "Calls a day",
        "Cost of 30 days",
        "search social once, for about $0.003",
        "tags = [&quot;a, b&quot;, &quot;c&quot;]",
    ] {
        assert!(preview.body.contains(part), "{part}\n{}", preview.body);
    }
    assert_eq!(file(&place), before, "a preview writes nothing");
    let tried = new.submit(&pages, "try");
    assert!(tried.status == 200 && tried.body.contains("Answer from social"), "{}", tried.text);
    assert_eq!(place.database.all_runs(), 2, "trying stores nothing");
    let saved = new.submit(&pages, "save");
    assert_eq!((saved.status, saved.header("location")), (303, Some("/topics/zig")), "{}", saved.text);
    let added = "{query} notes\" # kept\n\n[[topics]]\nid = \"zig\"\nquery = \"zig \\\"release\\\"\"\ntags = [\"a, b\", \"c\"]\n";
    let with = before.replacen("{query} notes\" # kept\n", added, 1);
    assert_eq!(file(&place), with);
    assert!(pages.page("/topics/zig").contains("Saved in the file, but not yet in the database. "));
    // Edited in place; keys without a field stay, and a secret is not shown.
    let form = Form::fetch(&pages, "/jobs/topics/rust");
    assert_eq!(form.value("query"), "async rust");
    assert_eq!(form.with("every", "1d").with("query", "tokio").submit(&pages, "save").status, 303);
    let changed = with.replacen("\"async rust\"", "\"tokio\"", 1).replacen(
        "notes\" # kept\n",
        "notes\" # kept\nevery = \"1d\"\n",
        1,
    );
    assert_eq!(file(&place), changed);
    assert!(pages.page("/jobs/topics/rust").contains("href=\"/jobs/topics/rust?as=toml\""));
    let toml = Form::fetch(&pages, "/jobs/topics/rust?as=toml");
    assert!(!toml.page.contains("s3cret") && toml.value("toml").contains("id = \"rust\""), "{}", toml.page);
    let text = toml.value("toml").replace("tokio", "tokio 2");
    assert_eq!(toml.with("toml", &text).submit(&pages, "save").status, 303);
    assert_eq!(file(&place), changed.replacen("\"tokio\"", "\"tokio 2\"", 1));
    // A list keeps its lines and comments.
    let listed =
        file(&place).replacen("web.query = ", "tags = [\n  \"competitor\", # first\n  \"b\",\n]\nweb.query = ", 1);
    std::fs::write(place.path("jobs.toml"), &listed).unwrap();
    let form = Form::fetch(&pages, "/jobs/topics/rust");
    assert_eq!(form.value("tags"), "competitor\nb");
    assert_eq!(form.with("tags", "competitor\nb\nc").submit(&pages, "save").status, 303);
    assert_eq!(file(&place), listed.replacen("  \"b\",\n", "  \"b\",\n  \"c\",\n", 1));
    // A copy gets an id of its own.
    let copy = Form::fetch(&pages, "/jobs/new?from=acme");
    assert_eq!((copy.value("id").as_str(), copy.value("query").as_str()), ("acme-2", "acme launch"));
    assert_eq!(copy.submit(&pages, "save").status, 303);
    assert!(
        file(&place).contains("\n\n[[topics]] # the first\nid = \"acme-2\"   # stays\nquery = 'acme launch'\n"),
        "{}",
        file(&place)
    );
    place.ok(&["check"]);
}

#[test]
fn check_errors_are_shown_next_to_their_field_and_nothing_is_written() {
    let (_sandbox, place) = place(FILE);
    let pages = serve(&place);
    let before = file(&place);
    for (key, value, hint) in [
        ("schedule", "61 * * * *", "schedule"),
        ("every", "1 parsec", "every"),
        ("timezone", "Mars/Olympus", "timezone"),
        ("sources", "mars", "sources"),
        ("id", "acme", "another topic already has the id"),
        ("id", "No Id", "id"),
        ("query", "", "query"),
        ("must", "/[/", "must"),
        ("max_calls_per_day", "many", "max_calls_per_day"),
        ("budget_per_day", "-1", "budget_per_day"),
    ] {
        let form = Form::fetch(&pages, "/jobs/new").with("id", "zig").with("query", "zig <b>").with(key, value);
        let answer = form.submit(&pages, "save");
        assert_eq!(answer.status, 422, "{key}: {}", answer.text);
        let beside = answer.body.split(&format!("id=\"about-{key}\"")).nth(1).unwrap().split("</div>").next().unwrap();
        assert!(beside.contains("class=\"bad\""), "{key}: {}", answer.body);
        assert!(answer.body.contains(&format!("aria-describedby=\"about-{key}\"")), "{key}");
        if key != "query" {
            assert!(answer.body.contains("zig &lt;b&gt;"), "the input stays in the form: {}", answer.body);
        }
        if key == "max_calls_per_day" {
            assert!(beside.contains("&quot;many&quot; is not a whole number – hint: write digits only"), "{beside}");
            assert!(
                answer.body.contains("href=\"#field-max_calls_per_day\">Maximum calls a day</a>"),
                "{}",
                answer.body
            );
            continue;
        }
        // The same hints as those of `check`, and no name of a key before them.
        assert!(!beside.contains(&format!("<p class=\"bad\">`{key}`")), "{beside}");
        std::fs::write(place.path("other.toml"), with_topic(&before, key, value)).unwrap();
        let output = place.program(&["check", "--config", "other.toml"]).env("COLUMNS", "1000").run().err;
        let words =
            output.lines().find_map(|line| line.split("hint: ").nth(1)).unwrap_or_else(|| panic!("{key}: {output}"));
        let shown = html_escaped(words);
        assert!(beside.contains(&shown) && output.contains(hint), "{key}: {shown}\n{beside}");
        assert_eq!(file(&place), before, "{key}");
    }
    for wrong in [
        "[service]\nbase_url = \"http://evil.example\"\n",
        "[[topics]\n",
        "[[topics]]\nid = \"x\"\nquery = \"x\"\n[[exports]]\nname = \"x\"\n",
    ] {
        let answer = Form::fetch(&pages, "/jobs/new?as=toml").with("toml", wrong).submit(&pages, "save");
        assert_eq!((answer.status, file(&place)), (422, before.clone()), "{wrong}: {}", answer.text);
    }
    let answer =
        Form::fetch(&pages, "/jobs/topics/acme?as=toml").with("toml", "[[topics]]\nid = \"other\"\nquery = \"x\"\n");
    let answer = answer.submit(&pages, "save");
    assert!(answer.status == 422 && answer.body.contains("topic rename"), "{}", answer.text);
}

/// The file with a topic that has this mistake.
fn with_topic(before: &str, key: &str, value: &str) -> String {
    let mut block = "[[topics]]\nid = \"zig\"\nquery = \"zig <b>\"\n".to_owned();
    let given = match key {
        "sources" | "must" => KeyValue::Texts(vec![value.to_owned()]),
        _ => KeyValue::Text(value.to_owned()),
    };
    let given = (!value.is_empty()).then_some(given);
    block = Jobs::read(&block).unwrap().set(Kind::Topic, "zig", key, given.as_ref()).unwrap();
    Jobs::read(before).unwrap().append(Kind::Topic, &block).unwrap()
}

/// Escapes text as the pages do.
fn html_escaped(words: &str) -> String {
    words.trim().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[test]
fn typed_text_is_stored_as_data_or_refused() {
    let (_sandbox, place) = place(FILE);
    let pages = serve(&place);
    let long = "x".repeat(5_000);
    for (n, words) in [
        "a\"b'c\\",
        "\"\"\"\n]]\n[service]\nbase_url = \"http://evil.example\"",
        "'''; DROP",
        "]] [[topics]] # {} ${x}",
        "Ünï\u{202e}cödé \u{1f600}",
        "<script>alert(1)</script>",
        &long,
    ]
    .into_iter()
    .enumerate()
    {
        for key in ["title", "query", "tags", "must", "exclude", "exclude_authors", "timezone", "id", "budget_per_day"]
        {
            let before = file(&place);
            let id = format!("h{n}-{}", key.replace('_', "-"));
            let form = Form::fetch(&pages, "/jobs/new").with("id", &id).with("query", "words").with(key, words);
            let answer = form.submit(&pages, "save");
            let now = file(&place);
            assert!(!answer.body.contains("<script>alert"), "{key}: {}", answer.body);
            if answer.status != 303 {
                assert!(matches!(answer.status, 422 | 400 | 413), "{key} {words:.40}: {}", answer.text);
                assert_eq!(now, before);
                continue;
            }
            let jobs = Jobs::read(&now).unwrap();
            assert_eq!(
                jobs.entries(Kind::Topic).count(),
                Jobs::read(&before).unwrap().entries(Kind::Topic).count() + 1
            );
            let entry = jobs.entry(Kind::Topic, &id).unwrap();
            let reported = match jobs.value_and_source(entry, key).unwrap().0 {
                KeyValue::Text(text) => text.clone(),
                KeyValue::Texts(texts) => texts.join("\n"),
                other => panic!("{key}: {other:?}"),
            };
            assert_eq!(reported, words, "{key}");
            assert!(now.contains("\n# the end"), "{now}");
        }
    }
    assert!(Jobs::read(&file(&place)).unwrap().entries(Kind::Topic).count() > 8, "some were taken");
    let config = place.json(&["check", "--json"]);
    assert!(!config["effective"].to_string().contains("evil.example"), "{config}");
}

#[test]
fn the_second_of_two_editors_gets_a_conflict_and_keeps_its_input() {
    let (_sandbox, place) = place(FILE);
    let pages = serve(&place);
    let (one, other) = (Form::fetch(&pages, "/jobs/topics/acme"), Form::fetch(&pages, "/jobs/topics/acme"));
    let settings = Form::fetch(&pages, "/jobs");
    let one = one.with("title", "One");
    assert_eq!(one.submit(&pages, "save").status, 303);
    let first = file(&place);
    // The same again, as after a press too many: the file has it already.
    let again = one.submit(&pages, "save");
    assert_eq!((again.status, again.header("location")), (303, Some("/topics/acme")), "{}", again.text);
    assert_eq!(file(&place), first);
    let late = other.with("title", "Other & more").submit(&pages, "save");
    assert_eq!(late.status, 409, "{}", late.text);
    for part in ["The file has changed since", "value=\"Other &amp; more\"", "title = &quot;One&quot;"] {
        assert!(late.body.contains(part), "{part}\n{}", late.body);
    }
    assert_eq!(file(&place), first);
    let button = post_form(
        &pages,
        "/jobs",
        &[("do", "off"), ("kind", "report"), ("name", "daily"), ("seen", &settings.value("seen"))],
    );
    assert!(button.status == 409 && button.body.contains("The file has changed since"), "{}", button.text);
    // Sent again from the new page, it is saved; the editor of the whole text works the same.
    let again = Form::parse(&late.body, "/jobs/topics/acme");
    assert_eq!(again.submit(&pages, "save").status, 303);
    assert_eq!(file(&place), first.replacen("title = \"One\"", "title = \"Other & more\"", 1));
    let new = Form::fetch(&pages, "/jobs/new").with("id", "new").with("query", "new");
    assert_eq!(new.submit(&pages, "save").status, 303);
    let second = file(&place);
    assert_eq!((new.submit(&pages, "save").status, file(&place)), (303, second), "it is added once");
    let off = [("do", "off"), ("kind", "report"), ("name", "daily"), ("seen", &settings.value("seen"))];
    assert_eq!(post_form(&pages, "/jobs", &[off[0], off[1], off[2]]).status, 303);
    assert_eq!(post_form(&pages, "/jobs", &off).status, 303, "it is off already");
    let stale = Form::fetch(&pages, "/jobs/new").with("id", "zig").with("query", "zig");
    std::fs::write(place.path("jobs.toml"), format!("{}\n# by hand\n", file(&place))).unwrap();
    assert_eq!(stale.submit(&pages, "save").status, 409);
    assert!(file(&place).ends_with("# by hand\n") && !file(&place).contains("zig"));
}

#[test]
fn fields_that_were_left_alone_keep_what_was_written_meanwhile() {
    let by_hand = |place: &Place| {
        let lines = "query = 'acme news'\ntags = [\"t\"]\npaused = true";
        let changed = file(place).replacen("query = 'acme launch'", lines, 1);
        std::fs::write(place.path("jobs.toml"), &changed).unwrap();
        changed
    };
    // Where nothing is saved, the lines to copy are those.
    let (_sandbox, locked) = place(&format!("[web]\nedit = false\n\n{FILE}"));
    let pages = serve(&locked);
    let form = Form::parse(&pages.page("/jobs/topics/acme"), "/jobs/check").with("title", "Mine");
    by_hand(&locked);
    let shown = form.submit(&pages, "preview");
    assert_eq!(shown.status, 200, "{}", shown.text);
    for part in ["title = &quot;Mine&quot;", "query = 'acme news'", "paused = true"] {
        assert!(shown.body.contains(part), "{part}\n{}", shown.body);
    }
    let (_sandbox, place) = place(FILE);
    let pages = serve(&place);
    let form = Form::fetch(&pages, "/jobs/topics/acme").with("title", "Mine");
    // A browser sends line ends of its own.
    let toml = Form::fetch(&pages, "/jobs/topics/acme?as=toml");
    let toml = toml.with("toml", &toml.value("toml").replace('\n', "\r\n"));
    let copy = Form::fetch(&pages, "/jobs/new?from=acme").with("title", "Copy");
    let earlier = form.untick("shown");
    let new = Form::fetch(&pages, "/jobs/new").with("id", "zig").with("query", "zig");
    let changed = by_hand(&place);
    let late = |form: &Form, path: &str| {
        let late = form.submit(&pages, "save");
        assert_eq!((late.status, file(&place)), (409, changed.clone()), "{path}: {}", late.text);
        Form::parse(&late.body, path)
    };
    let (form, copy) = (late(&form, "/jobs/topics/acme"), late(&copy, "/jobs/new"));
    for (form, id, title) in [(&form, "acme", "Mine"), (&copy, "acme-2", "Copy")] {
        let values = ["id", "title", "query", "tags", "paused"].map(|field| form.value(field));
        assert_eq!(values, [id, title, "acme news", "t", "true"], "{}", form.page);
    }
    assert!(late(&toml, "/jobs/topics/acme").value("toml").contains("query = 'acme news'"));
    // A page of an earlier version does not say what it showed: all of it counts as typed. A new topic is not in the file.
    let (earlier, new) = (late(&earlier, "/jobs/topics/acme"), late(&new, "/jobs/new"));
    assert_eq!((earlier.value("query").as_str(), earlier.value("shown").as_str()), ("acme launch", ""));
    for (form, is_refreshed) in [(&form, true), (&copy, true), (&earlier, false), (&new, false)] {
        let says_so = form.page.contains("the other fields show what the file has now");
        assert_eq!(says_so, is_refreshed, "{}", form.page);
    }
    assert_eq!(form.submit(&pages, "save").status, 303);
    let sources = "sources = [\"social\"]\n";
    assert_eq!(file(&place), changed.replacen(sources, &format!("{sources}title = \"Mine\"\n"), 1));
}

#[test]
fn a_deletion_asks_first_and_can_be_undone_exactly() {
    let (_sandbox, place) = place(FILE);
    let pages = serve(&place);
    let before = file(&place);
    let delete = |name: &str| delete_topic(&pages, name);
    // The buttons lead to a question; without its answer, or after a change of the file, nothing is deleted.
    for at in ["/jobs", "/topics/rust"] {
        assert!(pages.page(at).contains("href=\"/jobs?delete=rust\""), "{at}");
    }
    let asked = pages.page("/jobs?delete=rust");
    assert!(asked.contains("Delete the topic <strong>rust</strong> from the file?"), "{asked}");
    assert_eq!(pages.get("/jobs?delete=nothing").status, 404);
    let unasked = [("do", "delete"), ("kind", "topic"), ("name", "rust")];
    assert_eq!(post_form(&pages, "/jobs", &unasked).status, 400);
    let stale = [&unasked[..], &[("seen", "stale")]].concat();
    let answer = post_form(&pages, "/jobs", &stale);
    assert!(answer.status == 409 && answer.body.contains("The file has changed"), "{}", answer.text);
    assert_eq!(file(&place), before);
    // A topic that a report names cannot be deleted.
    let named = delete("acme");
    assert!(named.status == 422 && named.body.contains("acme"), "{}", named.text);
    assert_eq!(file(&place), before);
    let offered = |at: &str| pages.page(at).contains("Deleted: topic <strong>rust</strong>");
    let undo = |at: &str| {
        let id = at.split("undo=").nth(1).unwrap().to_owned();
        post_form(&pages, "/jobs", &[("do", "undo"), ("undo", &id)])
    };
    let seen = Form::fetch(&pages, "/jobs?delete=rust").value("seen");
    let confirmed = [&unasked[..], &[("seen", &*seen)]].concat();
    let gone = post_form(&pages, "/jobs", &confirmed);
    assert_eq!(gone.status, 303, "{}", gone.text);
    // Pressed twice, it is one deletion.
    let again = post_form(&pages, "/jobs", &confirmed);
    assert_eq!((again.status, again.header("location")), (303, gone.header("location")), "{}", again.text);
    let left = file(&place);
    assert!(!left.contains("rust") && left.contains("# every = \"6h\"\n\n# ---- what we make of it ----"), "{left}");
    assert!(offered(gone.header("location").unwrap()));
    let back = undo(gone.header("location").unwrap());
    assert_eq!((back.status, file(&place)), (303, before.clone()), "{}", back.text);
    let told = |at: &str| pages.page(at).contains("Restored: topic <strong>rust</strong>");
    assert!(told(back.header("location").unwrap()), "the page says what was undone");
    // Undo does not overwrite a later edit: then the lines are shown.
    let gone = delete("rust");
    assert!(!told(back.header("location").unwrap()), "it is deleted again");
    let changed = format!("{}\n# by hand\n", file(&place));
    std::fs::write(place.path("jobs.toml"), &changed).unwrap();
    let late = undo(gone.header("location").unwrap());
    assert!(late.status == 409 && late.body.contains("id = &quot;rust&quot;"), "{}", late.text);
    assert_eq!(file(&place), changed);
    for gone in [post_form(&pages, "/jobs", &[("do", "undo"), ("undo", "nothing")]), pages.get("/jobs/topics/nothing")]
    {
        assert!(gone.status == 404 && gone.body.contains("/jobs lists what is in the file."), "{}", gone.text);
    }
}

#[test]
fn an_editor_that_may_not_change_the_file_shows_the_lines_and_refuses_forms() {
    let typed = "do=preview&id=zig&query=zig+%22x%22&every=1d";
    let refused = |place: &Place, pages: &Pages, why: &str, headers: &[(&str, &str)]| {
        let before = file(place);
        let form = pages.request("GET", "/jobs/new", headers, "").body;
        let to = "method=\"post\" action=\"/jobs/check\"";
        assert!(form.contains(why) && form.contains(to) && !form.contains("value=\"save\""), "{form}");
        let origin = pages.origin();
        let headers = [headers, &[("Origin", origin.as_str())]].concat();
        let shown = pages.request("POST", "/jobs/check", &headers, typed).body;
        assert!(
            shown.contains("Lines to copy") && shown.contains("query = &quot;zig \\&quot;x\\&quot;&quot;"),
            "{shown}"
        );
        let wrong = pages.request("POST", "/jobs/check", &headers, &typed.replace("1d", "soon")).body;
        assert!(wrong.contains("about-every") && wrong.contains("class=\"bad\""), "{wrong}");
        for (path, form) in [
            ("/jobs/new", "do=save&id=zig&query=zig&every=1d"),
            ("/jobs/topics/acme", "do=save&query=zig"),
            ("/jobs", "do=delete&kind=topic&name=acme"),
            ("/jobs", "do=off&kind=topic&name=acme"),
            ("/jobs", "do=undo&undo=x"),
        ] {
            let answer = pages.request("POST", path, &headers, form);
            assert_eq!(answer.status, 403, "{path}: {}", answer.text);
        }
        assert_eq!(file(place), before);
    };
    // A file without write permission cannot be edited. A symbolic link stays a link.
    let (_sandbox, read_only) = place(FILE);
    chmod(&read_only.path("jobs.toml"), 0o444);
    refused(&read_only, &serve(&read_only), "it is read-only", &[]);
    chmod(&read_only.path("jobs.toml"), 0o640);
    std::fs::rename(read_only.path("jobs.toml"), read_only.path("real.toml")).unwrap();
    std::os::unix::fs::symlink("real.toml", read_only.path("jobs.toml")).unwrap();
    let pages = serve(&read_only);
    assert_eq!(Form::fetch(&pages, "/jobs/topics/acme").with("title", "By a link").submit(&pages, "save").status, 303);
    assert!(std::fs::symlink_metadata(read_only.path("jobs.toml")).unwrap().is_symlink());
    assert!(file(&read_only).contains("By a link"));
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(read_only.path("real.toml")).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o640, "the permissions are unchanged");
    // A file that grew too large is not said to be missing or forbidden.
    std::fs::write(read_only.path("real.toml"), "# more\n".repeat(1_300_000)).unwrap();
    let large = pages.get("/jobs");
    assert_eq!(large.status, 503, "{}", large.text);
    assert!(large.body.contains("larger than 8 MiB") && large.body.contains("shorten it"), "{}", large.body);
    // Editing is disabled by configuration, or because the pages are deployed: with host names or a public address.
    // `serve` changes nothing unless that is written.
    for web in ["edit = false", "hosts = [\"watch.example.com\"]", "https = false"] {
        let (_sandbox, place) = place(&format!("[web]\n{web}\n{FILE}"));
        let pages = serve(&place);
        assert!(!pages.page("/").contains("Add a topic") && !pages.page("/topics/acme").contains("Delete"));
        refused(&place, &pages, "do not change", &[]);
    }
    let (_sandbox, open) = place(&format!("[web]\nhttps = false\n{FILE}"));
    let program = open.program(&["serve", "--listen", "0.0.0.0:0", "--at", NINE]).env("TOPICWATCH_WEB_TOKEN", TOKEN);
    let mut going = program.start();
    going.wait_until("the pages", |said| said.contains("read-only"));
    let port = std::cell::RefCell::new(String::new());
    crate::support::program::wait_until("the address", || {
        going.with_output(|out, _| *port.borrow_mut() = out.trim().rsplit(':').next().unwrap_or("").to_owned());
        !port.borrow().is_empty()
    });
    let port = port.into_inner();
    let pages = Pages { address: format!("127.0.0.1:{port}"), program: going };
    let cookie = pages.log_in();
    refused(&open, &pages, "do not change", &[("Cookie", &cookie)]);
    // Where a token is required, nothing can be changed without it.
    let (_sandbox, some) = place(FILE);
    let pages = Pages::serve_with_token(&some, &["--at", NINE]);
    let origin = pages.origin();
    assert_eq!(pages.request("POST", "/jobs", &[("Origin", &origin)], "do=delete&kind=topic&name=rust").status, 401);
    assert_eq!(pages.get("/jobs").status, 303);
    // A form on another site has no effect.
    for origin in ["http://evil.example", "null"] {
        let (_sandbox, place) = place(FILE);
        let pages = serve(&place);
        for path in ["/jobs", "/jobs/new", "/api/v1/topics/rust/requests"] {
            let answer = pages.request("POST", path, &[("Origin", origin)], "do=delete&kind=topic&name=rust");
            assert_eq!(answer.status, 403, "{path}");
        }
        assert!(file(&place).contains("rust"));
    }
}

fn chmod(file: &PathBuf, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn entries_paused_by_defaults_are_shown_as_paused_and_can_be_resumed() {
    let (_sandbox, place) = place(FILE);
    std::fs::write(place.path("jobs.toml"), file(&place).replacen("# for all\n", "# for all\npaused = true\n", 1))
        .unwrap();
    place.ok(&["once", "--due", "--at", NINE]);
    let pages = serve(&place);
    let before = file(&place);
    let settings = pages.page("/jobs");
    for (label, there) in [
        ("12h (from [defaults])", true),
        ("Resume topic acme", true),
        ("Pause topic acme", false),
        ("Pause report daily", true),
        ("Pause topic rust", false),
    ] {
        assert_eq!(settings.contains(label), there, "{label}\n{settings}");
    }
    // An unchanged form changes nothing; an unticked box means false.
    let form = Form::fetch(&pages, "/jobs/topics/acme");
    assert_eq!(form.value("paused"), "true");
    assert_eq!((form.submit(&pages, "save").status, file(&place)), (303, before.clone()));
    let unticked = form.untick("paused").submit(&pages, "save");
    assert_eq!(unticked.status, 303, "{}", unticked.text);
    let resumed = before.replacen("# every = \"6h\"", "paused = false\n# every = \"6h\"", 1);
    assert_eq!(file(&place), resumed);
    assert!(pages.page("/jobs").contains("Pause topic acme"));
    // New topics start with the defaults.
    assert_eq!(Form::fetch(&pages, "/jobs/new").value("paused"), "true");
    // The topic's page can resume it, too.
    let page = pages.page("/topics/rust");
    let button = "name=\"do\" value=\"on\"";
    assert!(page.contains(button), "{page}");
    let pressed = post_form(&pages, "/jobs", &[("do", "on"), ("kind", "topic"), ("name", "rust")]);
    assert_eq!(pressed.status, 303, "{}", pressed.text);
    assert!(file(&place).contains("{query} notes\" # kept\npaused = false\n"), "{}", file(&place));
}

#[test]
fn empty_fields_show_the_value_from_the_defaults() {
    let written = "[defaults]\nsources = [\"social\", \"web\"]\nevery = \"6h\"\ntimezone = \"Europe/Berlin\"\nlang = [\"en\", \"de\"]\n\n";
    let inline = "defaults = { sources = [\"social\", \"web\"], every = \"6h\", timezone = \"Europe/Berlin\", lang = [\"en\", \"de\"] }\n";
    let topics = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n\n\
        [[topics]]\nid = \"own\"\nquery = \"own\"\nschedule = \"0 7 * * *\"\nsources = [\"web\"]\nlang = []\n";
    for (defaults, first) in [(written, false), (inline, true)] {
        let (_sandbox, place) = place("[[topics]]\nid = \"first\"\nquery = \"first\"\nevery = \"12h\"\n");
        let head = file(&place).split("[[topics]]").next().unwrap().to_owned();
        let text = if first { format!("{defaults}{head}{topics}") } else { format!("{head}{defaults}{topics}") };
        std::fs::write(place.path("jobs.toml"), text).unwrap();
        place.ok(&["check"]);
        let pages = serve(&place);
        let of = |path: &str, key: &str| {
            let page = pages.page(path);
            let field = page.split(&format!("id=\"field-{key}\"")).nth(1).unwrap().split("id=\"field-").next().unwrap();
            let reported = field.split("From [defaults]: <code>").nth(1).map(|rest| rest.split('<').next().unwrap());
            let inside = field.split("placeholder=\"").nth(1).map(|rest| rest.split('"').next().unwrap());
            assert_eq!(reported.is_some(), inside.is_some(), "{key}: {field}");
            reported.map(str::to_owned)
        };
        for path in ["/jobs/topics/acme", "/jobs/new"] {
            for (key, reported) in
                [("sources", "social web"), ("every", "6h"), ("timezone", "Europe/Berlin"), ("lang", "en de")]
            {
                assert_eq!(of(path, key).as_deref(), Some(reported), "{path} {key}");
            }
            assert_eq!(of(path, "schedule"), None);
        }
        // A topic's own values win, and its schedule replaces the default period.
        for (key, reported) in [("sources", None), ("every", None), ("lang", None), ("timezone", Some("Europe/Berlin"))]
        {
            assert_eq!(of("/jobs/topics/own", key).as_deref(), reported, "{key}");
        }
        // Default values that are only displayed are not written.
        let before = file(&place);
        assert_eq!(Form::fetch(&pages, "/jobs/topics/acme").submit(&pages, "save").status, 303);
        assert_eq!(file(&place), before);
    }
}

#[test]
fn saving_an_unchanged_form_changes_no_byte() {
    let odd = "[[topics]]\nid = \"odd\"\nquery = \" y \"\nsources = [\"social\"]\nai.prompt = \"\"\"one\r\n{query}\"\"\"\n\
        must = [\" cat \"]\nexclude = [\"a\", \" b \"]\nevery = \"12h\"\n# about none\n\n[[reports]]\nname = \"daily\"\nschedule = \"0 7 * * *\"\n";
    for text in [odd.to_owned(), odd.replace("\r\n", "\n").replace('\n', "\r\n")] {
        let (_sandbox, place) = place("[[topics]]\nid = \"first\"\nquery = \"first\"\nevery = \"12h\"\n");
        let head = file(&place).split("[[topics]]").next().unwrap().to_owned();
        std::fs::write(place.path("jobs.toml"), format!("{head}{text}")).unwrap();
        place.ok(&["check"]);
        let pages = serve(&place);
        let before = file(&place);
        for how in ["", "?as=toml"] {
            let saved = Form::fetch(&pages, &format!("/jobs/topics/odd{how}")).submit(&pages, "save");
            assert_eq!((saved.status, file(&place)), (303, before.clone()), "{how}: {}", saved.text);
        }
        // Changing another key changes only that key.
        let saved = Form::fetch(&pages, "/jobs/topics/odd").with("every", "1d").submit(&pages, "save");
        assert_eq!((saved.status, file(&place)), (303, before.replacen("12h", "1d", 1)), "{}", saved.text);
    }
}
