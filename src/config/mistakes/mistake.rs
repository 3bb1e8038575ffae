//! One mistake in the configuration, with its place already cut out of the file, and the collector to which all of this
//! module reports. `render` draws mistakes.

use std::collections::HashSet;
use std::ops::Range;

use super::fault::Fault;
use super::location::{Location, one_line};
use crate::config::file::text::Text;
use crate::config::values::value::Origin;

/// Mistakes beyond this number are dropped.
const MOST_KEPT: usize = 200;

/// Whether the configuration can still be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    /// It can, but the user should know.
    Warning,
}

/// A mistake, or a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Error or warning.
    pub severity: Severity,
    /// Name of the file for people.
    pub file: String,
    /// `None` for the environment, the command line, or no particular place.
    pub place: Option<Location>,
    /// What is wrong, one line, without control characters.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl std::fmt::Display for Mistake {
    /// One line: `jobs.toml:12:3: message (hint)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}:{}: ", self.file, place.line, place.column)?;
        }
        f.write_str(&self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, " (hint: {})", self.hint) }
    }
}

/// Collects mistakes during the walk; equal ones are kept once.
pub(in crate::config) struct Mistakes<'t> {
    text: &'t Text,
    seen: HashSet<(usize, usize, String)>,
    found: Vec<(usize, Mistake)>,
    more: bool,
    quiet: HashSet<usize>,
}

impl<'t> Mistakes<'t> {
    pub(in crate::config) fn new(text: &'t Text) -> Self {
        Self { text, seen: HashSet::new(), found: Vec::new(), more: false, quiet: HashSet::new() }
    }

    /// The file's text.
    pub(in crate::config) fn text(&self) -> &'t Text {
        self.text
    }

    /// From now on, ignores mistakes in lines that already have an error: their text was misread.
    pub(in crate::config) fn quiet_lines_of_errors(&mut self) {
        self.quiet = self.found.iter().filter_map(|(_, mistake)| Some(mistake.place.as_ref()?.line)).collect();
    }

    /// Whether an error was reported.
    pub(in crate::config) fn any_error(&self) -> bool {
        self.found.iter().any(|(_, mistake)| mistake.severity == Severity::Error)
    }

    /// Reports an error at a place of the file.
    pub(in crate::config) fn at(&mut self, span: &Range<usize>, message: impl AsRef<str>, hint: impl AsRef<str>) {
        self.add(Severity::Error, Some(span), message.as_ref(), hint.as_ref());
    }

    /// Reports a warning, at a place of the file or without a place.
    pub(in crate::config) fn warn(
        &mut self,
        span: Option<&Range<usize>>,
        message: impl AsRef<str>,
        hint: impl AsRef<str>,
    ) {
        self.add(Severity::Warning, span, message.as_ref(), hint.as_ref());
    }

    /// Reports an error without a place in the file.
    pub(in crate::config) fn error_without_place(&mut self, message: impl AsRef<str>, hint: impl AsRef<str>) {
        self.add(Severity::Error, None, message.as_ref(), hint.as_ref());
    }

    /// Reports a fault where the value came from.
    pub(in crate::config) fn fault(&mut self, name: &str, origin: &Origin, fault: Fault) {
        let gap = if fault.message.starts_with(':') { "" } else { " " };
        let message = format!("`{name}`{gap}{}", fault.message);
        match origin {
            Origin::File { value, .. } => self.at(fault.at.as_ref().unwrap_or(value), message, fault.hint),
            Origin::Variable(_) | Origin::Flag(_) => {
                self.error_without_place(format!("{origin}: {message}"), fault.hint);
            }
            Origin::Default => self.error_without_place(format!("the default of {message}"), fault.hint),
        }
    }

    fn add(&mut self, severity: Severity, span: Option<&Range<usize>>, message: &str, hint: &str) {
        let (start, end) = span.map_or((0, 0), |span| (span.start, span.end));
        if span.is_some_and(|span| self.quiet.contains(&self.text.line(span.start))) {
            return;
        }
        if self.found.len() >= MOST_KEPT {
            self.more = true;
            return;
        }
        if !self.seen.insert((start, end, message.to_owned())) {
            return;
        }
        let mistake = Mistake {
            severity,
            file: self.text.display_name().to_owned(),
            place: span.map(|span| self.text.location(span)),
            message: one_line(message),
            hint: one_line(hint),
        };
        // Mistakes outside the file come first: they are the easiest to overlook.
        self.found.push((span.map_or(0, |span| span.start + 1), mistake));
    }

    /// Returns errors and warnings, each in file order.
    pub(in crate::config) fn finish(mut self) -> (Vec<Mistake>, Vec<Mistake>) {
        if self.more {
            let mistake = Mistake {
                severity: Severity::Error,
                file: self.text.display_name().to_owned(),
                place: None,
                message: format!("there are more mistakes; only {MOST_KEPT} are shown"),
                hint: String::new(),
            };
            self.found.push((usize::MAX, mistake));
        }
        self.found.sort_by_key(|(start, _)| *start);
        self.found.into_iter().map(|(_, mistake)| mistake).partition(|m| m.severity == Severity::Error)
    }
}
