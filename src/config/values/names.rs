//! Names that end up in file names, request paths and SQL: which characters they may have. A name that passes here
//! needs no quoting anywhere.

use super::scalars::text;
use super::value::Value;
use crate::config::mistakes::fault::Fault;

type Read<T> = Result<T, Fault>;

/// Reads a word of letters, digits and a few other characters, such as a platform or a model.
pub(in crate::config) fn word(value: &Value, also: &str) -> Read<String> {
    let text = text(value)?;
    let good = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
    if text.is_empty() || text.len() > 64 || !text.chars().all(good) {
        let hint = format!("up to 64 characters of A-Z, a-z, 0-9 and {}", also.escape_debug());
        return Err(Fault::new(format!("cannot be {text:?}"), hint));
    }
    Ok(text)
}

/// Reads a topic's id, or another short name.
pub(in crate::config) fn slug(value: &Value) -> Read<String> {
    const HINT: &str = "an id is up to 64 characters of a-z, 0-9, - and _, and begins with a letter or a digit";
    let text = text(value)?;
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if text.len() > 64 || !text.chars().all(good) || !text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        let lower: String = text.trim().to_lowercase().chars().map(|c| if good(c) { c } else { '-' }).collect();
        let suggestion = lower.trim_matches('-');
        let hint = if suggestion.len() > 64 || !suggestion.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            HINT.to_owned()
        } else {
            format!("{HINT}: \"{suggestion}\"")
        };
        return Err(Fault::new(format!("cannot be {text:?}"), hint));
    }
    let device = matches!(text.as_str(), "con" | "prn" | "aux" | "nul")
        || (text.len() == 4
            && (text.starts_with("com") || text.starts_with("lpt"))
            && text.ends_with(|c: char| c.is_ascii_digit()));
    if device {
        let hint = format!("file names are made from ids: choose another, such as \"{text}-topic\"");
        return Err(Fault::new(format!("cannot be {text:?}, a device name on Windows"), hint));
    }
    Ok(text)
}

/// Reads a schema name by PostgreSQL's rule for names that need no quotes.
pub(in crate::config) fn schema_name(value: &Value) -> Read<String> {
    let text = text(value)?;
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let first = |c: char| c.is_ascii_lowercase() || c == '_';
    if text.len() > 63
        || !text.starts_with(first)
        || !text.chars().all(good)
        || text.starts_with("pg_")
        || text == "information_schema"
    {
        let hint =
            "up to 63 characters of a-z, 0-9 and _, not beginning with a digit or pg_, and not information_schema";
        return Err(Fault::new(format!("cannot be {text:?}"), hint));
    }
    Ok(text)
}

/// Reads the name of an environment variable.
pub(in crate::config) fn variable_name(value: &Value) -> Read<String> {
    let name = text(value)?;
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.len() > 128 || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(good)
    {
        // Do not repeat it in the message: it may be the secret itself.
        let hint = "write the variable's name (letters, digits and _), not the secret itself";
        return Err(Fault::new("is not a valid environment variable name", hint));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn system_schema_names_are_refused() {
        assert_eq!(schema_name(&of("topicwatch_2")), Ok("topicwatch_2".to_owned()));
        for bad in ["", "Topics", "2topics", "a-b", "pg_catalog", "pg_temp", "information_schema"] {
            assert!(schema_name(&of(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn ids_are_safe_as_file_names_everywhere() {
        for good in ["a", "acme-2", "0_x", "console"] {
            assert_eq!(slug(&of(good)), Ok(good.to_owned()));
        }
        for bad in ["", "-a", "Acme", "a/b", "..", "é", "con", "com1", "lpt9", &"a".repeat(65)] {
            assert!(slug(&of(bad)).is_err(), "{bad}");
        }
        assert!(slug(&of("Acme Corp")).is_err_and(|fault| fault.hint.contains("\"acme-corp\"")));
    }
}
