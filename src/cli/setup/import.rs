//! `topic import`: appends the feeds of another program to jobs.toml as topics. The existing text never changes. The file is
//! replaced as a whole, and only by one that `check` accepts.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::run::jobs_toml::{create_replacement, lock_folder};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::{input, output};
use crate::cli::wiring::context::request;
use crate::cli::wiring::options::{Common, shell_word};
use crate::config::{self, Config, FILE_NAME, LoadError, LoadRequest};
use crate::draw::format::count_noun;
use crate::edit::Jobs;
use crate::files::{Protected, Replacement};
use crate::import::{self, ExistingEntries, Format, ImportResult, LONGEST};
use crate::model::without_secrets;

/// The most left-out addresses listed one by one.
const NAMED: usize = 20;

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// OPML, changedetection.io's list or url-watches.json, or urlwatch's urls.yaml; - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Format of the file [default: detected]
    #[arg(long, value_name = "NAME", value_parser = Format::ALL.map(|(name, _)| name))]
    pub format: Option<String>,
    /// Print the new topics instead of appending them to jobs.toml
    #[arg(long)]
    pub print: bool,
}

pub(in crate::cli) fn run(common: &Common, args: &ImportArgs, now: crate::model::Time) -> Result<Exit, Failure> {
    let display_path = output::escape_control(&args.file.display().to_string());
    let text = input::read(&args.file, LONGEST, "give the file that the other program exported")?;
    let format = match &args.format {
        Some(named) => Format::ALL.into_iter().find(|(name, _)| name == named).map(|(_, format)| format),
        None => Format::of(&text),
    };
    let format = format.ok_or_else(|| {
        let names = Format::ALL.map(|(name, _)| name).join(", ");
        Failure::usage(format!("the format of {display_path} is unknown"), format!("set --format: {names}"))
    })?;
    let entries = import::entries(&text, format);
    let entries = entries.map_err(|wrong| Failure::usage(format!("{display_path} {}", wrong.text), wrong.hint))?;
    // The file may have no topics yet.
    let request = LoadRequest { without_topics: true, ..request(common, now)? };
    let target = Target::find(&request)?;
    let mut existing = target.existing_entries();
    let mut imported = import::topics(entries.clone(), &existing);
    if !target.schedules(&imported.toml, &existing, &request) {
        existing.unscheduled = true;
        imported = import::topics(entries, &existing);
    }
    report_left_out(&imported);
    if imported.topics == 0 {
        output::print_stderr("nothing to import: no feeds found, or all are already watched");
        return Ok(Exit::Ok);
    }
    if args.print {
        output::text(imported.toml.trim_start_matches('\n'))?;
        return Ok(Exit::Ok);
    }
    target.reject_sandbox_mix(&existing, &args.file.display().to_string())?;
    let path = target.append(&imported.toml, &request)?;
    let (topics, feeds) = (count_noun(imported.topics as u64, "topic"), count_noun(imported.feeds as u64, "feed"));
    let folder = request.cwd.canonicalize().unwrap_or_else(|_| request.cwd.clone());
    let path = path.strip_prefix(folder).unwrap_or(&path);
    output::text(&format!(
        "{topics} with {feeds} appended to {}\nnext: {} && {}\n",
        output::escape_control(&path.display().to_string()),
        common.command("check"),
        common.command("once")
    ))?;
    Ok(Exit::Ok)
}

fn report_left_out(imported: &ImportResult) {
    for (url, why) in imported.left_out.iter().take(NAMED) {
        output::print_stderr(&format!("skipped: {} {why}", output::truncate(&without_secrets(url), 200)));
    }
    if imported.left_out.len() > NAMED {
        output::print_stderr(&format!("skipped: {} more", imported.left_out.len() - NAMED));
    }
}

/// The configuration that topics are appended to.
struct Target {
    path: PathBuf,
    /// Its text and the configuration it means; `None` for a new file.
    current: Option<(String, Box<Config>)>,
}

impl Target {
    fn find(request: &LoadRequest<'_>) -> Result<Self, Failure> {
        match config::load(request) {
            Ok(config) => {
                // Replace the file itself, not a link to it.
                let path = config.file.canonicalize()?;
                let text = std::fs::read_to_string(&path)?;
                Ok(Self { path, current: Some((text, Box::new(config))) })
            }
            Err(LoadError::NotFound { .. }) => {
                let named = request.explicit.clone().unwrap_or_else(|| PathBuf::from(FILE_NAME));
                Ok(Self { path: request.cwd.join(named), current: None })
            }
            Err(mistakes) => {
                output::print_stderr(
                    mistakes.render(output::is_interactive(), usize::from(output::width())).trim_end(),
                );
                Err(Failure::silent(Exit::Usage))
            }
        }
    }

    fn existing_entries(&self) -> ExistingEntries {
        let Some((_, config)) = &self.current else { return ExistingEntries::default() };
        let feeds = |kind: &str| crate::model::ProviderKind::named(kind).is_some_and(|kind| kind.needs == "urls");
        let urls = config.topics.iter().flat_map(|topic| &topic.providers).filter(|query| feeds(&query.kind));
        ExistingEntries {
            ids: config.topics.iter().map(|topic| topic.id.clone()).collect(),
            urls: urls.flat_map(|query| query.texts("urls").iter().cloned()).collect(),
            provider: config.providers.iter().find(|one| feeds(one.kind.name)).map(|one| one.name.to_string()),
            providers: config.providers.iter().map(|one| one.name.to_string()).collect::<BTreeSet<_>>(),
            unscheduled: false,
        }
    }

    /// Rejects real feeds next to the sandbox. If the provider itself is the sandbox, only warns that findings are
    /// invented.
    fn reject_sandbox_mix(&self, existing: &ExistingEntries, file: &str) -> Result<(), Failure> {
        let Some((_, config)) = &self.current else { return Ok(()) };
        let providers = config.providers.iter().map(|one| (format!("providers.{}.base_url", one.name), &one.target));
        let service = ("service.base_url".to_owned(), &config.service.target);
        let mut all = std::iter::once(service).chain(providers);
        let Some((key, _)) = all.find(|(_, target)| **target == config::Target::Sandbox) else { return Ok(()) };
        if let Some(name) = &existing.provider {
            output::print_stderr(&format!(
                "warning: provider {name} is the sandbox, so the findings of these feeds will be invented"
            ));
            return Ok(());
        }
        let place = config.effective.iter().find(|one| one.key == key).map(|one| format!("{}: ", one.origin));
        let text = format!(
            "{}`{key}` is \"sandbox\", and real feeds cannot be mixed with invented findings",
            place.unwrap_or_default()
        );
        let hint = format!(
            "use a separate file: topicwatch --config feeds.toml topic import {}; or set a real base_url there first",
            shell_word(file)
        );
        Err(Failure::usage(text, hint))
    }

    /// Returns the file's text with the new topics at its end, with the line ends of its first line.
    fn with_topics(&self, toml: &str) -> String {
        let Some((before, _)) = &self.current else { return toml.trim_start().to_owned() };
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let added = format!("{gap}{toml}");
        match Jobs::read(before) {
            Ok(jobs) => format!("{before}{}", jobs.with_line_ends(&added)),
            Err(_) => format!("{before}{added}"),
        }
    }

    /// Whether every new topic has a schedule.
    fn schedules(&self, toml: &str, existing: &ExistingEntries, request: &LoadRequest<'_>) -> bool {
        // Mistakes are reported when the file is written.
        config::load_text(&self.with_topics(toml), &self.path, request).is_ok_and(|config| {
            config.topics.iter().filter(|topic| !existing.ids.contains(&topic.id)).all(|topic| topic.schedule.is_some())
        })
    }

    /// Writes the file with the new topics, if it has not changed since it was read and `check` accepts it.
    fn append(&self, toml: &str, request: &LoadRequest<'_>) -> Result<PathBuf, Failure> {
        let path = &self.path;
        let text = self.with_topics(toml);
        config::load_text(&text, path, request).map_err(|mistakes| {
            output::print_stderr(mistakes.render(output::is_interactive(), usize::from(output::width())).trim_end());
            Failure::usage(
                "the imported topics cannot be added to the file, which was not changed",
                "use a separate file: topicwatch --config feeds.toml topic import FILE",
            )
        })?;
        let failed = |error: std::io::Error| Failure::unwritable(path, &error);
        // The pages of a daemon may change the file, too.
        let _alone = if self.current.is_some() { lock_folder(path).map_err(failed)? } else { None };
        let new = match self.current {
            Some(_) => create_replacement(path),
            None => Replacement::create(path, &Protected::databases()),
        };
        let mut new = new.map_err(failed)?;
        // Sync before the last check, because it may be slow. Only a rename follows that check.
        new.write_all(text.as_bytes()).and_then(|()| new.sync()).map_err(failed)?;
        match &self.current {
            Some((before, _)) if std::fs::read_to_string(path)? != *before => return Err(changed(path)),
            None if path.exists() => return Err(changed(path)),
            _ => {}
        }
        new.commit().map_err(failed)?;
        Ok(path.clone())
    }
}

fn changed(path: &Path) -> Failure {
    let display_path = output::escape_control(&path.display().to_string());
    Failure::usage(
        format!("{display_path} was changed by another program in the meantime; nothing was written"),
        "run the command again",
    )
}
