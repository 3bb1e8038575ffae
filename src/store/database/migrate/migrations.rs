//! The migrations of both databases, in order. `open` runs them; their SQL is in `migrations/`.

use std::borrow::Cow;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

type Step = (i64, &'static str, &'static str);

pub(in crate::store) const SQLITE: &[Step] =
    &[(1, "main", include_str!("../../../../migrations/sqlite/0001_main.sql"))];
pub(in crate::store) const POSTGRES: &[Step] =
    &[(1, "main", include_str!("../../../../migrations/postgres/0001_main.sql"))];

pub(in crate::store) fn migrator(steps: &[Step]) -> Migrator {
    Migrator::with_migrations(
        steps
            .iter()
            .map(|(version, name, sql)| {
                Migration::new(*version, Cow::Borrowed(name), MigrationType::Simple, (*sql).into_sql_str(), false)
            })
            .collect(),
    )
}
