//! Days of invented posts and pages with known counts, for reports.

use topicwatch::model::{SocialOperation, SocialQuery, Time, Topic, WebOperation, WebQuery, Window};

use crate::support::databases::{Database, block_on};

pub const HOUR: i64 = 3_600_000;

pub const DAY: i64 = 24 * HOUR;

/// The first slot: the 1st of March 2026, in UTC.
pub const BEGIN: Time = Time(1_772_323_200_000);

/// Runs of each topic.
pub const RUNS: i64 = 34;

/// Slots that passed while nothing ran.
pub const DOWN: std::ops::Range<i64> = 14..18;

/// A deterministic pseudo-random number below `below`, from what it is for.
pub fn pseudo_random(of: &[i64], below: i64) -> i64 {
    let mix = of.iter().fold(0x9e37_79b9_u64, |seed, n| {
        let mut x = (seed ^ n.unsigned_abs()).wrapping_mul(0x0100_0000_01b3).wrapping_add(0x517c_c1b7);
        x ^= x >> 29;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ (x >> 32)
    });
    i64::try_from(mix % below.unsigned_abs()).unwrap()
}

/// When runs happened, and when none did.
pub struct History {
    /// The first slot; slots follow every twelve hours.
    pub begin: Time,
    /// Runs of each topic.
    pub runs: i64,
    /// Slots that passed while nothing ran.
    pub down: &'static [std::ops::Range<i64>],
    /// The least number of items that a run brings.
    pub least: i64,
}

/// The history of most cases.
pub const SIXTEEN_DAYS: History = History { begin: BEGIN, runs: RUNS, down: &[DOWN], least: 18 };

pub fn topics() -> Vec<Topic> {
    ["acme", "globex"].iter().map(|id| topic(id)).collect()
}

pub fn topic(id: &str) -> Topic {
    let social = SocialQuery { query: id.into(), operation: SocialOperation::Search, limit: None };
    Topic {
        id: id.into(),
        title: format!("{id} & co"),
        tags: vec!["brand".into()],
        window: Window::Past24Hours,
        social: Some(social),
        web: Some(WebQuery { query: id.into(), operation: WebOperation::Search, limit: 5 }),
        ai: None,
        providers: Vec::new(),
        schedule: None,
        unscheduled: Default::default(),
        limits: Default::default(),
        filter: Default::default(),
    }
}

pub fn sql_text(value: Option<String>) -> String {
    value.map_or("NULL".to_owned(), |text| format!("'{}'", text.replace('\'', "''")))
}

/// The rows of an INSERT statement, numbered by the database: 1, 2, 3, …
#[derive(Default)]
pub struct Rows(Vec<String>);

impl Rows {
    pub fn add(&mut self, mut row: String) -> usize {
        row.insert(0, '(');
        row.push(')');
        self.0.push(row);
        self.0.len()
    }

    pub fn insert_into(self, database: &Database, table: &str) {
        for rows in self.0.chunks(400) {
            block_on(database.execute(&format!("INSERT INTO {table} VALUES {}", rows.join(", "))));
        }
    }
}

/// Fills an opened, empty database.
pub fn fill(database: &Database) {
    fill_with(database, &SIXTEEN_DAYS);
}

/// The same with another history.
pub fn fill_with(database: &Database, history: &History) {
    let History { begin, runs: many_runs, down, least } = *history;
    let (mut items, mut keys, mut runs, mut searches) =
        (Rows::default(), Rows::default(), Rows::default(), Rows::default());
    let (mut sightings, mut known, mut answers) = (Rows::default(), Rows::default(), Rows::default());
    let mut seq = 0;
    for slot in 0..=many_runs {
        for (number, topic) in topics().iter().enumerate() {
            let number = i64::try_from(number).unwrap();
            let at = begin.0 + slot * DAY / 2;
            if down.iter().any(|down| down.contains(&slot)) {
                continue;
            }
            // The last runs are finished but not yet readable.
            seq += i64::from(slot < many_runs);
            let readable = if slot < many_runs { seq.to_string() } else { "NULL".into() };
            let job = topic.job();
            let id = runs.add(format!(
                "'{job}@{}', '{job}', '{}', {at}, 'scheduled', 'ok', {at}, {at}, {at}, {}, {readable}",
                Time(at),
                topic.id,
                at + 5_000
            ));
            let (from, failed) = (at - DAY, slot > many_runs - 4 && number == 0);
            let search = |source: &str, state: &str, cost: i64, span: &str| {
                format!("{id}, 1, '{source}', 'search', 'q', '{state}', {at}, {cost}, 'billed', '{}', {span}", topic.id)
            };
            searches.add(search("social", "ok", 3_000, &format!("{from}, {at}, {from}, {at}")));
            searches.add(search("web", if failed { "error" } else { "ok" }, 1_000, "NULL, NULL, NULL, NULL"));
            let many = least
                + pseudo_random(&[slot, number], 9)
                + if slot == many_runs - 2 || slot == many_runs - 3 { 40 * (1 - number) } else { 0 };
            for n in 0..many {
                let d = |what: i64, below: i64| pseudo_random(&[slot, number, n, what], below);
                let page = n % 9 == 8;
                let kind = if page { "page" } else { "post" };
                let key = if page {
                    format!("page:https://host{}.example/{slot}-{number}-{n}", d(1, 4))
                } else {
                    format!("post:x:{slot}{number}{n:03}")
                };
                let url =
                    if page { key[5..].to_owned() } else { format!("https://x.com/i/status/{slot}{number}{n:03}") };
                let handle = ["Who", "éwho", "ÉWHO"].get(usize::try_from(d(3, 9)).unwrap()).unwrap_or(&"who");
                let author = (!page && d(2, 10) > 0).then(|| format!("{handle}{}", d(4, 17)));
                let published = (d(5, 12) > 0).then(|| (at - d(6, 12 * HOUR)).to_string());
                let likes = (d(7, 8) > 0 && !page).then(|| d(8, 400).to_string());
                let sound = ["negative", "neutral", "neutral", "positive", "unsupported", ""]
                    [usize::try_from(d(9, 6)).unwrap()];
                let sound = if slot >= many_runs - 3 && number == 0 && sound == "neutral" { "negative" } else { sound };
                let scorer = if sound.is_empty() {
                    None
                } else {
                    Some(if d(10, 20) == 0 { "other-2" } else { "builtin-4" }.to_owned())
                };
                let score = match sound {
                    "negative" => (-300 - d(11, 700)).to_string(),
                    "positive" => (300 + d(11, 700)).to_string(),
                    "neutral" => "0".into(),
                    _ => "NULL".into(),
                };
                // Every seventh item is a copy of the first of its run.
                let first = items.0.len() - usize::try_from(n).unwrap() + 1;
                let cluster = if n > 0 && n % 7 == 0 { first.to_string() } else { "NULL".into() };
                let id_of = items.add(format!(
                    "'{key}', '{kind}', 1, '{url}', {}, {}, {}, {}, {at}, {at}, {}, {cluster}, {}, {score}, {}",
                    sql_text(author),
                    sql_text(page.then(|| format!("Page {n} <b>{key}</b>"))),
                    sql_text(Some(format!("words {n} of {slot} & [more](http://e.example)"))),
                    published.unwrap_or("NULL".into()),
                    likes.clone().unwrap_or("NULL".into()),
                    sql_text((!sound.is_empty()).then(|| sound.to_owned())),
                    sql_text(scorer),
                ));
                keys.add(format!("'{key}', 1, {id_of}"));
                known.add(format!("'{}', {id_of}, {at}, {id}, {at}, {id}, 1", topic.id));
                let fit = if d(12, 15) == 0 { "outside" } else { "in" };
                let source = if page { "web" } else { "social" };
                sightings.add(format!(
                    "{id}, {id_of}, '{source}', {}, '{fit}', {}",
                    n + 1,
                    likes.unwrap_or("NULL".into())
                ));
            }
            // The run before saw some of them with fewer likes.
            if slot == many_runs - 3 {
                for back in 1..6 {
                    let item = items.0.len() - back;
                    sightings.add(format!("{}, {item}, 'social', {back}, 'in', {back}", id - 2));
                }
                answers.add(format!(
                    "{id}, 'See [1](https://x.com/i/status/{slot}{number}000) and https://nowhere.example/x.', 'NOVA', 0, '[\"post:x:{slot}{number}000\",\"post:x:404\"]'"
                ));
            }
        }
    }
    for topic in topics() {
        let definition = serde_json::to_string(&topic).unwrap();
        block_on(database.execute(&format!(
            "INSERT INTO job (id, kind, topic, title, tags, definition, generation, created_at) VALUES ('topic:{0}', 'topic', '{0}', '{1}', '[]', '{2}', 1, {3})",
            topic.id, topic.title, definition, begin.0 - 1_000
        )));
    }
    runs.insert_into(
        database,
        "run (public_id, job, topic, slot, trigger, state, due_at, planned_at, started_at, finished_at, seq)",
    );
    searches.insert_into(
        database,
        "search (run, attempt, source, operation, query, state, started_at, cost, cost_basis, topic, asked_from, asked_until, covered_from, covered_until)",
    );
    items.insert_into(
        database,
        "item (key, kind, strong, url, author, title, text, published_at, first_seen, last_seen, likes, cluster, tone, score, scorer)",
    );
    keys.insert_into(database, "item_key (key, version, item)");
    known.insert_into(database, "topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen)");
    sightings.insert_into(database, "sighting (run, item, source, rank, fit, likes)");
    answers.insert_into(database, "answer (run, text, model, partial, cited)");
}
