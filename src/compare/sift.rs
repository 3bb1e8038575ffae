//! A topic's filter over items that are to be counted: the words are read from the same moment, and only where there is a
//! filter.

use super::filter_of;
use crate::model::{Mark, Topic};
use crate::store::{Moment, StoreError};

/// Items whose words are held at a time.
const CHUNK: usize = 2_000;

/// The items that the topic's filter means, and those it hides.
pub async fn sifted(
    moment: &mut Moment,
    topic: &Topic,
    marks: Vec<Mark>,
) -> Result<(Vec<Mark>, Vec<Mark>), StoreError> {
    if topic.filter.is_none() {
        return Ok((marks, Vec::new()));
    }
    let filter = filter_of(topic);
    let (mut meant, mut hidden) = (Vec::new(), Vec::new());
    for marks in marks.chunks(CHUNK) {
        let keys: Vec<String> = marks.iter().map(|mark| mark.key.clone()).collect();
        let words = moment.words(&keys).await?;
        for mark in marks {
            let found = words.binary_search_by(|words| words.key.cmp(&mark.key)).ok().and_then(|at| words.get(at));
            let passes = found.is_none_or(|w| {
                filter.passes(w.title.as_deref(), w.text.as_deref(), w.author.as_deref(), w.lang.as_deref())
            });
            (if passes { &mut meant } else { &mut hidden }).push(mark.clone());
        }
    }
    Ok((meant, hidden))
}
