//! A report as mail programs show it: without style sheets, pictures and charts, in narrow windows, light and dark. The
//! mail is the stored one; a real browser measures it.

use crate::support::browser::find_browser;
use crate::support::databases::{block_on, databases};
use crate::support::page_size::measure_in_window;
use crate::support::program::{NINE, Place};
use crate::support::receivers::MailServer;
use crate::support::service::Sandbox;

/// The size in bytes above which the largest mail service clips a mail.
const SHOWN: usize = 102_000;

/// By how many pixels the page is wider than a window of this width.
fn overflow_pixels(browser: &str, place: &Place, mail: &str, width: u32) -> i64 {
    let wanted = format!("d.scrollWidth-{width},d.scrollHeight");
    let [by, high] = measure_in_window(browser, place, mail, width, &wanted)[..] else { panic!("not measured") };
    assert!(high > 2_000, "an empty mail: {high} px");
    by
}

#[test]
fn a_report_mail_fits_any_window_width_without_a_style_sheet() {
    for database in databases() {
        let (sandbox, post) = (Sandbox::at(NINE, &[]), MailServer::accepting());
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
        block_on(place.database.execute(&format!("UPDATE item SET text = '<b>{long}</b>' WHERE id % 5 = 0")));
        sandbox.set_clock("2026-03-11T10:00:00Z");
        place.ok(&["once", "--due", "--at", "2026-03-11T10:00:00Z"]);
        let mails = place.database.texts("SELECT html FROM outbox WHERE html IS NOT NULL");
        let [mail] = &mails[..] else { panic!("{} mails", mails.len()) };
        assert!(mail.contains("What matters") && mail.contains("Topic &lt;3&gt;"), "{mail}");
        assert!(mail.contains("longlong") && !mail.contains("<b>"), "{mail}");
        assert!(mail.len() < SHOWN, "{} bytes", mail.len());
        // It has nothing that mail programs remove, so the content does not depend on it.
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
            let reported = mail.replace("border-left:4px solid #b8860b", "");
            assert!(!reported.contains(gone), "{gone}: {mail}");
        }
        let Some(browser) = find_browser() else { continue };
        for width in [320, 360, 390, 600] {
            let by = overflow_pixels(&browser, &place, mail, width);
            assert!(by <= 0, "{by} px wider than a window of {width}");
        }
    }
}
