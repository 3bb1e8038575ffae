//! How often a `volume` alert is wrong and how fast it is right, evaluated hourly on streams that this file generates:
//! calm ones with nights and weekends, and the same with one storm.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rand_distr::{Distribution as _, Gamma, Poisson};
use topicwatch::alert::{Window, replay};
use topicwatch::insight::daily::{Day, window_before, windows_at_any_hour};
use topicwatch::model::{AlertEventKind, AlertRule, AlertSpec, Time, TopicLimits};

/// The number of days, and the first evaluated day: before it there is too little to compare with.
const DAYS: usize = 56;
const FIRST: usize = 8;
/// The number of streams of each kind.
const STREAMS: usize = 7;
/// Posts a day, and the coefficient of variation between days beyond chance.
const KINDS: [(f64, Option<f64>); 3] = [(60.0, None), (300.0, Some(0.2)), (1_500.0, Some(0.4))];

fn spec(hours: u64) -> AlertSpec {
    AlertSpec {
        name: "storms".to_owned(),
        rule: AlertRule::Volume,
        topics: Vec::new(),
        tags: Vec::new(),
        words: Vec::new(),
        sources: Vec::new(),
        least: 10,
        window_ms: hours * 3_600_000,
        failures: 3,
        of: 5,
        share: 80,
        channels: Vec::new(),
        cooldown_ms: 0,
        quiet: None,
        timezone: "UTC".to_owned(),
        recovery: true,
        service: TopicLimits::default(),
        providers: Vec::new(),
        prices: Vec::new(),
        paused: false,
    }
}

/// The number of posts in each hour.
fn stream(mean: f64, apart: Option<f64>, shift: usize, random: &mut ChaCha8Rng) -> Vec<u64> {
    let mut counts = Vec::new();
    for day in 0..DAYS {
        let own = apart.map_or(1.0, |cv| Gamma::new(1.0 / (cv * cv), cv * cv).unwrap().sample(random));
        let week = if (day + shift) % 7 >= 5 { 0.7 } else { 1.1 };
        for hour in 0..24_u32 {
            let daytime = 1.0 + 0.6 * (std::f64::consts::TAU * (f64::from(hour) - 9.0) / 24.0).sin();
            let rate: f64 = mean / 24.0 * own * week * daytime;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
            counts.push(Poisson::new(rate.max(1e-9)).unwrap().sample(random) as u64);
        }
    }
    counts
}

/// When a stream begins: `shift` days after a Monday.
fn begin_of(shift: usize) -> Time {
    Time::parse("2026-01-05T00:00:00Z").unwrap().plus(Duration::from_secs(shift as u64 * 86_400))
}

/// The windows of each hour with those they are compared with. They depend on when a stream begins, not on what it holds:
/// [`alert_starts`] fills in the counts.
fn windows(hours: usize, begin: Time) -> Vec<Window> {
    let hour = |n: usize| begin.plus(Duration::from_secs(n as u64 * 3_600));
    let length = Duration::from_secs(hours as u64 * 3_600);
    let window = |until: usize| {
        let before = |back: i32| window_before(hour(until), back, length, "UTC").unwrap();
        let back = (1..=28_i32).rev().filter(|back| until >= hours + 24 * usize::try_from(*back).unwrap());
        let any = windows_at_any_hour(hour(until), length, "UTC").into_iter().filter(|day| day.span.from >= begin);
        Window {
            at_any_hour: any.map(|day| (day, 0)).collect(),
            at: hour(until),
            day: before(0),
            count: 0,
            earlier: back.map(|back| (before(back), 0)).collect(),
        }
    };
    (hours..=24 * DAYS).map(window).collect()
}

/// The hours at which alerts start, for a stream with these windows.
fn alert_starts(counts: &[u64], hours: usize, begin: Time, windows: &mut [Window]) -> Vec<usize> {
    // The posts before each hour.
    let mut before = vec![0];
    for (hour, count) in counts.iter().enumerate() {
        before.push(before[hour] + count);
    }
    let held = |day: &Day| {
        let until = usize::try_from((day.span.until.0 - begin.0) / 3_600_000).unwrap();
        before[until] - before[until - hours]
    };
    for window in &mut *windows {
        window.count = held(&window.day);
        for (day, count) in window.earlier.iter_mut().chain(&mut window.at_any_hour) {
            *count = held(day);
        }
    }
    let reported = replay(&spec(hours as u64), "acme", windows);
    let fired = reported.events.iter().filter(|event| event.kind == AlertEventKind::Fired);
    fired.map(|event| usize::try_from(event.at.since(begin).as_secs() / 3_600).unwrap()).collect()
}

#[test]
fn calm_topics_rarely_fire_and_storms_fire_soon() {
    // Storms of three hours start at 09:00 of the seventh and of the fortieth day.
    const STORMS: [usize; 2] = [24 * 6 + 9, 24 * 39 + 9];
    let mut random = ChaCha8Rng::seed_from_u64(20_261_125);
    for hours in [1, 6, 24] {
        let mut calendars: Vec<Vec<Window>> = (0..STREAMS).map(|shift| windows(hours, begin_of(shift))).collect();
        let (mut first, mut later) = (0_usize, 0_usize);
        let (mut found, mut late) = ([0_usize; 2], 0);
        for (mean, apart) in KINDS {
            for (shift, windows) in calendars.iter_mut().enumerate() {
                let begin = begin_of(shift);
                let calm = stream(mean, apart, shift, &mut random);
                let alerts = alert_starts(&calm, hours, begin, windows);
                let early = alerts.iter().filter(|at| **at < 24 * FIRST).count();
                first += early;
                later += alerts.len() - early;
                for (storm, found) in STORMS.into_iter().zip(&mut found) {
                    // Three hours with as many extra posts as four days.
                    let mut counts = calm.clone();
                    for hour in &mut counts[storm..storm + 3] {
                        *hour += Poisson::new(mean * 4.0 / 3.0).unwrap().sample(&mut random) as u64;
                    }
                    let alerts = alert_starts(&counts, hours, begin, windows);
                    let at = alerts.into_iter().find(|at| (storm..=storm + 24).contains(at));
                    *found += usize::from(at.is_some());
                    late += at.map_or(0, |at| at - storm);
                }
            }
        }
        let streams = KINDS.len() * STREAMS;
        let of = |alerts: usize, days: usize| alerts as f64 * 100.0 / (streams * days) as f64;
        let (first, later) = (of(first, FIRST), of(later, DAYS - FIRST));
        eprintln!(
            "{hours} h: {first:.2} alerts in 100 calm days of the first {FIRST}, {later:.2} later; storms found {found:?} of {streams}, after {late} h in all"
        );
        assert!(first <= 3.0 && later <= 2.0, "windows of {hours} h: {first} and {later} alerts in 100 calm days");
        assert!(found[0] * 2 > streams && found[1] == streams, "windows of {hours} h: {found:?} of {streams}");
        assert!(late <= 3 * 2 * streams, "windows of {hours} h: {late} h in all");
    }
}
