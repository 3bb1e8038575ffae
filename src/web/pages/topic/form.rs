//! Renders the form of a topic: its fields, each with its errors; what the topic would do and cost; and the lines to
//! copy if the file is not edited here.

use maud::{Markup, html};

use super::fields::{FIELDS, Field, Shape, TOML, Values};
use crate::draw::format::{self, number};
use crate::model::Micros;
use crate::web::jobs_file::{Diagnostic, Preview, TrialResult};
use crate::web::layout::slot;
use crate::web::page_request::link;
use crate::web::pages::items::item_view;

/// Keys that say when a topic runs: one of them is enough.
const TIMES: [&str; 2] = ["schedule", "every"];

/// Maximum number of characters of a field of one line, and of others.
const LONGEST_LINE: usize = 2_000;
const LONGEST_TEXT: usize = 12_000;

/// Where a form is checked and its lines are shown, for visitors who cannot save.
const CHECK: &str = "/jobs/check";

/// A form, its values, and what is known about them.
#[derive(Default)]
pub(in crate::web::pages) struct Form {
    /// The address it is sent to.
    pub(in crate::web::pages) path: String,
    pub(in crate::web::pages) heading: String,
    pub(in crate::web::pages) values: Values,
    /// The values of `[defaults]`, which apply if a field is empty.
    pub(in crate::web::pages) inherited: Values,
    /// The whole table, if that is what is edited.
    pub(in crate::web::pages) toml: Option<String>,
    /// The topic that it is a copy of.
    pub(in crate::web::pages) from: Option<String>,
    /// The fingerprint of the file as it was read.
    pub(in crate::web::pages) seen: String,
    /// Fingerprints of the values that were read from it.
    pub(in crate::web::pages) shown: String,
    /// The topic that it changes. Its id cannot change, because findings are filed under it.
    pub(in crate::web::pages) topic: Option<String>,
    /// Whether the `ping` of the original was left out of a copy.
    pub(in crate::web::pages) unpinged: bool,
    /// Whether its topic is no longer in the file.
    pub(in crate::web::pages) gone: bool,
    /// Whether the visitor may edit the file, and so sees all of its comments.
    pub(in crate::web::pages) edits: bool,
    /// Why nothing can be saved here, if so.
    pub(in crate::web::pages) locked: Option<String>,
    /// The errors, by key; errors about no field have none.
    pub(in crate::web::pages) wrong: Vec<(Option<&'static str>, Diagnostic)>,
    /// Whether it holds what somebody typed and the file does not have.
    pub(in crate::web::pages) typed: bool,
    /// The topic as it is in the file, if that changed meanwhile.
    pub(in crate::web::pages) changed: Option<String>,
    pub(in crate::web::pages) outlook: Option<Preview>,
    pub(in crate::web::pages) tried: Option<Result<TrialResult, Diagnostic>>,
    /// The lines of the file that were made from it.
    pub(in crate::web::pages) lines: Option<String>,
}

impl Form {
    pub(in crate::web::pages) fn markup(&self) -> Markup {
        let saves = self.locked.is_none();
        html! {
            h1 { (self.heading) }
            @if let Some(why) = &self.locked { p.note { (why) " What you type is checked, and the lines for the file are shown." } }
            @if let Some(changed) = &self.changed { div.note role="alert" {
                p { strong { "The file has changed since this page was opened." } " Nothing was saved. What you typed is below" @if self.shows_present() { "; the other fields show what the file has now" } ": check it, then save." }
                @if self.gone { p { "The topic is no longer in the file: saving adds it again, from what is below alone." } }
                @if !changed.is_empty() { details { summary { "The topic as it is in the file now" } pre { (changed) } } }
            } }
            @if self.unpinged { p.note { "Its ping is not copied: two topics that ping one address would hide each other's failures." } }
            @if !self.wrong.is_empty() { div.note role="alert" {
                p { strong.bad { "Nothing was saved. Correct this first:" } }
                ul { @for (key, wrong) in &self.wrong { li {
                    @match key { Some(key) => { a href=(format!("#{}", id(key))) { (label_of(key)) } ": " }, None => { @if let Some(line) = wrong.line { "line " (line) ": " } } }
                    (error_line(wrong))
                } } }
            } }
            form.topic method="post" action=(if saves { &self.path } else { CHECK }) data-unsaved[saves && self.typed] {
                @if let (false, Some(topic)) = (saves, &self.topic) { input type="hidden" name="topic" value=(topic); }
                input type="hidden" name="seen" value=(self.seen);
                input type="hidden" name="shown" value=(self.shown);
                @if let Some(from) = &self.from { input type="hidden" name="from" value=(from); }
                @match &self.toml {
                    Some(toml) => {
                        input type="hidden" name="as" value="toml";
                        @let errors = self.errors(TOML);
                        div.field {
                            label for=(id(TOML)) { "The topic, as in the file" }
                            textarea id=(id(TOML)) name=(TOML) rows="18" spellcheck="false" maxlength=(LONGEST_TEXT) aria-describedby=[(!errors.is_empty()).then(|| described(TOML))] aria-invalid=[(!errors.is_empty()).then_some("true")] autofocus[self.is_first_wrong(TOML)] { "\n" (toml) }
                            (problems(TOML, &errors))
                        }
                    },
                    None => {
                        @for field in FIELDS.iter().filter(|field| !field.more) { (self.field(field)) }
                        @let used = FIELDS.iter().any(|field| field.more && (self.values.contains_key(field.key) || !self.errors(field.key).is_empty()));
                        details open[used] { summary { "Filters and limits" } @for field in FIELDS.iter().filter(|field| field.more) { (self.field(field)) } }
                    }
                }
                div.actions {
                    // Enter presses the first button: it changes nothing.
                    button type="submit" name="do" value="preview" formaction=(format!("{}#preview", if saves { &self.path } else { CHECK })) { @if saves { "Check and preview" } @else { "Check and show the lines" } }
                    @if saves { button.main type="submit" name="do" value="save" { "Save" } }
                    @if self.toml.is_none() { a href=(self.as_toml()) { "Edit as TOML" } }
                }
                @if let Some(outlook) = &self.outlook { (self.outlook(outlook, saves)) }
            }
            @if let Some(lines) = &self.lines { section aria-labelledby="lines" {
                h2 #lines { @if saves { "In the file" } @else { "Lines to copy" } }
                pre { (lines) }
            } }
        }
    }

    /// Whether fields that nobody changed show what the file has now. A new topic has nothing there, and a page that was
    /// opened before an update does not say what it showed.
    fn shows_present(&self) -> bool {
        let is_in_file = self.topic.is_some() || self.from.is_some();
        is_in_file && !self.gone && self.toml.is_none() && !self.shown.is_empty()
    }

    /// The address of the same topic as lines of the file, with all its keys.
    fn as_toml(&self) -> String {
        let from = self.from.as_deref().map(|from| ("from", from));
        link(&self.path, from.into_iter().chain([("as", "toml")]))
    }

    /// Sets the errors, those of a field in the words of the form.
    pub(in crate::web::pages) fn refuse(&mut self, wrong: Vec<(Option<&'static str>, Diagnostic)>) {
        let reword = |key: Option<&str>, wrong: Diagnostic| {
            let Some(field) = FIELDS.iter().find(|field| Some(field.key) == key) else { return wrong };
            let value = self.values.get(field.key).map_or("", String::as_str).trim();
            if field.shape == Shape::Number && value.parse::<i64>().is_err() {
                let hint = "write digits only, such as 500".to_owned();
                return Diagnostic { message: format!("{value:?} is not a whole number"), hint, ..wrong };
            }
            // The label is shown before it.
            let rest = wrong.message.strip_prefix(&format!("`{}`", field.key));
            let rest = rest.map(|rest| rest.trim_start_matches(':').trim_start().to_owned());
            Diagnostic { message: rest.unwrap_or(wrong.message), ..wrong }
        };
        self.wrong = wrong.into_iter().map(|(key, wrong)| (key, reword(key, wrong))).collect();
    }

    fn errors(&self, key: &str) -> Vec<&Diagnostic> {
        self.wrong.iter().filter(|(of, _)| *of == Some(key)).map(|(_, wrong)| wrong).collect()
    }

    /// Whether it is the first field with an error: the page begins there.
    fn is_first_wrong(&self, key: &str) -> bool {
        self.wrong.iter().find_map(|(of, _)| *of) == Some(key)
    }

    /// The value that applies if a field is empty. A schedule or a period replaces the default of both.
    fn inherited(&self, field: &Field) -> Option<&str> {
        let typed = |key: &str| self.values.get(key).is_some_and(|value| !value.trim().is_empty());
        let another = TIMES.contains(&field.key) && TIMES.into_iter().any(typed);
        let inherited = self.inherited.get(field.key).map(String::as_str);
        inherited.filter(|value| !value.is_empty() && !typed(field.key) && !another)
    }

    fn field(&self, field: &Field) -> Markup {
        let value = self.values.get(field.key).map_or("", String::as_str);
        let inherited = self.inherited(field);
        let errors = self.errors(field.key);
        let (id, described) = (id(field.key), described(field.key));
        let (invalid, first) = ((!errors.is_empty()).then_some("true"), self.is_first_wrong(field.key));
        // Entries of a list may hold commas, so each has a line of its own.
        html! { div.field {
            @match field.shape {
                Shape::Flag => {
                    label { input id=(id) type="checkbox" name=(field.key) value="true" checked[value == "true"] aria-describedby=(described); " " (field.label) }
                },
                Shape::Lines => {
                    label for=(id) { (field.label) }
                    textarea id=(id) name=(field.key) rows="3" maxlength=(LONGEST_TEXT) placeholder=[inherited] aria-describedby=(described) aria-invalid=[invalid] autofocus[first] { "\n" (value) }
                },
                Shape::Line | Shape::Names | Shape::Number => {
                    label for=(id) { (field.label) }
                    @let fixed = self.topic.is_some() && field.key == "id";
                    input id=(id) name=(field.key) value=(value) maxlength=(LONGEST_LINE) autocomplete="off" placeholder=[inherited] readonly[fixed] inputmode=[(field.shape == Shape::Number).then_some("numeric")] aria-describedby=(described) aria-invalid=[invalid] autofocus[first];
                },
            }
            div id=(described) {
                span.sub { @if self.topic.is_some() && field.key == "id" { "Findings are filed under it: " code { "topicwatch topic rename" } " changes it." } @else { (field.help) } }
                @if let Some(inherited) = inherited { span.sub { "From [defaults]: " code { (format::line(inherited, 200)) } } }
                @for wrong in errors { p.bad { (error_line(wrong)) } }
            }
        } }
    }

    fn outlook(&self, outlook: &Preview, saves: bool) -> Markup {
        let forecast = &outlook.forecast;
        let mark = if forecast.upper_bound { "≤\u{a0}" } else { "" };
        // In tenths, because there may be less than one call a day.
        let tenths = forecast.most_calls.saturating_mul(10).saturating_add(15) / 30;
        html! { section aria-labelledby="preview" {
            h2 #preview { "What it would do" }
            dl.facts {
                dt { "Next slots" } dd {
                    @if outlook.next.is_empty() { @match forecast.state { "paused" => "none: it is paused", "manual" => "none: it runs only on request", _ => "none found" } }
                    @for at in &outlook.next { span.sub { (slot(*at, &outlook.timezone)) } }
                }
                dt { "Calls a day" } dd { (mark) (number((tenths / 10).unsigned_abs())) @if tenths % 10 != 0 { "." (tenths % 10) } @if forecast.may_need_fewer_calls { span.sub { "if every search needs all its calls; one that finds little needs fewer" } } }
                dt { "Cost of 30 days" } dd { @if forecast.expected.per_month > Micros(0) { (mark) } (forecast.expected.per_month.to_string()) @if forecast.may_skip_ai { span.sub { "if every run searches the AI source; with ai.when = \"new\" only those that find something new do" } } @if forecast.tries != forecast.calls { span.sub { "at most " (forecast.at_most.per_month.to_string()) " with all retries" @if forecast.may_repeat_ai { " and no daily answer" } } } }
            }
            @for warning in &outlook.warnings { p.note { "Warning: " (error_line(warning)) } }
            @if let (true, Some((source, price))) = (saves, &outlook.trial) {
                div.actions { button type="submit" name="do" value="try" formaction=(format!("{}#preview", self.path)) { "Try it: search " (source) " once, for " (price) } }
            }
            @match &self.tried {
                None => {},
                Some(Err(wrong)) => { p.note role="alert" { strong.bad { "The trial failed: " } (error_line(wrong)) } },
                Some(Ok(tried)) => (results(tried)),
            }
        } }
    }
}

fn results(tried: &TrialResult) -> Markup {
    html! {
        h3 { "Answer from " (tried.source) }
        p.meta { (number(tried.found as u64)) " found, cost " (tried.cost.to_string()) ". Nothing was stored." }
        @if tried.results.is_empty() { p { "Nothing found: try other words." } } @else { ol.found { @for result in &tried.results { li {
            p dir="auto" { (item_view::summary_line(None, Some(&result.words), 280)) }
            p.meta { (item_view::by(result.author.as_deref())) @if let Some(url) = &result.url { " · " (item_view::external_link(url, &format::line(url, 80))) } }
        } } } }
    }
}

fn error_line(wrong: &Diagnostic) -> Markup {
    html! { (format::line(&wrong.message, 400)) @if !wrong.hint.is_empty() { " – hint: " (format::line(&wrong.hint, 400)) } }
}

fn problems(key: &str, errors: &[&Diagnostic]) -> Markup {
    html! { @if !errors.is_empty() { div id=(described(key)) { @for wrong in errors { p.bad { (error_line(wrong)) } } } } }
}

/// The form's label of a key.
fn label_of(key: &str) -> &str {
    FIELDS.iter().find(|field| field.key == key).map_or("The topic", |field| field.label)
}

fn id(key: &str) -> String {
    format!("field-{key}")
}

fn described(key: &str) -> String {
    format!("about-{key}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::page_request::LARGEST_TOPIC_FORM;

    #[test]
    fn a_form_with_every_field_full_is_within_the_size_limit() {
        // A UTF-16 unit takes at most three bytes, and each of them three characters.
        const ENCODED: usize = 9;
        let longest = |field: &Field| if field.shape == Shape::Lines { LONGEST_TEXT } else { LONGEST_LINE };
        let most: usize = FIELDS.iter().map(|field| longest(field) * ENCODED).sum();
        assert!(most + 4_096 < LARGEST_TOPIC_FORM, "{most}");
    }
}
