//! Words that change the meaning of a statement when exchanged: negations, number words, units, and pairs of
//! opposites. Small lists, mostly English. Any other word is ordinary. Arabic writes some negations together with the
//! next word.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::letters::MINUS;
use super::numerals::number_words;

/// Negations. `no` and `not` before one of [`NOT_DENIED`] are not.
const NEGATIONS: &str = "not no never none nobody nothing neither nor nowhere without cannot hardly \
    nicht kein keine keinen keiner keinem niemals nichts niemand ohne \
    nunca nadie ninguno ninguna jamás não ninguém nenhum nenhuma non nessuno senza \
    pas jamais aucun aucune sans не нет никогда никто \
    لا ولا فلا ألا بلا لم ولم ألم لن ولن فلن ليس وليس فليس أليس ليست وليست ليسوا لسنا ما مش مو غير وغير دون بدون وبدون \
    لايوجد لاتوجد لايمكن لاتمكن لايجوز ماكان ماكانت مافي مافيه مافيش ماكو \
    לא ולא שלא אין ואין שאין אינו אינה אינם בלי ללא \
    안 못";
const NOT_DENIED: [&str; 16] = [
    "only", "matter", "doubt", "wonder", "just", "فقط", "شك", "بد", "سيما", "يزال", "تزال", "زال", "زالت", "أن", "רק",
    "ספק",
];

/// Units, only after a number: "10 am", "5 °C".
const AFTER_NUMBERS: [&str; 4] = ["am", "pm", "c", "f"];

/// Negations if `to` follows: "refuses to recall".
const DECLINES: &str = "fail fails failed refuse refuses refused decline declines declined";

/// Contracted negations, often written without an apostrophe, with the verb they negate.
const RUN_TOGETHER: [(&str, &str); 19] = [
    ("wont", "will"),
    ("won't", "will"),
    ("can't", "can"),
    ("cant", "can"),
    ("cannot", "can"),
    ("shan't", "shall"),
    ("dont", "do"),
    ("doesnt", "does"),
    ("didnt", "did"),
    ("isnt", "is"),
    ("arent", "are"),
    ("wasnt", "was"),
    ("werent", "were"),
    ("hasnt", "has"),
    ("havent", "have"),
    ("hadnt", "had"),
    ("couldnt", "could"),
    ("shouldnt", "should"),
    ("wouldnt", "would"),
];

/// The first groups are scales: sides at even places say more, those at odd places less. "Gains" excludes "loses" and
/// "falls", but not "wins".
const SCALES: u16 = 2;

/// Groups of words. Each side of another group excludes all others of it.
const OPPOSITES: [&[&str]; 41] = [
    &[
        "up rise rises rose risen rising increase increases increased increasing climb climbs climbed soar soars soared \
         soaring surge surges surged surging jump jumps jumped rally rallies rallied grow grows grew",
        "down fall falls fell fallen falling decrease decreases decreased decreasing drop drops dropped dropping plunge \
         plunges plunged plunging sink sinks sank slump slumps slumped tumble tumbles tumbled decline declines declined \
         declining slip slips slipped slide slides slid shrink shrinks shrank",
        "win wins won winning winner victory",
        "lose loses lost losing loser defeat",
        "gain gains gained gaining profit profits",
        "loss losses",
        "higher highest",
        "lower lowest",
    ],
    &[
        "add adds added adding create creates created creating",
        "cut cuts cutting slash slashes slashed axe axes axed",
        "raise raises raised raising hike hikes hiked",
        "lowers lowered lowering reduce reduces reduced reducing",
    ],
    &["love loves loved loving adore adores", "hate hates hated hating loathe loathes"],
    &["best", "worst"],
    &["better", "worse"],
    &[
        "good great awesome amazing excellent wonderful fantastic brilliant",
        "bad terrible awful horrible dreadful appalling poor",
    ],
    &["investigating", "identified", "monitoring", "resolved fixed solved restored", "unresolved"],
    &["buy buys bought buying buyer", "sell sells sold selling seller"],
    &["more most", "less least fewer fewest"],
    &["open opens opened opening reopen reopens reopened reopening", "close closes closed closing shut shuts"],
    &["accept accepts accepted accepting", "reject rejects rejected rejecting"],
    &["approve approves approved approving", "disapprove disapproves disapproved veto vetoes vetoed"],
    &["confirm confirms confirmed confirming admit admits admitted", "deny denies denied denying"],
    &["guilty", "innocent"],
    &["convicted", "acquitted cleared"],
    &["arrest arrests arrested detained", "release releases released freed"],
    &["alive", "dead"],
    &["survive survives survived", "die dies died"],
    &[
        "true real wahr vrai cierto verdad правда правды верно صحيح صحيحا صحيحة صحة حقيقي حقيقة נכון אמת",
        "false fake hoax untrue fakenews debunked falsch falso falsa faux fausse lüge mentira неправда ложь фейк \
         كاذب كاذبة كذب زائف مفبرك שקר שקרי",
    ],
    &["start starts started starting begin begins began", "stop stops stopped stopping end ends ended ending"],
    &[
        "allow allows allowed allowing permit permits permitted legalise legalises legalize legalizes",
        "ban bans banned banning forbid forbids forbidden prohibit prohibits prohibited",
    ],
    &["support supports supported supporting back backs backed", "oppose opposes opposed opposing"],
    &["for pro", "against anti"],
    &["succeed succeeds succeeded success", "fail fails failed failure"],
    &["online", "offline"],
    &["safe", "unsafe dangerous"],
    &["before", "after"],
    &["north northern", "south southern", "east eastern", "west western"],
    &["strong stronger strongest", "weak weaker weakest"],
    &["early earlier", "late later"],
    &["enable enables enabled", "disable disables disabled"],
    &["hire hires hired hiring", "fire fires fired firing lays layoff layoffs"],
    &["legal lawful", "illegal unlawful"],
    &["beat beats beaten beating top tops topped topping", "miss misses missed trail trails trailed trailing"],
    &["upgrade upgrades upgraded upgrading", "downgrade downgrades downgraded downgrading"],
    &["widen widens widened widening", "narrow narrows narrowed narrowing"],
    &["above", "below"],
    &["am", "pm"],
    &["c celsius", "f fahrenheit"],
    &["bullish", "bearish"],
    &["inflow inflows", "outflow outflows"],
];

/// Words that add nothing to a denial of a whole text: "it is … that", "there is no … that".
const AROUND_DENIAL: &str = "it its it's be that this there i we he she they who of for at all news report \
    reports story rumour rumor alarm es das dass dafür daß gibt hay de que il n'y y a c'est ce n'est la el \
    это что خبر هذا הידיעה זה";

/// With a negation, these deny a whole text: "not true", "no evidence", "nobody says".
const DENIED: &str = "evidence proof says said say saying claims claimed happened stimmt belege beleg beweis beweise \
    preuve preuves pruebas دليل";

/// After one of these, a denial is one of two possibilities: "true or false".
const EITHER: &str = "or oder o ou или أم או";

/// A text that starts with one of these is a question.
const ASKING: [&str; 6] = ["is", "was", "are", "were", "ist", "est"];

/// Negations that are also interjections: "No, the bridge stands" does not negate the rest.
pub(super) const INTERJECTIONS: [&str; 7] = ["no", "non", "não", "нет", "never", "لا", "לא"];

/// A tag after one of these words is part of its sentence: "prayers for #Boston".
pub(super) const LEADING_ON: [&str; 12] =
    ["for", "in", "of", "to", "the", "from", "at", "with", "on", "near", "and", "by"];

/// Labels and news outlets: words before or after a text that add nothing to its content.
const LABELS: &str = "breaking update updated updates video photo photos picture pictures pics watch live just news exclusive \
    developing alert urgent report reports reported read more story via rt mt listen audio gallery opinion analysis blog \
    reuters ap afp upi dpa bbc cnn nbc cbs abc fox msnbc cbc ctv npr guardian telegraph bloomberg wsj nyt yahoo huffpost \
    mashable techcrunch cnet wired forbes yonhap xinhua tass interfax ansa efe aljazeera usgs youtube twitter facebook \
    instagram im i the a an gmt utc est edt pst pdt am pm follow retweet share like rip عاجل срочно דחוף";

/// Words that add nothing either, but with which "no" makes a cry: "oh no".
const EXCLAMATIONS: &str = "omg wow lol please pls thanks hey oh ok yes yeah";

/// The meaning of a word, beyond its letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Negation,
    /// The number. Equal numbers are the same word, however written.
    Number(u16),
    /// The group and side of an opposite.
    Opposite(u16),
}

/// The most sides of a group of opposites.
const SIDES: u16 = 8;

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

static SENSES: LazyLock<HashMap<&'static str, Sense>> = LazyLock::new(|| {
    let mut senses = HashMap::new();
    let mut put = |list: &'static str, sense: Sense| {
        for word in list.split_whitespace() {
            senses.entry(word).or_insert(sense);
        }
    };
    put(NEGATIONS, Sense::Negation);
    number_words().for_each(|(list, value)| put(list, Sense::Number(value)));
    for (group, sides) in (0..).zip(OPPOSITES) {
        (0..).zip(sides).for_each(|(side, list)| put(list, Sense::Opposite(group * SIDES + side)));
    }
    senses
});

/// The role of a word next to a negation or a word such as "false", where these may deny a whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DenialRole {
    /// Adds nothing, and may come first.
    Label,
    /// Adds nothing.
    Around,
    /// Denies with a negation.
    Denied,
    /// Adds nothing; at the start it makes a question.
    Asking,
    /// Leaves open which of two possibilities is true.
    Either,
}

impl DenialRole {
    /// All, in the order of their numbers in sketches.
    pub(super) const ALL: [Self; 5] = [Self::Label, Self::Around, Self::Denied, Self::Asking, Self::Either];
}

static DENIAL_ROLES: LazyLock<HashMap<String, DenialRole>> = LazyLock::new(|| {
    let of = |list: &'static str, role| {
        list.split_whitespace().map(move |word| (without_apostrophes(word).into_owned(), role))
    };
    let asking = ASKING.into_iter().map(|word| (word.to_owned(), DenialRole::Asking));
    // If a word is on several lists, the last one counts.
    of(LABELS, DenialRole::Label)
        .chain(of(AROUND_DENIAL, DenialRole::Around))
        .chain(of(DENIED, DenialRole::Denied))
        .chain(asking)
        .chain(of(EITHER, DenialRole::Either))
        .collect()
});

fn without_apostrophes(word: &str) -> Cow<'_, str> {
    if word.contains('\'') { Cow::Owned(word.replace('\'', "")) } else { Cow::Borrowed(word) }
}

/// The role of a lower-case word. Its letters decide, not its hash: in 12 bits about one of 25 unknown words has the hash
/// of a listed one.
pub(super) fn denial_role(word: &str) -> Option<DenialRole> {
    DENIAL_ROLES.get(without_apostrophes(word).as_ref()).copied()
}

static LABEL_WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| LABELS.split_whitespace().chain(EXCLAMATIONS.split_whitespace()).collect());

/// English words that posts and news usually write in lower case.
static COMMON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| include_str!("common.txt").lines().collect());

/// The meaning of a lower-case word, given the next one.
pub(super) fn sense(word: &str, next: Option<&str>) -> Option<Sense> {
    let denies_next = next.is_some_and(|next| next == "to") && listed(DECLINES, word);
    match SENSES.get(word) {
        _ if denies_next => Some(Sense::Negation),
        Some(Sense::Negation) if next.is_some_and(|next| NOT_DENIED.contains(&next)) => None,
        known => known.copied(),
    }
}

/// The meaning of a lower-case word between two others: a minus or a unit counts only next to a number.
pub(super) fn sense_between(before: Option<&String>, word: &str, next: Option<&str>) -> Option<Sense> {
    let is_number = |word: &str| is_in_digits(word) || matches!(SENSES.get(word), Some(Sense::Number(_)));
    match word {
        MINUS => next.is_some_and(is_number).then_some(Sense::Negation),
        _ if AFTER_NUMBERS.contains(&word) && !before.is_some_and(|before| is_number(before.as_str())) => None,
        _ => sense(word, next),
    }
}

pub(super) fn is_in_digits(word: &str) -> bool {
    word.chars().all(|c| c.is_numeric() || c == '.')
}

/// Whether the words of two sides exclude each other.
pub(super) fn exclude(one: u16, other: u16) -> bool {
    let (group, is_scale) = (one / SIDES, one / SIDES < SCALES);
    group == other / SIDES && if is_scale { one % 2 != other % 2 } else { one != other }
}

/// Whether this is the side of an opposite that says that something is not true.
pub(super) fn says_false(side: u16) -> bool {
    sense("false", None) == Some(Sense::Opposite(side))
}

/// The verb that a contraction negates: `won't` is `will` and `not`.
pub(super) fn negated_verb(word: &str) -> Option<&str> {
    let listed = RUN_TOGETHER.iter().find(|(together, _)| *together == word).map(|(_, verb)| *verb);
    listed.or_else(|| word.strip_suffix("n't").filter(|word| !word.is_empty()))
}

pub(super) fn is_label(word: &str) -> bool {
    LABEL_WORDS.contains(word)
}

pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(word) || SENSES.contains_key(word)
}

/// Whether two words count as the first: "no longer" and "no more" as "no", and the cry "oh no" as "oh".
pub(super) fn is_one_word(first: &str, second: &str) -> bool {
    matches!((first, second), ("no", "longer" | "more") | ("oh", "no"))
}

/// Whether most words are common English words, so that an uncommon one is likely a name.
pub(super) fn is_english(words: &[String]) -> bool {
    let long = || words.iter().filter(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic()));
    let common = long().filter(|word| is_common(word)).count();
    common * 2 >= long().count() && common > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_its_own_opposite_and_every_value_fits() {
        for sides in OPPOSITES {
            assert!((2..=usize::from(SIDES)).contains(&sides.len()));
            let mut words: Vec<&str> = sides.iter().flat_map(|side| side.split_whitespace()).collect();
            let all = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), all, "{sides:?}");
        }
        let kept = SENSES.values().all(|sense| match sense {
            Sense::Negation => true,
            Sense::Number(n) | Sense::Opposite(n) => *n < 1 << 12,
        });
        assert!(kept);
        let sorted: Vec<&str> = include_str!("common.txt").lines().collect();
        assert!(sorted.is_sorted() && sorted.len() > 5_000);
    }

    #[test]
    fn contractions_are_two_words() {
        for (word, verb) in [("won't", "will"), ("isn't", "is"), ("dont", "do"), ("cannot", "can")] {
            assert_eq!(negated_verb(word), Some(verb));
        }
        assert_eq!((negated_verb("want"), negated_verb("n't")), (None, None));
    }
}
