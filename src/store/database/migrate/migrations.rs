//! The migrations of both databases, in order. `open` runs them; their SQL is in `migrations/`.

use std::borrow::Cow;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

macro_rules! migrations {
    ($folder:literal) => {
        [
            (1, "main", include_str!(concat!("../../../../migrations/", $folder, "/0001_main.sql"))),
            (2, "providers", include_str!(concat!("../../../../migrations/", $folder, "/0002_providers.sql"))),
            (
                3,
                "provider_columns",
                include_str!(concat!("../../../../migrations/", $folder, "/0003_provider_columns.sql")),
            ),
            (4, "terms", include_str!(concat!("../../../../migrations/", $folder, "/0004_terms.sql"))),
            (5, "marks", include_str!(concat!("../../../../migrations/", $folder, "/0005_marks.sql"))),
            (6, "reading", include_str!(concat!("../../../../migrations/", $folder, "/0006_reading.sql"))),
            (7, "access", include_str!(concat!("../../../../migrations/", $folder, "/0007_access.sql"))),
            (8, "thinned", include_str!(concat!("../../../../migrations/", $folder, "/0008_thinned.sql"))),
            (9, "placed", include_str!(concat!("../../../../migrations/", $folder, "/0009_placed.sql"))),
            (10, "started", include_str!(concat!("../../../../migrations/", $folder, "/0010_started.sql"))),
            (
                11,
                "first_sightings",
                include_str!(concat!("../../../../migrations/", $folder, "/0011_first_sightings.sql")),
            ),
            (
                12,
                "feed_addresses",
                include_str!(concat!("../../../../migrations/", $folder, "/0012_feed_addresses.sql")),
            ),
            (
                13,
                "suggested_marks",
                include_str!(concat!("../../../../migrations/", $folder, "/0013_suggested_marks.sql")),
            ),
        ]
    };
}

pub(in crate::store) const SQLITE: &[(i64, &str, &str)] = &migrations!("sqlite");
pub(in crate::store) const POSTGRES: &[(i64, &str, &str)] = &migrations!("postgres");

pub(in crate::store) fn migrator(steps: &[(i64, &'static str, &'static str)]) -> Migrator {
    Migrator::with_migrations(
        steps
            .iter()
            .map(|(version, name, sql)| {
                Migration::new(*version, Cow::Borrowed(name), MigrationType::Simple, (*sql).into_sql_str(), false)
            })
            .collect(),
    )
}
