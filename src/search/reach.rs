//! Decides whether a full reply of posts reaches back past the start of the window, so that nothing in the window is
//! missing. One old post among new ones proves nothing: services put such posts into replies that are cut. Pure.

use crate::model::Time;

/// Minimum number of posts in the span for estimating the usual distance between them.
const LEAST: usize = 10;
/// A pause this many times the average distance between posts means that posts are missing, unless a pause inside the
/// span is as long.
const PAUSES: i64 = 4;
/// With few posts, a pause that is less likely than this also means that posts are missing: `e^-PAUSES`.
const UNLIKELY: f64 = 0.018;

/// Whether posts with these dates, in any order, continue without a break from the span to the time before `from`.
#[must_use]
pub fn covers_window_start(dates: impl IntoIterator<Item = Time>, from: Time) -> bool {
    let (mut inside, mut before): (Vec<Time>, Vec<Time>) = dates.into_iter().partition(|at| *at > from);
    let Some(last) = before.iter().max().copied() else { return false };
    if inside.len() < 2 {
        return true;
    }
    inside.sort_unstable();
    let (Some(oldest), Some(newest)) = (inside.first(), inside.last()) else { return true };
    let (pause, length) = (oldest.0.saturating_sub(last.0), newest.0 - oldest.0);
    if inside.len() < LEAST {
        // The topic may be quiet, with pauses like those before the span.
        before.sort_unstable();
        return pause <= likely_pause(length, inside.len() - 1).max(widest(&inside)).max(widest(&before));
    }
    let average_gap = length / i64::try_from(inside.len() - 1).unwrap_or(i64::MAX);
    pause <= (PAUSES * average_gap).max(widest(&inside))
}

fn widest(sorted: &[Time]) -> i64 {
    sorted.windows(2).map(|two| two[1].0 - two[0].0).max().unwrap_or(0)
}

/// Returns the longest pause that is not unlikely after `pauses` pauses of this length together, if posts come at random
/// at an unknown rate: longer than `x` with probability `(length / (length + x)) ^ pauses`.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "milliseconds of some days")]
fn likely_pause(length: i64, pauses: usize) -> i64 {
    (length as f64 * (UNLIKELY.powf(-1.0 / pauses as f64) - 1.0)) as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: i64 = 60_000;
    const FROM: Time = Time(1_773_219_600_000);

    /// Takes minutes after the start of the window; negative ones are before it.
    fn covers_start(minutes: impl IntoIterator<Item = i64>) -> bool {
        covers_window_start(minutes.into_iter().map(|minute| Time(FROM.0 + minute * MINUTE)), FROM)
    }

    #[test]
    fn a_reply_covers_the_start_of_its_span_if_its_posts_continue_past_it() {
        let newest = |many: i64, gap: i64| (0..many).map(move |n| 360 - n * gap);
        for (name, minutes, expected) in [
            ("nothing older", newest(20, 5).collect::<Vec<_>>(), false),
            ("the rest goes on before it", newest(100, 5).collect(), true),
            ("one old post", newest(99, 1).chain([-4_000]).collect(), false),
            ("22 old posts of 100", newest(78, 2).chain((0..22).map(|n| -2_000 - n * 300)).collect(), false),
            ("nine posts in an hour and an old one", newest(9, 5).chain([-4_000]).collect(), false),
            (
                "nine posts, and eleven a day older",
                newest(9, 3).chain((0..11).map(|n| -1_800 - n * 60)).collect(),
                false,
            ),
            ("a quiet topic goes on", newest(5, 60).chain([-250]).collect(), true),
            ("two posts say little", [300, 200, -3_000].into(), true),
            ("one post says nothing", [300, -9_000].into(), true),
            ("three in half an hour, after pauses of a day", [300, 290, 270, -900, -2_400, -3_900].into(), true),
            ("all old", (0..100).map(|n| -n).collect(), true),
            (
                "a pause of a night that is usual",
                [350, 340, 330, 320, 310, 300, 290, 280, 270, 60, 50, 40, -150].into(),
                true,
            ),
            ("a burst may be missing before the oldest", newest(72, 5).chain([-4_000]).collect(), false),
        ] {
            assert_eq!(covers_start(minutes), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_a_reply_does_not_matter(mut minutes in proptest::collection::vec(-2_000_i64..400, 0..60), by in 0_usize..60) {
            let first = covers_start(minutes.clone());
            let by = by % minutes.len().max(1);
            minutes.rotate_left(by);
            prop_assert_eq!(covers_start(minutes), first);
        }
    }
}
