//! Alert windows in which runs find more than was published in the window, through the binary on both databases: after
//! a clock change, a failed run, empty replies, and a source that was away. A flat stream causes no alert then; a real
//! rise still does.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rand_distr::{Distribution as _, Uniform};
use serde_json::{Value, json};
use topicwatch::model::Time;

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::truth::{ServiceState, TruePost, TruthService};

const HOUR: i64 = 3_600_000;
const DAYS: i64 = 23;
/// The clock goes forward in Berlin on 29 March, this many days after the first.
const SPRING: i64 = 20;
/// The hour at which each database starts to make its own runs: the day before the first service breaks.
const PARTED: i64 = 24 * 15;

/// This many hours after midnight of the first day.
fn at(hours: i64) -> Time {
    Time(Time::parse("2026-03-09T00:00:00Z").unwrap().0 + hours * HOUR)
}

fn post(id: u64, published: Time, noise: i64) -> TruePost {
    let text = format!("{id} of acme {noise:x}");
    TruePost { query: "acme".to_owned(), id, text, published, indexed: published, deleted: None }
}

/// A post in each hour, at random.
fn flat_stream(first: u64) -> Vec<TruePost> {
    let mut random = ChaCha8Rng::seed_from_u64(20_260_329 + first);
    let within = Uniform::new(0_i64, HOUR).unwrap();
    (0..24 * DAYS)
        .zip(first..)
        .map(|(n, id)| {
            let published = Time(at(n).0 + within.sample(&mut random));
            post(id, published, within.sample(&mut random))
        })
        .collect()
}

fn file(sources: &str, when: &str) -> String {
    format!(
        "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [{sources}]\n{when}\n\n\
         [[alerts]]\nname = \"storms\"\nrule = \"volume\"\n"
    )
}

fn provider(name: &str, truth: &TruthService) -> String {
    format!("[providers.{name}]\nkind = \"spec\"\nkey_env = \"SECOND_KEY\"\n{}\n", truth.lines())
}

const DAILY: &str = "schedule = \"0 0 * * *\"";
/// Each search asks for a week, so it finds all posts that were missing from empty replies.
const WEEK: &str = "\nwindow = \"PAST_7_DAYS\"";

/// When a service is broken, and how.
type Broken = (Range<i64>, fn(&mut ServiceState));

/// Makes the run that is due at an hour.
fn run(place: &Place, services: &[&TruthService], hour: i64, broken: &Broken) {
    let (when, breaks) = broken;
    for service in services {
        service.set(|world| (world.now, world.cap, world.down) = (at(hour), usize::MAX, false));
    }
    let is_broken = when.contains(&hour);
    if is_broken {
        services[0].set(breaks);
    }
    let now = at(hour).to_string();
    let ended = place.program(&["once", "--due", "--at", &now]).env("SECOND_KEY", "a key of its own").run();
    assert!(is_broken || ended.code == Some(0), "{ended}");
}

/// Makes the runs that are due at these hours. Those before `parted` are made once, on SQLite; later ones are made on
/// each database, so that each evaluates the windows that matter. Returns the places.
fn watch(
    begun: &Place,
    services: &[&TruthService],
    hours: impl Iterator<Item = i64>,
    parted: i64,
    broken: &Broken,
) -> Vec<Place> {
    let (calm, rest): (Vec<i64>, Vec<i64>) = hours.partition(|hour| *hour < parted);
    for hour in calm {
        run(begun, services, hour, broken);
    }
    let places: Vec<Place> = databases().into_iter().map(|database| begun.copy_to(database)).collect();
    for place in &places {
        rest.iter().for_each(|hour| run(place, services, *hour, broken));
    }
    places
}

/// The days of alerts.
fn fired(place: &Place) -> Vec<Value> {
    let output = place.json(&["alerts", "--json", "--limit", "100"]);
    let all = output["events"].as_array().unwrap_or_else(|| panic!("{output}"));
    let fired = all.iter().filter(|event| event["kind"] == "fired");
    fired.map(|event| json!(event["at"].as_str().unwrap()[..10])).collect()
}

/// The most new posts of a run.
fn most_new(place: &Place) -> i64 {
    place.database.number("SELECT max(new) FROM v_run")
}

fn down(world: &mut ServiceState) {
    world.down = true;
}

fn empty(world: &mut ServiceState) {
    world.cap = 0;
}

#[test]
fn two_daily_runs_23_hours_apart_do_not_fire_an_alert() {
    let truth = TruthService::new(flat_stream(1));
    let berlin = "schedule = \"0 7 * * *\"\ntimezone = \"Europe/Berlin\"";
    let place = Place::new(sqlite(), &truth.lines(), &file("\"social\"", berlin));
    let hours = (1..DAYS).map(|day| 24 * day + if day < SPRING { 6 } else { 5 });
    for place in watch(&place, &[&truth], hours, PARTED, &(0..0, down)) {
        let fired = fired(&place);
        assert!(fired.is_empty(), "{}: {fired:?}", place.database.name);
        let runs = place.database.runs_in("ok");
        assert!(runs >= DAYS - 2, "{}: {runs} runs", place.database.name);
    }
}

#[test]
fn two_days_of_posts_after_a_failed_run_do_not_fire_an_alert() {
    let truth = TruthService::new(flat_stream(1));
    let place = Place::new(sqlite(), &truth.lines(), &file("\"social\"", DAILY));
    let days = (1..DAYS).map(|day| 24 * day);
    for place in watch(&place, &[&truth], days, PARTED, &(24 * 20..24 * 21, down)) {
        let fired = fired(&place);
        assert!(fired.is_empty(), "{}: {fired:?}", place.database.name);
        assert!(most_new(&place) > 40, "the run after it found both days: {}", most_new(&place));
    }
}

#[test]
fn posts_found_after_empty_replies_do_not_fire_an_alert() {
    let truth = TruthService::new(flat_stream(1));
    let place = Place::new(sqlite(), &truth.lines(), &file("\"social\"", &format!("schedule = \"0 */6 * * *\"{WEEK}")));
    // Six replies are empty.
    let gap = 24 * 19..24 * 20 + 12;
    let quarters = (4..DAYS * 4).map(|quarter| 6 * quarter);
    for place in watch(&place, &[&truth], quarters, 24 * 18, &(gap, empty)) {
        let fired = fired(&place);
        assert!(fired.is_empty(), "{}: {fired:?}", place.database.name);
        assert!(most_new(&place) > 40, "the run after them found all: {}", most_new(&place));
    }
}

#[test]
fn posts_of_one_source_after_four_empty_days_do_not_fire_an_alert() {
    let (east, west) = (TruthService::new(flat_stream(1)), TruthService::new(flat_stream(1_000_001)));
    let rest =
        provider("east", &east) + &provider("west", &west) + &file("\"east\", \"west\"", &format!("{DAILY}{WEEK}"));
    let place = Place::without_service(sqlite(), &rest);
    let days = (1..DAYS).map(|day| 24 * day);
    for place in watch(&place, &[&east, &west], days, PARTED, &(24 * 16..24 * 20, empty)) {
        let fired = fired(&place);
        assert!(fired.is_empty(), "{}: {fired:?}", place.database.name);
        assert!(most_new(&place) > 100, "east found all of them then: {}", most_new(&place));
    }
}

#[test]
fn an_alert_about_one_source_counts_only_items_of_that_source() {
    let mut storm = flat_stream(1_000_001);
    // 60 more on one day, which only west finds.
    storm.extend(
        (0..60).zip(2_000_001..).map(|(n, id)| post(id, Time(at(24 * 20).0 + (2 * n + 1) * HOUR / 5), n * 7_919)),
    );
    let (east, west) = (TruthService::new(flat_stream(1)), TruthService::new(storm));
    let alert = |name: &str| format!("\n[[alerts]]\nname = \"{name}\"\nrule = \"volume\"\nsources = [\"{name}\"]\n");
    let rest = provider("east", &east) + &provider("west", &west) + &file("\"east\", \"west\"", DAILY);
    let place = Place::without_service(sqlite(), &(rest + &alert("east") + &alert("west")));
    let days = (1..DAYS).map(|day| 24 * day);
    for place in watch(&place, &[&east, &west], days, PARTED, &(0..0, down)) {
        let output = place.json(&["alerts", "--json", "--limit", "100"]);
        let fired = |alert: &str| -> Vec<&str> {
            let all = output["events"].as_array().unwrap().iter();
            let own = all.filter(|event| event["alert"] == alert && event["kind"] == "fired");
            own.map(|event| event["summary"].as_str().unwrap()).collect()
        };
        let (all, west) = (fired("storms"), fired("west"));
        assert!(fired("east").is_empty() && all.len() == 1 && west.len() == 1, "{}: {output}", place.database.name);
        // A day has 24 posts of each source.
        // East's thirty posts of a day and the hours before may be a full reply.
        assert!(all[0].contains("(≥108 items") && west[0].contains("(84 items"), "{all:?} {west:?}");
        // The windows it is compared with are counted in the same way.
        assert!(west[0].contains("(24 expected"), "{west:?}");
    }
}

#[test]
fn a_rise_on_the_day_after_a_failed_run_is_reported_at_once() {
    let mut posts = flat_stream(1);
    // 60 more on the day before the run that follows the failed one.
    posts.extend((0..60).zip(2_000_001..).map(|(n, id)| post(id, Time(at(24 * 20).0 + n * HOUR * 2 / 5), n * 7_919)));
    let truth = TruthService::new(posts);
    let place = Place::new(sqlite(), &truth.lines(), &file("\"social\"", DAILY));
    let days = (1..DAYS).map(|day| 24 * day);
    for place in watch(&place, &[&truth], days, PARTED, &(24 * 20..24 * 21, down)) {
        assert_eq!(fired(&place), [json!("2026-03-30")], "{}", place.database.name);
    }
}

/// Four posts an hour, and in the 110th 100 more at once: a run every two hours, and 24 posts in each window of six.
fn four_an_hour_and_a_storm() -> (TruthService, String) {
    let mut random = ChaCha8Rng::seed_from_u64(20_260_312);
    let within = Uniform::new(0_i64, HOUR).unwrap();
    let mut posts: Vec<TruePost> = (0..4 * 24 * 7)
        .map(|n| post(u64::try_from(n).unwrap() + 1, Time(at(n / 4).0 + within.sample(&mut random)), n * 7_919))
        .collect();
    posts.extend((0..100).map(|n| post(u64::try_from(n).unwrap() + 10_000, Time(at(109).0 + n), n * 104_729)));
    let one = file("\"social\"", "every = \"2h\"").replace("rule = \"volume\"", "rule = \"volume\"\nwindow = \"6h\"");
    (TruthService::new(posts), one)
}

/// Asserts that only the storm was reported, and that a usual window holds 24 posts.
fn assert_only_the_storm_fired(place: &Place) {
    let name = place.database.name;
    assert_eq!(fired(place), [json!("2026-03-13")], "{name}");
    let events = place.json(&["alerts", "--json"]);
    let summary = events["events"][0]["summary"].as_str().unwrap().to_owned();
    assert!(summary.contains("(24 expected, "), "{name}: {summary}");
}

/// Asserts it for runs at these hours. Each database makes the last runs itself.
fn assert_only_the_storm_fires(hours: impl Iterator<Item = i64>) {
    let (service, file) = four_an_hour_and_a_storm();
    let place = Place::new(sqlite(), &service.lines(), &file);
    for place in watch(&place, &[&service], hours, 84, &(0..0, down)) {
        assert_only_the_storm_fired(&place);
    }
}

#[test]
fn windows_that_overlap_an_outage_do_not_count_as_usual() {
    // Three times nothing runs for half a day. The storm is in the second window after the last time.
    let between = [0..=28, 40..=62, 72..=94, 108..=110];
    let hours = between.into_iter().flat_map(|hours| hours.step_by(2));
    assert_only_the_storm_fires(hours);
}

#[test]
fn windows_that_end_in_an_outage_do_not_count_as_usual() {
    // Twice a day two runs are missing: a window that ends then holds 16 posts, although it has most of its searches.
    assert_only_the_storm_fires((0..=110).step_by(2).filter(|hour| ![4, 6, 16, 18].contains(&(hour % 24))));
}

#[test]
fn an_alert_does_not_end_while_its_source_is_away() {
    // The service fails from the run after the storm on, for twenty hours.
    let (service, file) = four_an_hour_and_a_storm();
    let place = Place::new(sqlite(), &service.lines(), &file);
    for place in watch(&place, &[&service], (0..=134).step_by(2), 84, &(112..132, down)) {
        let events = place.json(&["alerts", "--json", "--limit", "100"]);
        let all = events["events"].as_array().unwrap().iter();
        let ended: Vec<&Value> = all.filter(|event| event["kind"] == "recovered").map(|event| &event["at"]).collect();
        assert_eq!(ended, [&json!("2026-03-14T12:00:00.000Z")], "{}: {events}", place.database.name);
    }
}

#[test]
fn a_negative_alert_does_not_end_while_its_source_is_away() {
    let good = "what a great day, I love this and I am so happy";
    let bad = "this is terrible, I hate it, the worst and most awful thing";
    let mut posts = flat_stream(1);
    for one in &mut posts {
        let words = if one.published < at(24 * 20) { good } else { bad };
        one.text = format!("{} acme: {words}", one.id);
    }
    let truth = TruthService::new(posts);
    let file = file("\"social\"", DAILY).replace("rule = \"volume\"", "rule = \"negative\"\nmin = 10");
    let place = Place::new(sqlite(), &truth.lines(), &file);
    // The service fails on the day after the run that fires.
    let days = (1..=DAYS).map(|day| 24 * day);
    for place in watch(&place, &[&truth], days, 24 * 21, &(24 * 22..24 * 23, down)) {
        assert_eq!(fired(&place), [json!("2026-03-30")], "{}", place.database.name);
        let firing = &place.json(&["alerts", "--json"])["alerts"][0]["firing"];
        assert_eq!(firing[0]["since"], "2026-03-30T00:00:00.000Z", "{}", place.database.name);
    }
}

#[test]
fn an_alert_ends_without_a_message_when_no_source_answered_for_a_week() {
    let mut posts = flat_stream(1);
    posts.extend((0..60).zip(2_000_001..).map(|(n, id)| post(id, Time(at(24 * 20).0 + n * HOUR * 2 / 5), n * 7_919)));
    let truth = TruthService::new(posts);
    let begun = Place::new(sqlite(), &truth.lines(), &file("\"social\"", DAILY));
    // The service fails from the run after the one that fires on.
    let broken: Broken = (24 * 22..24 * 30, down);
    (1..22).for_each(|day| run(&begun, &[&truth], 24 * day, &broken));
    for database in databases() {
        let place = begun.copy_to(database);
        let mut firing = Vec::new();
        for day in 22..30 {
            run(&place, &[&truth], 24 * day, &broken);
            firing.push(place.json(&["alerts", "--json"])["alerts"][0]["firing"].as_array().unwrap().len());
        }
        assert_eq!(firing, [1, 1, 1, 1, 1, 1, 1, 0], "{}", place.database.name);
        let events = place.json(&["alerts", "--json"]);
        assert_eq!(events["events"].as_array().unwrap().len(), 1, "{}: {events}", place.database.name);
    }
}

#[test]
fn an_alert_ends_without_a_message_when_one_of_its_sources_was_away_for_a_week() {
    let mut storm = flat_stream(1_000_001);
    storm.extend(
        (0..60).zip(2_000_001..).map(|(n, id)| post(id, Time(at(24 * 20).0 + (2 * n + 1) * HOUR / 5), n * 7_919)),
    );
    let later = (24 * DAYS..24 * 30).zip(3_000_001..);
    storm.extend(later.map(|(n, id)| post(id, Time(at(n).0 + HOUR / 2), n * 7_919)));
    let (east, west) = (TruthService::new(flat_stream(1)), TruthService::new(storm));
    let rest = provider("east", &east) + &provider("west", &west) + &file("\"east\", \"west\"", DAILY);
    let begun = Place::without_service(sqlite(), &rest);
    // East fails from the run after the one that fires on, and west finds its usual posts.
    let broken: Broken = (24 * 22..24 * 30, down);
    (1..22).for_each(|day| run(&begun, &[&east, &west], 24 * day, &broken));
    for database in databases() {
        let place = begun.copy_to(database);
        let mut firing = Vec::new();
        for day in 22..30 {
            run(&place, &[&east, &west], 24 * day, &broken);
            firing.push(place.json(&["alerts", "--json"])["alerts"][0]["firing"].as_array().unwrap().len());
        }
        assert_eq!(firing, [1, 1, 1, 1, 1, 1, 1, 0], "{}", place.database.name);
        let events = place.json(&["alerts", "--json"]);
        assert_eq!(events["events"].as_array().unwrap().len(), 1, "{}: {events}", place.database.name);
    }
}

#[test]
fn a_backfill_does_not_hide_a_storm_of_its_day() {
    let mut posts = flat_stream(1);
    posts.extend((0..60).zip(2_000_001..).map(|(n, id)| post(id, Time(at(24 * 20).0 + n * HOUR * 2 / 5), n * 7_919)));
    let truth = TruthService::new(posts);
    let when = format!("{DAILY}\nsocial.operation = \"basic\"");
    // The pause between two runs matters to a window that is shorter. The second backfill has more runs than it is
    // worked out from.
    let hour = file("\"social\"", &when) + "window = \"1h\"\n";
    for (file, from) in [(file("\"social\"", &when), "2026-03-14"), (hour, "2026-02-18")] {
        let begun = Place::new(sqlite(), &truth.lines(), &file);
        (1..DAYS - 2).for_each(|day| run(&begun, &[&truth], 24 * day, &(0..0, down)));
        for database in databases() {
            let place = begun.copy_to(database);
            // A search for each day, which returns only posts of days before the storm.
            truth.set(|world| world.now = at(24 * 12));
            let now = at(24 * 20 + 18).to_string();
            place.ok(&["topic", "backfill", "acme", "--from", from, "--to", "2026-03-20", "--at", &now]);
            run(&place, &[&truth], 24 * 21, &(0..0, down));
            assert_eq!(fired(&place), [json!("2026-03-30")], "from {from}: {}", place.database.name);
        }
    }
}

#[test]
fn windows_in_which_one_of_two_sources_was_away_do_not_count_as_usual() {
    let mut storm = flat_stream(1_000_001);
    storm.extend(
        (0..60).zip(2_000_001..).map(|(n, id)| post(id, Time(at(24 * 20).0 + (2 * n + 1) * HOUR / 5), n * 7_919)),
    );
    let (east, west) = (TruthService::new(flat_stream(1)), TruthService::new(storm));
    let rest = provider("east", &east) + &provider("west", &west) + &file("\"east\", \"west\"", DAILY);
    let place = Place::without_service(sqlite(), &rest);
    let days = (1..DAYS).map(|day| 24 * day);
    // East fails on three days, on which west finds its 24 posts.
    for place in watch(&place, &[&east, &west], days, PARTED, &(24 * 16..24 * 19, down)) {
        let output = place.json(&["alerts", "--json", "--limit", "100"]);
        let all = output["events"].as_array().unwrap().iter();
        let fired: Vec<&str> =
            all.filter(|event| event["kind"] == "fired").map(|event| event["summary"].as_str().unwrap()).collect();
        assert_eq!(fired.len(), 1, "{}: {output}", place.database.name);
        assert!(fired[0].contains("(48 expected, "), "{}: {fired:?}", place.database.name);
    }
}

/// A topic whose sources are three services.
fn place_with_three_sources(services: &[TruthService; 3]) -> Place {
    let named = ["east", "west", "north"].into_iter().zip(services);
    let providers: String = named.map(|(name, truth)| provider(name, truth)).collect();
    Place::without_service(sqlite(), &(providers + &file("\"east\", \"west\", \"north\"", DAILY)))
}

/// Makes the run of a day on which some of the three services are down.
fn run_with_three_sources(place: &Place, services: &[TruthService; 3], day: i64, is_down: impl Fn(i64) -> bool) {
    for (n, service) in (0..).zip(services) {
        service.set(|world| (world.now, world.cap, world.down) = (at(24 * day), usize::MAX, is_down(n)));
    }
    place.program(&["once", "--due", "--at", &at(24 * day).to_string()]).env("SECOND_KEY", "a key of its own").run();
}

#[test]
fn the_first_days_on_which_all_sources_answer_do_not_fire_an_alert() {
    let services = [1, 1_000_001, 2_000_001].map(|first| TruthService::new(flat_stream(first)));
    let begun = place_with_three_sources(&services);
    (1..20).for_each(|day| run_with_three_sources(&begun, &services, day, |n| n == day % 3));
    for database in databases() {
        let place = begun.copy_to(database);
        (20..DAYS).for_each(|day| run_with_three_sources(&place, &services, day, |_| false));
        let fired = fired(&place);
        assert!(fired.is_empty(), "{}: {fired:?}", place.database.name);
    }
}

#[test]
fn sources_that_are_away_in_turn_do_not_silence_an_alert() {
    let mut storm = flat_stream(1_000_001);
    storm.extend(
        (0..60).zip(3_000_001..).map(|(n, id)| post(id, Time(at(24 * 20).0 + (2 * n + 1) * HOUR / 5), n * 7_919)),
    );
    let services =
        [TruthService::new(flat_stream(1)), TruthService::new(storm), TruthService::new(flat_stream(2_000_001))];
    let begun = place_with_three_sources(&services);
    // Each day another source fails, so that no window has answers of all three.
    let run = |place: &Place, day: i64, all_fail: bool| {
        run_with_three_sources(place, &services, day, |n| all_fail || n == day % 3);
    };
    (1..DAYS - 2).for_each(|day| run(&begun, day, false));
    let both = [false, true].map(|all_fail| databases().into_iter().map(move |one| (one, all_fail)));
    for (database, all_fail) in both.into_iter().flatten() {
        let place = begun.copy_to(database);
        run(&place, DAYS - 2, false);
        run(&place, DAYS - 1, all_fail);
        let output = place.json(&["alerts", "--json", "--limit", "100"]);
        let all = output["events"].as_array().unwrap().iter();
        let mut events: Vec<Value> =
            all.map(|event| json!([event["at"].as_str().unwrap()[..10], event["kind"]])).collect();
        events.sort_by_key(ToString::to_string);
        // A day without any answer does not show that the rise is over.
        let expected = [json!(["2026-03-30", "fired"]), json!(["2026-03-31", "recovered"])];
        let many = if all_fail { 1 } else { 2 };
        assert_eq!(events, expected[..many], "{}, all fail {all_fail}: {output}", place.database.name);
    }
}

#[test]
fn windows_with_only_empty_replies_do_not_count_as_usual() {
    // The first reply after ten empty ones is as usual, and the storm is not hidden by them.
    let (service, file) = four_an_hour_and_a_storm();
    let place = Place::new(sqlite(), &service.lines(), &file);
    for place in watch(&place, &[&service], (0..=110).step_by(2), 88, &(70..90, empty)) {
        assert_only_the_storm_fired(&place);
    }
}
