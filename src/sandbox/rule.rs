//! Parses fault rules: after `--fault` comes a comma-separated list of conditions and one action, such as
//! `source=web,status=503,times=2`. Every error quotes what is wrong and states what is accepted. `docs/dev/sandbox.md`
//! documents the grammar.

use std::time::Duration;

use super::fault::{Action, Fault, FaultError, Garbage, RetryAfter, Role};

const MAX_DELAY: Duration = Duration::from_secs(600);
/// The maximum unpacked size of a bomb and the maximum offset, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// The default unpacked size of a bomb: over any sensible cap, and quick to make.
const BOMB_BYTES: u64 = 200_000_000;
/// Everything that a rule may contain.
const WORDS: &str = "conditions source=, path=, every=, after=, times=; actions status= (with retry_after=), redirect, \
                     reset, bomb, cut=, truncate=, empty, malformed, error_frame; and delay=";

impl Fault {
    /// Parses a rule.
    ///
    /// # Errors
    /// The first part that is wrong, and what is accepted there.
    pub fn parse(rule: &str) -> Result<Self, FaultError> {
        let mut fault = Self { source: None, path: None, every: 1, after: 0, times: None, delay: None, action: None };
        let mut retry_after = None;
        let mut seen: Vec<&str> = Vec::new();
        for part in rule.split(',').map(str::trim) {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim())),
                None => (part, None),
            };
            if seen.contains(&name) {
                return Err(refused(format!("`{name}` appears twice in the fault rule `{rule}`"), "use it once"));
            }
            match name {
                "source" => fault.source = Some(role(value)?),
                "path" => fault.path = Some(path(value)?),
                "every" => fault.every = number("every", value, 1..=1_000_000)?,
                "after" => fault.after = number("after", value, 0..=1_000_000)?,
                "times" => fault.times = Some(number("times", value, 1..=1_000_000)?),
                "delay" => fault.delay = Some(delay(value)?),
                "retry_after" => retry_after = Some(parse_retry_after(value)?),
                _ => {
                    let action = action(name, value)?;
                    if fault.action.replace(action).is_some() {
                        let message = format!("the fault rule `{rule}` has two actions");
                        return Err(refused(message, "write two rules; the first match applies"));
                    }
                }
            }
            seen.push(name);
        }
        match (&mut fault.action, retry_after) {
            (Some(Action::Status(_, slot)), wait) => *slot = wait,
            (_, Some(_)) => {
                return Err(refused(
                    format!("`retry_after` in `{rule}` has nothing to apply to"),
                    "add status=429 or another error status",
                ));
            }
            _ => {}
        }
        if fault.action.is_none() && fault.delay.is_none() {
            return Err(refused(format!("the fault rule `{rule}` does nothing"), WORDS));
        }
        Ok(fault)
    }
}

impl std::str::FromStr for Fault {
    type Err = FaultError;

    fn from_str(rule: &str) -> Result<Self, FaultError> {
        Self::parse(rule)
    }
}

fn refused(message: String, hint: impl Into<String>) -> FaultError {
    FaultError { message, hint: hint.into() }
}

fn role(value: Option<&str>) -> Result<Role, FaultError> {
    let value = value.unwrap_or_default();
    Role::parse(value).ok_or_else(|| {
        let roles: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
        refused(format!("unknown source `{value}`"), format!("source={}", roles.join("|")))
    })
}

fn path(value: Option<&str>) -> Result<String, FaultError> {
    match value {
        Some(value) if value.starts_with('/') => Ok(value.to_owned()),
        value => Err(refused(
            format!("`path={}` is not the beginning of a path", value.unwrap_or_default()),
            "start with a slash: path=/web/search",
        )),
    }
}

fn number(name: &str, value: Option<&str>, range: std::ops::RangeInclusive<u64>) -> Result<u64, FaultError> {
    value.and_then(|value| value.parse().ok()).filter(|number| range.contains(number)).ok_or_else(|| {
        refused(
            format!("`{name}={}` is not an allowed number", value.unwrap_or_default()),
            format!("a whole number from {} to {}", range.start(), range.end()),
        )
    })
}

fn delay(value: Option<&str>) -> Result<Duration, FaultError> {
    let text = value.unwrap_or_default();
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let millis = match unit {
        "ms" => Some(1),
        "" | "s" => Some(1_000),
        "m" => Some(60_000),
        _ => None,
    };
    digits
        .parse::<u64>()
        .ok()
        .zip(millis)
        .and_then(|(count, millis)| count.checked_mul(millis))
        .map(Duration::from_millis)
        .filter(|delay| *delay <= MAX_DELAY)
        .ok_or_else(|| {
            refused(format!("`delay={text}` is not a delay"), "delay=500ms, delay=2s or delay=1m, ten minutes at most")
        })
}

fn parse_retry_after(value: Option<&str>) -> Result<RetryAfter, FaultError> {
    let text = value.unwrap_or_default();
    let (form, seconds) = text.split_once(':').unwrap_or(("header", text));
    let seconds = seconds.parse::<u32>().ok().filter(|seconds| *seconds <= 86_400);
    match (form, seconds) {
        ("header", Some(seconds)) => Ok(RetryAfter::Header(seconds)),
        ("date", Some(seconds)) => Ok(RetryAfter::Date(seconds)),
        ("body", Some(seconds)) => Ok(RetryAfter::Body(seconds)),
        _ => Err(refused(
            format!("`retry_after={text}` is not a waiting time"),
            "retry_after=60, retry_after=date:60 or retry_after=body:60, in seconds up to a day",
        )),
    }
}

fn action(name: &str, value: Option<&str>) -> Result<Action, FaultError> {
    let bytes = |value| number(name, value, 0..=MAX_BYTES);
    Ok(match (name, value) {
        ("status", value) => {
            let code = number("status", value, 300..=599).map_err(|error| FaultError {
                hint: "a status from 300 to 599; for broken 2xx replies use empty, malformed, cut= or error_frame"
                    .into(),
                ..error
            })?;
            Action::Status(u16::try_from(code).unwrap_or(500), None)
        }
        ("redirect", value) => {
            let to = value.unwrap_or("http://elsewhere.example/");
            if to.is_empty() || !to.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(refused(format!("`redirect={to}` is not a URL"), "redirect=http://elsewhere.example/"));
            }
            Action::Redirect(to.to_owned())
        }
        ("reset", None) => Action::Reset,
        ("bomb", None) => Action::Bomb(BOMB_BYTES),
        ("bomb", value) => Action::Bomb(bytes(value)?),
        ("cut", value) => Action::Cut(bytes(value)?),
        ("truncate", value) => Action::Truncate(bytes(value)?),
        ("empty", None) => Action::Empty,
        ("error_frame", None) => Action::ErrorFrame,
        ("malformed", value) => {
            let kind = value.unwrap_or(Garbage::Html.as_str());
            Action::Malformed(Garbage::parse(kind).ok_or_else(|| {
                let kinds: Vec<&str> = Garbage::ALL.iter().map(|garbage| garbage.as_str()).collect();
                refused(format!("unknown kind of garbage `{kind}`"), format!("malformed={}", kinds.join("|")))
            })?)
        }
        ("reset" | "empty" | "error_frame", Some(_)) => {
            return Err(refused(format!("`{name}` takes no value"), format!("write `{name}` alone")));
        }
        _ => return Err(refused(format!("unknown word `{name}` in a fault rule"), WORDS)),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_valid_fault_rule_is_parsed() {
        let fault = Fault::parse("path=/web/search, status=503, times=2, delay=1500ms, every=3, after=1").unwrap();
        assert_eq!(fault.path.as_deref(), Some("/web/search"));
        assert_eq!(fault.action, Some(Action::Status(503, None)));
        assert_eq!((fault.times, fault.every, fault.after), (Some(2), 3, 1));
        assert_eq!(fault.delay, Some(Duration::from_millis(1_500)));
        for (rule, action) in [
            ("status=429,retry_after=60", Action::Status(429, Some(RetryAfter::Header(60)))),
            ("retry_after=body:60,status=429", Action::Status(429, Some(RetryAfter::Body(60)))),
            ("status=503,retry_after=date:5", Action::Status(503, Some(RetryAfter::Date(5)))),
            ("malformed", Action::Malformed(Garbage::Html)),
            ("malformed=nul", Action::Malformed(Garbage::Nul)),
            ("cut=120", Action::Cut(120)),
            ("truncate=0", Action::Truncate(0)),
            ("bomb", Action::Bomb(BOMB_BYTES)),
            ("redirect", Action::Redirect("http://elsewhere.example/".into())),
            ("reset", Action::Reset),
        ] {
            assert_eq!(rule.parse::<Fault>().unwrap().action, Some(action), "{rule}");
        }
    }

    #[test]
    fn an_invalid_fault_rule_is_refused_with_a_reason_and_a_hint() {
        for (rule, reason) in [
            ("", "unknown word"),
            ("times=2", "does nothing"),
            ("source=mail,empty", "unknown source `mail`"),
            ("path=web,empty", "not the beginning of a path"),
            ("status=200", "`status=200`"),
            ("status=", "`status=`"),
            ("status=503,status=500", "twice"),
            ("status=503,empty", "two actions"),
            ("retry_after=60,empty", "nothing to apply to"),
            ("status=429,retry_after=soon", "`retry_after=soon`"),
            ("delay=2h", "`delay=2h`"),
            ("delay=99999999999999999999s", "`delay=9"),
            ("times=0,empty", "`times=0`"),
            ("every=0,empty", "`every=0`"),
            ("malformed=xml", "`xml`"),
            ("bomb=99999999999", "`bomb=9"),
            ("empty=1", "takes no value"),
            ("cut", "`cut=`"),
            ("redirect=a b", "not a URL"),
            ("statsu=503", "unknown word `statsu`"),
        ] {
            let error = Fault::parse(rule).unwrap_err();
            assert!(error.message.contains(reason), "{rule}: {}", error.message);
            assert!(!error.hint.is_empty());
        }
    }
}
