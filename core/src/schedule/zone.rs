//! Looks up IANA zone names in the built-in tables, so that every host gives the same answer. Never uses the host's own
//! zone: a schedule does not depend on where it runs.

use jiff::tz::TimeZone;

use super::duration::show;
use super::error::ScheduleError;
use crate::model::nearest;

/// Returns the zone with a name. Ignores case, as in the IANA rules.
pub(super) fn find_zone(name: &str) -> Result<TimeZone, ScheduleError> {
    match TimeZone::get(name) {
        Ok(zone) if !zone.is_unknown() => Ok(zone),
        _ => {
            let near = zone_suggestions(name);
            let hint = if near.is_empty() {
                "write an IANA name, such as \"Europe/Berlin\", \"America/New_York\" or \"UTC\"".to_owned()
            } else {
                format!("did you mean {}?", near.join(" or "))
            };
            Err(ScheduleError::new(format!("there is no time zone `{}`", show(name)), hint))
        }
    }
}

/// Checks that a zone exists, for a file's `timezone` key on its own. So a wrong zone and a wrong expression can both
/// be reported (check the expression with `UTC` then).
///
/// # Errors
/// [`ScheduleError`] with similar names.
pub fn check_zone(name: &str) -> Result<(), ScheduleError> {
    find_zone(name).map(drop)
}

/// Returns zone names that were probably meant, best first, at most three: the same city (`berlin`, `Germany/Berlin`),
/// else the nearest spellings.
#[must_use]
pub fn zone_suggestions(wrong: &str) -> Vec<String> {
    if is_offset(wrong) {
        return Vec::new();
    }
    let wrong: String = wrong.trim().chars().take(64).map(|c| if c == ' ' { '_' } else { c }).collect();
    let names: Vec<String> = jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect();
    let all = || names.iter().map(String::as_str);
    let city = |name: &str| name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let wanted = city(&wrong);
    let mut near: Vec<&str> = all().filter(|name| name.contains('/') && city(name) == wanted).collect();
    if near.is_empty() {
        near = nearest(&wrong, all(), 3);
    }
    if near.is_empty() && wanted.len() >= 4 {
        near = all().filter(|name| !nearest(&wanted, std::iter::once(city(name).as_str()), 1).is_empty()).collect();
    }
    near.truncate(3);
    near.into_iter().map(str::to_owned).collect()
}

/// Whether a name is an offset such as `GMT+2` or `UTC2`. The similar `Etc/GMT+2` is two hours behind UTC, not ahead,
/// and `GMT` is another time.
fn is_offset(name: &str) -> bool {
    let is_in_area = name.contains('/');
    let name = name.trim().rsplit('/').next().unwrap_or("");
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = name.strip_suffix(rest).unwrap_or("").to_ascii_uppercase();
    let universal = matches!(letters.as_str(), "GMT" | "UTC" | "UCT" | "UT");
    let rest = rest.trim_start();
    match rest.strip_prefix(['+', '-', '\u{2212}']) {
        // `Etc/GTM+2` is a misspelt name.
        Some(hours) => (universal || !is_in_area) && hours.trim_start().starts_with(|c: char| c.is_ascii_digit()),
        None => {
            universal
                && rest.starts_with(|c: char| c.is_ascii_digit())
                && rest.contains(|c: char| matches!(c, '1'..='9'))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn a_misspelt_timezone_is_refused_with_a_suggestion() {
        for (wrong, expected) in [
            ("Europe/Berln", "Europe/Berlin"),
            ("berlin", "Europe/Berlin"),
            ("Germany/Berlin", "Europe/Berlin"),
            ("America/NewYork", "America/New_York"),
            ("New York", "America/New_York"),
            ("UCT0", "UCT"),
            ("Tokio", "Asia/Tokyo"),
        ] {
            assert!(zone_suggestions(wrong).contains(&expected.to_owned()), "{wrong}: {:?}", zone_suggestions(wrong));
            assert!(find_zone(wrong).unwrap_err().hint.contains(expected), "{wrong}");
        }
    }

    #[test]
    fn an_unrecognisable_timezone_or_an_offset_is_refused_without_a_suggestion() {
        for wrong in ["", "Etc/Unknown", "+02:00", "Mars/Olympus_Mons", "local", "\u{1b}[31m", "../../etc/passwd"] {
            let refused = find_zone(wrong).unwrap_err();
            assert!(!refused.message.contains('\u{1b}'), "{refused:?}");
        }
        // `Etc/GMT+2` has the other sign.
        for offset in [
            "GMT+2",
            "UTC-05:00",
            " utc+1",
            "+0200",
            "GMT +2",
            "UTC - 5",
            "GMT2",
            "UTC2",
            "gmt 2",
            "UTC02:00",
            "GMT\u{2212}2",
            "Etc/GMT2",
            "Etc/UTC+2",
        ] {
            let refused = find_zone(offset).unwrap_err();
            assert!(refused.hint.starts_with("write an IANA name"), "{offset}: {refused:?}");
        }
        assert_eq!(zone_suggestions("Etc/GTM+2"), ["Etc/GMT+2"]);
        assert!(find_zone("europe/berlin").is_ok(), "letters compare without case");
    }
}
