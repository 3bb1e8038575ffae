//! Decides whether a full reply of posts reaches back past the start of the window, so that nothing in the window is
//! missing. One old post among new ones proves nothing: services put such posts into replies that are cut. Pure.

use crate::model::Time;

/// With fewer posts in the span, the reply is taken as complete: no reply is known to be cut so early.
const LEAST: usize = 10;
/// A pause this many times the average distance between posts means that posts are missing, unless a pause inside the
/// span is as long.
const PAUSES: i64 = 4;

/// Whether posts with these dates, in any order, continue without a break from the span to the time before `from`.
#[must_use]
pub fn covers_window_start(dates: impl IntoIterator<Item = Time>, from: Time) -> bool {
    let (mut inside, before): (Vec<Time>, Vec<Time>) = dates.into_iter().partition(|at| *at > from);
    let Some(before) = before.into_iter().max() else { return false };
    if inside.len() < LEAST {
        return true;
    }
    inside.sort_unstable();
    let (Some(oldest), Some(newest)) = (inside.first(), inside.last()) else { return true };
    let average_gap = (newest.0 - oldest.0) / i64::try_from(inside.len() - 1).unwrap_or(i64::MAX);
    let widest = inside.windows(2).map(|two| two[1].0 - two[0].0).max().unwrap_or(0);
    let pause = oldest.0.saturating_sub(before.0);
    pause <= (PAUSES * average_gap).max(widest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: i64 = 60_000;
    const FROM: Time = Time(1_773_219_600_000);

    /// Takes minutes after the start of the window; negative ones are before it.
    fn reaches(minutes: impl IntoIterator<Item = i64>) -> bool {
        covers_window_start(minutes.into_iter().map(|minute| Time(FROM.0 + minute * MINUTE)), FROM)
    }

    #[test]
    fn a_reply_reaches_past_the_span_when_its_posts_go_on_without_a_break() {
        let newest = |many: i64, gap: i64| (0..many).map(move |n| 360 - n * gap);
        for (name, minutes, expected) in [
            ("nothing older", newest(20, 5).collect::<Vec<_>>(), false),
            ("the rest goes on before it", newest(100, 5).collect(), true),
            ("one old post", newest(99, 1).chain([-4_000]).collect(), false),
            ("22 old posts of 100", newest(78, 2).chain((0..22).map(|n| -2_000 - n * 300)).collect(), false),
            ("a quiet topic and an old post", newest(9, 5).chain([-4_000]).collect(), true),
            ("all old", (0..100).map(|n| -n).collect(), true),
            (
                "a pause of a night that is usual",
                [350, 340, 330, 320, 310, 300, 290, 280, 270, 60, 50, 40, -150].into(),
                true,
            ),
            ("a burst may be missing before the oldest", newest(72, 5).chain([-4_000]).collect(), false),
        ] {
            assert_eq!(reaches(minutes), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_a_reply_does_not_matter(mut minutes in proptest::collection::vec(-2_000_i64..400, 0..60), by in 0_usize..60) {
            let first = reaches(minutes.clone());
            let by = by % minutes.len().max(1);
            minutes.rotate_left(by);
            prop_assert_eq!(reaches(minutes), first);
        }
    }
}
