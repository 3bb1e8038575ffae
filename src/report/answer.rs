//! The last answer of a topic, cut to what is shown, with its citations looked up (`compare::cited`).

use super::facts::AnswerFacts;
use super::format::count_noun;
use crate::compare::cited;
use crate::insight::daily::without_last_word;
use crate::model::{Span, Topic, whole_start};
use crate::store::{ReadSnapshot, StoreError};

/// The maximum length of a shown answer, in bytes.
pub(super) const MOST_TEXT: usize = 8_000;

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
        partial: answer.partial,
        shortened: text.len() < answer.text.len(),
        text: text.to_owned(),
        cited,
    }))
}

/// Returns the part of the text that is shown, up to a whole word if possible.
fn excerpt(text: &str) -> &str {
    let head = whole_start(text, MOST_TEXT, char::len_utf8);
    let after = text.get(head.len()..).unwrap_or_default();
    if after.is_empty() || after.starts_with(char::is_whitespace) {
        return head;
    }
    Some(without_last_word(head)).filter(|whole| !whole.is_empty()).unwrap_or(head)
}

impl AnswerFacts {
    /// Returns the notes on missing parts of the text: those that never arrived, and those that are not shown here.
    pub(super) fn text_notes(&self, topic: &str) -> Vec<String> {
        let partial = self.partial.then(|| "The answer is cut off.".to_owned());
        let shortened = self.shortened.then(|| {
            format!("Only the first {MOST_TEXT} bytes are shown; all of it: topicwatch show {topic} --run {}", self.run)
        });
        partial.into_iter().chain(shortened).collect()
    }

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
    fn a_cut_text_ends_at_a_whole_word() {
        let long = format!("{} https://a.example/page and more", "x".repeat(MOST_TEXT - 15));
        assert_eq!(excerpt(&long).len(), MOST_TEXT - 15);
        assert_eq!(excerpt(&"x".repeat(MOST_TEXT + 5)).len(), MOST_TEXT);
        assert_eq!(excerpt("short, whole"), "short, whole");
        // In scripts without spaces, at a whole character.
        let start = "x".repeat(MOST_TEXT - 4);
        assert_eq!(excerpt(&format!("{start}🇩🇪🇫🇷")), start);
        assert_eq!(excerpt(&format!("{start}한e\u{301}")), format!("{start}한"));
    }

    #[test]
    fn a_long_paragraph_is_shown_whole_and_a_partial_answer_is_not_called_cut() {
        use super::super::samples::{report, topic};

        let mut facts = topic("a");
        let of = |words: usize, partial: bool| {
            let text = format!("{}the last word", "many words ".repeat(words));
            AnswerFacts {
                run: "r".into(),
                asked_at: crate::model::Time(0),
                model: None,
                shortened: excerpt(&text).len() < text.len(),
                text: excerpt(&text).to_owned(),
                partial,
                cited: Default::default(),
            }
        };
        for (words, partial, is_whole) in [(450, false, true), (450, true, true), (900, false, false)] {
            facts.answer = Some(of(words, partial));
            let report = report(vec![facts.clone()]);
            for page in [report.html(), report.markdown()] {
                assert_eq!(page.contains("the last word"), is_whole, "{words}");
                assert_eq!(page.contains("The answer is cut off."), partial, "{words}");
                assert_eq!(page.contains("Only the first 8000 bytes are shown"), !is_whole, "{words}");
            }
        }
    }
}
