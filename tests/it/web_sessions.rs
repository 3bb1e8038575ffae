//! Login cookies, through the program: the name and attributes, several cookies with that name, and the end of a
//! session, which ends every copy of the cookie.

use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN, open_event_stream, read_until, wait_for_end};
use crate::support::web_topics::TOPICS;

fn place(database: crate::support::databases::Database, web: &str) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(database, &sandbox.lines(), &format!("{web}\n{TOPICS}"));
    place.ok(&["once", "--at", NINE]);
    (sandbox, place)
}

fn sees(pages: &Pages, cookie: &str) -> bool {
    let answer = pages.request("GET", "/", &[("Cookie", cookie)], "");
    assert!(matches!(answer.status, 200 | 303), "{}", answer.text);
    answer.status == 200
}

#[test]
fn logging_out_ends_the_session_for_every_copy_of_the_cookie() {
    for database in databases() {
        let (_sandbox, place) = place(database, "");
        let pages = Pages::serve_with_token(&place, &["--at", NINE]);
        let (one, two) = (pages.log_in(), pages.log_in());
        assert!(one != two && sees(&pages, &one) && sees(&pages, &two));
        let origin = pages.origin();
        // A page of another site cannot log anybody out, and neither can a visitor without the cookie.
        assert_eq!(pages.request("POST", "/logout", &[("Cookie", &one)], "").status, 403);
        assert_eq!(pages.request("POST", "/logout", &[("Origin", &origin)], "").status, 401);
        assert!(sees(&pages, &one));
        let left = pages.request("POST", "/logout", &[("Origin", &origin), ("Cookie", &one)], "");
        assert_eq!((left.status, left.header("location")), (303, Some("/login")));
        assert!(!sees(&pages, &one), "a copy of the cookie does not work");
        assert!(sees(&pages, &two), "the other browser stays logged in");
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
        // An ended session does not come back with a restart, not even at the same time.
        let pages = Pages::serve_with_token(&place, &["--at", NINE]);
        assert!(!sees(&pages, &one) && !sees(&pages, &two));
        pages.log_in();
    }
}

#[test]
fn a_stream_ends_when_its_session_ends() {
    for database in databases() {
        let (_sandbox, place) = place(database, "");
        place.database.queue_request("waits", "acme");
        let pages = Pages::serve_with_token(&place, &["--at", NINE]);
        let (one, two) = (pages.log_in(), pages.log_in());
        let begin =
            |cookie: &str| open_event_stream(&pages, "/progress/waits/events", ("Cookie", cookie), "event: progress");
        let (of_one, mut of_two) = (begin(&one), begin(&two));
        let left = pages.request("POST", "/logout", &[("Origin", &pages.origin()), ("Cookie", &one)], "");
        assert_eq!(left.status, 303);
        // Otherwise it would stay open for ten minutes.
        wait_for_end(of_one);
        // The other browser's stream continues: its keep-alive arrives.
        read_until(&mut of_two, "still there");
    }
}

#[test]
fn every_cookie_with_the_session_name_is_tried() {
    let (_sandbox, place) = place(sqlite(), "");
    let pages = Pages::serve_with_token(&place, &[]);
    let cookie = pages.log_in();
    let name = cookie.split('=').next().unwrap();
    for planted in
        [format!("{name}=x; {cookie}"), format!("{cookie}; {name}=1.2.3"), format!("{name}=; {name}=9.9.9; {cookie}")]
    {
        assert!(sees(&pages, &planted), "{planted}");
    }
    assert!(sees_in_two(&pages, &format!("{name}=x"), &cookie), "in two headers");
    // Logging out ends whichever of them was valid.
    let origin = pages.origin();
    pages.request("POST", "/logout", &[("Origin", &origin), ("Cookie", &format!("{name}=x; {cookie}"))], "");
    assert!(!sees(&pages, &cookie));
}

fn sees_in_two(pages: &Pages, one: &str, two: &str) -> bool {
    pages.request("GET", "/", &[("Cookie", one), ("Cookie", two)], "").status == 200
}

#[test]
fn the_cookie_behind_tls_is_secure_and_limited_to_its_host() {
    let (sandbox, place) = place(sqlite(), "[web]\nhttps = true");
    let pages = Pages::serve_with_token(&place, &[]);
    let origin = pages.origin();
    let right = pages.request("POST", "/login", &[("Origin", &origin)], &format!("token={TOKEN}"));
    let cookie = right.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-topicwatch_session=") && cookie.ends_with("; Secure"), "{cookie}");
    assert!(cookie.contains("; Path=/;") && !cookie.contains("Domain"), "required by __Host-: {cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    assert!(sees(&pages, &cookie));
    // A cookie without the prefix could be another host's.
    assert!(!sees(&pages, cookie.strip_prefix("__Host-").unwrap()));
    let left = pages.request("POST", "/logout", &[("Origin", &origin), ("Cookie", &cookie)], "");
    let dropped = left.header("set-cookie").unwrap();
    assert!(dropped.starts_with("__Host-topicwatch_session=;") && dropped.contains("Max-Age=0"), "{dropped}");
    assert!(dropped.ends_with("; Secure"), "{dropped}");
    drop(pages);
    // Without the key the cookie has neither the prefix nor `Secure`: over plain HTTP a browser would reject those.
    place.configure(&sandbox.lines(), TOPICS);
    let cookie = Pages::serve_with_token(&place, &[]).log_in();
    assert!(cookie.starts_with("topicwatch_session="), "{cookie}");
}

#[test]
fn the_login_page_names_no_variable_and_no_file() {
    let (_sandbox, place) = place(sqlite(), "");
    let pages = Pages::serve_with_token(&place, &[]);
    let page = pages.page("/login");
    assert!(
        page.contains("type=\"password\"") && !page.contains("TOPICWATCH_") && !page.contains("token_file"),
        "{page}"
    );
    // The error is also shown at the field.
    assert!(!page.contains("aria-invalid"), "{page}");
    let wrong =
        pages.request("POST", "/login", &[("Origin", &pages.origin())], "token=a-wrong-token-of-some-length").body;
    let said = "aria-invalid=\"true\" aria-describedby=\"wrong\"";
    assert!(wrong.contains(said) && wrong.contains("id=\"wrong\" role=\"alert\""), "{wrong}");
}
