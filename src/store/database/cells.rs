//! Many rows as one text, since each row and each value that a database hands over costs more than finding it. Cells end
//! with a comma; a text of anybody's is told with its length, so that nothing in it is taken for anything else. Which
//! cells there are is `statements/pages`'.

use std::str::FromStr;

use crate::store::StoreError;

/// What is left of such a text.
pub(crate) struct Cells<'a>(&'a str);

impl<'a> Cells<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Up to the next comma.
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

    pub(crate) fn maybe<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, StoreError> {
        match self.next()? {
            "" => Ok(None),
            word => parse(word).map(Some).ok_or_else(|| StoreError::unreadable(&format!("the word `{word}`"))),
        }
    }

    pub(crate) fn word<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
        self.maybe(parse)?.ok_or_else(unreadable)
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'a str {
        self.0
    }

    /// Passes over a cell, which is a text or not.
    pub(crate) fn pass(&mut self, words: bool) -> Result<(), StoreError> {
        if words { self.words().map(drop) } else { self.next().map(drop) }
    }

    /// As many bytes as its number says.
    fn words(&mut self) -> Result<Option<&'a str>, StoreError> {
        let Some(bytes) = self.number::<usize>()? else { return Ok(None) };
        let (text, rest) = self.0.split_at_checked(bytes).ok_or_else(unreadable)?;
        self.0 = rest;
        Ok(Some(text))
    }

    pub(crate) fn text(&mut self) -> Result<Option<String>, StoreError> {
        Ok(self.words()?.map(str::to_owned))
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
    fn cells_are_read_as_they_were_told_and_nothing_in_a_text_ends_it() {
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
    fn what_was_cut_or_is_no_number_is_refused() {
        assert!(Cells::of("12").number::<i64>().is_err() && Cells::of("x,").number::<i64>().is_err());
        assert!(Cells::of("9,short").text().is_err() && Cells::of("1,ü").text().is_err());
        assert!(Cells::of(",").word(|_| Some(1)).is_err() && Cells::of("x,").word(|_| None::<i64>).is_err());
    }
}
