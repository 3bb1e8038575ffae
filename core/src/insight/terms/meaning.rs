//! A term while terms with one meaning are merged, and how much two of them share.

use super::rises::Rise;

/// A term replaces another if it occurs in this part of the other's items.
pub(super) const EXPLAINS: f64 = 0.6;

/// A term and others with the same meaning.
pub(super) struct Meaning<'a> {
    /// Of joined pairs, the strongest: others are compared with it.
    pub(super) rise: &'a Rise<'a>,
    /// Of joined pairs, the rarest: its counts are nearest to those of the word.
    pub(super) rarest: &'a Rise<'a>,
    /// Its text; longer than the term if pairs were joined.
    pub(super) text: String,
}

impl<'a> Meaning<'a> {
    pub(super) fn of(rise: &'a Rise<'a>) -> Self {
        Self { rise, rarest: rise, text: rise.term.to_owned() }
    }

    /// Becomes one with another: the other alone if `text` is the other's, else with the higher z of both.
    pub(super) fn merge(&mut self, other: &Meaning<'a>, text: String) {
        if text == other.text {
            (self.rise, self.rarest) = (other.rise, other.rarest);
        } else if text != self.text {
            if other.rise.z > self.rise.z {
                self.rise = other.rise;
            }
            let counts = |rise: &Rise<'_>| (rise.items.len(), rise.before);
            if counts(other.rarest) < counts(self.rarest) {
                self.rarest = other.rarest;
            }
        }
        self.text = text;
    }
}

pub(super) fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// How many indexes are in both lists, which are sorted.
pub(super) fn shared(a: &[usize], b: &[usize]) -> usize {
    let (shorter, longer) = if a.len() < b.len() { (a, b) } else { (b, a) };
    shorter.iter().filter(|place| longer.binary_search(place).is_ok()).count()
}
