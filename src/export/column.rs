//! A column of an export: its name, type, unit and meaning, and how to get its cell from a row. Header, cells, JSON
//! keys, spreadsheet types and docs/reference/exports.md come from the tables in `columns/`. Each format decides how
//! to write a cell.

use std::borrow::Cow;

use crate::model::{Micros, Time, closed_list};

closed_list! {
    /// The type of the cells of a column.
    Type {
        /// Free text from outside.
        Text = "text",
        /// An id: never a number, even if it looks like one.
        Id = "id",
        /// One of a few fixed words.
        Word = "word",
        /// A whole number.
        Integer = "integer",
        /// A number with a fixed count of decimals.
        Decimal = "decimal",
        /// Dollars with six decimals.
        Money = "money",
        /// An instant, UTC.
        Time = "time",
        /// A calendar day, as `2026-03-11`.
        Date = "date",
        /// `true` or `false`.
        Flag = "flag",
    }
}

/// The value of a cell, the same for every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell<'a> {
    Empty,
    /// Free text from outside.
    Text(Cow<'a, str>),
    Id(&'a str),
    /// One of a few fixed words.
    Word(&'a str),
    /// A whole number.
    Integer(i64),
    /// A number in units of its last decimal, and its number of decimals.
    Decimal(i64, u8),
    Money(Micros),
    Time(Time),
    /// A calendar day.
    Date(&'a str),
    Flag(bool),
}

impl<'a> Cell<'a> {
    /// Text, or empty.
    pub(super) fn text(value: &'a Option<String>) -> Self {
        value.as_deref().map_or(Self::Empty, |text| Self::Text(Cow::Borrowed(text)))
    }

    /// An id, or empty.
    pub(super) fn id(value: &'a Option<String>) -> Self {
        value.as_deref().map_or(Self::Empty, Self::Id)
    }

    /// A number, or empty.
    pub(super) fn integer(value: Option<i64>) -> Self {
        value.map_or(Self::Empty, Self::Integer)
    }

    /// An instant, or empty.
    pub(super) fn time(value: Option<Time>) -> Self {
        value.map_or(Self::Empty, Self::Time)
    }

    /// A flag, or empty.
    pub(super) fn flag(value: Option<bool>) -> Self {
        value.map_or(Self::Empty, Self::Flag)
    }

    /// Whether the cell fits into a column of this type. An empty cell fits into every column.
    #[must_use]
    pub fn fits(&self, column: Type) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(_) => column == Type::Text,
            Self::Id(_) => column == Type::Id,
            Self::Word(_) => column == Type::Word,
            Self::Integer(_) => column == Type::Integer,
            Self::Decimal(..) => column == Type::Decimal,
            Self::Money(_) => column == Type::Money,
            Self::Time(_) => column == Type::Time,
            Self::Date(_) => column == Type::Date,
            Self::Flag(_) => column == Type::Flag,
        }
    }
}

/// Writes a number with decimals: -125 with three decimals is `-0.125`.
pub(super) fn decimal(units: i64, decimals: u8) -> String {
    let (sign, units, one) = (if units < 0 { "-" } else { "" }, units.unsigned_abs(), 10_u64.pow(u32::from(decimals)));
    format!("{sign}{}.{:0width$}", units / one, units % one, width = usize::from(decimals))
}

/// The description of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// The name: header of a table, key of an object.
    pub name: &'static str,
    /// The type of its cells.
    pub kind: Type,
    /// What is counted or measured; empty if the type says it.
    pub unit: &'static str,
    /// The meaning, as Markdown.
    pub meaning: &'static str,
}

/// The last column of every export.
pub(super) const ORIGIN: Heading =
    Heading { name: "origin", kind: Type::Word, unit: "", meaning: "`service`, or `SANDBOX` for invented findings" };

/// Returns the cell of a row.
type Get<R> = for<'a> fn(&'a R) -> Cell<'a>;

/// A column of one kind of rows.
pub(super) struct Column<R> {
    pub(super) heading: Heading,
    pub(super) cell: Get<R>,
}

impl<R> Column<R> {
    const fn new(kind: Type, name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self { heading: Heading { name, kind, unit: "", meaning }, cell }
    }

    pub(super) const fn text(name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self::new(Type::Text, name, meaning, cell)
    }

    pub(super) const fn id(name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self::new(Type::Id, name, meaning, cell)
    }

    pub(super) const fn word(name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self::new(Type::Word, name, meaning, cell)
    }

    pub(super) const fn integer(name: &'static str, unit: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self { heading: Heading { name, kind: Type::Integer, unit, meaning }, cell }
    }

    pub(super) const fn decimal(name: &'static str, unit: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self { heading: Heading { name, kind: Type::Decimal, unit, meaning }, cell }
    }

    pub(super) const fn money(name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self { heading: Heading { name, kind: Type::Money, unit: "USD", meaning }, cell }
    }

    pub(super) const fn time(name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self::new(Type::Time, name, meaning, cell)
    }

    pub(super) const fn date(name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self::new(Type::Date, name, meaning, cell)
    }

    pub(super) const fn flag(name: &'static str, meaning: &'static str, cell: Get<R>) -> Self {
        Self::new(Type::Flag, name, meaning, cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_whole() {
        for (units, decimals, written) in [
            (0, 3, "0.000"),
            (-125, 3, "-0.125"),
            (1_000, 3, "1.000"),
            (7, 1, "0.7"),
            (i64::MIN, 6, "-9223372036854.775808"),
        ] {
            assert_eq!(decimal(units, decimals), written);
        }
    }
}
