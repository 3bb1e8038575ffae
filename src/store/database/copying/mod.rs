//! Copies a database to the other kind, table by table, and compares both. The target is marked as unfinished until
//! every table is compared, and no other command opens it before that. An interrupted copy resumes where it stopped.

pub(in crate::store) mod cells;
pub(in crate::store) mod tables;

use std::path::Path;

use crate::model::Time;
use crate::store::database::copying::tables::TABLES;
use crate::store::database::handle::Db;
use crate::store::database::migrate::migrated::with_place;
use crate::store::database::postgres;
use crate::store::database::sqlite;
use crate::store::database::sqlite::whole_file::Existing;
use crate::store::{Settings, Store, StoreError, StoreErrorKind};

/// A table that was copied and compared.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CopiedTable {
    pub table: &'static str,
    /// The number of rows, the same in both.
    pub rows: u64,
    /// A hash over all rows, the same in both.
    pub blake3: String,
}

/// Runs one function of `copying/sql.rs` on the source's snapshot.
macro_rules! from {
    ($tx:expr, $function:ident ( $($arg:expr),* )) => {
        match &mut $tx {
            Source::Sqlite(tx) => sqlite::statements::copying::$function(&mut *tx, $($arg),*).await,
            Source::Postgres(tx) => postgres::statements::copying::$function(&mut *tx, $($arg),*).await,
        }
    };
}

enum Source {
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

impl Store {
    /// Returns all tables that a copy includes, with their columns, and those it leaves out. For the test that none is
    /// forgotten.
    #[must_use]
    pub fn copied_tables() -> Vec<(&'static str, Vec<&'static str>)> {
        let known = TABLES.iter().map(|table| (table.name, table.columns().collect()));
        known.chain(tables::LEFT.map(|table| (table, Vec::new()))).collect()
    }

    /// Refuses a database that is an unfinished copy.
    pub(in crate::store) async fn require_complete(&self) -> Result<(), StoreError> {
        match read!(self, copying::unfinished_mark())? {
            None => Ok(()),
            Some(from) => Err(StoreError::new(
                StoreErrorKind::Foreign,
                format!("{} is an unfinished copy of {from}", self.place),
                "finish it with `topicwatch db move --to …` from its source, or delete it",
            )),
        }
    }

    /// Copies everything to an empty database, or resumes an earlier copy of this one. Compares both table by table,
    /// and only then removes the mark that keeps others out. Calls `on_table` for each table.
    pub async fn copy_to(
        &self,
        settings: &Settings,
        now: Time,
        on_table: &(dyn Fn(&CopiedTable) + Send + Sync),
    ) -> Result<Vec<CopiedTable>, StoreError> {
        let running: i64 = read!(self, instances::running_count(now))?;
        if running > 0 {
            let are = if running == 1 { "process is" } else { "processes are" };
            return Err(StoreError::new(
                StoreErrorKind::Locked,
                format!("{running} {are} running jobs on {}", self.place),
                "stop what runs there first, so that the copy is complete",
            ));
        }
        let target = Self::open_any(settings).await?;
        let done = self.copy_into(&target, on_table).await;
        // Nothing is written to the source.
        let done = done.map_err(|error| match error.kind {
            StoreErrorKind::Unwritable => with_place(error, &target.place),
            _ => error,
        });
        target.close().await;
        done
    }

    async fn copy_into(
        &self,
        target: &Self,
        on_table: &(dyn Fn(&CopiedTable) + Send + Sync),
    ) -> Result<Vec<CopiedTable>, StoreError> {
        let place = self.place.as_str();
        let not_empty = || {
            let hint = match target.db {
                Db::Sqlite(_) => "choose a database that does not exist yet; nothing was changed",
                Db::Postgres(_) => {
                    "choose an empty database, or another `schema` under [database]; nothing was changed"
                }
            };
            StoreError::refused(format!("{} is not empty", target.place), hint)
        };
        let (this, other) = (read!(self, copying::identity())?, read!(target, copying::identity())?);
        // The same file may have several names.
        let file = |name: &str| std::fs::canonicalize(name).ok();
        if target.place == place || this == other || file(&this).is_some_and(|this| Some(this) == file(&other)) {
            return Err(not_empty());
        }
        let unfinished = read!(target, copying::unfinished_mark())?;
        let is_new = unfinished.is_none() && write_tx!(target, copying::mark_unfinished(place))?;
        let mut source = match &self.db {
            Db::Sqlite(pools) => Source::Sqlite(pools.snapshot().await?),
            Db::Postgres(pools) => Source::Postgres(pools.snapshot().await?),
        };
        match unfinished {
            Some(from) if from == place => {}
            Some(from) => {
                return Err(StoreError::refused(
                    format!("{} is an unfinished copy of {from}", target.place),
                    "resume from there, or delete it",
                ));
            }
            None if is_new => {}
            // An earlier try may have been killed after it was finished.
            None => {
                let moved = Self::compare(&mut source, target, &|_| {}).await?.map_err(|_| not_empty())?;
                moved.iter().for_each(on_table);
                return Ok(moved);
            }
        }
        // Rows left by an earlier try may be out of date; if the databases differ, start over once.
        for again in [true, false] {
            match Self::fill(&mut source, target).await {
                // Old rows may even conflict with newer ones.
                Err(error) if again && !is_new && error.kind == StoreErrorKind::Statement => {
                    write_tx!(target, copying::clear())?;
                    continue;
                }
                filled => filled?,
            }
            match Self::compare(&mut source, target, on_table).await? {
                Ok(moved) => {
                    write_tx!(target, copying::end())?;
                    return Ok(moved);
                }
                Err(_) if again => write_tx!(target, copying::clear())?,
                Err(table) => {
                    return Err(StoreError::new(
                        StoreErrorKind::Statement,
                        format!("{table} differs between {place} and {}", target.place),
                        "please report this bug; the source is unchanged, and the copy cannot be opened",
                    ));
                }
            }
        }
        Ok(Vec::new())
    }

    async fn fill(source: &mut Source, target: &Self) -> Result<(), StoreError> {
        // The mark is in this table, too. The table is small, so it is copied from the beginning.
        write_tx!(target, copying::clear_info())?;
        for table in TABLES {
            let mut after = if table.name == "store_info" { None } else { read!(target, copying::last(table))? };
            loop {
                let mut page = from!(*source, page(table, after.as_deref()))?;
                let Some(last) = page.last() else { break };
                after = Some(sqlite::statements::copying::key_of(table, last));
                page.retain(|row| !sqlite::statements::copying::is_unfinished_mark(table, row));
                if !page.is_empty() {
                    write_tx!(target, copying::insert_rows(table, &page))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the compared tables, or the name of the first table that differs.
    async fn compare(
        source: &mut Source,
        target: &Self,
        on_table: &(dyn Fn(&CopiedTable) + Send + Sync),
    ) -> Result<Result<Vec<CopiedTable>, &'static str>, StoreError> {
        let mut moved = Vec::with_capacity(TABLES.len());
        for table in TABLES {
            let (rows, hash) = from!(*source, digest(table))?;
            if read!(target, copying::digest(table))? != (rows, hash) {
                return Ok(Err(table.name));
            }
            let table = CopiedTable { table: table.name, rows, blake3: hash.to_hex().to_string() };
            on_table(&table);
            moved.push(table);
        }
        Ok(Ok(moved))
    }

    /// Returns why a file cannot be an earlier copy of this database: it is not a database, not ours, or this database
    /// knows none of its latest runs. Returns `None` if it can, or if the file is empty.
    pub async fn copy_mismatch(&self, file: &Path) -> Result<Option<String>, StoreError> {
        let ended = match sqlite::Pools::inspect(file).await? {
            Existing::Nothing => return Ok(None),
            Existing::NoDatabase => return Ok(Some("it is not a SQLite database".to_owned())),
            Existing::Foreign => return Ok(Some("it is a SQLite database of another program".to_owned())),
            Existing::Ours(ended) => ended,
        };
        if ended.is_empty() || read!(self, copying::has_any_run(&ended))? {
            return Ok(None);
        }
        Ok(Some(format!(
            "it is a topicwatch database, but not a copy of {}, which has none of its last runs",
            self.place
        )))
    }

    /// Writes a copy into an empty file while other processes keep writing, and verifies it. Returns the number of rows
    /// of each table.
    pub async fn backup_to(&self, path: &Path, now: Time) -> Result<Vec<(&'static str, i64)>, StoreError> {
        let Db::Sqlite(pools) = &self.db else {
            let url = format!("sqlite:{}", path.display());
            let settings = Settings { url, schema: String::new(), origin: None, create: true };
            let target = Self::open_any(&settings).await?;
            let done = self.copy_into(&target, &|_| {}).await;
            target.close().await;
            let _ = now;
            return done?.iter().map(|t| Ok((t.table, i64::try_from(t.rows).unwrap_or(i64::MAX)))).collect();
        };
        let source = pools.vacuum_into(path).await?;
        // Fails if the database's file was replaced meanwhile.
        read!(self, copying::identity())?;
        let copied = sqlite::Pools::verify_copy(path).await?;
        for ((table, rows), (_, expected)) in copied.iter().zip(source.iter().flatten()) {
            if rows != expected {
                return Err(StoreError::new(
                    StoreErrorKind::Statement,
                    format!("the copy has {rows} rows in {table}, its source {expected}"),
                    "is the disk failing? the copy was not put in place",
                ));
            }
        }
        Ok(copied)
    }
}
