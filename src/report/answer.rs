//! The last answer of a topic, cut to what is shown, with its citations looked up (`compare::cited`).

use super::facts::AnswerFacts;
use super::format::count_noun;
use crate::compare::cited;
use crate::insight::daily::without_last_word;
use crate::model::{Span, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// The maximum length of a shown answer, in bytes.
const MOST_TEXT: usize = 8_000;

pub(super) async fn read(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    span: Span,
) -> Result<Option<AnswerFacts>, StoreError> {
    let Some(answer) = snapshot.answer(&topic.id, span).await? else { return Ok(None) };
    let cited = cited(snapshot, &[&answer]).await?.pop().unwrap_or_default();
    let text = excerpt(&answer.text);
    Ok(Some(AnswerFacts {
        run: answer.run,
        asked_at: answer.asked_at,
        model: answer.model,
        partial: answer.partial || text.len() < answer.text.len(),
        text: text.to_owned(),
        cited,
    }))
}

/// Returns the part of the text that is shown, up to a whole word if possible.
fn excerpt(text: &str) -> &str {
    let end = text.floor_char_boundary(MOST_TEXT);
    let head = text.get(..end).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    if after.is_empty() || after.starts_with(char::is_whitespace) {
        return head;
    }
    Some(without_last_word(head)).filter(|whole| !whole.is_empty()).unwrap_or(head)
}

impl AnswerFacts {
    /// Returns the note about links that were too many to look up.
    pub(super) fn unchecked_note(&self) -> Option<String> {
        let more = count_noun(self.cited.beyond, "more link");
        (self.cited.beyond > 0).then(|| format!("The answer contains {more}, which were not looked up."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_to_a_whole_word() {
        let long = format!("{} https://a.example/page and more", "x".repeat(MOST_TEXT - 15));
        assert_eq!(excerpt(&long).len(), MOST_TEXT - 15);
        assert_eq!(excerpt(&"x".repeat(MOST_TEXT + 5)).len(), MOST_TEXT);
        assert_eq!(excerpt("short, whole"), "short, whole");
    }
}
