//! Money as integer micro-dollars, so that sums are exact and equal in every database. The service bills in US dollars;
//! other currencies are not supported.

/// Millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Micros(pub i64);

impl serde::Serialize for Micros {
    /// As dollars (`0.004`). Names of fields that hold it end in `_usd`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl Micros {
    /// Converts dollars as a service or a file writes them (`0.004`). `None` if negative, not finite or over one
    /// million.
    #[must_use]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        if !dollars.is_finite() || !(0.0..=1_000_000.0).contains(&dollars) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "bounded above: at most 1e12")]
        Some(Self((dollars * 1_000_000.0).round() as i64))
    }

    /// The amount in dollars, for JSON. For sums, add micros.
    #[must_use]
    pub fn dollars(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "exact to 2^53 micros, nine billion dollars")]
        let micros = self.0 as f64;
        micros / 1e6
    }

    /// The sum, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// This price `n` times, saturating.
    #[must_use]
    pub fn times(self, n: i64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl std::fmt::Display for Micros {
    /// `$0.004`: at least three decimals, more only when needed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, part) = (self.0.unsigned_abs() / 1_000_000, self.0.unsigned_abs() % 1_000_000);
        let digits = format!("{part:06}");
        let kept = digits.trim_end_matches('0').len().max(3);
        f.pad(&format!("{sign}${whole}.{}", &digits[..kept]))
    }
}

/// The cost of searches, and of those among them that were not billed in full: for at least one call, a price was assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchCost {
    pub total: Micros,
    pub assumed: Micros,
}

impl SearchCost {
    /// The sum of both parts, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { total: self.total.plus(other.total), assumed: self.assumed.plus(other.assumed) }
    }

    /// Describes the assumed part: `$0.800 assumed`, or `assumed` if it is all; `None` if there is none.
    #[must_use]
    pub fn assumed_words(self) -> Option<String> {
        match self.assumed {
            Micros(..=0) => None,
            part if part < self.total => Some(format!("{part} assumed")),
            _ => Some("assumed".to_owned()),
        }
    }
}

impl std::fmt::Display for SearchCost {
    /// `$1.200`, `$1.200 ($0.800 assumed)` or `$1.200 (assumed)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.assumed_words() {
            Some(words) => write!(f, "{} ({words})", self.total),
            None => self.total.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_says_how_much_of_it_is_assumed() {
        let told = |assumed| SearchCost { total: Micros(1_200_000), assumed: Micros(assumed) }.to_string();
        assert_eq!(told(0), "$1.200");
        assert_eq!(told(800_000), "$1.200 ($0.800 assumed)");
        assert_eq!(told(1_200_000), "$1.200 (assumed)");
    }

    #[test]
    fn dollars_are_parsed_as_whole_micros_and_shown_without_extra_digits() {
        for (dollars, micros, formatted) in
            [(0.004, 4_000, "$0.004"), (0.00015, 150, "$0.00015"), (12.5, 12_500_000, "$12.500")]
        {
            assert_eq!(Micros::from_dollars(dollars), Some(Micros(micros)));
            assert_eq!(Micros(micros).to_string(), formatted);
        }
        assert_eq!(Micros::from_dollars(f64::NAN), None);
        assert_eq!(Micros::from_dollars(-1.0), None);
        assert_eq!(Micros(-5).to_string(), "-$0.000005");
    }
}
