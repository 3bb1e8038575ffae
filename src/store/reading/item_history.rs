//! Finds the version of an item at the end of a run: the content before the first later change.
//! `items/sql/item_history` reads and writes the changes.

use crate::model::Time;
use crate::store::StoreError;
use crate::store::database::cells::Cells;

/// The fields of an item that exports show with each run that saw it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) struct ItemVersion {
    pub(in crate::store) url: Option<String>,
    pub(in crate::store) author: Option<String>,
    pub(in crate::store) author_name: Option<String>,
    pub(in crate::store) title: Option<String>,
    pub(in crate::store) text: Option<String>,
    pub(in crate::store) lang: Option<String>,
    pub(in crate::store) published_at: Option<Time>,
}

/// Returns the version of an item at the end of the run with this number; `None` if no later run changed it. `history`
/// is in the order of the changes; a run without a number is later than any.
pub(in crate::store) fn version_at(history: &str, seq: i64) -> Result<Option<ItemVersion>, StoreError> {
    let mut cells = Cells::of(history);
    while !cells.is_empty() {
        let changed: Option<i64> = cells.number()?;
        if changed.is_none_or(|changed| changed > seq) {
            return Ok(Some(ItemVersion {
                url: cells.text()?,
                author: cells.text()?,
                author_name: cells.text()?,
                title: cells.text()?,
                text: cells.text()?,
                lang: cells.text()?,
                published_at: cells.number()?.map(Time),
            }));
        }
        for words in [true, true, true, true, true, true, false] {
            cells.skip(words)?;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn the_first_later_change_gives_the_earlier_version() {
        let text =
            |history: &str, seq| version_at(history, seq).unwrap().map(|version| version.text.unwrap_or_default());
        // Changed by the runs 5, 4 (which ended later, and was readable before) and 9, and by one that is not readable
        // yet.
        let history = "5,,,,,3,one,7,4,,,,,3,two,,9,,,,,5,three,,,,,,,4,four,,";
        for (seq, before) in [(3, "one"), (4, "one"), (5, "three"), (8, "three"), (9, "four"), (100, "four")] {
            assert_eq!(text(history, seq), Some(before.to_owned()), "{seq}");
        }
        assert_eq!(text("5,,,,,3,one,,", 5), None, "as it is now");
        assert_eq!(text("", 5), None);
        assert_eq!(version_at(history, 1).unwrap().unwrap().published_at, Some(Time(7)));
        assert!(version_at("5,,,", 1).is_err());
    }
}
