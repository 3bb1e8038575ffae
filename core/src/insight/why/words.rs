//! Formats a cause as a clause to follow the sentence about the figure. Names arrive ready to show and are not parsed.

use super::{Cause, Dimension};
use crate::model::number;

/// The figure whose change is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure<'a> {
    Rise,
    Fall,
    /// The share of this tone.
    Tone(&'a str),
}

impl Cause {
    /// Returns a clause such as `most of the rise (82%) comes from one text by 13 authors (45 items); without it, the
    /// number is as usual`. `name` is the cause as it may be shown; for a text it is its words and may be empty.
    #[must_use]
    pub fn describe(&self, figure: Figure<'_>, name: &str) -> String {
        let change = match figure {
            Figure::Rise => "the rise",
            Figure::Fall => "the fall",
            Figure::Tone(_) => "the change",
        };
        // Only all is rounded to 100 %, and half is not "most".
        let hundredths = (self.part * 100.0).round().min(99.0);
        let most = if self.part > 1.0 - 1e-9 {
            format!("all of {change}")
        } else if hundredths <= 50.0 {
            format!("half of {change}")
        } else {
            format!("most of {change} ({hundredths:.0}%)")
        };
        let rest = match (self.rest_as_usual, figure) {
            (false, _) => "",
            (true, Figure::Tone(_)) => "; without it, the share is as usual",
            (true, _) => "; without it, the number is as usual",
        };
        format!(
            "{most} comes from {}{}{rest}{}",
            self.describe_name(name),
            self.how_many(figure),
            self.describe_others()
        )
    }

    /// Names the others that explain as much.
    fn describe_others(&self) -> String {
        let noun = match self.dimension {
            Dimension::Text => "text",
            Dimension::Author => "author",
            Dimension::Source => "source",
            Dimension::Term => "term",
        };
        match self.as_much {
            0 => String::new(),
            1 => format!("; 1 other {noun} explains about as much"),
            many => format!("; {many} other {noun}s explain about as much"),
        }
    }

    fn describe_name(&self, name: &str) -> String {
        let quoted = if name.is_empty() { String::new() } else { format!(", “{name}”") };
        match (self.dimension, self.authors) {
            (Dimension::Text, 0) => format!("one text{quoted}"),
            (Dimension::Text, 1) => format!("one text by 1 author{quoted}"),
            (Dimension::Text, many) => format!("one text by {} authors{quoted}", number(many)),
            (Dimension::Author, _) => format!("@{}", name.trim_start_matches('@')),
            (Dimension::Term, _) => format!("items with “{name}”"),
            (Dimension::Source, _) => format!("items found only by {name}"),
        }
    }

    fn how_many(&self, figure: Figure<'_>) -> String {
        let noun = if self.items == 1 { "item" } else { "items" };
        let items = number(self.items);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of items")]
        let usual = number(self.usual.round().max(0.0) as u64);
        match figure {
            Figure::Tone(sound) if self.items > 0 => format!(" ({} of {items} sound {sound})", number(self.sounding)),
            _ if self.dimension == Dimension::Text && self.usual < 0.5 => format!(" ({items} {noun})"),
            _ => format!(" ({items} {noun}, {usual} expected)"),
        }
    }
}
