//! Measures how often "usual" is wrong, on calm streams that this file generates, and on days that fall or rise by a
//! known factor. The table is in docs/dev/report-measured.md (`UPDATE_DOCS=1` rewrites it).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use rand_distr::{Beta, Binomial, Distribution as _};
use topicwatch_core::insight::daily::{Day, Share, days, share, usual_range, usual_share};
use topicwatch_core::model::Time;

use crate::support::doc_tables::check_table;
use crate::support::random_counts::draw;

/// Streams in each cell; each has calm days, a fall and a rise.
const STREAMS: u32 = 1_000;
/// Calm days of each stream.
const CALM: u32 = 20;
/// The least difference in items from the expected count that is reported (report::comparison::measures::MIN_CHANGE).
const LEAST: f64 = 10.0;

/// How counts vary around their mean: by chance only, or with this coefficient of variation.
const SCATTERS: [(&str, Option<f64>); 4] = [
    ("Poisson", None),
    ("negative binomial, cv 0.2", Some(0.2)),
    ("negative binomial, cv 0.5", Some(0.5)),
    ("negative binomial, cv 0.8", Some(0.8)),
];
const MEANS: [f64; 3] = [20.0, 60.0, 300.0];
/// Factors for Monday to Sunday.
const WEEKS: [[f64; 7]; 3] = [[1.0; 7], [1.1, 1.15, 1.15, 1.1, 1.1, 0.7, 0.7], [1.3, 1.2, 1.2, 1.2, 1.1, 0.5, 0.5]];
const HISTORIES: [usize; 5] = [10, 14, 21, 28, 60];

/// Consecutive days, the last one today; each `shift` up to six ends on another weekday.
fn calendar(many: usize, shift: u32) -> Vec<Day> {
    let end = Time::parse("2026-03-30T12:00:00Z").unwrap();
    let end = Time(end.0 + i64::from(shift) * 86_400_000);
    days(end, i32::try_from(many).unwrap(), "UTC")
}

/// Counts of reports for the streams of a cell.
#[derive(Default, Clone, Copy)]
struct Reported {
    streams: u32,
    calm: u32,
    far: u32,
    fall: u32,
    fixed_fall: u32,
    rise: u32,
    fixed_rise: u32,
}

impl Reported {
    fn plus(self, other: Self) -> Self {
        Self {
            streams: self.streams + other.streams,
            calm: self.calm + other.calm,
            far: self.far + other.far,
            fall: self.fall + other.fall,
            fixed_fall: self.fixed_fall + other.fixed_fall,
            rise: self.rise + other.rise,
            fixed_rise: self.fixed_rise + other.fixed_rise,
        }
    }

    fn calm_percent(self) -> f64 {
        self.percent(self.calm) / f64::from(CALM)
    }

    fn percent(self, of: u32) -> f64 {
        f64::from(of) * 100.0 / f64::from(self.streams)
    }
}

fn cell(cv: Option<f64>, mean: f64, week: &[f64; 7], history: usize, random: &mut ChaCha8Rng) -> Reported {
    let mut reported = Reported::default();
    // Streams end on each of the seven weekdays in turn.
    let calendars: Vec<Vec<Day>> = (0..7).map(|shift| calendar(history + 1, shift)).collect();
    for calendar in calendars.iter().cycle().take(usize::try_from(STREAMS).unwrap()) {
        let of = |day: &Day| mean * week[usize::try_from(day.date.weekday().to_monday_zero_offset()).unwrap()];
        let (today, before) = calendar.split_last().unwrap();
        let before: Vec<(Day, u64)> = before.iter().map(|day| (*day, draw(of(day), cv, random))).collect();
        let usual = usual_range(today, &before).unwrap();
        let says = |count: u64| {
            let count = count as f64;
            (count < usual.low || count > usual.high) && (count - usual.expected).abs() >= LEAST
        };
        let mean = of(today);
        let whole = |mean: f64| format!("{mean:.0}").parse::<u64>().unwrap();
        reported.streams += 1;
        // Several calm days for each history, for a precise rate.
        for _ in 0..CALM {
            let count = draw(mean, cv, random);
            reported.calm += u32::from(says(count));
            reported.far += u32::from(count as f64 > usual.far);
        }
        reported.fall += u32::from(says(draw(mean / 10.0, cv, random)));
        reported.rise += u32::from(says(draw(mean * 3.0, cv, random)));
        reported.fixed_fall += u32::from(says(whole(mean / 10.0)));
        reported.fixed_rise += u32::from(says(whole(mean * 3.0)));
    }
    reported
}

/// The percentage of days with three times the mean that a perfect rule would report: one that knows the exact
/// distribution of calm days and calls two in a hundred of them a rise.
fn best_possible(cv: f64, random: &mut ChaCha8Rng) -> f64 {
    let mut calm: Vec<u64> = (0..40_000).map(|_| draw(60.0, Some(cv), random)).collect();
    calm.sort_unstable();
    let limit = calm[calm.len() * 98 / 100];
    let reported = (0..40_000).filter(|_| draw(180.0, Some(cv), random) > limit).count();
    reported as f64 / 400.0
}

#[test]
fn calm_streams_are_usual_and_falls_and_rises_are_detected() {
    let mut random = ChaCha8Rng::seed_from_u64(20_261_123);
    let mut table = String::from(
        "| a calm stream | weekdays | days of history | calm days reported | a fall to 10 % reported | exactly 10 % reported \
         | a rise to 3 × reported | exactly 3 × reported |\n|---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for (name, cv) in SCATTERS {
        for (weeks, pattern) in [(&WEEKS[..1], "alike"), (&WEEKS[1..], "quiet weekends")] {
            for history in HISTORIES {
                let mut all = Reported::default();
                for mean in MEANS {
                    for week in weeks {
                        let reported = cell(cv, mean, week, history, &mut random);
                        let chance = reported.calm_percent();
                        assert!(chance <= 2.6, "{name}, {pattern}, mean {mean}, {history} days: {chance} %");
                        // With 20 items, a fall rarely differs by ten.
                        if mean > 20.0 {
                            all = all.plus(reported);
                        }
                    }
                }
                let part = |of: u32| all.percent(of);
                assert!(all.calm_percent() <= 2.0, "{name}, {pattern}, {history} days: {} %", all.calm_percent());
                // One day in 400, with some tolerance for so few days.
                let far = part(all.far) / f64::from(CALM);
                assert!(far <= 0.4, "{name}, {pattern}, {history} days: {far} % far above");
                if cv.is_none_or(|cv| cv < 0.3) && history > 10 {
                    assert!(part(all.fall) > 98.0 && part(all.rise) > 95.0, "{name}, {pattern}, {history} days");
                }
                if cv == Some(0.5) && history == 60 {
                    let (fall, rise) = if pattern == "alike" { (95.0, 90.0) } else { (92.0, 80.0) };
                    assert!(part(all.fall) > 82.0 && part(all.fixed_fall) > fall, "{pattern}: {}", part(all.fall));
                    assert!(part(all.fixed_rise) > rise, "{pattern}: {}", part(all.fixed_rise));
                }
                if cv == Some(0.5) && history == 28 {
                    let (fall, rise) = if pattern == "alike" { (82.0, 75.0) } else { (75.0, 63.0) };
                    assert!(part(all.fixed_fall) > fall, "{pattern}: {}", part(all.fixed_fall));
                    assert!(part(all.fixed_rise) > rise, "{pattern}: {}", part(all.fixed_rise));
                }
                table.push_str(&format!(
                    "| {name} | {pattern} | {history} | {:.1} % | {:.0} % | {:.0} % | {:.0} % | {:.0} % |\n",
                    all.calm_percent(),
                    part(all.fall),
                    part(all.fixed_fall),
                    part(all.rise),
                    part(all.fixed_rise),
                ));
            }
        }
    }
    let best = best_possible(0.5, &mut random);
    assert!((55.0..70.0).contains(&best), "{best}");
    table.push_str(&format!(
        "\nNo rule can report all rises: one that knew the distribution of a stream of cv 0.5 exactly, and called 2 % of its calm days \
         a rise, would report {best:.0} % of the days drawn from three times its mean.\n"
    ));
    check_table("docs/dev/report-measured.md", "usual", &table);
}

/// A day's share of `whole` items, where days differ by this standard deviation beyond chance.
fn draw_share(mean: f64, apart: f64, whole: u64, random: &mut ChaCha8Rng) -> Share {
    let of = if apart > 0.0 {
        let both = mean * (1.0 - mean) / (apart * apart) - 1.0;
        Beta::new(mean * both, (1.0 - mean) * both).unwrap().sample(random)
    } else {
        mean
    };
    share(Binomial::new(whole, of).unwrap().sample(random), whole).unwrap()
}

#[test]
fn calm_shares_are_usual_and_a_doubled_share_is_detected() {
    let mut random = ChaCha8Rng::seed_from_u64(20_261_124);
    let mut table = String::from(
        "| days differ by | scored a day | days of history | calm days reported | a share from 25 to 50 % reported |\n|---|---:|---:|---:|---:|\n",
    );
    for apart in [0.0, 0.04, 0.1] {
        for whole in [40, 150, 600] {
            for history in [7, 14, 28, 60] {
                let (mut calm, mut doubled) = (0_u32, 0_u32);
                for _ in 0..STREAMS * 2 {
                    let earlier: Vec<Share> =
                        (0..history).map(|_| draw_share(0.25, apart, whole, &mut random)).collect();
                    let usual = usual_share(whole, &earlier).unwrap();
                    let says = |share: Share| u32::from(share.share < usual.low || share.share > usual.high);
                    calm += (0..CALM).map(|_| says(draw_share(0.25, apart, whole, &mut random))).sum::<u32>();
                    doubled += says(draw_share(0.5, apart, whole, &mut random));
                }
                let calm = f64::from(calm) * 100.0 / f64::from(STREAMS * 2 * CALM);
                let doubled = f64::from(doubled) * 100.0 / f64::from(STREAMS * 2);
                assert!(calm <= 2.0, "±{apart}, {whole} items, {history} days: {calm} %");
                if whole >= 150 && history >= 28 && apart < 0.1 {
                    assert!(doubled > 85.0, "±{apart}, {whole} items, {history} days: {doubled} %");
                }
                table.push_str(&format!(
                    "| ±{:.0} % | {whole} | {history} | {calm:.1} % | {doubled:.0} % |\n",
                    apart * 100.0
                ));
            }
        }
    }
    check_table("docs/dev/report-measured.md", "usual shares", &table);
}

/// A share of `whole` items that each are of the kind with this chance, counted one by one.
fn counted_share(chance: f64, whole: u64, random: &mut ChaCha8Rng) -> Share {
    // A hundred million numbers are drawn.
    let (mut part, limit) = (0, chance * (1_u64 << 53) as f64);
    for _ in 0..whole {
        part += u64::from(((random.next_u64() >> 11) as f64) < limit);
    }
    share(part, whole).unwrap()
}

#[test]
fn shares_of_rare_and_of_common_kinds_are_as_usual_on_calm_days() {
    const DAYS: u32 = 100;
    const MANY: u32 = 400;
    let mut random = ChaCha8Rng::seed_from_u64(20_261_127);
    let mut table = String::from(
        "| usual share | scored a day | calm days below | calm days above | far above | none of the kind, reported | four times the share, reported |\n\
         |---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (chance, other) in [(0.02, 0.98), (0.05, 0.95), (0.08, 0.92), (0.15, 0.85)] {
        for whole in [30, 40, 60, 150] {
            // Below, above, far above; the same for the other kind, with below and above exchanged.
            let (mut calm, mut others, mut none, mut fourfold) = ([0_u32; 3], [0_u32; 3], 0, 0);
            for _ in 0..MANY {
                let mut judge = |chance: f64, calm: &mut [u32; 3]| {
                    let earlier: Vec<Share> = (0..28).map(|_| counted_share(chance, whole, &mut random)).collect();
                    let usual = usual_share(whole, &earlier).unwrap();
                    for _ in 0..DAYS {
                        let now = counted_share(chance, whole, &mut random).share;
                        let beyond = [now < usual.low, now > usual.high, now > usual.far];
                        calm.iter_mut().zip(beyond).for_each(|(many, is_beyond)| *many += u32::from(is_beyond));
                    }
                    usual
                };
                let usual = judge(chance, &mut calm);
                judge(other, &mut others);
                none += u32::from(usual.low > 0.0);
                fourfold += u32::from(counted_share(chance * 4.0, whole, &mut random).share > usual.high);
            }
            let percent = |many: u32, of: u32| f64::from(many) * 100.0 / f64::from(of);
            for (name, [below, above, far]) in [(chance, calm), (other, others)] {
                let [below, above, far] = [below, above, far].map(|many| percent(many, MANY * DAYS));
                assert!(below <= 0.6 && above <= 0.6 && far <= 0.1, "{name}, {whole}: {below} {above} {far}");
            }
            if chance * whole as f64 >= 9.0 {
                assert!(percent(none, MANY) > 95.0 && percent(fourfold, MANY) > 95.0, "{chance}, {whole}");
            }
            let [below, above, far] = calm.map(|many| percent(many, MANY * DAYS));
            table.push_str(&format!(
                "| {:.0} % | {whole} | {below:.1} % | {above:.1} % | {far:.2} % | {:.0} % | {:.0} % |\n",
                chance * 100.0,
                percent(none, MANY),
                percent(fourfold, MANY),
            ));
        }
    }
    check_table("docs/dev/report-measured.md", "low shares", &table);
}
