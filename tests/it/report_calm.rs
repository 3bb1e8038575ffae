//! Reports of topics in which nothing changes, through the binary on both databases: almost no sentence claims a
//! change.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use rand_distr::{Distribution as _, Gamma, Poisson};
use topicwatch::model::Time;

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::truth::{TruePost, TruthService};

const DAY: i64 = 86_400_000;
/// 2026-03-02T00:00:00Z, a Monday.
const BEGIN: i64 = 1_772_409_600_000;
const TOPICS: u64 = 6;
const DAYS: i64 = 33;

/// A mean of 60 posts a day with a coefficient of variation of 0.2.
fn calm_stream(random: &mut ChaCha8Rng) -> Vec<TruePost> {
    let mut posts = Vec::new();
    let own = 0.2_f64.powi(2) - 1.0 / 60.0;
    for topic in 0..TOPICS {
        for day in 0..DAYS {
            let rate = Gamma::new(1.0 / own, 60.0 * own).unwrap().sample(random);
            let many = Poisson::new(rate).unwrap().sample(random) as u64;
            for _ in 0..many {
                let at = Time(BEGIN + day * DAY + i64::try_from(random.next_u64() % DAY.unsigned_abs()).unwrap());
                let id = posts.len() as u64 + 1;
                let text = format!("post {id:x} about topic{topic}, number {}", random.next_u64());
                let query = format!("topic{topic}");
                posts.push(TruePost { query, id, text, published: at, indexed: at, deleted: None });
            }
        }
    }
    posts
}

#[test]
fn reports_of_calm_topics_have_no_volume_sentences() {
    let posts = calm_stream(&mut ChaCha8Rng::seed_from_u64(7));
    let truth = TruthService::new(posts);
    let topics: String = (0..TOPICS)
        .map(|n| format!("[[topics]]\nid = \"t{n}\"\nquery = \"topic{n}\"\nsources = [\"social\"]\n"))
        .collect();
    let runs = Place::new(sqlite(), &truth.lines(), &topics);
    let run = |place: &Place, day: i64| {
        let now = Time(BEGIN + day * DAY);
        truth.set(|world| world.now = now);
        place.ok(&["once", "--at", &now.to_string()]);
    };
    // The last days are runs of each database.
    (1..=DAYS - 3).for_each(|day| run(&runs, day));
    for database in databases() {
        let place = runs.copy_to(database);
        (DAYS - 2..=DAYS).for_each(|day| run(&place, day));
        let (mut reported, mut judged) = (0, 0);
        for day in 15..DAYS {
            let date = Time(BEGIN + day * DAY).utc_date();
            let at = Time(BEGIN + (day + 1) * DAY + 3_600_000).to_string();
            place.ok(&["report", "--date", &date, "--at", &at, "--out", "day.md"]);
            let text = std::fs::read_to_string(place.path("day.md")).unwrap();
            reported += text.lines().filter(|line| line.contains(" (volume): ")).count();
            judged += text.lines().filter(|line| line.starts_with("**") && line.contains(" are usual")).count();
        }
        assert!(judged >= 100, "{judged} topic-days of {} were judged", place.database.name);
        // Two in a hundred, and some tolerance for so few days. With the median of three weekdays it was a third.
        assert!(reported <= 5, "{reported} of {judged} calm topic-days were reported on {}", place.database.name);
    }
}
