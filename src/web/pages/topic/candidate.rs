//! The text that the file would have if a form were saved, and which field of the form each error is about.

use super::fields::{FIELDS, TOML, apply_values, defaults, normalize_text};
use super::form::Form;
use super::lines::{prepare_copy, restore_ping, visible_lines};
use crate::edit::{EditError, Jobs, Kind};
use crate::web::jobs_file::{Diagnostic, FileSnapshot};

/// The topic that a form is about.
#[derive(Clone, Copy)]
pub(in crate::web::pages) enum Target<'t> {
    New,
    Topic(&'t str),
}

impl Target<'_> {
    pub(super) fn existing_id(&self) -> Option<&str> {
        match self {
            Self::New => None,
            Self::Topic(id) => Some(id),
        }
    }
}

/// The text of the file with what a form says, the topic's lines in it, and its index among the topics.
pub(in crate::web::pages) struct Candidate {
    pub(in crate::web::pages) text: String,
    pub(in crate::web::pages) block: String,
    at: usize,
}

impl Candidate {
    pub(in crate::web::pages) fn of(form: &Form, target: Target<'_>, opened: &FileSnapshot) -> Result<Self, EditError> {
        let jobs = Jobs::read(&opened.text)?;
        let existing_entry = match target.existing_id().or(form.from.as_deref()) {
            Some(id) => Some(jobs.contiguous_entry(Kind::Topic, id)?),
            None => None,
        };
        let before =
            existing_entry.map_or_else(|| jobs.with_line_ends("[[topics]]"), |entry| jobs.block(entry).to_owned());
        let before = if target.existing_id().is_none() { prepare_copy(&before)?.0 } else { before };
        let block = match &form.toml {
            // Lines that were sent back as shown were not changed.
            Some(toml) if normalize_text(toml) == normalize_text(&visible_lines(&before, form.edits)) => before,
            Some(toml) => in_place_of(&before, &restore_ping(toml, &before))?,
            None => apply_values(&before, &form.values, &defaults(&jobs), jobs.paused_by_default(Kind::Topic))?,
        };
        let text = match target.existing_id() {
            Some(id) => jobs.replace(Kind::Topic, id, &block)?,
            None => jobs.append(Kind::Topic, &block)?,
        };
        let place = |id: &str| jobs.entries(Kind::Topic).position(|entry| entry.name == id);
        let at = target.existing_id().and_then(place).unwrap_or_else(|| jobs.entries(Kind::Topic).count());
        let candidate = Self { text, block, at };
        match (target.existing_id(), candidate.name()) {
            (Some(id), Some(name)) if id != name => Err(EditError {
                message: "the id cannot change here: findings are filed under it".to_owned(),
                hint: format!("keep {id:?}; `topicwatch topic rename {id} NEW` changes it"),
            }),
            _ => Ok(candidate),
        }
    }

    pub(in crate::web::pages) fn name(&self) -> Option<String> {
        let jobs = Jobs::read(&self.text).ok()?;
        jobs.entries(Kind::Topic).nth(self.at).map(|entry| entry.name.clone())
    }

    /// Assigns each error to the field that it is about.
    pub(super) fn assign_to_fields(
        &self,
        wrong: Vec<Diagnostic>,
        as_toml: bool,
    ) -> Vec<(Option<&'static str>, Diagnostic)> {
        let jobs = Jobs::read(&self.text).ok();
        let entry = jobs.as_ref().and_then(|jobs| Some((jobs, jobs.entries(Kind::Topic).nth(self.at)?)));
        let field = |wrong: &Diagnostic| {
            let (jobs, entry) = entry.as_ref()?;
            let key = jobs.key_at(entry, wrong.line?)?;
            if as_toml { Some(TOML) } else { field_of(key, &wrong.message) }
        };
        wrong.into_iter().map(|wrong| (field(&wrong), wrong)).collect()
    }
}

/// The field of a key. An error about the header of a table names the key that is missing.
fn field_of(key: &str, message: &str) -> Option<&'static str> {
    let named = |field: &str| if key.is_empty() { message.contains(&format!("`{field}`")) } else { field == key };
    FIELDS.iter().map(|field| field.key).find(|field| named(field))
}

/// Returns typed lines with the indent and the line ends of the lines that they replace, because a form sends neither.
fn in_place_of(before: &str, typed: &str) -> Result<String, EditError> {
    let indent = before.get(..before.len() - before.trim_start().len()).unwrap_or_default();
    Ok(Jobs::read(before)?.with_line_ends(&format!("{indent}{}", typed.trim_start())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn lines_edited_as_toml_keep_their_indent_and_line_ends() {
        let topic = "  [[topics]]\n  id = \"a\"\n  query = \"x\" # why\n";
        // The first line has another line end than those of the topic.
        let text = format!("# top\r\n{topic}\n[[topics]]\nid = \"b\"\n");
        let opened =
            FileSnapshot { text: text.clone(), seen: String::new(), place: "jobs.toml".to_owned(), locked: None };
        // As a form sends it: trimmed.
        let toml = topic.trim().replace("\"x\"", "\"y\"");
        let form = Form { toml: Some(toml), edits: true, ..Form::default() };
        let candidate = Candidate::of(&form, Target::Topic("a"), &opened).unwrap();
        assert_eq!(candidate.text, text.replace("\"x\"", "\"y\""));
    }
}
