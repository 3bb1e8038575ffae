//! The tables of the settings page: one for each kind of entry, and an entry in a few of its own words.

use maud::{Markup, html};

use crate::draw::format::{self, number};
use crate::edit::{Entry, Jobs, KeyValue, Kind};
use crate::web::pages::topic::edit::NEW;

fn heading(kind: Kind) -> &'static str {
    match kind {
        Kind::Topic => "Topics",
        Kind::Report => "Reports",
        Kind::Alert => "Alerts",
        Kind::Export => "Exports",
        Kind::Channel => "Channels",
    }
}

/// `has_forms` is whether topics of the file have forms.
pub(in crate::web::pages) fn section(kind: Kind, rows: &[Markup], all: usize, has_forms: bool) -> Markup {
    html! { section aria-labelledby=(kind.table()) {
        h2 id=(kind.table()) { (heading(kind)) }
        @if kind == Kind::Topic && has_forms { p { a href=(NEW) { "Add a topic" } } }
        @if rows.is_empty() { p.meta { "None. " code { "[[" (kind.table()) "]]" } " in the file adds one." } } @else { div.wide { table.cards.kinds {
            caption.quiet { (heading(kind)) " in the file" }
            thead { tr { th scope="col" { "Name" } th scope="col" { "What" } th scope="col" { "State" } th scope="col" { "Actions" } } }
            tbody { @for row in rows { (row) } }
        } } }
        @if all > rows.len() { p.meta { "And " (number((all - rows.len()) as u64)) " more." @if kind == Kind::Topic { " Each topic's page links to its form." } } }
    } }
}

/// A table in a few of its own words, without addresses, which may be secrets. Right-to-left text does not change the
/// direction of other text.
pub(super) fn table_summary(jobs: &Jobs<'_>, kind: Kind, entry: &Entry) -> Markup {
    let keys: &[&str] = match kind {
        Kind::Topic => &["query", "schedule", "every"],
        Kind::Report => &["window", "schedule", "every"],
        Kind::Alert => &["rule"],
        Kind::Export => &["what", "schedule", "every"],
        Kind::Channel => &["kind"],
    };
    let words = keys.iter().filter_map(|key| match jobs.value_and_source(entry, key)?.0 {
        KeyValue::Text(text) => Some(format::line(text, 80)),
        _ => None,
    });
    let when = ["schedule", "every"];
    let own = when.iter().any(|key| jobs.value_and_source(entry, key).is_some());
    let inherited = when.iter().filter(|_| kind == Kind::Topic && !own).find_map(|key| match jobs.default(key)?.0 {
        KeyValue::Text(text) => Some(format!("{} (from [defaults])", format::line(text, 80))),
        _ => None,
    });
    html! { @for (place, part) in words.chain(inherited).enumerate() {
        @if place > 0 { " · " }
        bdi { (part) }
    } }
}
