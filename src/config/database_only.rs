//! Reads from a file with mistakes where findings are stored: a daemon goes on with the last valid file, and `health` must
//! find what it writes.

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
    // What could not be read may have named another one.
    if mistakes.any_error() || document.broken && is_default("url") {
        return None;
    }
    let of_providers = document.providers.iter().filter_map(|one| providers::target_of(one, document.broken));
    let mut targets = service::target_of(&document.service, document.broken).into_iter().chain(of_providers);
    Some(DatabaseOnly {
        database,
        default_url: is_default("url"),
        default_schema: is_default("schema"),
        sandbox: targets.any(|target| target == Target::Sandbox),
    })
}
