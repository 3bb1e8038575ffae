//! The filters of Hacker News: `tags=(story,comment),author_x` and `numericFilters=created_at_i>T,points>=3`.

/// The numbers by which an item can be filtered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    pub(super) created_at_i: i64,
    pub(super) points: Option<i64>,
    pub(super) num_comments: Option<i64>,
}

/// One condition on a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Condition {
    field: Field,
    test: Test,
    bound: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Created,
    Points,
    Comments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    Below,
    AtMost,
    Equal,
    Other,
    AtLeast,
    Above,
}

/// Operators, longer ones first.
const TESTS: &[(&str, Test)] = &[
    ("<=", Test::AtMost),
    (">=", Test::AtLeast),
    ("!=", Test::Other),
    ("<", Test::Below),
    (">", Test::Above),
    ("=", Test::Equal),
];

/// Conditions that must all hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NumericFilters(Vec<Condition>);

impl NumericFilters {
    /// Parses comma-separated conditions; `Err` is the one that cannot be parsed.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(condition)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub(super) fn matches(&self, figures: &Figures) -> bool {
        self.0.iter().all(|condition| {
            let value = match condition.field {
                Field::Created => Some(figures.created_at_i),
                Field::Points => figures.points,
                Field::Comments => figures.num_comments,
            };
            value.is_some_and(|value| match condition.test {
                Test::Below => value < condition.bound,
                Test::AtMost => value <= condition.bound,
                Test::Equal => value == condition.bound,
                Test::Other => value != condition.bound,
                Test::AtLeast => value >= condition.bound,
                Test::Above => value > condition.bound,
            })
        })
    }

    /// Returns the lower bound for the time in seconds, if the conditions set one.
    pub(super) fn since(&self) -> Option<i64> {
        let oldest = |condition: &Condition| {
            let from = matches!(condition.test, Test::Above | Test::AtLeast | Test::Equal);
            (condition.field == Field::Created && from).then_some(condition.bound)
        };
        self.0.iter().filter_map(oldest).max()
    }
}

fn condition(part: &str) -> Result<Condition, String> {
    let read = |(sign, test): &(&str, Test)| {
        let (field, bound) = part.split_once(sign)?;
        let field = match field.trim() {
            "created_at_i" => Field::Created,
            "points" => Field::Points,
            "num_comments" => Field::Comments,
            _ => return None,
        };
        Some(Condition { field, test: *test, bound: whole_number_bound(bound.trim(), *test)? })
    };
    TESTS.iter().find_map(read).ok_or_else(|| part.to_owned())
}

/// Converts a bound with decimals, which some programs send, to the equivalent whole number.
fn whole_number_bound(bound: &str, test: Test) -> Option<i64> {
    let Some((integer, decimals)) = bound.split_once('.') else { return bound.parse().ok() };
    let integer: i64 = integer.parse().ok()?;
    let decimals = decimals.parse::<u64>().ok().filter(|_| integer >= 0)?;
    let next = i64::from(decimals > 0 && matches!(test, Test::AtLeast | Test::Below));
    integer.checked_add(next)
}

/// Whether an item has the tags: a comma means "and", inside brackets it means "or".
pub(super) fn matches_tags(wanted: &str, tags: &[String]) -> bool {
    let has = |name: &str| tags.iter().any(|tag| tag == name.trim());
    let mut rest = wanted.trim();
    while !rest.is_empty() {
        let (holds, after) = match rest.strip_prefix('(') {
            Some(inner) => {
                let (group, after) = inner.split_once(')').unwrap_or((inner, ""));
                (group.split(',').any(has), after)
            }
            None => {
                let (name, after) = rest.split_once(',').unwrap_or((rest, ""));
                (name.trim().is_empty() || has(name), after)
            }
        };
        if !holds {
            return false;
        }
        rest = after.trim_start_matches([',', ' ']);
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn numeric_filters_are_applied() {
        let item = Figures { created_at_i: 100, points: Some(3), num_comments: None };
        for (text, holds) in [
            ("", true),
            ("created_at_i>99", true),
            ("created_at_i>100", false),
            ("created_at_i>=100, created_at_i<101", true),
            ("created_at_i<=99", false),
            ("created_at_i=100,points!=4", true),
            ("created_at_i>99.5", true),
            ("created_at_i>=99.5", true),
            ("created_at_i>=100.25", false),
            ("created_at_i<100.25", true),
            ("num_comments>=0", false),
        ] {
            assert_eq!(NumericFilters::read(text).unwrap().matches(&item), holds, "{text}");
        }
        assert_eq!(NumericFilters::read("created_at_i>5,created_at_i>=9,points>50").unwrap().since(), Some(9));
        for text in ["created_at_i", "created_at>5", "points>x", "created_at_i>>5"] {
            assert_eq!(NumericFilters::read(text), Err(text.to_owned()));
        }
    }

    #[test]
    fn a_comma_means_and_and_parentheses_mean_or() {
        let tags = ["story".to_owned(), "author_x".to_owned()];
        for (wanted, holds) in [
            ("", true),
            ("story", true),
            ("comment", false),
            ("(story,comment)", true),
            ("(comment,poll)", false),
            ("(story,comment),author_x", true),
            ("author_y,(story,comment)", false),
            ("(story", true),
        ] {
            assert_eq!(matches_tags(wanted, &tags), holds, "{wanted}");
        }
    }
}
