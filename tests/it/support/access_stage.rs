//! A database with one topic that a restricted visitor may see and one that they may not, and visitors with every kind
//! of token.

use std::net::SocketAddr;

use serde_json::json;

use crate::support::api_client::{Reply, request_text};
use crate::support::databases::{Database, block_on};
use crate::support::program::Place;
use crate::support::web_client::{Pages, TOKEN};
use crate::support::world::{ScriptedService, hour, post};

/// Occurs in every text of the hidden topic: its id, its title, its items.
pub const CANARY: &str = "zebra";
/// Key of an item that only the hidden topic has: a near-copy of [`SHARED_KEY`].
pub const HIDDEN_KEY: &str = "post:x:77077099";
/// Ids of items that only the hidden topic has: that near-copy, and the item that [`COPY_KEY`] is a copy of.
pub const HIDDEN_IDS: [&str; 2] = ["77077099", "77077097"];
/// Key of an item of the visible topic that began as a copy of a hidden item.
pub const COPY_KEY: &str = "post:x:6";
/// Key of an item that both topics have.
pub const SHARED_KEY: &str = "post:x:7";

const TOPICS: &str = "[web]\nlisten = \"127.0.0.1:0\"\n\
    [[reports]]\nname = \"daily\"\nevery = \"1h\"\nwindow = \"since_last\"\npath = \"daily\"\n\
    [[topics]]\nid = \"acme\"\ntitle = \"Acme\"\nquery = \"acme\"\nevery = \"12h\"\ntags = [\"news\"]\nsources = [\"social\"]\n\
    [[topics]]\nid = \"zebra\"\ntitle = \"Zebra\"\nquery = \"zebra\"\nevery = \"12h\"\ntags = [\"other\"]\nsources = [\"social\"]\n";

/// A place with both topics, run once each.
pub fn place(database: Database) -> (ScriptedService, Place) {
    let world = ScriptedService::new();
    let place = Place::new(database, &world.lines(), TOPICS);
    let both = "the launch of the new press is set for noon on thursday in the old hall by the river";
    world.set_posts(&[post(7, 8, both, 3), post(8, 8, "a quiet day at acme", 1)]);
    place.ok(&["once", "--topic", "acme", "--at", &hour(9)]);
    let first = "a ferry to the island was late for the third time in a week and nobody says why it was";
    world.set_posts(&[
        post(7, 8, both, 9),
        post(77_077_099, 8, both, 5),
        post(77_077_098, 8, "a zebra crossed the road", 2),
        post(77_077_097, 8, first, 4),
    ]);
    place.ok(&["once", "--topic", "zebra", "--at", &hour(10)]);
    world.set_posts(&[post(6, 9, first, 1)]);
    place.ok(&["once", "--topic", "acme", "--at", &hour(11)]);
    world.set_posts(&[]);
    (world, place)
}

/// Adds a token and returns it.
pub fn add_token(place: &Place, args: &[&str]) -> String {
    place.ok(&[&["token", "add"], args].concat()).trim().to_owned()
}

/// Adds a share link and returns its secret and its id.
pub fn add_share_link(place: &Place, args: &[&str]) -> (String, String) {
    let made = place.json(&[&["token", "share", "--json"], args].concat());
    let path = made["path"].as_str().unwrap();
    (path.strip_prefix("/shared/").unwrap().to_owned(), made["link"]["id"].as_str().unwrap().to_owned())
}

/// Who makes the request.
pub enum Visitor<'a> {
    Anonymous,
    /// With a token, valid or not.
    Bearer(&'a str),
    /// With a login cookie.
    Cookie(&'a str),
}

impl Visitor<'_> {
    /// Sends a request from its own loopback address, so that one visitor's wrong tokens do not count against another.
    pub fn request(&self, pages: &Pages, from: u8, method: &str, path: &str, body: &str) -> Reply {
        let origin = pages.origin();
        let mut headers = vec![("Origin".to_owned(), origin)];
        match self {
            Visitor::Anonymous => {}
            Visitor::Bearer(token) => headers.push(("Authorization".to_owned(), format!("Bearer {token}"))),
            Visitor::Cookie(cookie) => headers.push(("Cookie".to_owned(), (*cookie).to_owned())),
        }
        if path.starts_with("/api/") && !body.is_empty() {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let text = request_text(pages, method, path, &headers, body);
        let to: SocketAddr = pages.address.parse().unwrap();
        block_on(async move {
            use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::from(([127, 0, 0, from], 0))).unwrap();
            let mut stream = socket.connect(to).await.unwrap();
            let _ = stream.write_all(text.as_bytes()).await;
            let mut all = Vec::new();
            let _ = stream.read_to_end(&mut all).await;
            Reply::parse(&all)
        })
    }
}

/// Logs in with a token and returns the cookie.
pub fn log_in_with(pages: &Pages, token: &str) -> String {
    let origin = pages.origin();
    let answer = pages.request("POST", "/login", &[("Origin", &origin)], &format!("token={token}"));
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

/// Starts `run`, with the configured token or without.
pub fn start_pages(place: &Place, configured: bool) -> Pages {
    let program = place.program(&["run"]);
    Pages::wait_for_address(if configured { program.env("TOPICWATCH_WEB_TOKEN", TOKEN) } else { program }.start())
}

/// The entry of `token list --json` with this name, or null.
pub fn listed_token(place: &Place, name: &str) -> serde_json::Value {
    let list = place.json(&["token", "list", "--json"]);
    let found = list["tokens"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
    found.unwrap_or(json!(null))
}

/// Saves a star, a note and a saved search that concern the hidden topic.
pub fn save_star_note_and_search(pages: &Pages, token: &str) {
    for (path, form) in [
        ("/items/star", "key=post%3Ax%3A7&starred=true"),
        ("/items/note", "key=post%3Ax%3A7&note=the+zebra+was+here%2C+too"),
        ("/searches", "what=save&name=zebra-news&topic=zebra"),
    ] {
        let reply = Visitor::Bearer(token).request(pages, 1, "POST", path, form);
        assert_eq!(reply.status, 303, "{path}\n{}", reply.text());
    }
}

/// Whether a text contains nothing of the hidden topic.
pub fn shows_nothing_hidden(text: &str) -> bool {
    let text = text.to_lowercase();
    !text.contains(CANARY) && HIDDEN_IDS.iter().all(|id| !text.contains(id))
}
