//! The forms in which values are written, as patterns that both the document shows and requests are checked with, so
//! that the two cannot disagree. The patterns mean the same in Rust and in ECMAScript; each allows only what its
//! parser understands.

use std::sync::LazyLock;

use regex::Regex;

use crate::schedule::INSTANTS;

/// A pattern with its limits.
#[derive(Debug)]
pub(in crate::web::api) struct Form {
    pub(in crate::web::api) pattern: LazyLock<String>,
    /// Maximum number of characters.
    pub(in crate::web::api) most: usize,
    /// How to write it.
    pub(in crate::web::api) hint: &'static str,
    read: LazyLock<Option<Regex>>,
}

/// Defines a [`Form`].
macro_rules! form {
    ($name:ident, $most:expr, $hint:expr, $pattern:expr) => {
        pub(in crate::web::api) static $name: Form = Form {
            pattern: LazyLock::new(|| format!("^(?:{})$", $pattern)),
            most: $most,
            hint: $hint,
            read: LazyLock::new(|| Regex::new(&$name.pattern).ok()),
        };
    };
}

impl Form {
    pub(in crate::web::api) fn fits(&self, text: &str) -> bool {
        text.chars().count() <= self.most && self.read.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }
}

/// Any text without NUL, which stored text never contains.
pub(in crate::web::api) const TEXT: &str = "^[^\\x00]*$";

/// Days that exist, in the years 1000 to 2999.
const DATE: &str = "[12][0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|\
                    02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[12][0-9](?:0[48]|[2468][048]|[13579][26])|(?:12|16|20|24|28)00)-02-29";
const CLOCK: &str =
    "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])";
/// Less than a century, whatever is added up.
const AGO: &str = "[0-9]{1,4}d(?:[0-9]{1,5}h)?(?:[0-9]{1,6}m)?(?:[0-9]{1,7}s)?(?:[0-9]{1,9}ms)?|\
                   [0-9]{1,5}h(?:[0-9]{1,6}m)?(?:[0-9]{1,7}s)?(?:[0-9]{1,9}ms)?|[0-9]{1,6}m(?:[0-9]{1,7}s)?(?:[0-9]{1,9}ms)?|\
                   [0-9]{1,7}s(?:[0-9]{1,9}ms)?|[0-9]{1,9}ms";
/// `topic:acme@2026-03-11T09:00:00Z`, or a ULID.
const RUN: &str = "[a-z]+:[^\\x00]{1,100}@[12][0-9]{3}-[0-9:TZ.-]{5,30}|[0-9A-Z]{26}";

fn instants() -> String {
    format!("(?:{DATE})(?:T{CLOCK})?|{AGO}")
}

form!(INSTANT, 60, INSTANTS, instants());
form!(BEGIN, 160, "write a time (2026-03-11, 24h); for changes also a run of the topic, or last-report", {
    format!("{}|{RUN}|last-report", instants())
});
form!(SEQ, 50, "write 120..180 for the runs 121 to 180; 0..180 starts with the first", {
    "(?:0|[1-9][0-9]{0,17})\\.\\.(?:0|[1-9][0-9]{0,17})"
});
form!(ZONE, 64, "write an IANA name, such as Europe/Berlin, America/New_York or UTC", {
    "[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}"
});
form!(PAGE, 1_000, "use the `next_page_token` of the previous page, unchanged", "[A-Za-z0-9_-]+");
// Up to 366 days.
form!(SNOOZE, 20, "write 30m, 8h, 1h30m or 3d; 366 days at most", {
    let (hours, minutes) = ("(?:[1-9]|1[0-9]|2[0-3])h", "(?:(?:[1-9]|[1-5][0-9])m)?");
    format!(
        "(?:[1-9][0-9]?|[12][0-9]{{2}}|3[0-5][0-9]|36[0-5])d(?:{hours})?{minutes}|366d|[1-9][0-9]{{0,2}}h{minutes}|\
         [1-9][0-9]{{0,4}}m|[1-9][0-9]{{0,6}}s"
    )
});

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use proptest::prelude::*;

    use super::*;
    use crate::model::Time;
    use crate::schedule::{parse_duration, parse_instant};

    const NOW: Time = Time(1_773_219_600_000);

    #[test]
    fn each_value_pattern_accepts_usual_spellings_and_refuses_others() {
        for (form, right, wrong) in [
            (
                &INSTANT,
                &[
                    "2026-03-11",
                    "2028-02-29",
                    "2026-03-11T09:00Z",
                    "2026-03-11T09:00:00.123Z",
                    "2026-03-11T09:00:00+01:00",
                    "24h",
                    "7d",
                    "1d12h",
                    "500ms",
                ][..],
                &[
                    "",
                    "soon",
                    "2026-13-01",
                    "2026-02-29",
                    "1900-02-29",
                    "2026-03-11T25:00Z",
                    "24",
                    "1h1d",
                    "7d\n",
                    "-7d",
                    "٧d",
                    "99999d",
                ][..],
            ),
            (
                &BEGIN,
                &["last-report", "7d", "topic:acme@2026-03-11T09:00:00Z", "01KHXJ5W00000000000000000A"],
                &["", "last", "acme", "last-report\n"],
            ),
            (&SEQ, &["0..0", "120..180", "180..120"], &["", "1..", "..1", "01..2", "1...2", "-1..2"]),
            (
                &ZONE,
                &["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+3"],
                &["", "/", "a/", "Berlin Mitte"],
            ),
            (&PAGE, &["WyJhIiwxLDJd", "-_"], &["", "=", "ä", "a b"]),
            (
                &SNOOZE,
                &["30m", "8h", "1h30m", "365d23h59m", "366d", "48h"],
                &["", "0s", "0h", "367d", "366d1h", "soon", "8"],
            ),
        ] {
            for text in right {
                assert!(form.fits(text), "{text}: {}", *form.pattern);
            }
            for text in wrong {
                assert!(!form.fits(text), "{text:?}: {}", *form.pattern);
            }
        }
    }

    /// Texts are generated from patterns without anchors.
    fn unanchored(pattern: &str) -> &str {
        pattern.trim_start_matches('^').trim_end_matches('$')
    }

    proptest! {
        #[test]
        fn every_value_that_fits_a_pattern_can_be_parsed(
            written in proptest::string::string_regex(unanchored(&INSTANT.pattern)).unwrap(),
            length in proptest::string::string_regex(unanchored(&SNOOZE.pattern)).unwrap(),
        ) {
            prop_assert!(parse_instant(&written, NOW).is_some(), "{written}");
            let length = parse_duration(&length).unwrap();
            prop_assert!(!length.is_zero() && length.as_secs() <= 366 * 86_400);
        }
    }
}
