//! Sightings as they leave SQLite: all of a run in one text, since each row and each value that its thread hands over costs
//! more than finding it. A text of anybody's is told with its length, so that nothing in it is taken for anything else.

use std::str::FromStr;

use sqlx::Row as _;

use super::{Row, pages::Cell};
use crate::model::{Engagement, ItemTone, Kind, Source, Time, Tone, WindowFit};
use crate::store::pages::Page;
use crate::store::{SightingRow, StoreError};

/// What stands before and after the tables of sightings in a selection from runs, `p`.
pub(super) fn around(cells: &[Cell]) -> (String, &'static str) {
    let told = |(_, column, words): &Cell| {
        if *words { format!("octet_length({column}), ',', {column}") } else { format!("{column}, ','") }
    };
    let told: Vec<String> = cells.iter().map(told).collect();
    (format!("(SELECT string_agg(concat({}), '')", told.join(", ")), ") AS cells FROM p")
}

/// Reads a run.
pub(super) fn unpack(row: &Row, page: &mut Page) -> Result<(), StoreError> {
    let run: String = row.try_get("run")?;
    let topic: String = row.try_get("topic")?;
    let seen_at = Time(row.try_get::<Option<i64>, _>("started_at")?.unwrap_or_default());
    let mut cells = Cells(row.try_get::<Option<&str>, _>("cells")?.unwrap_or_default());
    let mut rows = Vec::new();
    while !cells.0.is_empty() {
        rows.push(SightingRow {
            run: run.clone(),
            topic: topic.clone(),
            seen_at,
            source: cells.word(Source::parse)?,
            rank: cells.number()?.unwrap_or_default(),
            key: cells.text()?.unwrap_or_default(),
            kind: cells.word(Kind::parse)?,
            fit: cells.word(WindowFit::parse)?,
            new: cells.number::<i64>()? == Some(1),
            published_at: cells.number()?.map(Time),
            url: cells.text()?,
            author: cells.text()?,
            title: cells.text()?,
            text: cells.text()?,
            lang: cells.text()?,
            engagement: Engagement {
                likes: cells.number()?,
                reposts: cells.number()?,
                replies: cells.number()?,
                quotes: cells.number()?,
                bookmarks: cells.number()?,
                views: cells.number()?,
            },
            cluster: cells.text()?,
            tone: ItemTone { tone: cells.maybe(Tone::parse)?, score: cells.number()?, scorer: cells.text()? },
        });
    }
    page.insert((row.try_get("place")?, run), rows);
    Ok(())
}

/// What is left of a run's text.
struct Cells<'a>(&'a str);

impl<'a> Cells<'a> {
    /// Up to the next comma.
    fn next(&mut self) -> Result<&'a str, StoreError> {
        let (cell, rest) = self.0.split_once(',').ok_or_else(unreadable)?;
        self.0 = rest;
        Ok(cell)
    }

    fn number<T: FromStr>(&mut self) -> Result<Option<T>, StoreError> {
        match self.next()? {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| unreadable()),
        }
    }

    fn maybe<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, StoreError> {
        match self.next()? {
            "" => Ok(None),
            word => parse(word).map(Some).ok_or_else(|| StoreError::unreadable(&format!("the word `{word}`"))),
        }
    }

    fn word<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
        self.maybe(parse)?.ok_or_else(unreadable)
    }

    /// As many bytes as its number says.
    fn text(&mut self) -> Result<Option<String>, StoreError> {
        let Some(bytes) = self.number::<usize>()? else { return Ok(None) };
        let (text, rest) = self.0.split_at_checked(bytes).ok_or_else(unreadable)?;
        self.0 = rest;
        Ok(Some(text.to_owned()))
    }
}

fn unreadable() -> StoreError {
    StoreError::unreadable("a sighting")
}
