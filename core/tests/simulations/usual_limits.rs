//! Computes what no rule can detect in a bursty stream after a number of days, as a yardstick for `usual`: for a rule
//! that knows how the stream varies and only learns its level, and for a rule that learns both. The table is in
//! docs/dev/report-measured.md.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use crate::support::doc_tables::check_table;
use crate::support::random_counts::draw;

const HISTORIES: usize = 8_000;
/// Calm days for each history.
const CALM: usize = 4;
/// The share of calm days that may be reported.
const MAY: f64 = 0.02;
const MEAN: f64 = 300.0;
/// Groups of histories with a similar scatter.
const LOOKS: usize = 40;

/// Many histories of one stream.
struct Streams {
    /// Their means relative to the true mean, ascending.
    level: Vec<f64>,
    /// Counts of calm days relative to the mean of their history, ascending.
    calm: Vec<f64>,
    /// How much each history varies, independent of its level: the logarithm of its mean minus the mean of its
    /// logarithms, a sufficient statistic for the shape of a gamma distribution.
    scatter: Vec<f64>,
}

fn streams(cv: f64, days: usize, random: &mut ChaCha8Rng) -> Streams {
    let mut all = Streams { level: Vec::new(), calm: Vec::new(), scatter: Vec::new() };
    for _ in 0..HISTORIES {
        let counts: Vec<f64> = (0..days).map(|_| draw(MEAN, Some(cv), random) as f64 + 0.5).collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / days as f64;
        let level = mean(&mut counts.iter().copied());
        all.scatter.push(level.ln() - mean(&mut counts.iter().map(|count| count.ln())));
        all.calm.extend((0..CALM).map(|_| draw(MEAN, Some(cv), random) as f64 / level));
        all.level.push(level / MEAN);
    }
    all.level.sort_by(f64::total_cmp);
    all.calm.sort_by(f64::total_cmp);
    all
}

/// The share of sorted values below a limit.
fn below(sorted: &[f64], limit: f64) -> f64 {
    sorted.partition_point(|value| *value < limit) as f64 / sorted.len() as f64
}

/// The share of exact rises to 3 × that is detected by a rule which knows the scatter, and so the factors of a
/// history's mean beyond which calm days are reported: as few below as detect nine of ten exact falls, the rest above.
fn knows_scatter(bursty: &Streams) -> f64 {
    let quantile = |part: f64| bursty.calm[(bursty.calm.len() as f64 * part) as usize];
    let falls = |under: &f64| below(&bursty.level, 0.1 / quantile(*under)) <= 0.1;
    let under = (0..40).map(|step| MAY * f64::from(step) / 40.0).find(falls).unwrap();
    below(&bursty.level, 3.0 / quantile(1.0 - MAY + under))
}

/// An upper bound (Lagrange) for the share of exact rises detected by any rule that multiplies the mean of a history by
/// factors depending on its scatter, detects nine of ten exact falls, and is right for another, burstier stream. Every
/// price of a false report and every worth of a fall gives a bound; the least is returned.
fn knows_nothing(bursty: &Streams, other: &Streams) -> f64 {
    let mut cuts: Vec<f64> = bursty.scatter.iter().chain(&other.scatter).copied().collect();
    cuts.sort_by(f64::total_cmp);
    let cuts: Vec<f64> = (1..LOOKS).map(|look| cuts[cuts.len() * look / LOOKS]).collect();
    let looks = |streams: &Streams| {
        let mut parts = vec![0.0; LOOKS];
        for scatter in &streams.scatter {
            parts[cuts.partition_point(|cut| cut <= scatter)] += 1.0 / HISTORIES as f64;
        }
        parts
    };
    let looks: Vec<(f64, f64)> = looks(bursty).into_iter().zip(looks(other)).collect();
    // For each factor: the detected share of the exact changes of one stream, and the reported share of the calm days
    // of the other.
    let steps = |from: f64, until: f64| (0..=160).map(move |step| from * (until / from).powf(f64::from(step) / 160.0));
    let rises: Vec<(f64, f64)> =
        steps(1.3, 12.0).map(|high| (below(&bursty.level, 3.0 / high), 1.0 - below(&other.calm, high))).collect();
    let falls: Vec<(f64, f64)> =
        steps(0.001, 0.7).map(|low| (1.0 - below(&bursty.level, 0.1 / low), below(&other.calm, low))).collect();
    // Reporting nothing is always possible.
    let best = |ways: &[(f64, f64)], worth: f64, price: f64| {
        let most = looks.iter().map(|(one, other)| {
            ways.iter().map(|(reported, wrong)| worth * one * reported - price * other * wrong).fold(0.0, f64::max)
        });
        most.sum::<f64>()
    };
    let mut least = 1.0_f64;
    for price in steps(0.5, 120.0).step_by(8) {
        let rises = best(&rises, 1.0, price);
        for worth in [0.25, 0.5, 1.0, 2.0, 4.0] {
            least = least.min(rises + best(&falls, worth, price) + price * MAY - worth * 0.9);
        }
    }
    least
}

#[test]
fn the_detection_limit_of_any_rule_on_a_bursty_stream_is_computed() {
    let mut random = ChaCha8Rng::seed_from_u64(20_261_125);
    let mut table =
        String::from("| days of history | the scatter is known | it is learned, at most |\n|---:|---:|---:|\n");
    let mut before = 0.0;
    for days in [10, 14, 21, 28, 60] {
        let (bursty, other) = (streams(0.5, days, &mut random), streams(0.65, days, &mut random));
        let (rise, most) = (knows_scatter(&bursty), knows_nothing(&bursty, &other));
        assert!(most > before && most <= rise + 0.02, "{days} days: {rise} {most} after {before}");
        before = most;
        table.push_str(&format!("| {days} | {:.0} % | {:.0} % |\n", rise * 100.0, most * 100.0));
    }
    check_table("docs/dev/report-measured.md", "usual limits", &table);
}
