//! Reads from a file with mistakes where findings are stored: a daemon goes on with the last valid file, and `health`
//! must find what it writes.

use super::file::discover::{LoadRequest, display_path, find};
use super::file::document::walk;
use super::file::text::Text;
use super::keys::Section;
use super::mistakes::mistake::Mistakes;
use super::sections::{service, storage};
use super::{DatabaseConfig, Target, environment, providers};

/// The database of a file, and what decides whether invented findings have another one.
pub struct DatabaseOnly {
    pub database: DatabaseConfig,
    /// Whether nothing names the URL.
    pub default_url: bool,
    /// Whether nothing names the schema.
    pub default_schema: bool,
    /// Whether any search goes to the embedded sandbox.
    pub sandbox: bool,
}

/// Returns the database, unless mistakes may concern it.
#[must_use]
pub fn database_only(request: &LoadRequest<'_>) -> Option<DatabaseOnly> {
    let file = find(request).ok()?;
    let text = Text::read(&file, &display_path(&file, &request.cwd)).ok()?;
    text.check_lines().ok()?;
    let dir = request.cwd.join(&file).parent().map_or_else(|| request.cwd.clone(), std::path::Path::to_path_buf);
    let mut document = walk(&mut Mistakes::new(&text));
    let mut mistakes = Mistakes::new(&text);
    for (section, table) in [(Section::Service, &mut document.service), (Section::Database, &mut document.database)] {
        environment::apply_overrides(section, table, request, &dir, &mut mistakes);
    }
    let database = storage::database(&document.database, &dir, request, &mut mistakes)?;
    let is_default = |key: &str| !document.database.values.contains_key(key);
    let (default_url, default_schema) = (is_default("url"), is_default("schema"));
    let is_named = !default_url && (database.sqlite_path().is_some() || !default_schema);
    let of_service = service::target_of(&document.service, document.broken);
    let of_providers = document.providers.iter().map(|one| providers::target_of(one, document.broken));
    let of_providers: Vec<Option<Target>> = of_providers.collect();
    let sandbox = of_providers.iter().flatten().chain(&of_service).any(|target| *target == Target::Sandbox);
    let is_read = (of_service.is_some() || !document.service.was_written("base_url"))
        && of_providers.iter().all(Option::is_some)
        && !document.has_unread_providers();
    // What could not be read may have named another one, or the sandbox, which has its own by default.
    let is_sure = is_named || !document.broken && (sandbox || is_read);
    (is_sure && !mistakes.any_error()).then_some(DatabaseOnly { database, default_url, default_schema, sandbox })
}
