//! Items that are similar but say the opposite are in separate clusters, in every list, on both databases. Also the
//! effect of the tone score on real labelled pairs.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};
use topicwatch::model::{Fingerprint, ItemText, Kind};
use topicwatch::normalise::near;
use topicwatch::sentiment;

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::server_choice::print_to_stderr;
use crate::support::world::{ScriptedService, hour, run_once, topic};

/// Pairs of texts that are nearly equal but have another meaning.
const OPPOSITES: [(&str, &str); 11] = [
    (
        "Acme will recall all of its kitchen robots this spring, says the board",
        "Acme will not recall all of its kitchen robots this spring, says the board",
    ),
    (
        "I love the folding lamp of Globex, the best thing that I ever bought",
        "I hate the folding lamp of Globex, the worst thing that I ever bought",
    ),
    ("Outage of the login service in the region: investigating", "Outage of the login service in the region: resolved"),
    ("Initech buys Hooli for three billion in cash", "Hooli buys Initech for three billion in cash"),
    ("Two people were killed when a bus left the road", "Nine people were killed when a bus left the road"),
    ("Explosion at a plant near Calgary, many are hurt", "Explosion at a plant near Boston, many are hurt"),
    (
        "Police closed the main square because of a suspicious package",
        "#k fake news: Police closed the main square because of a suspicious package",
    ),
    (
        "قال الوزير إن المدارس تفتح أبوابها يوم الاثنين في كل المدينة",
        "قال الوزير إن المدارس لا تفتح أبوابها يوم الاثنين في كل المدينة",
    ),
    (
        "昨日の地震で三千人が避難し、体育館で夜を過ごしたと市が発表しました",
        "昨日の地震で五千人が避難し、体育館で夜を過ごしたと市が発表しました",
    ),
    (
        "Shares of the robot maker −5% after the quarterly results on Monday",
        "Shares of the robot maker +5% after the quarterly results on Monday",
    ),
    (
        "The maker of tin openers agrees to a $5bn deal for its new factory",
        "The maker of tin openers agrees to a $5m deal for its new factory",
    ),
];

#[test]
fn opposite_texts_are_separate_in_items_clusters_and_reports() {
    let mut all = Vec::new();
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let post = |id: usize, text: String| json!({ "id": id.to_string(), "text": text, "user": format!("author{id}"), "created_at": hour(21) });
        let mut posts = Vec::new();
        for (n, (one, other)) in OPPOSITES.iter().enumerate() {
            let id = 100 + n * 10;
            let texts = [
                (*one).to_owned(),
                (*other).to_owned(),
                format!("RT @a: {one}"),
                format!("{other} #acme http://t.co/x"),
            ];
            posts.extend((id..).zip(texts).map(|(id, text)| post(id, text)));
        }
        world.set_posts(&[post(1, "Bread and butter in the kitchen this morning".to_owned())]);
        run_once(&place, 20);
        world.set_posts(&posts);
        run_once(&place, 24);
        let shown = place.json(&["show", "acme", "--json"]);
        assert_eq!(
            (&shown["volume"]["raw"], &shown["volume"]["unique"]),
            (&json!(4 * OPPOSITES.len()), &json!(2 * OPPOSITES.len())),
            "{shown}"
        );
        let rows: Vec<Value> = place
            .ok(&["export", "--what", "items", "--format", "jsonl"])
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let cluster: HashMap<&str, &str> =
            rows.iter().filter_map(|row| Some((row["key"].as_str()?, row["cluster"].as_str()?))).collect();
        for n in 0..OPPOSITES.len() {
            let of = |at: usize| cluster[format!("post:x:{}", 100 + n * 10 + at).as_str()];
            assert_eq!((of(0), of(1)), (of(2), of(3)), "copies stay together: {}", OPPOSITES[n].0);
            assert_ne!(of(0), of(1), "{}", OPPOSITES[n].0);
        }
        place.ok(&["report", "--date", "2026-03-11", "--at", &hour(26), "--out", "day.md"]);
        let report = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(report.contains(&format!("**{}** unique", 2 * OPPOSITES.len() + 1)), "{report}");
        let mut reported: Vec<(String, String)> =
            cluster.iter().map(|(key, cluster)| ((*key).to_owned(), (*cluster).to_owned())).collect();
        reported.sort();
        all.push(reported);
    }
    assert!(all.iter().all(|reported| *reported == all[0]), "both databases say the same");
}

/// The marks of a post as `collect` makes them: including the tone.
fn fingerprint_with_tone(text: &str) -> Option<Fingerprint> {
    let score = sentiment::judge(None, Some(text)).score;
    near::fingerprint(&ItemText { kind: Kind::Post, title: None, text: Some(text.to_owned()), score })
}

#[test]
fn labelled_pairs_with_their_tone_are_judged_as_people_did() {
    let Some(data) = std::env::var_os("TOPICWATCH_TEST_DATA") else {
        return print_to_stderr("skipped: labelled pairs with their tone (TOPICWATCH_TEST_DATA is not set)");
    };
    let mut texts: HashMap<String, String> = HashMap::new();
    for folder in ["posts/crisislex_t6", "posts/crisislex_t26"] {
        for file in std::fs::read_dir(Path::new(&data).join(folder)).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
            for row in reader.records().map(Result::unwrap) {
                let Some((id, text)) = row.get(0).zip(row.get(1)) else { continue };
                texts.insert(id.trim_matches(['\'', '"']).to_owned(), text.to_owned());
            }
        }
    }
    let labels = include_str!("../../docs/dev/labels/near_copy_pairs.csv");
    let (mut right, mut wrong, mut same) = (0, 0, 0);
    for row in labels.lines().skip(1) {
        let [a, b, label, ..] = row.split(',').collect::<Vec<_>>()[..] else { continue };
        let (one, other) = (fingerprint_with_tone(&texts[a]), fingerprint_with_tone(&texts[b]));
        let alike = |a: &Fingerprint, b: &Fingerprint| near::similarity(&a.sketch, &b.sketch);
        let found = |a: &Fingerprint, b: &Fingerprint| a.bands.iter().any(|key| b.bands.contains(key));
        let copies = one.as_ref().zip(other.as_ref()).is_some_and(|(a, b)| found(a, b) && alike(a, b).is_some());
        let back = other.as_ref().zip(one.as_ref()).is_some_and(|(a, b)| found(a, b) && alike(a, b).is_some());
        assert_eq!(copies, back, "{a} {b}");
        same += usize::from(label == "same");
        right += usize::from(copies && label == "same");
        wrong += usize::from(copies && label != "same");
    }
    print_to_stderr(&format!(
        "labelled pairs with their tone, both halves: {right} of {same} copies found, {wrong} called so wrongly"
    ));
    // Without any veto 185 were found correctly and 3 wrongly.
    assert!(right * 1_000 >= (right + wrong) * 988 && right >= 181, "{right} of {same}, {wrong} wrong");
}
