//! Denials in Chinese, Japanese and Korean. Chinese and Japanese write no spaces: their words are single characters
//! here, and denials. Only a difference between two similar texts counts, so a character that denies nothing in a rare
//! word does no harm. `docs/dev/near-copies-measured.md` says how often one is taken for a denial by mistake.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Denials in Chinese and Japanese, only in Chinese, and only in Japanese. 別 means "don't" in Chinese, "other" in
/// Japanese; 没 means "has not", and "to sink". A longer phrase takes precedence over a shorter one of any list.
const DENIALS: &str = "不 未 无 無 非 勿 不同意 否认 否認 否定 拒绝 拒絕 拒否";
const CHINESE_DENIALS: &str = "没 沒 别 別 没收到 沒收到";
/// 〜ず and 〜ぬ only in endings that nothing else has: not in 必ず, まず, はず, 死ぬ.
const JAPANESE_DENIALS: &str = "ない なかっ なけれ なく ません ませぬ せず れず できず ずに";

/// Frequent phrases with such characters that deny nothing, or both deny and take it back: "free of charge", "future",
/// "not only", "must", "sorry".
const HARMLESS: &str = "不動産 不动产 不動產 不過 不过 不仅 不僅 不但 不只 不止 不光 不断 不斷 不管 不论 不論 不久 \
    不得不 不得已 不禁 不妨 不愧 不如 不少 不错 不錯 不同 不由 不惜 不已 不然 不时 不時 不好意思 对不起 對不起 \
    了不起 差不多 忍不住 说不定 說不定 受不了 不思議 不倫 不況 不具合 不審 不祥事 未来 未來 未婚妻 未婚夫 未亡人 \
    未曾有 无论 無論 无线 無線 无人机 無人機 无数 無數 無数 无锡 無錫 无疑 無疑 无奈 無奈 无非 無非 无限 無限 无语 \
    無語 无偿 無償 無料 無事 無双 無印 無造作 無地 有無 非常 非洲 南非 除非 莫非 非得 非典 非難 非行 非情 勿論";
const HARMLESS_CHINESE: &str = "没收 沒收 淹没 淹沒 沉没 沉沒 埋没 埋沒 出没 出沒 没落 没想到 沒想到 别人 別人 别的 \
    別的 特别 特別 区别 區別 分别 分別 性别 性別 级别 級別 告别 告別 个别 個別 识别 識別 差别 差別 之别 之別 别墅 \
    別墅 类别 類別 离别 離別 鉴别 鑑別 辨别 辨別 送别 送別 派别 派別 别名 别处 別處 别致 别提 别有";
const HARMLESS_JAPANESE: &str = "是非 未明 かもしれない かも知れない かもしれません かも知れません 少ない 少なく \
    少なかっ すくない すくなく 危ない 危なかっ あぶない 切ない 汚ない きたない もったいない 勿体ない つまらない くだらない \
    たまらない とんでもない しょうがない しようがない 仕方ない 仕方がない 仕方なく 間違いない 間違いなく \
    間違いありません に違いない に違いありません に過ぎない に過ぎなかっ にすぎない しかない しかいない しかありません \
    しかいません じゃないか ではないか ではないだろうか ではないでしょうか じゃないです なければならない \
    なければなりません なければならなかっ なければならず なければいけない なければいけません なくてはならない \
    なくてはなりません なくてはいけない なくちゃいけない ないといけない なきゃいけない ざるを得ない ざるをえない \
    ほかならない 他ならない だけでなく だけではなく だけじゃなく のみでなく のみならず まもなく 間もなく なんとなく \
    何となく さりげなく さりげない 満遍なく 余儀なく 小さな 大きな 見なし すみません すいません 申し訳ない \
    申し訳ありません 申し訳ございません ませんか おさない ないしょ ないて つないで つないだ れずっ";

/// In Japanese a denial after a character of Chinese origin: 被害なし, but not おもてなし.
const NOTHING: &str = "なし";

/// Korean: beginnings and parts of words that deny, and parts of words that deny nothing. `word_sense` lists 안 and 못.
const KOREAN_BEGINNINGS: &str = "안되 안된 안될 안돼 안됨 안됩 안하 안한 안할 안했 안해 안함 안나오 안나온 안좋 \
    못된다 못보 못봤 못가 못간 못만";
const KOREAN_PARTS: &str = "않 없 아니 아닌 아닙 아닐 아녔 못하 못한 못할 못해 못했 못합 못함";
const HARMLESS_KOREAN: &str = "끊임없 틀림없 어김없 변함없 상관없 관계없 어이없 아낌없 빠짐없 하염없 한없 끝없 뜬금없 정신없 \
    수없이 밖에없 없애 없앤 없앨 없앴 아니면 않을까 않았을까 않나 아닐까 아닌가";
/// "Only", and the beginning of the denial that it takes back: "not only", "nothing but".
const ONLY: [(&str, &str); 2] = [("뿐", "아니라"), ("밖에", "없")];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceSort {
    Character,
    Denial,
    /// A word or number in another script.
    Foreign,
}

/// Letters, the only language that has the phrase, and what it is.
type Phrase = (&'static str, Option<Unspaced>, PieceSort);

/// The phrases by their first character, longest first.
static PHRASES: LazyLock<HashMap<char, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: HashMap<char, Vec<Phrase>> = HashMap::new();
    for (list, only, sort) in [
        (DENIALS, None, PieceSort::Denial),
        (CHINESE_DENIALS, Some(Unspaced::Chinese), PieceSort::Denial),
        (JAPANESE_DENIALS, Some(Unspaced::Japanese), PieceSort::Denial),
        (NOTHING, Some(Unspaced::Japanese), PieceSort::Denial),
        (HARMLESS, None, PieceSort::Character),
        (HARMLESS_CHINESE, Some(Unspaced::Chinese), PieceSort::Character),
        (HARMLESS_JAPANESE, Some(Unspaced::Japanese), PieceSort::Character),
    ] {
        for phrase in list.split_whitespace() {
            phrases.entry(phrase.chars().next().unwrap_or_default()).or_default().push((phrase, only, sort));
        }
    }
    phrases.values_mut().for_each(|phrases| phrases.sort_by_key(|(phrase, ..)| std::cmp::Reverse(phrase.len())));
    phrases
});

/// The language of a text that is mostly written without spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unspaced {
    Chinese,
    Japanese,
}

impl Unspaced {
    /// `None` if most of the text is in other scripts. There a word in this one is a name or a quotation.
    pub(super) fn of(words: &[String]) -> Option<Self> {
        let letters = || words.iter().flat_map(|word| word.chars()).filter(|c| c.is_alphabetic());
        let is_most = letters().filter(|c| is_unspaced(*c)).count() * 2 > letters().count();
        is_most.then(|| if letters().any(is_hiragana) { Self::Japanese } else { Self::Chinese })
    }

    /// Splits a word into characters and denials; `None` if it has a single script with spaces.
    pub(super) fn pieces(self, word: &str) -> Option<Vec<(&str, PieceSort)>> {
        word.contains(is_unspaced).then(|| pieces(word, self))
    }
}

/// Whether a character belongs to a script without spaces: Chinese characters and kana.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{31F0}'..='\u{31FF}' | '\u{20000}'..='\u{3FFFF}')
        || is_chinese_character(c)
        || is_hiragana(c)
        || matches!(c, '\u{30A1}'..='\u{30FF}')
}

fn is_chinese_character(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Whether a character is only used in Japanese.
fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309F}')
}

fn pieces(word: &str, language: Unspaced) -> Vec<(&str, PieceSort)> {
    let (mut pieces, mut rest, mut before) = (Vec::new(), word, None);
    while let Some(c) = rest.chars().next() {
        let (length, sort) = if !is_unspaced(c) {
            (rest.find(is_unspaced).unwrap_or(rest.len()), PieceSort::Foreign)
        } else if let Some((phrase, sort)) = phrase(rest, language, before) {
            (phrase.len(), sort)
        } else {
            (c.len_utf8(), PieceSort::Character)
        };
        let (piece, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if sort == PieceSort::Character {
            pieces.extend(piece.split_inclusive(|_: char| true).map(|character| (character, sort)));
        } else {
            pieces.push((piece, sort));
        }
        before = piece.chars().last();
        rest = left;
    }
    pieces
}

/// The listed phrase at the start of `rest`; `before` is the character before it.
fn phrase(rest: &str, language: Unspaced, before: Option<char>) -> Option<(&'static str, PieceSort)> {
    let phrases = PHRASES.get(&rest.chars().next()?)?;
    let of_text = |only: Option<Unspaced>| only.is_none_or(|only| only == language);
    let (phrase, _, sort) = phrases.iter().find(|(phrase, only, _)| of_text(*only) && rest.starts_with(phrase))?;
    // A question: 有没有, 是不是.
    let asks = phrase.chars().count() == 1 && before.is_some() && rest.chars().nth(1) == before;
    let is_other_word = *phrase == NOTHING && !before.is_some_and(is_chinese_character);
    Some((*phrase, if asks || is_other_word { PieceSort::Character } else { *sort }))
}

/// Whether a Korean word denies, given the word before it.
pub(super) fn denies_in_korean(word: &str, before: Option<&String>) -> bool {
    if !word.starts_with(|c: char| matches!(c, '\u{AC00}'..='\u{D7A3}')) {
        return false;
    }
    let any = |list: &str, is: &dyn Fn(&str) -> bool| list.split_whitespace().any(is);
    let is_only = |before: &String| ONLY.iter().any(|(only, not)| before.contains(only) && word.starts_with(not));
    let denies = any(KOREAN_PARTS, &|part| word.contains(part)) && !any(HARMLESS_KOREAN, &|part| word.contains(part));
    any(KOREAN_BEGINNINGS, &|part| word.starts_with(part)) || denies && !before.is_some_and(is_only)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    /// The denials of a text, one after the other.
    fn denials(text: &str) -> Vec<&str> {
        let is_denial = |(piece, sort)| (sort == PieceSort::Denial).then_some(piece);
        let language = Unspaced::of(&[text.to_owned()]).unwrap();
        language.pieces(text).unwrap().into_iter().filter_map(is_denial).collect()
    }

    #[test]
    fn a_denial_is_found_but_not_in_words_that_share_its_characters() {
        for (text, expected) in [
            ("这家店不送外卖也没有人接电话", vec!["不", "没"]),
            ("千万别去那里", vec!["别"]),
            ("他不同意，沒收到信", vec!["不同意", "沒收到"]),
            ("特别好吃的不错选择，非常推荐给别人", vec![]),
            ("有没有人知道是不是真的", vec![]),
            ("未来无论如何不得不去", vec![]),
            ("店は開いていない", vec!["ない"]),
            ("行きませんでした", vec!["ません"]),
            ("使わずに置く", vec!["ずに"]),
            ("津波の被害なし", vec!["なし"]),
            ("不可能で未確認", vec!["不", "未"]),
            ("必ず無料で不動産の話をし、別の特別なおもてなし", vec![]),
            ("行かなければならないかもしれない", vec![]),
            ("手をつないでいる少ない人", vec![]),
            ("沈没した船", vec![]),
        ] {
            assert_eq!(denials(text), expected, "{text}");
        }
    }

    #[test]
    fn pieces_of_a_word_add_up_to_it() {
        for text in ["iPhone15を買わないで", "不", "なし", "𠮷野家は不味くない", "abc", ""] {
            let joined: String = pieces(text, Unspaced::Japanese).into_iter().map(|(piece, _)| piece).collect();
            assert_eq!(joined, text);
        }
    }

    #[test]
    fn a_korean_denial_is_found_by_parts_of_a_word() {
        for (words, expected) in [
            ("비가 오지 않는다", true),
            ("피해가 없다", true),
            ("문제가 아닙니다", true),
            ("이것은 안되는 일", true),
            ("그뿐만 아니라 비도 온다", false),
            ("웃을 수밖에 없다", false),
            ("안녕 안전 안내", false),
            ("끊임없이 틀림없는 일", false),
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let before = |at: usize| words.get(..at).and_then(<[_]>::last);
            let denies = words.iter().enumerate().any(|(at, word)| denies_in_korean(word, before(at)));
            assert_eq!(denies, expected, "{words:?}");
        }
    }
}
