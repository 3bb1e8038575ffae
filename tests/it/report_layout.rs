//! The layout of a report: holes shown where they are, citations after the numbers, empty lists and quiet topics
//! folded, the overview as cards on a phone, the main points on its first screen, two pages of paper for a loud topic.
//! Through the binary on both databases, and in a real browser where there is one.

use topicwatch::model::Time;

use crate::support::browser::find_browser;
use crate::support::databases::{block_on, databases, sqlite};
use crate::support::page_size::{measure_in_window, measure_report, printed_pages};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

/// The report of a date in a format.
fn report(place: &Place, date: &str, format: &str) -> String {
    let file = format!("told.{format}");
    place.ok(&["report", "--date", date, "--at", "2026-03-14T12:00:00Z", "--out", &file]);
    std::fs::read_to_string(place.path(&file)).unwrap()
}

/// The text between two markers.
fn between<'a>(text: &'a str, from: &str, until: &str) -> &'a str {
    let text = &text[text.find(from).unwrap_or_else(|| panic!("no {from}: {text}"))..];
    &text[..text.find(until).unwrap_or_else(|| panic!("no {until}: {text}"))]
}

#[test]
fn holes_are_shown_in_their_period_with_the_full_replies_that_caused_them() {
    for database in databases() {
        let world = ScriptedService::new();
        let place =
            Place::new(database, &world.lines(), &topic("acme", "social.operation = \"basic\"\nsocial.limit = 2"));
        world.set_posts(&[post(1, 1, "early words", 1)]);
        run_once(&place, 7);
        // The reply is full and reaches back only to three in the morning.
        world.set_posts(&[post(2, 27, "later words", 1), post(3, 29, "last words", 1)]);
        run_once(&place, 30);
        world.set_posts(&[post(4, 50, "words of the third day", 1)]);
        run_once(&place, 54);
        run_once(&place, 72);

        // The full reply came after the day in which it left a hole.
        let reported = report(&place, "2026-03-11", "html");
        // Regression: the page said 0 here.
        let searches = between(&reported, "also count later searches that asked about it", "</table>");
        assert!(searches.contains("data-label=\"Full replies\">1</td>"), "{searches}");
        let searched = between(&reported, "How it was searched", "The rows");
        assert!(searched.contains("the reply was full") && !searched.contains("before the period"), "{searched}");

        // Two days later the same hole is before the period.
        let reported = report(&place, "2026-03-13", "html");
        let searched = between(&reported, "How it was searched", "The rows");
        let (inside, before) = searched.split_once("1 gap before the period, within the days of the charts").unwrap();
        assert!(inside.contains("No gaps in the period.") && !inside.contains("the reply was full"), "{searched}");
        assert!(before.contains("the reply was full"), "{searched}");
        let reported = report(&place, "2026-03-13", "md");
        assert!(reported.contains("- before the period, not covered: "), "{reported}");
        assert!(!reported.contains("- not covered: "), "{reported}");
    }
}

#[test]
fn citations_come_after_the_figures_and_empty_lists_are_folded() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let quiet = "[[topics]]\nid = \"quiet\"\nquery = \"quiet\"\nsources = [\"web\"]\nweb.limit = 1\n";
        let place = Place::new(
            database,
            &sandbox.lines(),
            &format!("[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n{quiet}"),
        );
        place.ok(&["once", "--at", NINE]);
        let reported = report(&place, "2026-03-11", "md");
        let place_of = |words: &str| reported.find(words).unwrap_or_else(|| panic!("no {words}: {reported}"));
        assert!(place_of("| day | items |") < place_of("### What the answer cites"), "{reported}");
        assert!(place_of("### How it was searched") < place_of("### What the answer cites"), "{reported}");

        let page = report(&place, "2026-03-11", "html");
        for reported in [&reported, &page] {
            assert!(reported.contains("Compare days and topics; do not quote shares."), "{reported}");
        }

        // A day on which neither topic was searched.
        let reported = report(&place, "2026-03-13", "html");
        let quiet = between(&reported, "<section class=\"quiet\" id=\"t-quiet\"", "</section></section></main>");
        let (line, folded) = quiet.split_once("</summary>").unwrap();
        assert!(
            line.contains("quiet</strong>: Nothing was searched in this period") && !line.contains("<svg"),
            "{line}"
        );
        assert!(folded.contains("Nothing to list: ") && !folded.contains("<h3>Most negative"), "{folded}");
        // At the top they share a line.
        let top = between(&reported, "<ul class=\"glance\">", "</nav>");
        assert!(top.contains("Nothing known: ") && top.contains("#t-quiet\""), "{top}");
    }
}

#[test]
fn a_long_or_right_to_left_title_leaves_the_numbers_of_a_report_in_place() {
    const LONG: &str = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung";
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let acme = format!("[[topics]]\nid = \"acme\"\ntitle = \"{LONG}\"\nquery = \"acme launch\"\n");
        let akhbar = "[[topics]]\nid = \"akhbar\"\ntitle = \"أخبار\\u202e\"\nquery = \"akhbar\"\n";
        let place = Place::new(database, &sandbox.lines(), &format!("{acme}{akhbar}"));
        place.ok(&["once", "--at", NINE, "--topic", "acme"]);
        let page = report(&place, "2026-03-11", "html");
        let matters = between(&page, "id=\"matters\"", "</section>");
        let sentence = "<bdi><a href=\"#t-akhbar\">أخبار</a></bdi> has not been run yet";
        assert!(matters.contains(sentence), "{matters}");
        for reported in [&page, &report(&place, "2026-03-11", "md")] {
            assert!(reported.contains("أخبار") && !reported.contains('\u{202e}'), "{reported}");
        }
        let text = report(&place, "2026-03-11", "md");
        assert!(text.contains("**أخبار** (no results) has not been run yet"), "{text}");
        let Some(browser) = find_browser() else { continue };
        let table = "d.querySelector('[aria-labelledby=overview-caption]')";
        let wider = format!("{table}.scrollWidth-{table}.clientWidth");
        assert_eq!(measure_in_window(&browser, &place, &page, 1280, &wider), [0], "hidden columns: {page}");
    }
}

#[test]
fn on_a_phone_the_overview_is_cards_and_quiet_topics_are_short() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let topics: String = (0..4)
        .map(|n| format!("[[topics]]\nid = \"t{n}\"\nquery = \"topic {n}\"\nsources = [\"social\", \"web\"]\n"))
        .collect();
    let place = Place::new(sqlite(), &sandbox.lines(), &topics);
    place.ok(&["once", "--at", NINE]);
    for (date, most) in [("2026-03-11", 30_000), ("2026-03-13", 6_000)] {
        let file = format!("{date}.html");
        place.ok(&["report", "--date", date, "--at", &hour(80), "--out", &file]);
        let (height, wider, listed) = measure_report(&browser, &place, &file, 390);
        println!("{date}: {height} px high at 390, every topic named within {listed} px");
        assert!(listed < 844, "{date}: not all topics are on the first screen: {listed} px");
        let pages = printed_pages(&browser, &place, &file);
        println!("{date}: {pages} pages of paper");
        assert!((1..=1 + 2 * 4).contains(&pages), "{date}: {pages} pages");
        assert!(wider <= 0, "{date}: {wider} px wider than the phone");
        assert!(height > 800 && height < most, "{date}: {height} px high");
    }
    // Each cell of a card names its column, and the table head is hidden.
    let page = std::fs::read_to_string(place.path("2026-03-11.html")).unwrap();
    let row = between(&page, "<table class=\"cards\">", "</table>");
    for name in ["Items", "Change", "Negative", "Positive", "Covered", "Sources", "Cost"] {
        assert!(row.contains(&format!("data-label=\"{name}\"")), "{name}: {row}");
    }
}

#[test]
fn the_main_points_of_a_dozen_topics_are_on_the_first_screen_of_a_phone() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    for many in [12, 20] {
        let topic = |n: i32| {
            format!(
                "[[topics]]\nid = \"t{n}\"\ntitle = \"Topic number {n} of a team\"\nquery = \"topic {n}\"\nsources = [\"social\", \"web\"]\n"
            )
        };
        let place = Place::new(sqlite(), &sandbox.lines(), &(1..=many).map(topic).collect::<String>());
        place.ok(&["once", "--at", NINE]);
        let reported = report(&place, "2026-03-11", "html");
        let list = between(&reported, "<nav aria-label=\"Topics\">", "</nav>");
        // If there are too many, the others are in one line that unfolds: none is left out.
        let listed = list.split("<details").next().unwrap_or_default();
        assert_eq!(listed.matches("<li>").count(), if many == 12 { 12 } else { 10 }, "{list}");
        assert_eq!(list.matches("<li>").count(), usize::try_from(many).unwrap(), "{list}");
        assert_eq!(list.contains("<summary>10 more topics</summary>"), many == 20, "{list}");
        let (_, wider, end) = measure_report(&browser, &place, "told.html", 390);
        println!("{many} topics: listed within {end} px");
        assert!(end < 844, "{many} topics: not on the first screen: {end} px");
        assert!(wider <= 0, "{many} topics: {wider} px wider than the phone");
    }
}

#[test]
fn tables_of_long_names_scroll_by_themselves_on_a_narrow_phone() {
    let Some(browser) = find_browser() else { return };
    let world = ScriptedService::new();
    let second = format!("[providers.second]\nkind = \"spec\"\nkey_env = \"SECOND_KEY\"\n{}\n", world.lines());
    let both = topic("acme", "").replace("[\"social\"]", "[\"social\", \"second\"]");
    let place = Place::new(sqlite(), &world.lines(), &(second + &both));
    let posts = (1..=9).map(|n| {
        let mut post = post(n, n - 1, &format!("post {n} of acme"), 1_234_567);
        post["user"] = format!("a_rather_long_name_of_an_author_{n}").into();
        post
    });
    world.set_posts(&posts.collect::<Vec<_>>());
    let ended = place.program(&["once", "--at", &hour(9)]).env("SECOND_KEY", "k").run();
    assert_eq!(ended.code, Some(0), "{ended}");
    let reported = report(&place, "2026-03-11", "html");
    assert!(reported.contains("Authors by engagement") && reported.contains(">Found by<"), "{reported}");
    let (_, wider, _) = measure_report(&browser, &place, "told.html", 320);
    assert!(wider <= 0, "{wider} px wider than the phone");
}

#[test]
fn a_busy_topic_prints_on_at_most_two_pages() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at("2026-03-01T21:00:00Z", &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n");
    let days_before = (1..=10).map(|day| format!("2026-03-{day:02}T21:00:00Z"));
    let times = [NINE, "2026-03-11T15:00:00Z", "2026-03-11T21:00:00Z"].map(str::to_owned);
    for at in days_before.chain(times) {
        sandbox.set_clock(&at);
        place.ok(&["once", "--at", &at]);
    }
    // An author who writes most of what is new on the last day, and six subjects.
    let day = Time::parse("2026-03-11T00:00:00Z").unwrap().0;
    let subject = |number: &str| {
        let words = ["harbour", "recall", "tunnel", "copper", "lantern"].iter().zip(0..);
        let cases: String = words.map(|(word, at)| format!("WHEN {at} THEN '{word}' ")).collect();
        format!("CASE {number} % 6 {cases}ELSE 'velvet' END")
    };
    let at = format!("{day} + n * 60000");
    place.database.make_items(
        300,
        &[
            ("first_seen", &at),
            ("last_seen", &at),
            ("published_at", &at),
            ("text", &format!("'acme launch x' || (n * 7919) || ' ' || {} || ' y' || (n * 6421)", subject("n"))),
            ("author", "CASE WHEN n <= 200 THEN 'loud' ELSE 'author' || n END"),
            ("lang", "'en'"),
            ("tone", "CASE n % 3 WHEN 0 THEN 'negative' ELSE 'neutral' END"),
            ("score", "0"),
            ("scorer", "'builtin-4'"),
            ("likes", "n"),
        ],
    );
    place.database.add_items_to_topic("acme", &place.database.last_run("acme"), "key LIKE 'post:made:%'");
    for long in [false, true] {
        if long {
            let words =
                "Acme said that the launch was moved to Thursday, and people near the harbour ask why. ".repeat(4);
            let answer = format!("- {}\n\n", words.repeat(3)).repeat(20);
            // Each subject has long words of its own.
            let words = "Acme launch %andtheold %ofthenorth %asbefore %inthemorning %withoutend. ".repeat(4);
            let words = format!("replace('{words}', '%', {}) || id", subject("id"));
            block_on(place.database.execute(&format!(
                "UPDATE item SET text = {words}, title = {words}, author = 'a_rather_long_name_of_an_author_' || \
                 CASE WHEN author = 'loud' THEN 'who_is_loud' ELSE CAST(id AS TEXT) END \
                 WHERE coalesce(published_at, first_seen) >= {day}; UPDATE answer SET text = '{answer}'"
            )));
        }
        let reported = report(&place, "2026-03-11", "html");
        for list in [
            "The answer",
            "Terms that are news",
            "Themes",
            "Top posts by engagement",
            "Rising fastest",
            "Most negative",
            "Most positive",
            "New pages",
            "One text, many times",
            "Authors by engagement",
            "Domains",
        ] {
            let heading =
                reported.split("<h3").filter_map(|part| part.split_once('>')).any(|(_, text)| text.starts_with(list));
            assert!(heading, "nothing under {list}, long: {long}");
        }
        assert!(reported.contains(" of the rise"), "no cause, long: {long}: {reported}");
        if long {
            assert!(
                reported.contains(" more on the HTML page")
                    && reported.contains("More of the answer is on the HTML page.")
            );
        }
        for size in ["A4", "Letter"] {
            // The overview is the first page. The explanation of terms follows the topic and does not count as one of
            // its pages.
            let sized = reported.replace("@page{", &format!("footer{{display:none}}@page{{size:{size};"));
            std::fs::write(place.path("sized.html"), sized).unwrap();
            let pages = printed_pages(&browser, &place, "sized.html");
            println!("{size}, long: {long}: {pages} pages");
            assert!((2..=3).contains(&pages), "{size}, long: {long}: {pages} pages");
        }
    }
}
