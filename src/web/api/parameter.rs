//! A parameter of an operation and its limits.

use super::form::Form;

/// Where a parameter is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParameterIn {
    Path,
    Query,
}

/// What a parameter accepts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A text of at most this many characters.
    Text(usize),
    /// A text in this form.
    Written(&'static Form),
    /// The name of a source.
    Source,
    /// A word of a closed list.
    Word(fn() -> Vec<&'static str>),
    /// A whole number: minimum, maximum and default.
    Number(u32, u32, u32),
}

/// How often a parameter may be given if it may be given several times.
pub(super) const MOST: usize = 50;

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) place: ParameterIn,
    pub(super) kind: Kind,
    /// Whether it may be given several times.
    pub(super) many: bool,
    /// Whether it must be given.
    pub(super) needed: bool,
    /// What it means, in a sentence.
    pub(super) meaning: &'static str,
    /// An example; empty if any would be wrong.
    pub(super) example: &'static str,
}

impl Parameter {
    pub(super) const fn path(name: &'static str, kind: Kind, meaning: &'static str, example: &'static str) -> Self {
        Self { name, place: ParameterIn::Path, kind, many: false, needed: true, meaning, example }
    }

    pub(super) const fn query(name: &'static str, kind: Kind, meaning: &'static str, example: &'static str) -> Self {
        Self { name, place: ParameterIn::Query, kind, many: false, needed: false, meaning, example }
    }

    pub(super) const fn many(self) -> Self {
        Self { many: true, ..self }
    }

    pub(super) const fn needed(self) -> Self {
        Self { needed: true, ..self }
    }
}
