//! The results and the coverage of a source's searches, by the kind of its provider. `provider_kinds` declares the
//! kinds.

use super::provider::{CallCount, LookBackKind, ProviderKind, ProviderQuery, ResultKind};
use super::provider_kinds::USUAL_ENTRIES;
use crate::model::Source;

/// The default of `input_tokens`.
const INPUT_TOKENS: u32 = 6_000;
/// The longest answer of a model without a configured maximum: some sentences.
const ANSWER_TOKENS: u32 = 1_000;

/// The kind of data that a search of this source and operation returns. The operation of a provider's search is the
/// name of its kind; an unknown kind counts as one that returns pages.
#[must_use]
pub fn result_kind(source: Source, operation: &str) -> ResultKind {
    match source {
        Source::Social => ResultKind::Posts,
        Source::Web => ResultKind::Pages,
        Source::Ai => ResultKind::Answer,
        _ => ProviderKind::named(operation).map_or(ResultKind::Pages, |kind| kind.brings),
    }
}

/// Whether searches of this kind of provider cover spans of time. The others are checks at one instant.
#[must_use]
pub fn covers_spans(kind: &str) -> bool {
    ProviderKind::named(kind).is_some_and(|kind| matches!(kind.reach, LookBackKind::Since | LookBackKind::Feed))
}

/// Whether a provider of this kind writes about the run's new items.
#[must_use]
pub fn about_items(kind: &str) -> bool {
    ProviderKind::named(kind).is_some_and(|kind| kind.about_items)
}

/// Whether an item that a source of this operation no longer shows was removed.
#[must_use]
pub fn detects_removal(source: Source, operation: &str) -> bool {
    match source {
        Source::Social | Source::Web => true,
        Source::Ai => false,
        _ => ProviderKind::named(operation).is_some_and(|kind| kind.judges_gone),
    }
}

impl ProviderQuery {
    /// The number of calls a search makes, or the most it may make.
    #[must_use]
    pub fn calls(&self) -> i64 {
        match self.call_count() {
            CallCount::One => 1,
            CallCount::Named(calls) | CallCount::AtMost(calls) => i64::from(calls(self)),
        }
    }

    /// Whether searches of its kind may make several calls.
    #[must_use]
    pub fn takes_several_calls(&self) -> bool {
        !matches!(self.call_count(), CallCount::One)
    }

    /// Whether a search may need fewer calls than `calls` says.
    #[must_use]
    pub fn may_need_fewer_calls(&self) -> bool {
        matches!(self.call_count(), CallCount::AtMost(_)) && self.calls() > 1
    }

    fn call_count(&self) -> CallCount {
        ProviderKind::named(&self.kind).map_or(CallCount::One, |kind| kind.calls)
    }

    /// The number of entries in a full reply to one call.
    #[must_use]
    pub fn entries(&self) -> u32 {
        ProviderKind::named(&self.kind).map_or(USUAL_ENTRIES, |kind| (kind.entries)(self))
    }

    /// The most tokens of a question to a model.
    #[must_use]
    pub fn input_tokens(&self) -> u32 {
        self.count("input_tokens").unwrap_or(INPUT_TOKENS)
    }

    /// The most tokens of a question to a model and its answer.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let answer = self.count("max_tokens").or_else(|| self.count("max_completion_tokens"));
        u64::from(self.input_tokens()) + u64::from(answer.unwrap_or(ANSWER_TOKENS))
    }

    /// The kind of data that it returns.
    #[must_use]
    pub fn result_kind(&self) -> ResultKind {
        result_kind(self.source, &self.kind)
    }
}
