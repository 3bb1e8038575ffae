//! A term while terms with one meaning are merged, and how much two of them share.

use super::rises::Rise;

/// A term replaces another if it occurs in this part of the other's items.
pub(super) const EXPLAINS: f64 = 0.6;

/// A term and others with the same meaning.
pub(super) struct Meaning<'a> {
    /// The strongest of joined pairs: others are compared with it.
    pub(super) rise: &'a Rise<'a>,
    /// The rarest of joined pairs: its counts are nearest to those of the word.
    pub(super) rarest: &'a Rise<'a>,
    /// Its text; longer than the term if pairs were joined.
    pub(super) text: String,
    /// The joined pairs.
    pieces: Vec<&'a Rise<'a>>,
}

impl<'a> Meaning<'a> {
    pub(super) fn of(rise: &'a Rise<'a>) -> Self {
        Self { rise, rarest: rise, text: rise.term.to_owned(), pieces: vec![rise] }
    }

    /// Becomes one with another: the other alone if `text` is the other's, else with the higher z of both.
    pub(super) fn merge(&mut self, other: &Meaning<'a>, text: String) {
        if text == other.text {
            (self.rise, self.rarest) = (other.rise, other.rarest);
            self.pieces.clone_from(&other.pieces);
        } else if text != self.text {
            self.pieces.extend(&other.pieces);
            self.choose_pieces(self.rise, self.rarest);
        }
        self.text = text;
    }

    /// Becomes a part of its text, with the pairs that are in it. Returns whether any is.
    pub(super) fn shorten(&mut self, text: String) -> bool {
        self.pieces.retain(|piece| text.contains(piece.term));
        let Some(first) = self.pieces.first().copied() else { return false };
        self.choose_pieces(first, first);
        self.text = text;
        true
    }

    /// Chooses the strongest and the rarest pair; of equals, the given ones.
    fn choose_pieces(&mut self, strongest: &'a Rise<'a>, rarest: &'a Rise<'a>) {
        let counts = |rise: &Rise<'_>| (rise.items.len(), rise.before);
        (self.rise, self.rarest) = (strongest, rarest);
        for piece in self.pieces.iter().copied() {
            if piece.z > self.rise.z {
                self.rise = piece;
            }
            if counts(piece) < counts(self.rarest) {
                self.rarest = piece;
            }
        }
    }
}

pub(super) fn to_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// How many indexes are in both lists, which are sorted.
pub(super) fn shared(a: &[usize], b: &[usize]) -> usize {
    let (shorter, longer) = if a.len() < b.len() { (a, b) } else { (b, a) };
    shorter.iter().filter(|place| longer.binary_search(place).is_ok()).count()
}
