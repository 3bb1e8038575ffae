//! Readers of exported files that share no code with the program.

use std::path::Path;
use std::process::Command;

use topicwatch::model::{Source, Time};
use topicwatch::store::SeenItem;

use crate::support::databases::block_on;
use crate::support::program::Place;
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};
use crate::support::service::FakeServer;

/// Runs a Python script and returns its output; prints a line where Python is missing.
pub fn run_python(script: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("python3");
    command.args(["-c", script]).args(arguments).env("PYTHONUTF8", "1");
    match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("SKIPPED: an independent reader of exports, because there is no python3");
            None
        }
        read => {
            let read = read.unwrap();
            let (out, err) = (String::from_utf8_lossy(&read.stdout), String::from_utf8_lossy(&read.stderr));
            assert!(read.status.success(), "{arguments:?}: {err}");
            Some(out.trim().to_owned())
        }
    }
}

pub fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub fn post(n: u32, text: &str) -> SeenItem {
    let mut item = seen_item(Source::Social, n, &[&format!("post:x:{n:05}")], text);
    let found = &mut item.sightings[0].found;
    found.published_at = Some(Time(NOW.0 - i64::from(n) * 1_001));
    found.author_name = Some(format!("Ann <{n}> & \"sons\""));
    found.url = Some(match n % 3 {
        0 => format!("https://example.com/{n}?a=1&b=\"2\""),
        1 => "javascript:alert(1)".to_owned(),
        _ => "=HYPERLINK(\"http://evil\")".to_owned(),
    });
    found.conversation_id = Some(format!("12345678901234567{n:02}"));
    found.engagement.views = Some(if n == 3 { i64::MAX } else { i64::from(n) * 7 });
    item
}

pub const TOPIC: &str = "[[topics]]\nid = \"t\"\ntitle = \"A <topic> & more\"\nquery = \"t\"";

/// A place whose database holds these texts: the first from a baseline run, the others as new items.
pub fn place_with_texts(database: crate::support::databases::Database, texts: &[String]) -> Place {
    let place = Place::new(database, &FakeServer::unreachable(), TOPIC);
    block_on(async {
        let store = open_store(&place.database).await;
        let t = topic("t");
        store.add_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let mut posts: Vec<SeenItem> = texts.iter().zip(0..).map(|(text, n)| post(n, text)).collect();
        let rest = posts.split_off(1.min(posts.len()));
        for (n, posts) in [posts, rest].into_iter().enumerate() {
            let at = Time(NOW.0 + i64::try_from(n).unwrap() * 60_000);
            let run = start_manual_run(&store, &t, &format!("R{n}"), at).await;
            store.finish(&run, outcome(at, posts)).await.unwrap();
            store.publish().await.unwrap();
        }
        store.close().await;
    });
    place
}
