//! Declares all statement modules once; `sqlite` and `postgres` each compile this file with their own types. The
//! statements are in the `sql` folder of each subject.

pub(in crate::store) use super::disk;
#[allow(unused_imports, reason = "what one database's statements need, the other's may not")]
use super::*;

#[path = "../access/sql/access.rs"]
pub(in crate::store) mod access;
#[path = "../alerts/sql/alert_cards.rs"]
pub(in crate::store) mod alert_cards;
#[path = "../alerts/sql/alert_messages.rs"]
pub(in crate::store) mod alert_messages;
#[path = "../alerts/sql/alert_subjects.rs"]
pub(in crate::store) mod alert_subjects;
#[path = "../alerts/sql/alerts.rs"]
pub(in crate::store) mod alerts;
#[path = "../reading/sql/budget_history.rs"]
pub(in crate::store) mod budget_history;
#[path = "../ledger/sql/calls.rs"]
pub(in crate::store) mod calls;
#[path = "../reading/sql/changes.rs"]
pub(in crate::store) mod changes;
#[path = "../derived/clusters/sql/cluster_keys.rs"]
pub(in crate::store) mod cluster_keys;
#[path = "../derived/clusters/sql/clusters.rs"]
pub(in crate::store) mod clusters;
#[path = "../ledger/sql/controls.rs"]
pub(in crate::store) mod controls;
#[path = "../database/copying/sql.rs"]
pub(in crate::store) mod copying;
#[path = "../reading/sql/counted_rows.rs"]
pub(in crate::store) mod counted_rows;
#[path = "../reading/sql/dashboard.rs"]
pub(in crate::store) mod dashboard;
#[path = "../derived/days/sql/day_counts.rs"]
pub(in crate::store) mod day_counts;
#[path = "../derived/days/sql/day_terms.rs"]
pub(in crate::store) mod day_terms;
#[path = "../ledger/sql/definitions.rs"]
pub(in crate::store) mod definitions;
#[path = "../delivery/sql/editions.rs"]
pub(in crate::store) mod editions;
#[path = "../ledger/sql/engine_queue.rs"]
pub(in crate::store) mod engine_queue;
#[path = "../retention/erasure/sql/erase.rs"]
pub(in crate::store) mod erase;
#[path = "../reading/sql/filter_conditions.rs"]
pub(in crate::store) mod filter_conditions;
#[path = "../reading/sql/finished_files.rs"]
pub(in crate::store) mod finished_files;
#[path = "../ledger/sql/followers.rs"]
pub(in crate::store) mod followers;
#[path = "../retention/erasure/sql/forgotten.rs"]
pub(in crate::store) mod forgotten;
#[path = "../reading/sql/fresh.rs"]
pub(in crate::store) mod fresh;
#[path = "../items/sql/group_commit.rs"]
pub(in crate::store) mod group_commit;
#[path = "../retention/erasure/sql/impact.rs"]
pub(in crate::store) mod impact;
#[path = "../ledger/sql/info.rs"]
pub(in crate::store) mod info;
#[path = "../ledger/sql/instances.rs"]
pub(in crate::store) mod instances;
#[path = "../reading/sql/item_changes.rs"]
pub(in crate::store) mod item_changes;
#[path = "../items/sql/item_history.rs"]
pub(in crate::store) mod item_history;
#[path = "../items/sql/items.rs"]
pub(in crate::store) mod items;
#[path = "../ledger/sql/jobs.rs"]
pub(in crate::store) mod jobs;
#[path = "../items/sql/json_rows.rs"]
pub(in crate::store) mod json_rows;
#[path = "../ledger/sql/ledger.rs"]
pub(in crate::store) mod ledger;
#[path = "../ledger/sql/leftover.rs"]
pub(in crate::store) mod leftover;
#[path = "../ledger/sql/limits.rs"]
pub(in crate::store) mod limits;
#[path = "../items/sql/loaded_item.rs"]
pub(in crate::store) mod loaded_item;
#[path = "../annotations/sql/marks.rs"]
pub(in crate::store) mod marks;
#[path = "../items/sql/memory.rs"]
pub(in crate::store) mod memory;
#[path = "../retention/erasure/sql/mentions.rs"]
pub(in crate::store) mod mentions;
#[path = "../items/sql/merge.rs"]
pub(in crate::store) mod merge;
#[path = "../delivery/sql/messages.rs"]
pub(in crate::store) mod messages;
#[path = "../reading/sql/one_item.rs"]
pub(in crate::store) mod one_item;
#[path = "../delivery/sql/outbox.rs"]
pub(in crate::store) mod outbox;
#[path = "../ledger/sql/planned.rs"]
pub(in crate::store) mod planned;
#[path = "../ledger/sql/planning.rs"]
pub(in crate::store) mod planning;
#[path = "../items/sql/provider_sources.rs"]
pub(in crate::store) mod provider_sources;
#[path = "../items/sql/provider_words.rs"]
pub(in crate::store) mod provider_words;
#[path = "../retention/sql/prune.rs"]
pub(in crate::store) mod prune;
#[path = "../retention/sql/prune_runs.rs"]
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
#[path = "../items/sql/replay.rs"]
pub(in crate::store) mod replay;
#[path = "../reading/sql/report.rs"]
pub(in crate::store) mod report;
#[path = "../ledger/sql/requests.rs"]
pub(in crate::store) mod requests;
#[path = "../items/sql/resolve.rs"]
pub(in crate::store) mod resolve;
#[path = "../reading/sql/run_lists.rs"]
pub(in crate::store) mod run_lists;
#[path = "../reading/sql/search_history.rs"]
pub(in crate::store) mod search_history;
#[path = "../reading/sql/sighting_pages.rs"]
pub(in crate::store) mod sighting_pages;
#[path = "../items/sql/snapshot.rs"]
pub(in crate::store) mod snapshot;
#[path = "../ledger/sql/spent.rs"]
pub(in crate::store) mod spent;
#[path = "../annotations/sql/stars_and_searches.rs"]
pub(in crate::store) mod stars_and_searches;
#[path = "../reading/sql/status_and_runs.rs"]
pub(in crate::store) mod status_and_runs;
#[path = "../reading/sql/story.rs"]
pub(in crate::store) mod story;
#[path = "../reading/sql/stream.rs"]
pub(in crate::store) mod stream;
#[path = "../ledger/sql/sync.rs"]
pub(in crate::store) mod sync;
#[path = "../items/sql/tone.rs"]
pub(in crate::store) mod tone;
#[path = "../reading/sql/topic_lists.rs"]
pub(in crate::store) mod topic_lists;
#[path = "../ledger/sql/topics.rs"]
pub(in crate::store) mod topics;
#[path = "../derived/days/sql/totals.rs"]
pub(in crate::store) mod totals;
#[path = "../derived/text_search/sql/word_index.rs"]
pub(in crate::store) mod word_index;
