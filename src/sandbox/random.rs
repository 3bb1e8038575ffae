//! Deterministic random numbers: they depend only on their seed. The same query at the same time always gets the same
//! answer, on every machine and in every release that keeps the seeds. Not for anything that must be unpredictable.

/// Numbers from a BLAKE3 output stream.
pub(crate) struct SeededRng(blake3::OutputReader);

impl SeededRng {
    /// Seeds from parts. Their lengths are hashed, too, so that `("ab", "c")` and `("a", "bc")` differ.
    pub(crate) fn new(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize_xof())
    }

    /// Seeds from a name, a seed and numbers.
    pub(crate) fn of(name: &str, seed: u64, numbers: &[i64]) -> Self {
        let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        Self::new(&[name.as_bytes(), &seed.to_le_bytes(), &numbers])
    }

    /// Returns the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Returns a number in `0..n`; 0 when `n` is 0. The bias of the remainder does not matter here.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next().checked_rem(n).unwrap_or(0)
    }

    /// Returns true once in `n` times on average.
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Returns one element of a list; `None` only when it is empty.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> Option<&'a T> {
        let at = usize::try_from(self.below(list.len() as u64)).unwrap_or(0);
        list.get(at).copied()
    }
}

/// Returns the seed of a query: equal for queries that differ only in case and white space.
pub(crate) fn seed_of(query: &str) -> u64 {
    let folded = query.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    SeededRng::new(&[b"query", folded.as_bytes()]).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_numbers_and_others_do_not() {
        let numbers = |seed| {
            let mut rng = SeededRng::of("test", seed, &[1, -2]);
            [rng.next(), rng.below(10), rng.next()]
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert_ne!(SeededRng::new(&[b"ab", b"c"]).next(), SeededRng::new(&[b"a", b"bc"]).next());
        assert_eq!(SeededRng::of("x", 0, &[]).below(0), 0);
        assert_eq!(SeededRng::of("x", 0, &[]).pick::<str>(&[]), None);
    }

    #[test]
    fn case_and_spacing_of_a_query_do_not_change_its_seed() {
        assert_eq!(seed_of("Rust  Language "), seed_of("rust language"));
        assert_ne!(seed_of("rust"), seed_of("go"));
    }
}
