//! What making and withdrawing have in common: the open store with the present, and how ids of links begin.

use crate::cli::terminal::failure::Failure;
use crate::cli::topic::pause::open;
use crate::cli::wiring::context::Context;
use crate::model::Time;
use crate::store::Store;

/// What ids of links begin with; names of tokens do not.
pub(super) const LINK: &str = "link-";

/// The open store and the present: the one that was named, or the database's.
pub(super) async fn opened(context: &Context, at: Option<&str>) -> Result<(Store, Time), Failure> {
    let (store, now) = open(context).await?;
    Ok((store, if at.is_some() { (context.clock)() } else { now }))
}
