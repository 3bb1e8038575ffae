//! `[database]` and `[scheduler]`: where findings are kept, and how runs share a process.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use url::Url;

use crate::config::file::discover::LoadRequest;
use crate::config::file::key_reader::Reader;
use crate::config::keys::Section;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::mistakes::suggest::nearest;
use crate::config::values::names::schema_name;
use crate::config::values::paths::plain_path;
use crate::config::values::scalars::{duration, text, unknown_choice};
use crate::config::values::value::{Origin, Table};
use crate::config::{DatabaseConfig, SchedulerConfig};
use crate::model::Engine;

/// Reads `[database]`. A relative SQLite path starts at the file's folder; on the command line, at the current folder.
pub(in crate::config) fn database(
    table: &Table,
    dir: &Path,
    request: &LoadRequest<'_>,
    mistakes: &mut Mistakes<'_>,
) -> Option<DatabaseConfig> {
    let reader = Reader { section: Section::Database, tables: &[table] };
    let typed = reader.written("url").is_some_and(|setting| matches!(setting.origin, Origin::Flag(_)));
    let dir = if typed { &request.cwd } else { dir };
    let url = reader.read(mistakes, "url", |value| database_url(&text(value)?, dir));
    let schema = reader.read(mistakes, "schema", schema_name);
    Some(DatabaseConfig { url: url?, schema: schema? })
}

/// Reads `[scheduler]`; `database` holds the ledger, if it is known.
pub(in crate::config) fn scheduler(
    table: &Table,
    database: Option<&DatabaseConfig>,
    mistakes: &mut Mistakes<'_>,
) -> Option<SchedulerConfig> {
    let reader = Reader { section: Section::Scheduler, tables: &[table] };
    let seconds = Duration::from_secs;
    let runs = reader.count(mistakes, "max_concurrent_runs");
    let lease = reader.read(mistakes, "lease", |value| duration(value, seconds(1), seconds(3_600)));
    let grace = reader.read(mistakes, "shutdown_grace", |value| duration(value, seconds(0), seconds(3_600)));
    let on_file = database.is_some_and(|database| database.sqlite_path().is_some());
    let engine = reader.read(mistakes, "engine", |value| engine(&text(value)?, on_file));
    Some(SchedulerConfig { max_concurrent_runs: runs?, lease: lease?, shutdown_grace: grace?, engine: engine? })
}

/// Returns the folder in which relative paths of reports and exports start: `output_folder`, or that of the file.
pub(in crate::config) fn output_folder(table: &Table, dir: &Path, mistakes: &mut Mistakes<'_>) -> PathBuf {
    let reader = Reader { section: Section::Scheduler, tables: &[table] };
    let folder = reader.written("output_folder").and_then(|_| reader.read(mistakes, "output_folder", plain_path));
    folder.map_or_else(|| dir.to_owned(), |folder| dir.join(folder))
}

/// Parses the engine. Any other than the ledger needs PostgreSQL and a build that includes it.
fn engine(text: &str, on_file: bool) -> Result<Engine, Fault> {
    const HINT: &str = "remove `engine`: the ledger itself distributes runs between processes";
    let names: Vec<&'static str> = Engine::ALL.iter().map(|engine| engine.as_str()).collect();
    match Engine::parse(text) {
        None => Err(unknown_choice(text, &names)),
        Some(Engine::Graphile) if on_file => Err(Fault::new("cannot be \"graphile\" on SQLite", HINT)),
        Some(Engine::Graphile) if !cfg!(feature = "graphile") => Err(Fault::new(
            "cannot be \"graphile\": this program was built without it",
            format!("build with --features graphile, or {HINT}"),
        )),
        Some(engine) => Ok(engine),
    }
}

/// Checks a database URL. A relative SQLite path becomes absolute, below `dir`. Messages never repeat the text: it may
/// hold a password.
fn database_url(text: &str, dir: &Path) -> Result<String, Fault> {
    const HINT: &str = "write \"sqlite:topicwatch.db\" or \"postgres://USER@HOST/NAME\"";
    if text.chars().any(char::is_control) {
        return Err(Fault::new("contains a control character", HINT));
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        let hint = if text.is_empty() || text.contains(['@', '=']) {
            HINT.to_owned()
        } else {
            format!("did you mean \"sqlite:{text}\"?")
        };
        return Err(Fault::new("does not name a kind of database", hint));
    };
    match scheme {
        "sqlite" => sqlite(rest, dir),
        "postgres" | "postgresql" if !rest.starts_with("//") => {
            let hint = "write \"postgres://USER@HOST/NAME\", with both slashes";
            Err(Fault::new(format!("has no `//` after `{scheme}:`"), hint))
        }
        "postgres" | "postgresql" => {
            let hint =
                "write \"postgres://USER@HOST/NAME\"; in a password, write / @ : # ? % as %2F %40 %3A %23 %3F %25";
            let url = Url::parse(text).map_err(|error| Fault::new(format!("is not a valid URL: {error}"), hint))?;
            if url.fragment().is_some() {
                return Err(Fault::new("contains `#`, which ends a URL", hint));
            }
            Ok(text.to_owned())
        }
        other => {
            let hint = match nearest(other, ["sqlite", "postgres", "postgresql"]) {
                Some(suggestion) => format!("did you mean `{suggestion}:`?"),
                None => format!("SQLite and PostgreSQL are supported: {HINT}"),
            };
            Err(Fault::new("names an unsupported kind of database", hint))
        }
    }
}

fn sqlite(rest: &str, dir: &Path) -> Result<String, Fault> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let refused = |message: &str, hint: &str| Err(Fault::new(message, hint));
    if path.is_empty() {
        return refused("does not name a file", "write \"sqlite:topicwatch.db\"");
    }
    if path.contains(":memory:") {
        return refused("would lose everything at exit", "name a file: \"sqlite:topicwatch.db\"");
    }
    if path.contains('?') {
        return refused("contains parameters", "write the path only: the program decides how to open the file");
    }
    if path.starts_with('~') {
        return refused("begins with `~`, which only a shell understands", "write the whole path, or a relative one");
    }
    if path.ends_with('/') {
        return refused("names a folder", "name a file in it");
    }
    let path = drop_dot_components(&dir.join(path));
    match path.to_str() {
        Some(path) => Ok(format!("sqlite:{path}")),
        None => refused("is in a folder whose name is not UTF-8", "write an absolute path"),
    }
}

/// Drops `.` components, to make the path readable; `..` stays because of symbolic links.
fn drop_dot_components(path: &Path) -> PathBuf {
    path.components().filter(|component| !matches!(component, Component::CurDir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_paths_are_resolved_and_unsupported_urls_refused_without_password() {
        let dir = Path::new("/etc/topicwatch");
        for (url, resolved) in [
            ("sqlite:topicwatch.db", "sqlite:/etc/topicwatch/topicwatch.db"),
            ("sqlite://./data/t.db", "sqlite:/etc/topicwatch/data/t.db"),
            ("sqlite:///var/lib/t.db", "sqlite:/var/lib/t.db"),
            ("sqlite:/var/lib/t.db", "sqlite:/var/lib/t.db"),
            ("postgres://me:pw@db/topics", "postgres://me:pw@db/topics"),
            ("postgresql:///topics?host=/run/postgresql", "postgresql:///topics?host=/run/postgresql"),
        ] {
            assert_eq!(database_url(url, dir), Ok(resolved.to_owned()), "{url}");
        }
        for url in [
            "",
            "topicwatch.db",
            "sqlite:",
            "sqlite::memory:",
            "sqlite:t.db?mode=ro",
            "sqlite:~/t.db",
            "sqlite:data/",
            "mysql://me@db/t",
            "postgres:topics",
            "postgres:/me:hunter2@db/t",
            "postgresql:me:hunter2@db/t",
            "postgres:/me@db/t?password=hunter2",
            "postgres://me:hunter/2@db/t",
            "redis://hunter2",
            "host=db user=me password=hunter2",
        ] {
            let fault = database_url(url, dir);
            assert!(fault.is_err(), "{url}");
            assert!(!format!("{fault:?}").contains("hunter"), "{fault:?}");
        }
    }
}
