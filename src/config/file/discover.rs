//! Finds the configuration file: the one that was named, or the first of the usual places.

use std::path::{Path, PathBuf};

use crate::model::Time;

/// The inputs for loading a configuration. Nothing is read from the process itself.
pub struct LoadRequest<'e> {
    pub explicit: Option<PathBuf>,
    /// The database that the command line names.
    pub database_flag: Option<String>,
    /// The option that names it, for messages: `--database`, or `--to` of `db move`.
    pub database_option: &'static str,
    /// Returns the value of an environment variable.
    pub env: &'e dyn Fn(&str) -> Option<String>,
    /// Names of the environment's variables, to warn about misspelt ones; may be empty.
    pub env_names: Vec<String>,
    /// Folder from which `--config` and the search start.
    pub cwd: PathBuf,
    /// The user's home folder, if there is one.
    pub home: Option<PathBuf>,
    /// The current time, from which hours that a schedule leaves uncovered are counted.
    pub now: Time,
    /// Whether a file without topics is valid: a worker needs none.
    pub without_topics: bool,
}

/// Name of the file in every place.
pub const FILE_NAME: &str = "jobs.toml";

/// Finds the file, or returns the places that were searched.
pub(in crate::config) fn find(request: &LoadRequest<'_>) -> Result<PathBuf, Vec<PathBuf>> {
    let named = request.explicit.clone().or_else(|| variable(request, "TOPICWATCH_CONFIG").map(PathBuf::from));
    let places = match named {
        // Take the named path even if it is not a plain file, or its folder cannot be read; reading it reports what is
        // wrong.
        Some(path) => {
            let path = request.cwd.join(path);
            return if path.try_exists().unwrap_or(true) { Ok(path) } else { Err(vec![path]) };
        }
        None => usual_places(request),
    };
    match places.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => Err(places),
    }
}

fn variable(request: &LoadRequest<'_>, name: &str) -> Option<String> {
    (request.env)(name).filter(|value| !value.is_empty())
}

fn usual_places(request: &LoadRequest<'_>) -> Vec<PathBuf> {
    let mut places = vec![request.cwd.join(FILE_NAME)];
    let folder = configuration_folder(request.env, request.home.as_deref());
    places.extend(folder.map(|folder| folder.join("topicwatch").join(FILE_NAME)));
    places.push(Path::new("/etc/topicwatch").join(FILE_NAME));
    places
}

/// Returns the folder in which the programs of a user keep their configurations.
#[must_use]
pub fn configuration_folder(env: &dyn Fn(&str) -> Option<String>, home: Option<&Path>) -> Option<PathBuf> {
    // The base directory specification: a relative XDG_CONFIG_HOME is invalid and ignored.
    let xdg = env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    xdg.or_else(|| home.map(|home| home.join(".config")))
}

/// Formats a path for people: relative to the current folder if it lies inside.
pub(in crate::config) fn display_path(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
