//! A report as mail programs show it: without style sheets, pictures and charts, in narrow windows, light and dark. The
//! mail is the stored one; a real browser measures it.

use std::process::Command;

use crate::support::browser::browser;
use crate::support::databases::{databases, wait};
use crate::support::program::{NINE, Place};
use crate::support::receivers::Post;
use crate::support::service::Sandbox;

/// The size in bytes above which the largest mail service clips a mail.
const SHOWN: usize = 102_000;

/// By how many pixels the page is wider than a window of this width.
fn wider(browser: &str, place: &Place, mail: &str, width: u32) -> i64 {
    let frame = format!(
        "<!doctype html><meta name=color-scheme content=\"light dark\"><body style=margin:0><iframe id=f style=\"border:0;width:{width}px;height:800px\" srcdoc=\"{}\"></iframe>\
         <script>f.onload=()=>{{const d=f.contentDocument.documentElement;document.title='by '+(d.scrollWidth-{width})+' of '+d.scrollHeight}}</script>",
        mail.replace('&', "&amp;").replace('"', "&quot;")
    );
    std::fs::write(place.path("frame.html"), frame).unwrap();
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
    command.args(["--virtual-time-budget=4000", "--dump-dom"]);
    command.arg(format!("--user-data-dir={}", place.path("profile").display()));
    let dom = command.arg(format!("file://{}", place.path("frame.html").display())).output().unwrap();
    let dom = String::from_utf8_lossy(&dom.stdout).into_owned();
    let measured = dom.split("<title>by ").nth(1).and_then(|rest| rest.split("</title>").next());
    let (by, high) = measured.and_then(|text| text.split_once(" of ")).unwrap_or_else(|| panic!("not measured: {dom}"));
    assert!(high.parse::<i64>().unwrap() > 2_000, "an empty mail: {high} px");
    by.parse().unwrap()
}

#[test]
fn a_mail_fits_any_window_without_a_style_sheet() {
    for database in databases() {
        let (sandbox, post) = (Sandbox::at(NINE, &[]), Post::good());
        let topics: String = (0..4)
            .map(|n| {
                format!("[[topics]]\nid = \"t{n}\"\ntitle = \"Topic <{n}>\"\nquery = \"topic {n}\"\nevery = \"1h\"\n")
            })
            .collect();
        let rest = format!(
            "{topics}[[reports]]\nname = \"hourly\"\nevery = \"1h\"\nwindow = \"since_last\"\nchannels = [\"mail\"]\n\
             [[channels]]\nname = \"mail\"\nkind = \"email\"\nhost = \"127.0.0.1\"\nport = {}\ntls = \"none\"\n\
             from = \"watch@example.com\"\nto = [\"team@example.com\"]\n",
            post.port()
        );
        let place = Place::new(database, &sandbox.lines(), &rest);
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["once", "--at", NINE]);
        // A word without a break, and one that looks like a tag.
        let long = "long".repeat(200);
        wait(place.database.execute(&format!("UPDATE item SET text = '<b>{long}</b>' WHERE id % 5 = 0")));
        sandbox.turn_to("2026-03-11T10:00:00Z");
        place.ok(&["once", "--due", "--at", "2026-03-11T10:00:00Z"]);
        let mails = place.database.texts("SELECT html FROM outbox WHERE html IS NOT NULL");
        let [mail] = &mails[..] else { panic!("{} mails", mails.len()) };
        assert!(mail.contains("What matters") && mail.contains("Topic &lt;3&gt;"), "{mail}");
        assert!(mail.contains("longlong") && !mail.contains("<b>"), "{mail}");
        assert!(mail.len() < SHOWN, "{} bytes", mail.len());
        // Nothing that mail programs remove: the content does not depend on it.
        for gone in [
            "<style",
            "<svg",
            "<img",
            "<table",
            "<details",
            "class=",
            "id=",
            "href=\"#",
            "var(",
            "color:#",
            "background",
        ] {
            let told = mail.replace("border-left:4px solid #b8860b", "");
            assert!(!told.contains(gone), "{gone}: {mail}");
        }
        let Some(browser) = browser() else { continue };
        for width in [320, 360, 390, 600] {
            let by = wider(&browser, &place, mail, width);
            assert!(by <= 0, "{by} px wider than a window of {width}");
        }
    }
}
