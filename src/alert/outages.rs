//! Outages of topics: slots missed in a row, however many evaluations recorded them. An outage fires once, at the slot
//! with which it reaches the alert's `min`, and ends without an event at the topic's next run that started.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::rules;
use super::transitions::{Evaluation, Status, Transitions};
use crate::model::{AlertRun, AlertSpec, Time};
use crate::store::{Store, StoreError};

/// The outages that are not over, by topic.
#[derive(Default)]
pub(super) struct Outages(BTreeMap<String, Outage>);

struct Outage {
    many: usize,
    first: Time,
    last: Time,
    /// The slot at which it became long enough to fire: its run and time.
    reached: Option<(String, Time)>,
}

impl Outages {
    /// Adds a missed slot, and those missed before it since the topic's last run that started.
    pub(super) async fn add(
        &mut self,
        store: &Store,
        spec: &AlertSpec,
        run: &AlertRun,
        seen: &Transitions,
    ) -> Result<(), StoreError> {
        if seen.firing.contains_key(&run.topic) {
            return Ok(());
        }
        let outage = match self.0.entry(run.topic.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (many, first) = store.missed_before(&run.topic, run.seq).await?;
                let first = first.unwrap_or(run.at);
                entry.insert(Outage {
                    many: usize::try_from(many).unwrap_or(0),
                    first,
                    last: run.at.max(first),
                    reached: None,
                })
            }
        };
        outage.many += 1;
        outage.first = outage.first.min(run.at);
        outage.last = outage.last.max(run.at);
        if outage.reached.is_none() && outage.many >= spec.least as usize {
            outage.reached = Some((run.run.clone(), run.at));
        }
        Ok(())
    }

    /// Ends a topic's outage because a run of it started.
    pub(super) fn end(&mut self, spec: &AlertSpec, topic: &str, seen: &mut Transitions, muted: Option<&str>) {
        if let Some(outage) = self.0.remove(topic) {
            outage.judge(spec, topic, seen, muted);
        }
        seen.end(topic);
    }

    /// Judges the continuing outages.
    pub(super) fn judge(self, spec: &AlertSpec, seen: &mut Transitions, muted: Option<&str>) {
        for (topic, outage) in self.0 {
            outage.judge(spec, &topic, seen, muted);
        }
    }
}

impl Outage {
    fn judge(self, spec: &AlertSpec, topic: &str, seen: &mut Transitions, muted: Option<&str>) {
        let Some((run, at)) = self.reached else { return };
        let (summary, lines) = rules::missed(topic, self.many, self.first, self.last);
        let evaluation = Evaluation { subject: topic.to_owned(), status: Status::Bad, summary, lines };
        seen.take(spec, &run, at, vec![evaluation], muted);
    }
}
