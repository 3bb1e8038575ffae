//! Overrides: the command line wins over the environment, and the environment over the file. Every key of a section
//! that occurs once has a variable `TOPICWATCH_SECTION_KEY`, and one with `_FILE` for a file that holds the value. An
//! empty variable counts as unset, because compose files cannot unset one.

use std::path::Path;

use super::Effective;
use super::file::discover::LoadRequest;
use super::keys::{KEYS, Section, of};
use super::mistakes::mistake::Mistakes;
use super::mistakes::redact::redact_url;
use super::mistakes::suggest::nearest;
use super::values::value::{ConfigValue, Origin, Table, Value};

/// The largest file that a `_FILE` variable may name.
const LARGEST_VALUE: u64 = 64 * 1024;
/// Variables of this program that override no key.
const OTHERS: [&str; 4] =
    ["TOPICWATCH_CONFIG", "TOPICWATCH_API_KEY", "TOPICWATCH_API_KEY_FILE", "TOPICWATCH_TEST_DATA"];
/// Prefix of this program's variables.
const PREFIX: &str = "TOPICWATCH_";

/// Applies the environment and the command line to one section of the file.
pub(super) fn apply_overrides(
    section: Section,
    table: &mut Table,
    request: &LoadRequest<'_>,
    dir: &Path,
    mistakes: &mut Mistakes<'_>,
) {
    let set = |name: &str| (request.env)(name).filter(|value| !value.is_empty());
    for key in of(section) {
        let Some(variable) = key.variable() else { continue };
        let in_file = format!("{variable}_FILE");
        let (value, origin) = match (set(&variable), set(&in_file)) {
            (Some(_), Some(_)) => {
                let message = format!("{variable} and {in_file} are both set");
                mistakes.error_without_place(message, "unset one of the two");
                continue;
            }
            (Some(value), None) => (value, variable),
            (None, Some(path)) => match read_value(&dir.join(path)) {
                Ok(value) => (value, in_file),
                Err(why) => {
                    mistakes.error_without_place(
                        format!("{in_file} names a file that {why}"),
                        "check the path and its permissions",
                    );
                    continue;
                }
            },
            (None, None) => continue,
        };
        table.values.insert(key.name, ConfigValue { value: Value::Text(value), origin: Origin::Variable(origin) });
    }
    if let (Section::Database, Some(url)) = (section, &request.database_flag) {
        let setting = ConfigValue { value: Value::Text(url.clone()), origin: Origin::Flag(request.database_option) };
        table.values.insert("url", setting);
    }
}

/// Reads a short text file; one line break at the end is dropped.
pub(super) fn read_value(path: &Path) -> Result<String, String> {
    use std::io::Read;
    let file = std::fs::File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mut text = String::new();
    file.take(LARGEST_VALUE + 1).read_to_string(&mut text).map_err(|error| format!("cannot be read: {error}"))?;
    if text.len() as u64 > LARGEST_VALUE {
        return Err(format!("is larger than {} KiB", LARGEST_VALUE / 1024));
    }
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

/// Warns about variables that were probably meant for this program but do nothing.
pub(super) fn warn_of_typos(
    request: &LoadRequest<'_>,
    api_key_env: Option<&str>,
    named: &[&str],
    mistakes: &mut Mistakes<'_>,
) {
    let mut known: Vec<String> = OTHERS.into_iter().map(str::to_owned).collect();
    for variable in KEYS.iter().filter_map(super::keys::Key::variable) {
        known.push(format!("{variable}_FILE"));
        known.push(variable);
    }
    for variable in api_key_env.iter().chain(named) {
        known.push((*variable).to_owned());
        known.push(format!("{variable}_FILE"));
    }
    let mut unknown: Vec<&String> =
        request.env_names.iter().filter(|name| name.starts_with(PREFIX) && !known.contains(name)).collect();
    unknown.sort();
    unknown.dedup();
    for name in unknown {
        let rest = name.strip_prefix(PREFIX).unwrap_or_default();
        if rest.starts_with("PROVIDERS_") || rest.starts_with("DEFAULTS_") {
            let hint =
                "write it into jobs.toml; variables override [service], [database], [scheduler], [retention] and [web]";
            mistakes.warn(None, format!("the environment variable {name} has no effect"), hint);
            continue;
        }
        let near =
            nearest(name, known.iter().map(String::as_str)).map(|suggestion| format!("did you mean `{suggestion}`?"));
        let has_known_section =
            ["SERVICE_", "DATABASE_", "SCHEDULER_", "RETENTION_", "WEB_"].iter().any(|part| rest.starts_with(part));
        let hint = match near {
            Some(hint) => hint,
            None if name.ends_with("_KEY") || name.ends_with("_TOKEN") => {
                const NAMED: &str = "by keys that end in `_env`";
                match api_key_env {
                    Some(variable) => {
                        format!("the key of [service] is read from {variable}; the file names other variables, {NAMED}")
                    }
                    None => format!("the file names such variables, {NAMED}"),
                }
            }
            None if rest == "LOG" => "logging is set by RUST_LOG, such as RUST_LOG=topicwatch=debug".to_owned(),
            None if has_known_section => "`topicwatch check` shows every key in effect".to_owned(),
            // Other tools may have variables of their own here.
            None => continue,
        };
        mistakes.warn(None, format!("the environment variable {name} has no effect"), hint);
    }
}

/// Returns the keys of a section that have a value, with their origins. `amend` holds values that do not come from what
/// was written.
pub(super) fn effective(
    section: Section,
    table: &Table,
    amend: &[(&str, String)],
    file: &super::file::text::Text,
) -> Vec<Effective> {
    effective_named(section, section.as_str(), table, amend, file)
}

/// Like [`effective`], but under another name than the section's.
pub(super) fn effective_named(
    section: Section,
    name: &str,
    table: &Table,
    amend: &[(&str, String)],
    file: &super::file::text::Text,
) -> Vec<Effective> {
    let mut list = Vec::new();
    for key in of(section) {
        let (configured, origin) = match table.values.get(key.name) {
            Some(setting) => {
                let origin = match &setting.origin {
                    Origin::File { key, .. } => format!("{}:{}", file.display_name(), file.line(key.start)),
                    other => other.to_string(),
                };
                (Some(setting.value.clone()), origin)
            }
            None => (key.default.and_then(Value::of_default), Origin::Default.to_string()),
        };
        let amended = amend.iter().find(|(name, _)| *name == key.name).map(|(_, value)| Value::Text(value.clone()));
        let Some(value) = amended.or(configured) else { continue };
        let value = match value {
            Value::Text(text) => Value::Text(redact_url(&text)),
            other => other,
        };
        list.push(Effective { key: format!("{name}.{}", key.name), value: value.to_toml(), origin });
    }
    list
}
