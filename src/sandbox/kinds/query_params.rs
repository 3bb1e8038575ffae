//! The parameters of a query string or a form, as they were sent. Each kind validates them itself.

/// Names and values in the order sent.
#[derive(Debug, Default)]
pub(super) struct QueryParams(Vec<(String, String)>);

/// A parameter that is not a number in its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InvalidNumber;

impl QueryParams {
    pub(super) fn read(encoded: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// Returns the last non-empty value of a name.
    pub(super) fn get<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).last()
    }

    /// Returns all non-empty values of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    /// Returns a whole number in a range, or the default when it is left out.
    pub(super) fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<usize>,
        default: usize,
    ) -> Result<usize, InvalidNumber> {
        match self.get(name) {
            None => Ok(default),
            Some(text) => text.trim().parse().ok().filter(|number| range.contains(number)).ok_or(InvalidNumber),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_name_counts_and_an_empty_one_does_not() {
        let params = QueryParams::read(b"q=a+b&q=&tag=x&tag=y%26z&limit=7&page=x");
        assert_eq!((params.get("q"), params.get("sort")), (Some("a b"), None));
        assert_eq!(params.all("tag").collect::<Vec<_>>(), ["x", "y&z"]);
        assert_eq!(params.number("limit", 1..=9, 3), Ok(7));
        assert_eq!(
            (params.number("limit", 1..=6, 3), params.number("page", 0..=9, 0)),
            (Err(InvalidNumber), Err(InvalidNumber))
        );
        assert_eq!(params.number("pageno", 1..=9, 1), Ok(1));
    }
}
