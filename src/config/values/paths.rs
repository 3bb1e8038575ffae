//! Paths, also as templates: names in braces are filled in. Whatever is filled in, the path stays in its folder. The
//! caller knows what the names mean.

use std::path::{Component, Path};

use super::scalars::{check_plain, text};
use super::value::Value;
use crate::config::mistakes::fault::Fault;

const LONGEST: usize = 500;

/// Reads the path of a file in which these names may be filled in.
pub(in crate::config) fn template(value: &Value, names: &[&str], example: &str) -> Result<String, Fault> {
    let braced: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    let hint = || format!("write a path such as \"{example}\"; only {} are filled in", braced.join(", "));
    let path = text(value)?;
    check_plain(&path, LONGEST, false)?;
    let filled = braced.iter().fold(path.clone(), |path, name| path.replace(name, "x"));
    if filled.contains(['{', '}']) {
        return Err(Fault::new("contains an unknown placeholder in braces", hint()));
    }
    if filled.contains('\\') || filled.starts_with('~') {
        return Err(Fault::new(
            "contains `\\` or begins with `~`",
            "write `/` between folders; the path starts in `output_folder` of [scheduler], or in this file's folder",
        ));
    }
    if Path::new(&filled).components().any(|part| part == Component::ParentDir) {
        return Err(Fault::new("contains `..`", "name the folder directly, with an absolute path if needed"));
    }
    if filled.ends_with('/') || Path::new(&filled).file_name().is_none() {
        return Err(Fault::new("names a folder, not a file", hint()));
    }
    Ok(path)
}

/// Reads the path of a file or a folder, as it is.
pub(in crate::config) fn plain_path(value: &Value) -> Result<String, Fault> {
    let path = text(value)?;
    check_plain(&path, 4_096, false)?;
    if path.starts_with('~') {
        let hint = "write the whole path, or one relative to this file's folder";
        return Err(Fault::new("begins with `~`, which only a shell understands", hint));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_template_cannot_leave_its_folder() {
        let of = |text: &str| template(&Value::Text(text.to_owned()), &["name", "run"], "out/{name}.csv");
        for good in ["a.csv", "out/{name}-{run}.csv", "/srv/{name}/{run}.jsonl", "./x", "a..b/c"] {
            assert_eq!(of(good), Ok(good.to_owned()));
        }
        for bad in
            ["", "../a.csv", "out/../../a", "out/{date}.csv", "{name", "a\\b", "~/a", "out/", "..", "a\nb", "{name}/.."]
        {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
