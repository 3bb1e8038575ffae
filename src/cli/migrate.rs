//! `migrate`: brings the tables up to date and says where.

use super::args::Common;
use super::context::Context;
use super::{Exit, Failure, output};

pub(super) async fn run(common: &Common) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let store = context.store(true).await?;
    let place = output::visible(store.place());
    store.close().await;
    output::text(&format!("{place} is up to date\n"))?;
    Ok(Exit::Ok)
}
