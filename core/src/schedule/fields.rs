//! Checks the fields of a cron expression strictly before the parser sees them, because parsers accept `1,,2` or a
//! month's name in the minute field. Does not check dates.

use crate::model::nearest;

/// The rules of one field of an expression.
#[derive(Debug)]
pub(super) struct Field {
    /// The name used in messages.
    pub(super) name: &'static str,
    min: u16,
    max: u16,
    /// Names in order; the first means `min`.
    names: &'static [&'static str],
    extras: Extras,
}

/// The extensions of the two day fields.
#[derive(Debug, PartialEq, Eq)]
enum Extras {
    None,
    /// `?`, `L`, `LW`, `15W`.
    DayOfMonth,
    /// `?`, `5L`, `5#3`, `5#L`, `MON-FRI#2`, a leading `+`; 7 is also Sunday.
    DayOfWeek,
}

/// All six fields, seconds first.
pub(super) const FIELDS: [Field; 6] = [
    Field { name: "second", min: 0, max: 59, names: &[], extras: Extras::None },
    Field { name: "minute", min: 0, max: 59, names: &[], extras: Extras::None },
    Field { name: "hour", min: 0, max: 23, names: &[], extras: Extras::None },
    Field { name: "day-of-month", min: 1, max: 31, names: &[], extras: Extras::DayOfMonth },
    Field {
        name: "month",
        min: 1,
        max: 12,
        names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
        extras: Extras::None,
    },
    Field {
        name: "day-of-week",
        min: 0,
        max: 7,
        names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
        extras: Extras::DayOfWeek,
    },
];

/// The error in a field.
#[derive(Debug)]
pub(super) struct FieldError {
    /// The problem in words, without the field's name.
    pub(super) what: String,
    /// The wrong part and what was probably meant; from [`Field::check`] it is the whole field.
    pub(super) fix: Option<(String, String)>,
}

impl FieldError {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), fix: None }
    }

    fn with_fix(what: impl Into<String>, piece: &str, fix: impl Into<String>) -> Self {
        Self { what: what.into(), fix: Some((piece.to_owned(), fix.into())) }
    }
}

impl Field {
    /// Describes what the field allows.
    pub(super) fn help(&self) -> String {
        let more = match self.extras {
            Extras::DayOfMonth => ", L for the last day, LW for the last weekday, 15W for the weekday nearest the 15th",
            Extras::DayOfWeek => " (0 and 7 are Sunday), SUN-SAT, 5L for the last Friday, 5#3 for the third",
            Extras::None if self.names.is_empty() => "",
            Extras::None => ", JAN-DEC",
        };
        format!("the {} field takes *, lists, ranges and steps of {}-{}{more}", self.name, self.min, self.max)
    }

    /// Returns the field with plain numbers. Adds warnings to `warnings`. `text` must be upper case.
    pub(super) fn check(&self, text: &str, warnings: &mut Vec<String>) -> Result<String, FieldError> {
        let (plus, list) = match text.strip_prefix('+') {
            Some(list) if self.extras == Extras::DayOfWeek => ("+", list),
            _ => ("", text),
        };
        let items: Vec<&str> = list.split(',').collect();
        let mut plain = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            if item.is_empty() {
                let rest: Vec<&str> = items.iter().copied().filter(|item| !item.is_empty()).collect();
                return Err(FieldError::with_fix(
                    "the list has an empty entry",
                    text,
                    format!("{plus}{}", rest.join(",")),
                ));
            }
            if items.len() > 1 && (*item == "*" || *item == "?") {
                return Err(FieldError::with_fix(
                    "`*` in a list makes the other entries meaningless",
                    text,
                    format!("{plus}*"),
                ));
            }
            plain.push(self.item(item, warnings).map_err(|wrong| {
                let fix = wrong.fix.map(|(piece, fix)| {
                    let mut corrected: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
                    corrected[place] = item.replacen(&piece, &fix, 1);
                    (text.to_owned(), format!("{plus}{}", corrected.join(",")))
                });
                FieldError { what: wrong.what, fix }
            })?);
        }
        Ok(format!("{plus}{}", plain.join(",")))
    }

    fn item(&self, item: &str, warnings: &mut Vec<String>) -> Result<String, FieldError> {
        let Some((base, step)) = item.split_once('/') else { return self.plain_field(item) };
        let Some(step) = number(step).filter(|_| !step.is_empty()) else {
            return Err(FieldError::new(format!("the step of `{item}` is not a number")));
        };
        if step == 0 {
            return Err(FieldError::new(format!("the step of `{item}` is zero")));
        }
        if base.is_empty() {
            return Err(FieldError::with_fix(format!("`{item}` has a step but no start"), item, format!("*/{step}")));
        }
        let last = if self.extras == Extras::DayOfWeek { 6 } else { self.max };
        let (start, end, plain) = match base {
            "*" => (self.min, last, "*".to_owned()),
            _ => match base.split_once('-') {
                Some((from, to)) => {
                    let (from, to) = self.range(base, from, to)?;
                    (from, to, format!("{from}-{to}"))
                }
                None => {
                    let from = self.value(base)?;
                    (from, last, format!("{from}"))
                }
            },
        };
        if start.saturating_add(step) > end {
            let unit = match self.name {
                "second" | "minute" | "hour" if base == "*" => &self.name[..1],
                _ => "",
            };
            let every =
                if unit.is_empty() { String::new() } else { format!("; for a period write every = \"{step}{unit}\"") };
            warnings.push(format!(
                "`{item}` in the {} field matches only {start}, because the step is longer than the field{every}",
                self.name
            ));
        }
        Ok(format!("{plain}/{step}"))
    }

    fn plain_field(&self, item: &str) -> Result<String, FieldError> {
        match (&self.extras, item) {
            (_, "*") | (Extras::DayOfMonth | Extras::DayOfWeek, "?") => return Ok("*".to_owned()),
            (Extras::DayOfMonth, "L" | "LW") => return Ok(item.to_owned()),
            (Extras::DayOfWeek, "L") => {
                return Err(FieldError::with_fix("`L` needs a weekday", item, "5L"));
            }
            (Extras::DayOfMonth, _) => {
                if let Some(day) = item.strip_suffix('W') {
                    return Ok(format!("{}W", self.value(day)?));
                }
            }
            (Extras::DayOfWeek, _) => {
                if let Some((days, nth)) = item.split_once('#') {
                    if !matches!(nth, "1" | "2" | "3" | "4" | "5" | "L") {
                        return Err(FieldError::new(format!("`{item}` names week `{nth}`: weeks are 1-5 or L")));
                    }
                    return Ok(format!("{}#{nth}", self.plain(days)?));
                }
                if let Some(day) = item.strip_suffix('L') {
                    return Ok(format!("{}#L", self.value(day)?));
                }
            }
            (Extras::None, _) => {}
        }
        self.plain(item)
    }

    /// Checks a value or a range.
    fn plain(&self, item: &str) -> Result<String, FieldError> {
        match item.split_once('-') {
            Some((from, to)) => self.range(item, from, to).map(|(from, to)| format!("{from}-{to}")),
            None => self.value(item).map(|value| value.to_string()),
        }
    }

    fn range(&self, item: &str, from: &str, to: &str) -> Result<(u16, u16), FieldError> {
        let (first, mut last) = (self.value(from)?, self.value(to)?);
        // `FRI-SUN` ends on the following Sunday, `SUN-SUN` on the same one.
        if self.extras == Extras::DayOfWeek && to == "SUN" && first > 0 {
            last = 7;
        }
        if first <= last {
            return Ok((first, last));
        }
        let top = if self.extras == Extras::DayOfWeek { 6 } else { self.max };
        let format_range = |a: u16, b: u16| if a == b { a.to_string() } else { format!("{a}-{b}") };
        let fix = if first > top {
            format_range(self.min, last)
        } else {
            [format_range(first, top), format_range(self.min, last)].join(",")
        };
        Err(FieldError::with_fix(format!("the range `{item}` runs backwards"), item, fix))
    }

    fn value(&self, text: &str) -> Result<u16, FieldError> {
        if let Some(value) = number(text) {
            if (self.min..=self.max).contains(&value) {
                return Ok(value);
            }
            let what = format!("{value} is outside {}-{}", self.min, self.max);
            // 60 minutes or 24 hours: 0 was probably meant.
            let round = value == self.max + 1 && self.min == 0;
            return Err(if round { FieldError::with_fix(what, text, "0") } else { FieldError::new(what) });
        }
        if let Some(place) = self.names.iter().position(|name| *name == text) {
            return Ok(self.min + u16::try_from(place).unwrap_or(0));
        }
        let what = format!("`{}` is not a value from {}-{}", super::duration::show(text), self.min, self.max);
        let long = self.names.iter().copied().find(|name| text.starts_with(name));
        match long.or_else(|| nearest(text, self.names.iter().copied(), 1).first().copied()) {
            Some(name) => Err(FieldError::with_fix(what, text, name)),
            None => Err(FieldError::new(what)),
        }
    }
}

/// Parses one to four ASCII digits.
fn number(text: &str) -> Option<u16> {
    let plausible = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    plausible.then(|| text.parse().ok()).flatten()
}
