//! The migrations of both databases, in order. Running them is `open`'s; what they hold is in `migrations/`.

use std::borrow::Cow;

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

macro_rules! migrations {
    ($folder:literal) => {
        [
            (1, "main", include_str!(concat!("../../../migrations/", $folder, "/0001_main.sql"))),
            (2, "read views", include_str!(concat!("../../../migrations/", $folder, "/0002_read_views.sql"))),
            (3, "next slot", include_str!(concat!("../../../migrations/", $folder, "/0003_next_slot.sql"))),
            (4, "coverage", include_str!(concat!("../../../migrations/", $folder, "/0004_coverage.sql"))),
            (5, "living", include_str!(concat!("../../../migrations/", $folder, "/0005_living.sql"))),
            (6, "shared limits", include_str!(concat!("../../../migrations/", $folder, "/0006_shared_limits.sql"))),
            (7, "budget", include_str!(concat!("../../../migrations/", $folder, "/0007_budget.sql"))),
            (9, "clusters", include_str!(concat!("../../../migrations/", $folder, "/0009_clusters.sql"))),
            (10, "changes", include_str!(concat!("../../../migrations/", $folder, "/0010_changes.sql"))),
            (11, "jobs", include_str!(concat!("../../../migrations/", $folder, "/0011_jobs.sql"))),
            (12, "item views", include_str!(concat!("../../../migrations/", $folder, "/0012_item_views.sql"))),
            (13, "cluster ages", include_str!(concat!("../../../migrations/", $folder, "/0013_cluster_ages.sql"))),
            (14, "item words", include_str!(concat!("../../../migrations/", $folder, "/0014_item_words.sql"))),
            (15, "retention", include_str!(concat!("../../../migrations/", $folder, "/0015_retention.sql"))),
            (16, "forgotten", include_str!(concat!("../../../migrations/", $folder, "/0016_forgotten.sql"))),
            (17, "editions", include_str!(concat!("../../../migrations/", $folder, "/0017_editions.sql"))),
            (20, "cluster keys", include_str!(concat!("../../../migrations/", $folder, "/0020_cluster_keys.sql"))),
            (21, "requests", include_str!(concat!("../../../migrations/", $folder, "/0021_requests.sql"))),
            (22, "topic days", include_str!(concat!("../../../migrations/", $folder, "/0022_topic_days.sql"))),
            (23, "alerts", include_str!(concat!("../../../migrations/", $folder, "/0023_alerts.sql"))),
            (24, "tally", include_str!(concat!("../../../migrations/", $folder, "/0024_tally.sql"))),
            (25, "runs by state", include_str!(concat!("../../../migrations/", $folder, "/0025_runs_by_state.sql"))),
            (26, "alert requests", include_str!(concat!("../../../migrations/", $folder, "/0026_alert_requests.sql"))),
            (27, "runs of topics", include_str!(concat!("../../../migrations/", $folder, "/0027_runs_of_topics.sql"))),
            (28, "item past", include_str!(concat!("../../../migrations/", $folder, "/0028_item_past.sql"))),
            (29, "day scorers", include_str!(concat!("../../../migrations/", $folder, "/0029_day_scorers.sql"))),
            (30, "late posts", include_str!(concat!("../../../migrations/", $folder, "/0030_late_posts.sql"))),
            (31, "pruned days", include_str!(concat!("../../../migrations/", $folder, "/0031_pruned_days.sql"))),
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
