//! The name of a source: one of the three of the search service, or a provider of the configuration. What a kind of
//! provider returns is in `provider`.

use std::cmp::Ordering;

/// The longest name, in bytes.
const LONGEST: usize = 24;

/// The name of a source: `social`, `web` and `ai` go to `[service]`, any other to `[providers.NAME]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    /// The name, padded with zeros, so that a source is `Copy`.
    name: [u8; LONGEST],
}

#[allow(non_upper_case_globals, reason = "they are matched like the members of a list")]
impl Source {
    /// Posts of a social platform.
    pub const Social: Self = Self::of(b"social");
    /// Pages of the web.
    pub const Web: Self = Self::of(b"web");
    /// A written summary with its cited items.
    pub const Ai: Self = Self::of(b"ai");
    /// The sources of the search service, in the order in which a run asks them.
    pub const SERVICE: &'static [Self] = &[Self::Social, Self::Web, Self::Ai];

    const fn of(text: &[u8]) -> Self {
        let mut name = [0; LONGEST];
        let mut at = 0;
        while at < text.len() && at < LONGEST {
            name[at] = text[at];
            at += 1;
        }
        Self { name }
    }

    /// Reads a name: 1 to 24 of `a-z`, `0-9`, `-` and `_`, beginning with a letter; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'-' | b'_');
        let first = text.bytes().next().is_some_and(|c| c.is_ascii_lowercase());
        (first && text.len() <= LONGEST && text.bytes().all(is_allowed)).then(|| Self::of(text.as_bytes()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.name.iter().position(|byte| *byte == 0).unwrap_or(LONGEST);
        // The name is always ASCII.
        self.name.get(..end).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default()
    }

    /// Whether the search service answers this source.
    #[must_use]
    pub fn is_service(self) -> bool {
        Self::SERVICE.contains(&self)
    }

    /// The provider that answers this source: `service`, or the name of `[providers.NAME]`.
    #[must_use]
    pub fn provider(&self) -> &str {
        if self.is_service() { SERVICE } else { self.as_str() }
    }
}

/// The provider of `social`, `web` and `ai`.
pub const SERVICE: &str = "service";

impl Source {
    /// The sort position: the service's sources first, in the order in which they are asked; the others follow by name.
    fn rank(self) -> usize {
        Self::SERVICE.iter().position(|one| *one == self).unwrap_or(Self::SERVICE.len())
    }
}

impl Ord for Source {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank()).then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for Source {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({})", self.as_str())
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for Source {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| serde::de::Error::custom(format!("`{name}` is not a source name")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn valid_source_names_round_trip_and_others_are_refused() {
        for name in ["social", "web", "ai", "hn", "my-feeds_2", "a23456789012345678901234"] {
            let source = Source::parse(name).unwrap();
            assert_eq!((source.as_str(), source.to_string()), (name, name.to_owned()));
            let json = serde_json::to_string(&source).unwrap();
            assert_eq!(serde_json::from_str::<Source>(&json).unwrap(), source);
        }
        for name in ["", "Hn", "1a", "-a", "a b", "ä", "a\0", "a234567890123456789012345"] {
            assert_eq!(Source::parse(name), None, "{name:?}");
        }
    }

    #[test]
    fn sources_of_the_service_sort_first_in_the_order_of_their_calls() {
        let mut all: Vec<Source> = ["zulu", "ai", "alpha", "web", "social"].map(|n| Source::parse(n).unwrap()).into();
        all.sort();
        assert_eq!(all.iter().map(Source::as_str).collect::<Vec<_>>(), ["social", "web", "ai", "alpha", "zulu"]);
        assert_eq!(
            all.iter().map(Source::provider).collect::<Vec<_>>(),
            ["service", "service", "service", "alpha", "zulu"]
        );
    }
}
