//! Which rows are left out for reasons that are not a database's to know: what a topic's filter hides, and what was older
//! than the topic's window when it was seen first.

use std::collections::HashMap;
use std::time::Duration;

use crate::compare::Hiding;
use crate::insight::fit_of;
use crate::model::{ItemRow, NewRow, SightingRow, Time, WindowFit};
use crate::store::{Filter, Store, StoreError};

/// Lets rows pass or not.
pub(super) struct Sieve<'h> {
    hiding: &'h mut Hiding,
    /// How far back each topic looks, where only what was fresh is wanted.
    windows: Option<HashMap<String, Duration>>,
}

impl<'h> Sieve<'h> {
    pub(super) async fn of(store: &Store, filter: &Filter, hiding: &'h mut Hiding) -> Result<Self, StoreError> {
        let windows = match filter.new_since {
            None => None,
            Some(_) => {
                let watched = store.watched(&filter.topics).await?.into_iter().filter_map(|watched| watched.definition);
                Some(watched.map(|topic| (topic.id, topic.window.length())).collect())
            }
        };
        Ok(Self { hiding, windows })
    }

    fn fresh(&self, topic: &str, published: Option<Time>, first_seen: Time) -> bool {
        let fit = |windows: &HashMap<String, Duration>| fit_of(published, first_seen, windows.get(topic).copied());
        self.windows.as_ref().map(fit) != Some(WindowFit::Outside)
    }

    pub(super) fn item(&mut self, row: &ItemRow) -> bool {
        self.fresh(&row.topic, row.published_at, row.first_seen) && self.hiding.item(row)
    }

    pub(super) fn new_item(&mut self, row: &NewRow) -> bool {
        self.fresh(&row.topic, row.published_at, row.first_seen) && self.hiding.new_item(row)
    }

    pub(super) fn sighting(&mut self, row: &SightingRow) -> bool {
        self.hiding.sighting(row)
    }
}
