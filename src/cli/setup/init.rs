//! `init`: writes the annotated example configuration. It never overwrites a file.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::environment::{env, home};
use crate::cli::wiring::options::{Common, shell_word};
use crate::config::{FILE_NAME, configuration_folder, templates};
use crate::files::Protected;
use crate::model::{KINDS, Login, ProviderKind};

#[derive(Debug, Args)]
pub struct InitArgs {
    /// File to write
    #[arg(default_value = "jobs.toml")]
    pub file: PathBuf,
    /// Sources to start with: the search service, or one without a paid key
    #[arg(long, value_name = "NAME", default_value = "service", value_parser = names())]
    pub template: String,
}

fn names() -> Vec<&'static str> {
    templates().into_iter().map(|(name, _)| name).collect()
}

pub(in crate::cli) fn run(common: &Common, args: &InitArgs) -> Result<Exit, Failure> {
    let display_path = output::escape_control(&args.file.display().to_string());
    // Even a new file can do harm: next to a database, it could be taken for one of its files.
    Protected::databases().check(&args.file).map_err(|taken| Failure::unwritable(&args.file, &taken.into()))?;
    if let Some(folder) = args.file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        create_folder(folder).map_err(|error| {
            let make = format!("mkdir -p {}", shell_word(&folder.display().to_string()));
            let folder = output::escape_control(&folder.display().to_string());
            let hint = match error.kind() {
                std::io::ErrorKind::NotFound => format!("if the path is right, create it first: {make}"),
                _ => format!("may this user write there? if so, create it first: {make}"),
            };
            Failure::new(Exit::Output, format!("the folder {folder} could not be created: {error}"), hint)
        })?;
    }
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&args.file);
    let mut file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::usage(
            format!("{display_path} already exists and was not changed"),
            "choose another file: topicwatch init FILE",
        ),
        _ => Failure::new(
            Exit::Output,
            format!("{display_path} could not be written: {error}"),
            "does the folder exist, and may this user write there?",
        ),
    })?;
    let text = templates().into_iter().find(|(name, _)| *name == args.template).map_or("", |(_, text)| text);
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| {
        // A partly written configuration would be taken for a complete one.
        let _ = std::fs::remove_file(&args.file);
        Failure::new(Exit::Output, format!("{display_path} could not be written: {error}"), "is the disk full?")
    })?;
    let named = Some(&args.file).filter(|file| *file != Path::new(FILE_NAME));
    let once = Common { config: named.cloned(), ..common.clone() }.command("once");
    let next = match args.template.as_str() {
        "service" => format!("{once} (uses the built-in sandbox; needs no key, costs nothing)"),
        name if works_as_it_is(name) => format!("{once} (needs no key, costs nothing)"),
        _ => format!("edit it as its first lines describe, then {once}"),
    };
    output::text(&format!("wrote {display_path}\nnext: {next}\n"))?;
    Ok(Exit::Ok)
}

/// Creates the folder of the file, and no folder around it, because a long path that does not exist may be a mistake.
/// Except in the folder for configurations, which a new user does not have yet.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    let of_user = configuration_folder(&env, home().as_deref());
    if of_user.is_some() && of_user.as_deref() == std::path::absolute(folder)?.parent() {
        return std::fs::create_dir_all(folder);
    }
    std::fs::create_dir(folder)
}

/// Whether a template's provider needs no login and has a known address.
fn works_as_it_is(template: &str) -> bool {
    let of = |kind: &&ProviderKind| kind.template.is_some_and(|(name, _)| name == template);
    KINDS.iter().find(of).is_some_and(|kind| kind.login == Login::Open && kind.base_url.is_some())
}
