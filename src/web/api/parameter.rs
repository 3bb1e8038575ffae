//! A parameter of an operation and its bounds.

use super::form::Form;

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    Query,
}

/// What may be given for a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Anything of so many characters at most.
    Text(usize),
    /// What is written in a form.
    Written(&'static Form),
    /// The name of a source.
    Source,
    /// One of a closed list.
    Word(fn() -> Vec<&'static str>),
    /// A whole number: least, most, and what it is when nobody says.
    Number(u32, u32, u32),
}

/// How often a parameter may be given that may be given several times.
pub(super) const MOST: usize = 50;

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) kind: Kind,
    /// Whether it may be given several times.
    pub(super) many: bool,
    /// Whether it must be given.
    pub(super) needed: bool,
    /// What it means, in a sentence.
    pub(super) meaning: &'static str,
    /// Empty where any would be wrong.
    pub(super) example: &'static str,
}

impl Parameter {
    pub(super) const fn path(name: &'static str, kind: Kind, meaning: &'static str, example: &'static str) -> Self {
        Self { name, place: Place::Path, kind, many: false, needed: true, meaning, example }
    }

    pub(super) const fn query(name: &'static str, kind: Kind, meaning: &'static str, example: &'static str) -> Self {
        Self { name, place: Place::Query, kind, many: false, needed: false, meaning, example }
    }

    pub(super) const fn many(self) -> Self {
        Self { many: true, ..self }
    }

    pub(super) const fn needed(self) -> Self {
        Self { needed: true, ..self }
    }
}
