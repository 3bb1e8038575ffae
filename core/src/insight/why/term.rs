//! A trending term as a possible cause: how many items usually contain it. `volume` and `tone` judge it.

use std::collections::BTreeSet;

use super::{DayItems, Term, groups, to_f64};

impl<'a> Term<'a> {
    /// A term and the period's items that contain it. `expected` of its `texts` were expected to contain it; `usual` is
    /// the usual number of items of such a day.
    #[must_use]
    pub fn of(
        term: &'a str,
        keys: BTreeSet<&'a str>,
        (expected, texts): (f64, u64),
        now: &DayItems<'a>,
        usual: f64,
    ) -> Self {
        let mut term = Self { term, keys, expected: 0.0 };
        let share_now = to_f64(groups::with_term(now, &term).count()) / to_f64(now.items.len().max(1));
        #[expect(clippy::cast_precision_loss, reason = "counts of texts")]
        let part = expected / texts.max(1) as f64;
        term.expected = share_now * part.clamp(0.0, 1.0) * usual;
        term
    }
}
