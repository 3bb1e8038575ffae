//! `db move`: copies everything to another database and compares the two. `store` does the copying and comparing.

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::journal;
use crate::cli::wiring::options::Common;
use crate::draw::format::count_noun;
use crate::store::Settings;

#[derive(Debug, Args)]
pub struct MoveArgs {
    /// Target: sqlite:PATH or postgres://… (in the configured schema)
    #[arg(long, value_name = "URL")]
    pub to: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &MoveArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    // The target follows the same rules as any other database address.
    let target_context = Context::load_target(common, &args.to)?;
    let target = Settings { origin: None, create: true, ..target_context.store_settings(true) };
    let store = context.store_to_read().await?;
    let _nobody_else = store.lock_daemon()?;
    let report_table = |table: &crate::store::CopiedTable| {
        if !common.quiet && !args.json {
            let rows = count_noun(table.rows, "row");
            output::print_stderr(&format!("{}: {rows}, the same in both", table.table));
        }
    };
    let moved = store.copy_to(&target, (context.clock)(), &report_table).await;
    let (from, forgotten) = (store.location().to_owned(), store.forget_key().await);
    store.close().await;
    let moved = moved?;
    if forgotten?.is_some() {
        // Next to a SQLite file, the journal outlives a backup that is restored over the file.
        let copy = target_context.store_to_read().await?;
        journal::keep(&copy).await?;
        copy.close().await;
    }
    let to = crate::config::redact_url(&target.url);
    if args.json {
        output::json(&json!({ "from": from, "to": to, "tables": moved }))?;
    } else {
        let rows: u64 = moved.iter().map(|table| table.rows).sum();
        let (from, to) = (output::escape_control(&from), output::escape_control(&to));
        output::text(&format!(
            "{rows} rows in {} tables copied from {from} to {to} and compared; now set `[database] url` to it\n",
            moved.len()
        ))?;
    }
    Ok(Exit::Ok)
}
