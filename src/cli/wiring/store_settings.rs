//! Where findings are stored. Invented ones go to a database of their own unless one is named.

use crate::config::DatabaseOnly;
use crate::store::Settings;

/// Returns the settings for an existing database whose origin is not known.
pub(in crate::cli) fn store_settings(found: DatabaseOnly) -> Settings {
    let DatabaseOnly { database, default_url, default_schema, sandbox } = found;
    let (mut url, mut schema) = (database.url, database.schema);
    if sandbox && default_url {
        url = url.strip_suffix(".db").map_or(url.clone(), |stem| format!("{stem}-sandbox.db"));
    }
    if sandbox && default_schema {
        schema.push_str("_sandbox");
    }
    Settings { url, schema, origin: None, create: false }
}
