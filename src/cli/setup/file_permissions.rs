//! Warns about files that other users of this machine can read or write and should not: keys, passwords, the database.

use std::path::Path;

use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::protected_files;
use crate::config;

/// Returns the warnings of `check`, one line each.
pub(in crate::cli) fn warnings(context: &Context) -> Vec<String> {
    let config = &context.config;
    let mut all = Vec::new();
    let mut secrets = protected_files::secrets(config);
    secrets.sort();
    secrets.dedup();
    let folder = config.file.parent().unwrap_or(Path::new("."));
    for file in secrets {
        // Some secret files are relative to the current folder, others to the configuration's folder.
        let file = if file.exists() { file } else { folder.join(file) };
        all.extend(readable(&file, "a secret is read from it"));
    }
    let elsewhere =
        |origin: &str| origin == "default" || origin.starts_with("environment ") || origin.starts_with("flag ");
    let from_file = config.effective.iter().any(|e| e.key == "database.url" && !elsewhere(&e.origin));
    if from_file && config::redact_url(&config.database.url) != config.database.url {
        all.extend(readable(&config.file, "it contains the database password"));
    }
    if let Some(database) = context.store_settings(false).url.strip_prefix("sqlite:").map(Path::new) {
        for ending in ["", "-wal", "-shm"] {
            let mut file = database.as_os_str().to_owned();
            file.push(ending);
            let file = Path::new(&file);
            let what = match (others_may(file, 0o004), others_may(file, 0o002)) {
                (true, true) => "read and change",
                (false, true) => "change",
                (true, false) => "read",
                (false, false) => continue,
            };
            let display_path = output::escape_control(&file.display().to_string());
            all.push(format!(
                "everyone on this machine can {what} the database {display_path} (hint: chmod 600 {display_path})"
            ));
        }
    }
    all
}

fn readable(file: &Path, why: &str) -> Option<String> {
    let display_path = output::escape_control(&file.display().to_string());
    others_may(file, 0o004).then(|| {
        format!("everyone on this machine can read {display_path}, and {why} (hint: chmod o-r {display_path})")
    })
}

/// Whether the file exists and other users have this permission.
#[cfg(unix)]
fn others_may(file: &Path, what: u32) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & what != 0)
}

#[cfg(not(unix))]
fn others_may(_: &Path, _: u32) -> bool {
    false
}
