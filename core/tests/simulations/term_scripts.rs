//! Terms in scripts without spaces: a word that many people write on one day must be the first term, complete and once,
//! whatever text is around it.

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use topicwatch_core::insight::terms::{DayTerms, RiseInput, TermCounter, TermItem, news, rises};
use topicwatch_core::model::{Kind, SearchableItem, Time};
use topicwatch_core::normalise::words;

/// A script: letters of other words, the letters between words, and the words of the day.
struct Script {
    name: &'static str,
    letters: &'static str,
    between: &'static [&'static str],
    words: &'static [&'static str],
}

const SCRIPTS: [Script; 6] = [
    Script {
        name: "Japanese",
        letters: "山川田中本木村松井小高石森林池橋島谷原野水金火土星空海花鳥風月雪雨春夏秋冬南北西上下左右前後内外",
        between: &["の", "は", "が", "を", "に", "と", "も", "、"],
        words: &["サッカー", "さくらもち", "アルゼンチン", "東京タワー", "地震", "ひまわり", "北海道新幹線"],
    },
    Script {
        name: "Chinese",
        letters: "山川田中本木村松井小高石森林池桥岛谷原野水金火土星空海花鸟风月雪雨春夏秋冬南北西上下左右前后内外",
        between: &["的", "和", "在", "是", "了", "，"],
        words: &["冬奥会", "地震", "总统选举", "人工智能芯片"],
    },
    Script {
        name: "Korean",
        letters: "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호",
        between: &[" ", "은 ", "이 ", "를 ", "의 "],
        words: &["대통령선거", "지진", "월드컵"],
    },
    Script {
        name: "Thai",
        letters: "กขคงจฉชซญดตถทธนบปผพฟภมยรลวศสหอ",
        between: &["ที่", "และ", "ใน", " "],
        words: &["แผ่นดินไหว", "สงกรานต์"],
    },
    Script {
        name: "Khmer", letters: "កខគងចឆជញដឋណតថទធនបផពភមយរលវសហ", between: &["និង", " "], words: &["ភ្នំពេញ"]
    },
    Script {
        name: "Burmese", letters: "ကခဂငစဆဇညတထဒနပဖဗဘမယရလဝသဟအ", between: &["နှင့်", " "], words: &["ငလျင်"]
    },
];

/// Calm days of each script.
const CALM: usize = 40;

fn below(random: &mut ChaCha8Rng, many: usize) -> usize {
    usize::try_from(random.next_u64() % many as u64).unwrap()
}

/// A text of random words, with this word in the middle.
fn text(script: &Script, word: Option<&str>, random: &mut ChaCha8Rng) -> String {
    let letters: Vec<char> = script.letters.chars().collect();
    let mut text = String::new();
    for at in 0..6 {
        if at == 3
            && let Some(word) = word
        {
            text.push_str(word);
        } else {
            (0..2 + below(random, 2)).for_each(|_| text.push(letters[below(random, letters.len())]));
        }
        text.push_str(script.between[below(random, script.between.len())]);
    }
    text
}

fn item(n: usize, text: &str) -> TermItem {
    let read =
        SearchableItem { kind: Kind::Post, title: None, text: Some(text), author: None, author_name: None, url: None };
    let mut terms = BTreeSet::new();
    words::terms(&read, &mut |term| {
        terms.insert(term.to_owned());
    });
    TermItem {
        key: n.to_string(),
        kind: Kind::Post,
        cluster: n.to_string(),
        voice: n.to_string(),
        day: 0,
        at: Time(0),
        sound: None,
        weight: 0,
        terms: terms.into_iter().collect(),
        runs: words::dense_runs(&read),
    }
}

fn counted(items: &[TermItem]) -> DayTerms {
    let mut counter = TermCounter::default();
    for item in items {
        counter.item(&item.cluster, &item.voice);
        item.terms.iter().for_each(|term| counter.term(term));
    }
    counter.end()
}

#[test]
fn a_frequent_word_is_one_whole_term_in_every_script_without_spaces() {
    let (mut wrong, mut many, mut loud) = (Vec::new(), 0, 0);
    for script in &SCRIPTS {
        let mut random = ChaCha8Rng::seed_from_u64(20_261_126);
        let mut day = |word: Option<&str>| -> Vec<TermItem> {
            let texts = (0..60).map(|n| text(script, word.filter(|_| n < 14), &mut random)).collect::<Vec<_>>();
            texts.iter().enumerate().map(|(n, text)| item(n, text)).collect()
        };
        let before: Vec<DayTerms> = (0..28).map(|_| counted(&day(None))).collect();
        for word in script.words {
            for _ in 0..5 {
                let items = day(Some(word));
                let (rises, _) = rises(RiseInput { items: &items, before: &before }, &|_| false);
                let found: Vec<String> = news(&rises, &items).into_iter().map(|term| term.term).collect();
                many += 1;
                if found != [*word] {
                    wrong.push(format!("{} {word}: {found:?}", script.name));
                }
            }
        }
        // Calm days have hardly any.
        for _ in 0..CALM {
            let items = day(None);
            let (rises, _) = rises(RiseInput { items: &items, before: &before }, &|_| false);
            loud += usize::from(!news(&rises, &items).is_empty());
        }
    }
    assert!(wrong.len() * 20 <= many, "{} of {many}: {wrong:#?}", wrong.len());
    assert!(loud * 20 <= CALM * SCRIPTS.len(), "{loud} calm days have terms");
}
