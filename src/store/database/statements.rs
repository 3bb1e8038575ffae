//! Declares all statement modules once; `sqlite` and `postgres` each compile this file with their own types. The
//! statements are in the `sql` folder of each subject.

pub(in crate::store) use super::disk;
#[allow(unused_imports, reason = "what one database's statements need, the other's may not")]
use super::*;

#[path = "../access/sql.rs"]
pub(in crate::store) mod access;
#[path = "../alerts/sql/cards.rs"]
pub(in crate::store) mod alert_cards;
#[path = "../alerts/sql/alerts.rs"]
pub(in crate::store) mod alerts;
#[path = "../ledger/sql/calls.rs"]
pub(in crate::store) mod calls;
#[path = "../reading/sql/changes.rs"]
pub(in crate::store) mod changes;
#[path = "../clusters/sql/keys.rs"]
pub(in crate::store) mod cluster_keys;
#[path = "../clusters/sql/clusters.rs"]
pub(in crate::store) mod clusters;
#[path = "../ledger/sql/controls.rs"]
pub(in crate::store) mod controls;
#[path = "../database/copying/sql.rs"]
pub(in crate::store) mod copying;
#[path = "../reading/sql/dashboard.rs"]
pub(in crate::store) mod dashboard;
#[path = "../reading/sql/days.rs"]
pub(in crate::store) mod days;
#[path = "../days/sql/days.rs"]
pub(in crate::store) mod days_rolled;
#[path = "../ledger/sql/definitions.rs"]
pub(in crate::store) mod definitions;
#[path = "../delivery/sql/editions.rs"]
pub(in crate::store) mod editions;
#[path = "../erasure/sql/erase.rs"]
pub(in crate::store) mod erase;
#[path = "../ledger/sql/followers.rs"]
pub(in crate::store) mod followers;
#[path = "../reading/sql/foresight.rs"]
pub(in crate::store) mod foresight;
#[path = "../erasure/sql/forgotten.rs"]
pub(in crate::store) mod forgotten;
#[path = "../reading/sql/fresh.rs"]
pub(in crate::store) mod fresh;
#[path = "../ledger/sql/handing.rs"]
pub(in crate::store) mod handing;
#[path = "../erasure/sql/impact.rs"]
pub(in crate::store) mod impact;
#[path = "../ledger/sql/info.rs"]
pub(in crate::store) mod info;
#[path = "../ledger/sql/instances.rs"]
pub(in crate::store) mod instances;
#[path = "../items/sql/item_history.rs"]
pub(in crate::store) mod item_history;
#[path = "../items/sql/items.rs"]
pub(in crate::store) mod items;
#[path = "../ledger/sql/jobs.rs"]
pub(in crate::store) mod jobs;
#[path = "../kept/sql.rs"]
pub(in crate::store) mod kept;
#[path = "../ledger/sql/ledger.rs"]
pub(in crate::store) mod ledger;
#[path = "../ledger/sql/leftover.rs"]
pub(in crate::store) mod leftover;
#[path = "../ledger/sql/limits.rs"]
pub(in crate::store) mod limits;
#[path = "../reading/sql/lists.rs"]
pub(in crate::store) mod lists;
#[path = "../items/sql/loaded_item.rs"]
pub(in crate::store) mod loaded_item;
#[path = "../reading/sql/made.rs"]
pub(in crate::store) mod made;
#[path = "../marks/sql.rs"]
pub(in crate::store) mod marks;
#[path = "../items/sql/memory.rs"]
pub(in crate::store) mod memory;
#[path = "../erasure/sql/mentions.rs"]
pub(in crate::store) mod mentions;
#[path = "../items/sql/merge.rs"]
pub(in crate::store) mod merge;
#[path = "../delivery/sql/messages.rs"]
pub(in crate::store) mod messages;
#[path = "../reading/sql/narrow.rs"]
pub(in crate::store) mod narrow;
#[path = "../reading/sql/one_item.rs"]
pub(in crate::store) mod one_item;
#[path = "../delivery/sql/outbox.rs"]
pub(in crate::store) mod outbox;
#[path = "../reading/sql/sightings.rs"]
pub(in crate::store) mod pages;
#[path = "../ledger/sql/planned.rs"]
pub(in crate::store) mod planned;
#[path = "../ledger/sql/planning.rs"]
pub(in crate::store) mod planning;
#[path = "../retention/sql/items.rs"]
pub(in crate::store) mod prune;
#[path = "../retention/sql/runs.rs"]
pub(in crate::store) mod prune_runs;
#[path = "../alerts/sql/pulse.rs"]
pub(in crate::store) mod pulse;
#[path = "../reading/sql/raw_replies.rs"]
pub(in crate::store) mod raw_replies;
#[path = "../database/sql/read.rs"]
pub(in crate::store) mod read;
#[path = "../items/sql/recall.rs"]
pub(in crate::store) mod recall;
#[path = "../ledger/sql/rename.rs"]
pub(in crate::store) mod rename;
#[path = "../reading/sql/report.rs"]
pub(in crate::store) mod report;
#[path = "../ledger/sql/requests.rs"]
pub(in crate::store) mod requests;
#[path = "../items/sql/reread.rs"]
pub(in crate::store) mod reread;
#[path = "../items/sql/resolve.rs"]
pub(in crate::store) mod resolve;
#[path = "../reading/sql/search_history.rs"]
pub(in crate::store) mod search_history;
#[path = "../reading/sql/sights.rs"]
pub(in crate::store) mod sights;
#[path = "../database/copying/sizes.rs"]
pub(in crate::store) mod sizes;
#[path = "../items/sql/snapshot.rs"]
pub(in crate::store) mod snapshot;
#[path = "../ledger/sql/spent.rs"]
pub(in crate::store) mod spent;
#[path = "../reading/sql/story.rs"]
pub(in crate::store) mod story;
#[path = "../reading/sql/stream.rs"]
pub(in crate::store) mod stream;
#[path = "../ledger/sql/sync.rs"]
pub(in crate::store) mod sync;
#[path = "../days/sql/counters.rs"]
pub(in crate::store) mod tallies;
#[path = "../days/sql/terms.rs"]
pub(in crate::store) mod terms_kept;
#[path = "../items/sql/group_commit.rs"]
pub(in crate::store) mod together;
#[path = "../items/sql/tone.rs"]
pub(in crate::store) mod tone;
#[path = "../ledger/sql/topics.rs"]
pub(in crate::store) mod topics;
#[path = "../text_search/sql.rs"]
pub(in crate::store) mod words;
