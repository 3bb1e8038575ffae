//! Decodes many rows packed into one text, because every row and value that a database returns costs more than finding
//! it. Cells end with a comma. Free text is preceded by its length in bytes, so nothing in it is taken for a separator.
//! The statements under `sql/` define which cells there are.

use std::str::FromStr;

use crate::store::StoreError;

/// The part of such a text that is not read yet.
pub(crate) struct Cells<'a>(&'a str);

impl<'a> Cells<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the cell up to the next comma.
    fn next(&mut self) -> Result<&'a str, StoreError> {
        let (cell, rest) = self.0.split_once(',').ok_or_else(unreadable)?;
        self.0 = rest;
        Ok(cell)
    }

    pub(crate) fn number<T: FromStr>(&mut self) -> Result<Option<T>, StoreError> {
        match self.next()? {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| unreadable()),
        }
    }

    pub(crate) fn optional_word<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, StoreError> {
        match self.next()? {
            "" => Ok(None),
            word => parse(word).map(Some).ok_or_else(|| StoreError::unreadable(&format!("the value `{word}`"))),
        }
    }

    pub(crate) fn word<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
        self.optional_word(parse)?.ok_or_else(unreadable)
    }

    /// Returns what is not read yet.
    pub(crate) fn rest(&self) -> &'a str {
        self.0
    }

    /// Skips a cell; `text_slice` says whether it is a text with a length.
    pub(crate) fn skip(&mut self, words: bool) -> Result<(), StoreError> {
        if words { self.text_slice().map(drop) } else { self.next().map(drop) }
    }

    /// Reads a text of the length in bytes that comes before it.
    fn text_slice(&mut self) -> Result<Option<&'a str>, StoreError> {
        let Some(bytes) = self.number::<usize>()? else { return Ok(None) };
        let (text, rest) = self.0.split_at_checked(bytes).ok_or_else(unreadable)?;
        self.0 = rest;
        Ok(Some(text))
    }

    pub(crate) fn text(&mut self) -> Result<Option<String>, StoreError> {
        Ok(self.text_slice()?.map(str::to_owned))
    }
}

pub(crate) fn unreadable() -> StoreError {
    StoreError::unreadable("a sighting")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn cells_are_read_back_and_text_may_contain_separators() {
        let mut cells = Cells::of("12,,5,a,b;c0,4,ü,,word,");
        assert_eq!((cells.number().unwrap(), cells.number::<i64>().unwrap()), (Some(12), None));
        assert_eq!(cells.text().unwrap().unwrap(), "a,b;c");
        assert_eq!(
            (cells.text().unwrap().unwrap(), cells.text().unwrap().unwrap()),
            (String::new(), "ü,,".to_owned()[..4].to_owned())
        );
        assert_eq!(cells.word(|word| (word == "word").then_some(1)).unwrap(), 1);
        assert!(cells.is_empty());
    }

    #[test]
    fn cut_cells_and_invalid_numbers_are_refused() {
        assert!(Cells::of("12").number::<i64>().is_err() && Cells::of("x,").number::<i64>().is_err());
        assert!(Cells::of("9,short").text().is_err() && Cells::of("1,ü").text().is_err());
        assert!(Cells::of(",").word(|_| Some(1)).is_err() && Cells::of("x,").word(|_| None::<i64>).is_err());
    }
}
