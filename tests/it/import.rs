//! `import`: feeds from other programs become topics, the existing file content stays unchanged, and URLs that are not
//! feeds are reported.

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

const OPML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0"><head><title>mine</title></head><body>
  <outline text="Rivals &amp; friends">
    <outline type="rss" text="Acme" xmlUrl="https://acme.example/feed.xml" htmlUrl="https://acme.example"/>
    <outline text="deeper"><outline text="Widgets" xmlurl="https://widgets.example/atom"/></outline>
  </outline>
  <outline text="Alone &quot;quoted&quot;" xmlUrl="https://alone.example/rss?a=1&amp;b=2"/>
  <outline text="again" xmlUrl="https://acme.example/feed.xml"/>
  <outline text="mail" xmlUrl="feed://mail.example/x"/>
  <outline text="Bookmark" type="link" url="https://mark.example/"/><outline text="Empty folder"/>
  <outline text="Closed" type="link" htmlUrl="https://closed.example/"></outline>
  <outline text="Links"><outline text="Deep" url="https://deep.example/"></outline></outline>
</body></opml>"#;

const KEPT: &str = "# my file\n[providers.news]\nkind = \"feeds\"   # mine\n\n[[topics]]\nid = \"rust\"\ntitle = \"Rust\"\nnews.urls = [\"https://blog.example/feed\"]\nevery = \"2h\" # twelve a day";

fn file(place: &Place) -> String {
    std::fs::read_to_string(place.path("jobs.toml")).unwrap()
}

#[test]
fn imported_folders_become_topics_and_a_second_import_adds_nothing() {
    let place = Place::without_service(sqlite(), KEPT);
    let before = file(&place);
    std::fs::write(place.path("feeds.opml"), OPML).unwrap();
    let printed = place.ok(&["import", "--print", "feeds.opml"]);
    assert_eq!(file(&place), before, "only printed");
    insta::assert_snapshot!(printed, @r#"
    [[topics]]
    id = "rivals-friends"
    title = "Rivals & friends"
    sources = ["news"]
    every = "1h"
    news.urls = [
        "https://acme.example/feed.xml",
    ]

    [[topics]]
    id = "rivals-friends-deeper"
    title = "Rivals & friends / deeper"
    sources = ["news"]
    every = "1h"
    news.urls = [
        "https://widgets.example/atom",
    ]

    [[topics]]
    id = "alone-quoted"
    title = "Alone \"quoted\""
    sources = ["news"]
    every = "1h"
    news.urls = [
        "https://alone.example/rss?a=1&b=2",
    ]
    "#);
    insta::assert_snapshot!(place.run(&["import", "feeds.opml"]), @r"
    exit Some(0)
    --- stdout
    3 topics with 3 feeds appended to jobs.toml
    next: topicwatch check && topicwatch once

    --- stderr
    skipped: https://acme.example/feed.xml is already watched
    skipped: feed://mail.example/x is not an http or https URL
    skipped: https://mark.example/ has no feed address (xmlUrl)
    skipped: Empty folder has no feed address (xmlUrl)
    skipped: https://closed.example/ has no feed address (xmlUrl)
    skipped: https://deep.example/ has no feed address (xmlUrl)
    ");
    let after = file(&place);
    assert!(after.starts_with(&before) && after.ends_with(&printed), "{after}");
    place.ok(&["check"]);
    place.run(&["import", "feeds.opml"]).assert_stderr(0, &["nothing to import"]);
    assert_eq!(file(&place), after);
}

#[test]
fn import_hides_possible_secrets_of_feed_urls() {
    let place = Place::without_service(sqlite(), KEPT);
    let opml = r#"<opml version="2.0"><body>
        <outline type="rss" text="c" xmlUrl="https://c.example/rss?key=HUSH1"/>
        <outline type="rss" text="d" xmlUrl="https://me:HUSH2@d.example/rss#HUSH3"/>
        <outline type="rss" text="e" xmlUrl="feed://me:HUSH4@e.example/x?key=HUSH5"/>
        <outline type="rss" text="f" xmlUrl="https://f.example/feed/@them"/>
        <outline type="rss" text="g" xmlUrl="https://me:HU/SH6@g.example/x"/>
    </body></opml>"#;
    std::fs::write(place.path("feeds.opml"), opml).unwrap();
    place.ok(&["import", "feeds.opml"]);
    assert!(file(&place).contains("https://c.example/rss?key=HUSH1"), "the whole address is watched");
    insta::assert_snapshot!(place.run(&["import", "feeds.opml"]), @r"
    exit Some(0)
    --- stdout

    --- stderr
    skipped: https://c.example/rss… is already watched
    skipped: https://d.example/rss… contains a user name or a password
    skipped: feed://e.example/x… is not an http or https URL
    skipped: https://f.example/feed/@them is already watched
    skipped: https://g.example/x is not an http or https URL
    nothing to import: no feeds found, or all are already watched
    ");
}

#[test]
fn a_title_that_the_file_cannot_have_does_not_block_an_import() {
    let place = Place::without_service(sqlite(), KEPT);
    let long = "n".repeat(150);
    let opml = format!(
        r#"<opml version="2.0"><body>
        <outline type="rss" text="&#x200b;&#x301;" xmlUrl="https://invisible.example/rss"/>
        <outline text="{long}"><outline text="{long}"><outline type="rss" xmlUrl="https://deep.example/rss"/></outline></outline>
    </body></opml>"#
    );
    std::fs::write(place.path("feeds.opml"), opml).unwrap();
    place.ok(&["import", "feeds.opml"]);
    assert!(file(&place).contains("title = \"invisible.example\""), "{}", file(&place));
    assert!(file(&place).contains(&format!("title = \"{long} / {}\"", "n".repeat(47))), "{}", file(&place));
}

#[test]
fn imported_topics_run() {
    let sandbox = Sandbox::at(NINE, &[]);
    let base = sandbox.lines().lines().next().unwrap().replace("base_url = ", "").replace('"', "");
    let place = Place::without_service(sqlite(), "[providers.news]\nkind = \"feeds\"\nallow_private = true\n");
    let list = format!("{base}/feeds/acme.rss news, mine\n{base}/feeds/rival.atom\nhttps://shop.example/price\n");
    std::fs::write(place.path("list.txt"), list).unwrap();
    let ended = place.run(&["import", "list.txt"]);
    ended.assert_stdout(0, &["2 topics with 2 feeds"]);
    ended.assert_stderr(0, &["https://shop.example/price is a page"]);
    // Without a file, one is created.
    place.run(&["import", "list.txt", "--config", "new.toml"]).assert_stdout(0, &["appended to new.toml"]);
    place.ok(&["check", "--config", "new.toml"]);
    place.ok(&["once", "--at", NINE]);
    assert!(place.database.items() > 0);
}

#[test]
fn import_reads_the_feeds_of_changedetection_and_urlwatch_exports() {
    let backup = r#"{"watching":{"a":{"url":"https://a.example/releases.atom","title":"Releases","tags":["t1"]},
        "b":{"url":"https://b.example/page","title":null,"tags":[]}},"settings":{"application":{"tags":{"t1":{"title":"Tools"}}}}}"#;
    let urlwatch = "name: \"Kernel\"\nurl: \"https://kernel.example/feeds/all.atom.xml\"\nfilter:\n  - html2text\n---\nname: shop\nnavigate: https://shop.example/\n";
    for (name, text, title) in [("url-watches.json", backup, "Tools"), ("urls.yaml", urlwatch, "Kernel")] {
        let place = Place::without_service(sqlite(), KEPT);
        std::fs::write(place.path(name), text).unwrap();
        let ended = place.run(&["import", name]);
        ended.assert_stdout(0, &["1 topic with 1 feed"]);
        ended.assert_stderr(0, &["is a page, and pages cannot be watched"]);
        assert!(file(&place).contains(&format!("title = \"{title}\"")), "{}", file(&place));
        place.ok(&["check"]);
    }
}

#[test]
fn an_unknown_or_invalid_import_file_is_refused_and_nothing_is_written() {
    let deep = "<outline text=\"x\">".repeat(500);
    let long = format!("<opml><body>{}</body></opml>", "<outline xmlUrl=\"https://a.example/f.xml\"/>".repeat(6_000));
    let bomb = "<!DOCTYPE o [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><opml><body><outline text=\"&b;\"/></body></opml>";
    let huge = format!("<opml>{}", " ".repeat(5_000_001));
    for (text, said) in [
        ("hello", "the format of in is unknown"),
        ("<rss><channel/></rss>", "not OPML"),
        ("<opml><body><outline text=\"empty\"/></body></opml>", "contains no URLs"),
        ("{\"a\": 1}", "without `watching`"),
        ("{\"watching\": ", "is not valid JSON"),
        ("<opml><body><outline xmlUrl=\"https", "is not valid XML"),
        (&format!("<opml><body>{deep}"), "folders"),
        (&long, "more than 5000"),
        (bomb, "contains no URLs"),
        (&huge, "is longer than"),
    ] {
        let place = Place::without_service(sqlite(), KEPT);
        let before = file(&place);
        std::fs::write(place.path("in"), text).unwrap();
        place.run(&["import", "in"]).assert_stderr(2, &[said]);
        assert_eq!(file(&place), before);
    }
    // It is not XML either.
    let place = Place::without_service(sqlite(), KEPT);
    std::fs::write(place.path("urls.yaml"), "url: https://a.example/\n").unwrap();
    place.run(&["import", "urls.yaml", "--format", "opml"]).assert_stderr(2, &["urls.yaml is not OPML"]);
    let place = Place::without_service(sqlite(), "[[topics]]\nid = \"no good id\"\n");
    std::fs::write(place.path("in"), OPML).unwrap();
    let before = file(&place);
    place.run(&["import", "in"]).assert_stderr(2, &["no good id"]);
    assert_eq!(file(&place), before);
}

#[test]
#[cfg(unix)]
fn import_keeps_permissions_and_symbolic_links_of_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::without_service(sqlite(), KEPT);
    let real = place.path("real.toml");
    std::fs::rename(place.path("jobs.toml"), &real).unwrap();
    std::os::unix::fs::symlink(&real, place.path("jobs.toml")).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::write(place.path("feeds.opml"), OPML).unwrap();
    place.ok(&["import", "feeds.opml"]);
    assert!(place.path("jobs.toml").symlink_metadata().unwrap().file_type().is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(std::fs::read_to_string(&real).unwrap().contains("rivals-friends"));
}

/// With another group, the daemon could no longer read a file of mode 0640.
#[test]
#[cfg(unix)]
fn import_keeps_the_files_group_and_refuses_a_read_only_file() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let place = Place::without_service(sqlite(), KEPT);
    let jobs = place.path("jobs.toml");
    std::fs::write(place.path("feeds.opml"), OPML).unwrap();
    let mode = |mode| std::fs::set_permissions(&jobs, std::fs::Permissions::from_mode(mode)).unwrap();
    let before = file(&place);
    mode(0o444);
    place.run(&["import", "feeds.opml"]).assert_stderr(5, &["it is read-only"]);
    assert_eq!(file(&place), before);
    mode(0o640);
    // Only root may give a file to any group.
    let is_given = std::os::unix::fs::chown(&jobs, None, Some(1)).is_ok();
    let group = jobs.metadata().unwrap().gid();
    assert!(!is_given || group == 1);
    place.ok(&["import", "feeds.opml"]);
    assert_eq!((jobs.metadata().unwrap().gid(), jobs.metadata().unwrap().mode() & 0o777), (group, 0o640));
}

#[test]
fn imported_topics_have_the_line_ends_of_the_file() {
    let place = Place::without_service(sqlite(), KEPT);
    std::fs::write(place.path("feeds.opml"), OPML).unwrap();
    for end in ["", "\n"] {
        let before = format!("{KEPT}{end}").replace('\n', "\r\n");
        std::fs::write(place.path("jobs.toml"), &before).unwrap();
        place.ok(&["import", "feeds.opml"]);
        let added = file(&place).strip_prefix(&before).unwrap().to_owned();
        assert!(added.contains("\r\n[[topics]]\r\nid = \"rivals-friends\"\r\n"), "{added:?}");
        assert!(!added.replace("\r\n", "").contains('\n'), "{added:?}");
    }
}

#[test]
fn import_adds_the_first_topics_to_a_file_without_any() {
    let place = Place::without_service(sqlite(), "# nothing yet\n");
    std::fs::write(place.path("feeds.opml"), OPML).unwrap();
    let before = file(&place);
    place.run(&["--config", "jobs.toml", "import", "feeds.opml"]).assert_stdout(
        0,
        &[
            "3 topics with 3 feeds appended to jobs.toml",
            "next: topicwatch check --config jobs.toml && topicwatch once --config jobs.toml",
        ],
    );
    assert!(file(&place).starts_with(&before));
    place.ok(&["check"]);
}
