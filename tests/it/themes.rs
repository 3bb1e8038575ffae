//! Themes beyond those that are shown, hashtags, and the page of a theme, through the binary on both databases: a day with
//! nine groups of words, held by separate SQL; and that a mail has terms and themes.

use serde_json::{Value, json};
use topicwatch::model::Time;

use crate::support::databases::{Database, databases};
use crate::support::program::Place;
use crate::support::receivers::MailServer;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, run_once};

/// The day with the groups; each day before has ordinary posts.
const EVENT: u32 = 9;
/// The words of each group. The first is larger than the second by one item, and so on.
const GROUPS: [&[&str]; 9] = [
    &["#flashmob"],
    &["quay"],
    &["lantern", "velvet"],
    &["meadow", "copper"],
    &["orchid", "thunder"],
    &["pebble", "saffron"],
    &["glacier", "tunnel"],
    &["beacon", "walnut"],
    &["ember", "violin"],
];
/// The group with pages.
const PAGED: usize = 4;
const LARGEST: u32 = 18;

/// A word that no other place has.
fn unique_word(seed: u32, n: u32) -> String {
    format!("{:x}", (seed + 1).wrapping_mul(2_654_435_761).rotate_left(n * 5) ^ n.wrapping_mul(40_503))
}

fn post_at(id: u32, at: u32, text: &str) -> Value {
    json!({ "id": id.to_string(), "text": text, "user": format!("author{id}"), "created_at": hour(at), "like_count": id * 7 % 13,
        "url": format!("https://x.com/a/status/{id}") })
}

/// A text with these words, no two of them adjacent.
fn text(id: u32, words: &[&str]) -> String {
    let words = words.iter().zip(0..).map(|(word, n)| format!("{} {word} ", unique_word(id, n)));
    format!("{}{} acme {}", words.collect::<String>(), unique_word(id, 5), unique_word(id, 6))
}

/// Forty ordinary posts a day; two of the last day before say the words of the third group.
fn ordinary() -> Vec<Value> {
    let post = |n: u32| {
        let (id, at) = (10_000 + n, n / 40 * 24 + n % 24);
        let words = if n / 40 == EVENT - 1 && n % 40 < 2 { GROUPS[2] } else { &[] };
        post_at(id, at, &text(id, words))
    };
    (0..(EVENT + 1) * 40).map(post).collect()
}

/// The posts and pages of the groups.
fn grouped() -> (Vec<Value>, Vec<Value>) {
    let (mut posts, mut pages) = (Vec::new(), Vec::new());
    for (group, words) in GROUPS.iter().enumerate() {
        for n in 0..LARGEST - u32::try_from(group).unwrap() {
            let id = 20_000 + u32::try_from(group).unwrap() * 100 + n;
            let at = EVENT * 24 + id % 20;
            if group == PAGED && n < 3 {
                pages.push(json!({ "title": text(id, words), "url": format!("https://site{n}.example/{id}"),
                    "snippet": unique_word(id, 4), "date": hour(at) }));
                continue;
            }
            let text = match (group, n) {
                // One text by three people.
                (0, ..3) => "acme #flashmob at the main station tonight, everybody brings an umbrella and stands still for two minutes".to_owned(),
                // Posts that also have one word of the next group.
                (2, ..2) => text(id, &[*words, &GROUPS[3][..1]].concat()),
                _ => text(id, words),
            };
            posts.push(post_at(id, at, &text));
        }
    }
    (posts, pages)
}

/// The rows of a group on a day. An item belongs to the group that has most of its words.
fn rows(group: usize, day: u32) -> String {
    let of = |word: &str| format!("coalesce(i.title, '') || ' ' || coalesce(i.text, '') LIKE '%{word}%'");
    let other = if group == 3 { format!("AND NOT ({})", of(GROUPS[2][0])) } else { String::new() };
    format!("{} AND {} {other}", all_rows(day), of(GROUPS[group][0]))
}

fn all_rows(day: u32) -> String {
    let [from, until] = [day, day + 1].map(|day| Time::parse(&hour(day * 24)).unwrap().iso_millis());
    format!("FROM v_item i WHERE i.topic = 'acme' AND i.published_at >= '{from}' AND i.published_at < '{until}'")
}

fn count(database: &Database, what: &str, rows: &str) -> i64 {
    database.number(&format!("SELECT count({what}) {rows}"))
}

/// Checks a theme with SQL.
fn assert_theme(database: &Database, theme: &Value, group: usize) {
    let rows = rows(group, EVENT);
    assert_eq!(theme["items"], count(database, "*", &rows), "{theme}");
    assert_eq!(theme["unique"], count(database, "DISTINCT coalesce(i.cluster, i.key)", &rows), "{theme}");
    // Each page is on a site of its own.
    assert_eq!(theme["authors"], count(database, "DISTINCT coalesce(i.author, i.url)", &rows), "{theme}");
    assert_eq!(theme["items_before"], count(database, "*", &self::rows(group, EVENT - 1)), "{theme}");
    let negative = count(database, "*", &format!("{rows} AND i.tone = 'negative'"));
    assert_eq!((&theme["negative"]["part"], &theme["negative"]["whole"]), (&negative.into(), &theme["items"]));
    let key = |and: &str| database.texts(&format!("SELECT i.key {rows} {and} LIMIT 1"));
    let first = key("ORDER BY i.published_at, i.key");
    assert_eq!(theme["first_key"], *first[0], "{theme}");
    let by = database.texts(&format!("SELECT coalesce(author, '') FROM v_item WHERE key = '{}'", first[0]));
    assert_eq!(theme["first_by"].as_str().unwrap_or_default(), by[0], "{theme}");
    for kind in ["post", "page"] {
        let most = key(&format!("AND i.kind = '{kind}' ORDER BY coalesce(i.likes, 0) DESC, i.published_at, i.key"));
        assert_eq!(theme[kind]["key"].as_str(), most.first().map(String::as_str), "{kind}: {theme}");
    }
    assert_eq!(theme["page"].is_null(), group != PAGED, "{theme}");
}

const REPORT: &str = "[[reports]]\nname = \"morning\"\nwindow = \"day\"\nschedule = \"0 7 * * *\"\nchannels = [\"mail\"]\n\
                      [[channels]]\nname = \"mail\"\nkind = \"email\"\nhost = \"127.0.0.1\"\ntls = \"none\"\n\
                      from = \"watch@example.com\"\nto = [\"team@example.com\"]\n";

#[test]
fn seven_themes_are_listed_with_a_post_and_a_page_and_the_others_are_summed() {
    for database in databases() {
        let (world, mail) = (ScriptedService::new(), MailServer::accepting());
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\n";
        let rest = format!("{topic}{REPORT}port = {}\n", mail.port());
        let place = Place::new(database, &world.lines(), &rest);
        let database = &place.database;
        place.ok(&["once", "--due", "--at", &hour(0)]);
        run_once(&place, 0);
        let (posts, pages) = grouped();
        world.set_posts(&[ordinary(), posts].concat());
        world.set_pages(&pages);
        let end = (EVENT + 1) * 24;
        run_once(&place, end);
        database.set_tones();
        let (since, until) = (hour(EVENT * 24), hour(end));
        let output = place.json(&["terms", "acme", "--since", &since, "--until", &until, "--at", &until, "--json"]);
        assert_eq!(output["no_terms"], Value::Null, "{output:#}");

        // Ten of the sixteen terms. The word of a hashtag is not listed as well as the hashtag.
        let terms = output["terms"].as_array().unwrap();
        assert_eq!((terms.len(), &output["more"]), (10, &6.into()), "{}: {output:#}", database.name);
        let tag = terms.iter().find(|row| row["term"].as_str().unwrap().contains("flashmob")).unwrap();
        let tagged = count(database, "*", &rows(0, EVENT));
        assert_eq!(
            (&tag["term"], &tag["kind"], &tag["items"]),
            (&"#flashmob".into(), &"hashtag".into(), &tagged.into())
        );

        // Groups with the most different texts come first; three items of the first group have the same text.
        let themes = output["themes"].as_array().unwrap();
        let names: Vec<&str> = themes.iter().map(|theme| theme["name"].as_str().unwrap()).collect();
        let expected = [
            "quay",
            "#flashmob",
            "lantern, velvet",
            "meadow, copper",
            "orchid, thunder",
            "pebble, saffron",
            "glacier, tunnel",
        ];
        assert_eq!(names, expected, "{}: {output:#}", database.name);
        for (theme, group) in themes.iter().zip([1, 0, 2, 3, 4, 5, 6]) {
            assert_theme(database, theme, group);
        }
        let more: i64 = [7, 8].map(|group| count(database, "*", &rows(group, EVENT))).iter().sum();
        let all = count(database, "*", &all_rows(EVENT));
        let listed: i64 = themes.iter().map(|theme| theme["items"].as_i64().unwrap()).sum();
        let other = all - listed - more;
        assert_eq!(
            [&output["more_themes"], &output["more_items"], &output["other_items"]],
            [2, more, other],
            "{output:#}"
        );
        assert!(more > 20 && other == 40, "{more} {other}");

        let date = Time::parse(&since).unwrap().utc_date();
        place.ok(&["report", "--date", &date, "--at", &until, "--out", "day.md"]);
        let text = std::fs::read_to_string(place.path("day.md")).unwrap();
        let page = &themes[4]["page"];
        let page = format!(" · [{}](<{}>)\n", page["words"].as_str().unwrap(), page["link"].as_str().unwrap());
        let rest = format!("\n\n2 more themes with {more} items; {other} items in no theme.\n");
        for part in ["\n\n6 more terms.\n", &rest, &page, "\n- **\\#flashmob**: "] {
            assert!(text.contains(part), "{}: {part}\n{text}", database.name);
        }
        let pages = Pages::serve(&place, &["--at", &until]);
        let rest = format!(" 2 themes more, with {more} items. {other} items of no theme.");
        let page = pages.page("/topics/acme");
        assert!(page.contains(&rest) && page.contains("<bdi>#flashmob</bdi>"), "{}: {rest}\n{page}", database.name);
        drop(pages);

        place.ok(&["once", "--due", "--at", &hour(end + 7)]);
        let mails = database.texts("SELECT html FROM outbox WHERE html IS NOT NULL");
        let [mail] = &mails[..] else { panic!("{}: {} mails", database.name, mails.len()) };
        for part in ["Terms that are news", "Themes", "lantern, velvet", &format!("2 more themes with {more} items")] {
            assert!(mail.contains(part), "{}: {part}\n{mail}", database.name);
        }
    }
}
