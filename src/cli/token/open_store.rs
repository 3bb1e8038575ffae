//! Shared by the verbs that make and withdraw tokens: the open store with the current time, and the prefix of link ids.

use crate::cli::terminal::failure::Failure;
use crate::cli::topic::pause::open;
use crate::cli::wiring::context::Context;
use crate::model::Time;
use crate::store::Store;

/// Prefix of link ids; names of tokens must not start with it.
pub(super) const LINK: &str = "link-";

/// Opens the store and returns it with the current time: that of `--at`, else the database's.
pub(super) async fn open_with_time(context: &Context, at: Option<&str>) -> Result<(Store, Time), Failure> {
    let (store, now) = open(context).await?;
    Ok((store, if at.is_some() { (context.clock)() } else { now }))
}
