//! A history with awkward texts, and its exports as tables and objects.

use serde_json::Value;
use topicwatch::compare::RowFilter;
use topicwatch::export::{self, ExportKind, ExportOptions, Format};
use topicwatch::model::{Answer, Micros, Source, Time, Tone, ToneScore, Topic};
use topicwatch::store::{Filter, Outcome, Store};

use crate::support::searched::{NOW, outcome, seen_item, start_manual_run, topic};

/// Texts that trip up formats, spreadsheets and databases.
pub const AWKWARD_TEXTS: [&str; 14] = [
    "plain",
    "two\nlines",
    "two\r\nlines",
    "lone\rreturn",
    "a \"quoted\" word, with comma",
    "\"",
    "=1+1",
    "@handle",
    "'quoted",
    "＝1",
    "2031610711893905509",
    "日本語 \u{1F600} e\u{301}\u{202e}x",
    "\u{1}\u{7f}\u{2028}back\\slash",
    "NULL",
];

pub fn hours_later(hours: i64) -> Time {
    Time(NOW.0 + hours * 3_600_000)
}

pub fn tagged(id: &str, tags: &[&str]) -> Topic {
    Topic { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..topic(id) }
}

/// Judges a text by its first letter.
pub fn judge(_: Option<&str>, text: Option<&str>) -> ToneScore {
    let tone = match text.and_then(|text| text.chars().next()) {
        Some('p') => Tone::Positive,
        Some('t') => Tone::Negative,
        _ => Tone::Neutral,
    };
    ToneScore { tone, score: Some(if tone == Tone::Negative { -125 } else { 7 }), scorer: "letters-1" }
}

/// Two topics and three runs: a baseline, a changed query, and items that were seen before.
pub async fn store_awkward_history(store: &Store) {
    let topics = [tagged("calm", &["a\"b", "news"]), tagged("=loud", &["news, too"])];
    store.sync_topics(&topics, NOW).await.unwrap();
    for (run, at) in [(0, 0), (1, 1), (2, 2)] {
        let t = &topics[run % 2];
        let held = start_manual_run(store, t, &format!("R{run}"), hours_later(at)).await;
        let mut world: Vec<_> = AWKWARD_TEXTS
            .iter()
            .enumerate()
            .map(|(n, text)| {
                let source = if n % 3 == 0 { Source::Web } else { Source::Social };
                // The third run finds half of the earlier items again.
                let other = if run == 2 && n >= 7 { 100 } else { 0 };
                let key = format!("post:x:{}", 2_031_610_711_893_905_000 + n + other);
                let mut item = seen_item(source, n as u32 + 1, &[key.as_str()], text);
                let found = &mut item.sightings[0].found;
                found.title = (n % 4 == 1).then(|| (*text).to_owned());
                found.author = (n != 3).then(|| if n == 0 { "Ann_É".to_owned() } else { (*text).to_owned() });
                found.conversation_id = Some(format!("{}", 9_007_199_254_740_993_u64 + n as u64));
                found.published_at = (n % 2 == 0).then(|| Time(hours_later(at).0 - 40 * 3_600_000 * (n as i64 % 3)));
                item
            })
            .collect();
        world[1].sightings[0].found.engagement.views = Some(9_007_199_254_740_993);
        let mut all: Outcome = outcome(hours_later(at), world);
        all.judge = Some(judge);
        all.answer = (run == 1).then(|| {
            let text = AWKWARD_TEXTS.join("\n");
            (Answer { text, model: Some("=model".into()), partial: true }, vec!["post:x:1".into(), "b".into()])
        });
        if run == 2 {
            // The web query changes: items that only it shows for the first time existed before.
            all.searches[1].query = "another \"question\"".into();
            all.searches[1].cost = Micros(7);
        }
        store.finish(&held, all).await.unwrap();
        store.publish().await.unwrap();
    }
}

pub async fn export_to_string(store: &Store, order: &ExportOptions) -> String {
    let mut bytes = Vec::new();
    let rows = export::write(store, order, &mut RowFilter::none(), &mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    if order.format == Format::Jsonl {
        assert_eq!(text.lines().count() as u64, rows);
    }
    text
}

pub async fn export_objects(store: &Store, what: ExportKind, filter: Filter) -> Vec<Value> {
    let order = ExportOptions { format: Format::Jsonl, filter, ..ExportOptions::all(what) };
    export_to_string(store, &order).await.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
