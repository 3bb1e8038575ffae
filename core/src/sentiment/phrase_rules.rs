//! Rules for phrases that are rare in the training posts: complaints without a negative word ("on hold for 2 hours",
//! "still no refund"), falling prices ("plunge 12 %"), and praise negated by a French `pas`. Each shifts the model's
//! result by a fixed amount, chosen by hand (docs/explanation/sentiment.md).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Lang;
use super::language::Detected;
use super::text::{self, Kind, TokenizedText};

/// Phrases and their weight for negative, in hundredths. Words must occur in this order; `a|b` means either, `#` a word
/// that starts with a digit, `~3` up to three other words in between; `UNIT`, `MANY`, `THING` and `FALLS` are the lists
/// below.
const TURNS: [(u16, &str); 32] = [
    (150, "on hold for|since|over|again|with|now|still"),
    (150, "been|be|am|still|put|left|kept|me on hold"),
    (120, "sitting|sat|waiting|holding|stuck on|at|in ~5 for ~2 UNIT"),
    (110, "waiting|waited ~2 MANY|# ~1 UNIT"),
    (150, "still waiting|no|missing|haven't|havent|without|nothing|not ~3 THING"),
    (
        130,
        "never|not|didn't|hasn't|haven't|didnt|hasnt|havent ~1 \
         received|arrived|delivered|responded|replied|answered|refunded|turned|showed",
    ),
    (150, "no response|answer|reply|explanation|apology|signal|luggage|bag|bags|callback|announcement|refund"),
    (130, "nobody|noone|no ~1 answers|answering|responds|responding|helps|answered|picks"),
    (
        130,
        "cancelled|canceled|cancelling|canceling|cancels ~3 \
         flight|flights|order|appointment|train|booking|reservation|ticket",
    ),
    (130, "flight|flights|train|order|booking|reservation ~3 cancelled|canceled|delayed"),
    (150, "lost|missing|misplaced|damaged|lose|losing ~2 bag|bags|luggage|baggage|suitcase|package|parcel"),
    (130, "want|give|get|need my|our|me money back"),
    (130, "when|still|no|want|need|where ~4 refund"),
    (150, "hung|hang|hangs up on"),
    (150, "disconnected|dropped me|call|after"),
    (150, "stranded at|in|for|since|with|on|here"),
    (100, "stuck at|in|on ~3 airport|tarmac|runway|plane|station|gate|overnight"),
    (150, "charged|charging|charge me|us ~1 twice|again|extra|for"),
    (150, "charged ~1 twice|anyway"),
    (150, "overcharged|overbooked|misplaced"),
    (60, "your|their|the ~1 customer service|support|care"),
    (100, "how long|longer|many do|does|must|till|until|will|have ~4 wait|take|reply|get|hold"),
    (100, "how much longer"),
    (130, "keeps|kept|keep crashing|freezing|dropping|logging|failing|buffering|disconnecting|kicking"),
    (110, "been|is|are|went out|down|offline since|again|for|all"),
    (110, "without notice|telling|warning|explanation|notification"),
    (90, "trying to ~3 through|reach|contact"),
    (100, "# UNIT late|delay|delays"),
    (100, "MANY UNIT late|delay|delays"),
    (100, "seats|seat changed|moved ~1 without"),
    (140, "FALLS|plunging ~3 #"),
    (140, "shares|stock|stocks|profit|profits|sales|revenue ~4 FALLS"),
];

const LISTS: [(&str, &str); 4] = [
    ("UNIT", "hour|hours|hr|hrs|minute|minutes|min|mins|day|days|week|weeks|month|months"),
    ("MANY", "two|three|four|five|six|seven|eight|ten|several|over|an"),
    (
        "THING",
        "bag|bags|luggage|baggage|suitcase|package|parcel|order|delivery|refund|reply|response|answer|flight|email|emails|\
         ticket|call",
    ),
    (
        "FALLS",
        "plunge|plunges|plunged|plummet|plummets|plummeted|tumble|tumbles|tumbled|slump|slumps|slumped|nosedive|nosedives",
    ),
];

/// The most that a text's phrases add together.
const MOST: u16 = 240;

/// Above this probability of positive, complaints are ignored: the waiting was worth it.
const PRAISED: f32 = 0.5;

/// French verbs of praise, without elided prefixes, and the words that negate them when they follow directly.
const ADORING: [&str; 9] =
    ["adore", "adores", "adorons", "adorez", "adorent", "kiffe", "kiffes", "apprécie", "apprécies"];
const TAKING_BACK: [&str; 4] = ["pas", "plus", "jamais", "guère"];
/// How much a negation shifts from positive to negative.
const TAKEN_BACK: f32 = 1.2;

/// One position of a phrase.
#[derive(Debug, Default)]
struct Slot {
    between: usize,
    words: Vec<u64>,
    digits: bool,
}

#[derive(Debug, Default)]
struct Phrases {
    turns: Vec<(u16, Vec<Slot>)>,
    /// Phrases by the hash of their first word.
    by_first: HashMap<u64, Vec<usize>>,
    /// Phrases that start with a number.
    by_digit: Vec<usize>,
}

static ALL: LazyLock<Phrases> = LazyLock::new(|| {
    let mut all = Phrases::default();
    for (at, (weight, turn)) in TURNS.into_iter().enumerate() {
        let (mut slots, mut between) = (Vec::new(), 0);
        for place in turn.split_whitespace() {
            if let Some(most) = place.strip_prefix('~') {
                between = most.parse().unwrap_or(0);
                continue;
            }
            let mut slot = Slot { between: std::mem::take(&mut between), ..Slot::default() };
            for word in place.split('|') {
                let listed = LISTS.iter().find(|(name, _)| *name == word).map_or(word, |(_, list)| *list);
                slot.digits |= word == "#";
                slot.words.extend(listed.split('|').map(|word| text::hash(word.trim().as_bytes())));
            }
            slots.push(slot);
        }
        if let Some(first) = slots.first() {
            first.words.iter().for_each(|word| all.by_first.entry(*word).or_default().push(at));
            if first.digits {
                all.by_digit.push(at);
            }
        }
        all.turns.push((weight, slots));
    }
    all
});

/// A word of the text.
#[derive(Debug, Clone, Copy)]
struct PhraseTokens {
    hash: u64,
    digits: bool,
}

impl Slot {
    fn accepts(&self, word: PhraseTokens) -> bool {
        self.words.contains(&word.hash) || self.digits && word.digits
    }
}

/// Whether the rest of a phrase follows.
fn follows(words: &[PhraseTokens], slots: &[Slot]) -> bool {
    let Some((slot, rest)) = slots.split_first() else { return true };
    let places = words.iter().enumerate().take(slot.between + 1);
    places.filter(|(_, word)| slot.accepts(**word)).any(|(at, _)| follows(words.get(at + 1..).unwrap_or(&[]), rest))
}

/// The weight for negative that a text's complaints add.
fn complaints(reading: &TokenizedText) -> f32 {
    let words: Vec<PhraseTokens> = reading
        .tokens
        .iter()
        .filter(|token| token.kind == Kind::Word)
        .map(|token| PhraseTokens {
            hash: token.hash,
            digits: reading.of(token).starts_with(|c: char| c.is_ascii_digit()),
        })
        .collect();
    let all = &*ALL;
    let (mut heard, mut sum) = (0_u64, 0_u16);
    for (at, word) in words.iter().enumerate() {
        let begun = all.by_first.get(&word.hash).into_iter().flatten();
        for turn in begun.chain(all.by_digit.iter().filter(|_| word.digits)) {
            let Some((weight, slots)) = all.turns.get(*turn).filter(|_| heard >> turn & 1 == 0) else { continue };
            if follows(words.get(at..).unwrap_or(&[]), slots) {
                heard |= 1 << turn;
                sum = sum.saturating_add(*weight).min(MOST);
            }
        }
    }
    f32::from(sum) / 100.0
}

/// Whether a French text negates its praise.
fn negates_praise(reading: &TokenizedText) -> bool {
    reading.tokens.windows(2).any(|pair| {
        let [verb, word] = pair else { return false };
        let verb_text = reading.of(verb);
        let verb = verb_text.rsplit_once('\'').map_or(verb_text, |(_, verb)| verb);
        ADORING.contains(&verb) && TAKING_BACK.contains(&reading.of(word))
    })
}

/// Adjusts the model's probabilities by these rules.
pub(super) fn adjust(reading: &TokenizedText, detected: Detected, p: [f32; 3]) -> [f32; 3] {
    let [negative, _, positive] = p;
    let by = match detected.lang {
        Lang::English if positive <= PRAISED => [complaints(reading), 0.0, 0.0],
        Lang::French if negates_praise(reading) => [TAKEN_BACK, 0.0, -TAKEN_BACK],
        _ => return p,
    };
    if by == [0.0; 3] || !(negative + positive).is_finite() {
        return p;
    }
    let mut weighed = p;
    weighed.iter_mut().zip(by).for_each(|(p, by)| *p *= by.exp());
    let total: f32 = weighed.iter().sum();
    weighed.map(|p| p / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phrase_rule_applies_once() {
        assert!(TURNS.len() <= 64 && ALL.turns.len() == TURNS.len());
        assert!(ALL.turns.iter().all(|(weight, slots)| *weight > 0 && !slots.is_empty()));
        for (text, much) in [
            ("on hold for 2 hours", 1.5),
            ("on hold for ever, on hold for days", 1.5),
            ("still no refund", 2.4),
            ("shares plunge 12 %", 2.4),
            ("waiting for friends", 0.0),
            ("3 hours until the game", 0.0),
            ("hold on", 0.0),
        ] {
            assert!((complaints(&text::tokenize(text)) - much).abs() < 1e-6, "{text}");
        }
    }

    #[test]
    fn french_praise_is_negated_by_a_following_pas_or_plus() {
        for (text, back) in
            [("J'adore pas ça", true), ("on adore plus", true), ("j'adore, pas de problème", false), ("j'adore", false)]
        {
            assert_eq!(negates_praise(&text::tokenize(text)), back, "{text}");
        }
    }
}
