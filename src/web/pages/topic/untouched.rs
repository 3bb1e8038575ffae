//! The fields of a form that nobody changed since it was shown. If somebody else saved meanwhile, they get the values
//! that the file has now: saved as they were shown, they would undo the other's change.

use super::fields::{FIELDS, TOML, Values, normalize_text, sent_text};
use super::form::Form;

/// Fingerprints of the values of a form as it is shown. Each depends on its key, so that a field that a later version
/// adds or moves counts as changed.
pub(super) fn fingerprints(values: &Values, toml: Option<&str>) -> String {
    let fields = FIELDS.iter().map(|field| fingerprint(field.key, &sent_text(values, field)));
    let toml = toml.map(|toml| fingerprint(TOML, &normalize_text(toml)));
    fields.chain(toml).collect::<Vec<_>>().join(" ")
}

fn fingerprint(key: &str, value: &str) -> String {
    let hash = blake3::hash(format!("{key}={value}").as_bytes());
    hash.to_hex().chars().take(16).collect()
}

/// Puts the values of `present` into the fields whose fingerprint is still among those that were `shown`.
pub(super) fn refresh(form: &mut Form, shown: &str, present: &Form) {
    let is_untouched = |key: &str, value: &str| {
        let now = fingerprint(key, value);
        shown.split(' ').any(|then| then == now)
    };
    if let (Some(toml), Some(new)) = (form.toml.as_mut(), present.toml.as_ref())
        && is_untouched(TOML, &normalize_text(toml))
    {
        toml.clone_from(new);
    }
    for field in &FIELDS {
        if !is_untouched(field.key, &sent_text(&form.values, field)) {
            continue;
        }
        match present.values.get(field.key) {
            Some(value) => form.values.insert(field.key, value.clone()),
            None => form.values.remove(field.key),
        };
    }
    form.shown.clone_from(&present.shown);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fields_that_were_left_as_shown_get_new_values() {
        let before = Values::from([("id", "a".to_owned()), ("title", "A".to_owned()), ("paused", "true".to_owned())]);
        let shown = fingerprints(&before, None);
        // As a browser sends it: the title is new, the box is still ticked, and empty fields are not there.
        let typed = Values::from([("id", "a".to_owned()), ("title", "B".to_owned()), ("paused", "true".to_owned())]);
        let mut form = Form { values: typed, ..Form::default() };
        let now = Values::from([("id", "a".to_owned()), ("title", "C".to_owned()), ("every", "6h".to_owned())]);
        let new = fingerprints(&now, None);
        let present = Form { shown: new.clone(), values: now, ..Form::default() };
        refresh(&mut form, &shown, &present);
        let expected = [("id", "a"), ("title", "B"), ("every", "6h")].map(|(key, value)| (key, value.to_owned()));
        assert_eq!(form.values, Values::from(expected));
        assert_eq!(form.shown, new);
    }
}
