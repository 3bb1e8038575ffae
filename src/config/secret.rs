//! The service's key, from the environment or from a file of its owner, never from `jobs.toml`. It is not part of
//! [`super::Config`], so that printing a configuration cannot print it.

use std::path::Path;

use secrecy::SecretString;

use super::ServiceConfig;
use super::environment::read_value;
use crate::model::{SecretSource, shell_word};

/// Why there is no usable key. The texts never contain a part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

fn refused<T>(message: String, hint: String) -> Result<T, KeyError> {
    Err(KeyError { message, hint })
}

/// Reads the key: the variable named by `api_key_env`, else the file named by that variable with `_FILE` (as container
/// secrets are handed over), else `api_key_file`. One line break at the end is dropped.
///
/// # Errors
/// When there is none, when two places contradict each other, when it cannot be a header value (RFC 9110 section 5.5),
/// or when others than the owner may read `api_key_file`.
pub fn read_key(service: &ServiceConfig, env: &dyn Fn(&str) -> Option<String>) -> Result<SecretString, KeyError> {
    let variable = &service.api_key_env;
    let in_file = format!("{variable}_FILE");
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let (origin, key) = match (set(variable), set(&in_file)) {
        (Some(_), Some(_)) => {
            return refused(format!("{variable} and {in_file} are both set"), "unset one of the two".to_owned());
        }
        (Some(key), None) => {
            let key = key.strip_suffix('\n').unwrap_or(&key);
            (variable.clone(), key.strip_suffix('\r').unwrap_or(key).to_owned())
        }
        (None, Some(path)) => (in_file, from_file("key", Path::new(&path), &path)?),
        (None, None) => match &service.api_key_file {
            Some(path) => {
                let display_path = path.display().to_string();
                owner_only("key", path, &display_path)?;
                (format!("api_key_file {display_path}"), from_file("key", path, &display_path)?)
            }
            None => {
                let message = format!("no key: {variable} is not set");
                let hint = format!(
                    "export {variable}='…' (single quotes: keys can contain `$`), or set base_url = \"sandbox\" to try without a key"
                );
                return refused(message, hint);
            }
        },
    };
    if key.trim().is_empty() {
        return refused(format!("the key of {origin} is empty"), "put only the key there".to_owned());
    }
    if key.len() > 4_096 {
        return refused(format!("the key of {origin} is longer than 4096 bytes"), "is it the right file?".to_owned());
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!("the key of {origin} contains a space, a line break or a non-ASCII character");
        return refused(message, "put the bare key there: one line, no quotes, no `Bearer`".to_owned());
    }
    Ok(SecretString::from(key))
}

/// Reads another secret, such as a mail password: from its variable, else from the file named by that variable with
/// `_FILE`, else from its file. `what` names it in messages.
///
/// # Errors
/// Like [`read_key`], except that only control characters are refused.
pub fn read_secret(
    what: &str,
    place: &SecretSource,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<SecretString, KeyError> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    // `token` of "token of the pages".
    let noun = what.split(' ').next().unwrap_or(what);
    let secret = match (&place.variable, &place.file) {
        (Some(variable), _) => {
            let in_file = format!("{variable}_FILE");
            match (set(variable), set(&in_file)) {
                (Some(_), Some(_)) => {
                    return refused(
                        format!("{variable} and {in_file} are both set"),
                        "unset one of the two".to_owned(),
                    );
                }
                (Some(value), None) => value.trim_end_matches(['\r', '\n']).to_owned(),
                (None, Some(path)) => from_file(noun, Path::new(&path), &path)?,
                (None, None) => {
                    return refused(format!("no {what}: {variable} is not set"), format!("export {variable}='…'"));
                }
            }
        }
        (None, Some(path)) => {
            let display_path = path.display().to_string();
            owner_only(noun, path, &display_path)?;
            from_file(noun, path, &display_path)?
        }
        (None, None) => return refused(format!("no {what} is configured"), String::new()),
    };
    if secret.is_empty() || secret.len() > 4_096 || secret.chars().any(char::is_control) {
        let message = format!("the {what} is empty, longer than 4096 bytes, or contains control characters");
        return refused(message, format!("put only the {what} there, on one line"));
    }
    Ok(SecretString::from(secret))
}

fn from_file(noun: &str, path: &Path, display_path: &str) -> Result<String, KeyError> {
    let hint = || "check the path and its permissions".to_owned();
    read_value(path).or_else(|why| refused(format!("the {noun} file {display_path} {why}"), hint()))
}

#[cfg(unix)]
fn owner_only(noun: &str, path: &Path, display_path: &str) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;
    // A file without readable metadata cannot be read either; reading it reports why.
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return refused(
            format!("other users can read the {noun} file {display_path} (mode {mode:04o})"),
            format!("chmod 600 {}", shell_word(display_path)),
        );
    }
    Ok(())
}

#[cfg(not(unix))]
fn owner_only(_: &str, _: &Path, _: &str) -> Result<(), KeyError> {
    Ok(())
}
