//! Reads which sources saw the items whose words have changed. Only these need it, and there are few.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Conn;
use super::json_rows::{fetch_json, to_json};
use super::loaded_item::LoadedItem;
use super::provider_words::{home_source, words_count};
use crate::model::Source;
use crate::store::{SeenItem, StoreError};

/// Sets `sources` of these items.
pub(super) async fn load_sources(
    conn: &mut Conn,
    items: &mut [LoadedItem],
    by_key: &HashMap<String, usize>,
    seen: &[&SeenItem],
) -> Result<(), StoreError> {
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    for one in seen {
        let home = one.sightings.iter().find(|finding| finding.source == home_source(one.kind));
        let words = || one.sightings.iter().find(|finding| words_count(one.kind, finding));
        let Some(now) = home.or_else(words) else { continue };
        for place in one.keys.iter().filter_map(|key| by_key.get(key)) {
            let differs = |item: &&LoadedItem| {
                let (title, text) = item.content.replaced_by(&now.found);
                title || text
            };
            places.extend(items.get(*place).filter(differs).and_then(|item| Some((item.id?, *place))));
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "SELECT {} FROM (SELECT DISTINCT s.item, s.source FROM {} CROSS JOIN sighting s WHERE s.item = given.value) AS seen",
        super::rows_in_one("seen.item, seen.source"),
        super::numbers(1)
    );
    let ids: Vec<i64> = places.keys().copied().collect();
    for place in places.values() {
        if let Some(item) = items.get_mut(*place) {
            item.sources = Some(BTreeSet::new());
        }
    }
    for (id, source) in fetch_json::<(i64, String)>(conn, sql, [to_json(&ids)?]).await? {
        let item = places.get(&id).and_then(|place| items.get_mut(*place));
        if let (Some(item), Some(source)) = (item, Source::parse(&source)) {
            item.sources.get_or_insert_default().insert(source);
        }
    }
    Ok(())
}
