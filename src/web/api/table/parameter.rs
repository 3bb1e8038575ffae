//! A parameter of an operation and its limits.

use crate::web::api::call::form::Form;

/// Where a parameter is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web::api) enum ParameterIn {
    Path,
    Query,
}

/// What a parameter accepts.
#[derive(Debug, Clone, Copy)]
pub(in crate::web::api) enum Kind {
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
pub(in crate::web::api) const MOST: usize = 50;

#[derive(Debug)]
pub(in crate::web::api) struct Parameter {
    pub(in crate::web::api) name: &'static str,
    pub(in crate::web::api) place: ParameterIn,
    pub(in crate::web::api) kind: Kind,
    /// Whether it may be given several times.
    pub(in crate::web::api) many: bool,
    /// Whether it must be given.
    pub(in crate::web::api) needed: bool,
    /// What it means, in a sentence.
    pub(in crate::web::api) meaning: &'static str,
    /// An example; empty if any would be wrong.
    pub(in crate::web::api) example: &'static str,
}

impl Parameter {
    pub(in crate::web::api) const fn path(
        name: &'static str,
        kind: Kind,
        meaning: &'static str,
        example: &'static str,
    ) -> Self {
        Self { name, place: ParameterIn::Path, kind, many: false, needed: true, meaning, example }
    }

    pub(in crate::web::api) const fn query(
        name: &'static str,
        kind: Kind,
        meaning: &'static str,
        example: &'static str,
    ) -> Self {
        Self { name, place: ParameterIn::Query, kind, many: false, needed: false, meaning, example }
    }

    pub(in crate::web::api) const fn many(self) -> Self {
        Self { many: true, ..self }
    }

    pub(in crate::web::api) const fn needed(self) -> Self {
        Self { needed: true, ..self }
    }
}
