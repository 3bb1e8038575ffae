//! `db migrate`: brings the tables up to date.

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;

pub(in crate::cli) async fn run(common: &Common) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let store = context.store(true).await?;
    let place = output::escape_control(store.location());
    store.close().await;
    output::text(&format!("{place} is up to date\n"))?;
    Ok(Exit::Ok)
}
