//! Reads the labelled posts, undoes the files' own escapes, divides them into training, selection and held-out sets,
//! and removes posts that are in two sets.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use topicwatch::sentiment::text;

/// The purpose of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Training.
    Train,
    /// Selection between training settings, and calibration.
    Choose,
    /// Final test, used once at the end.
    Held,
    /// None of these; posts with the same text are removed from training.
    Kept,
}

/// A labelled post.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub(crate) text: String,
    /// 0 negative, 1 neutral, 2 positive.
    pub(crate) label: usize,
    /// `tweets`, `rated` or a language of xlmt.
    pub(crate) set: &'static str,
    /// The file within the set.
    pub(crate) part: String,
    pub(crate) purpose: Use,
}

/// Languages of xlmt.
pub(crate) const LANGUAGES: [&str; 8] =
    ["arabic", "english", "french", "german", "hindi", "italian", "portuguese", "spanish"];

/// The set of English posts.
pub(crate) const TWEETS: &str = "tweets";

/// The set of posts and sentences that people rated from -4 to 4.
pub(crate) const RATED: &str = "rated";

/// The mean rating from which a text is positive; from minus this value on it is negative.
const RATED_FROM: f64 = 0.75;

/// Reads all sets. `shift` keeps the newest test set completely out of training, also where another set contains its
/// posts; this measures the quality on unseen topics.
pub(crate) fn load(folder: &Path, shift: bool) -> Result<Vec<Post>, Box<dyn Error>> {
    let mut posts = Vec::new();
    for year in [
        "2013dev",
        "2013test",
        "2013train",
        "2014sarcasm",
        "2014test",
        "2015test",
        "2015train",
        "2016dev",
        "2016devtest",
        "2016test",
        "2016train",
    ] {
        for line in std::fs::read_to_string(folder.join(format!("semeval/twitter-{year}-A.tsv")))?.lines() {
            let mut cells = line.splitn(3, '\t');
            let (Some(id), Some(label), Some(text)) = (cells.next(), cells.next(), cells.next()) else { continue };
            let label = ["negative", "neutral", "positive"].iter().position(|name| *name == label);
            let Some(label) = label.filter(|_| text != "Not Available") else { continue };
            let purpose = match (year, text::hash(id.as_bytes()) % 10) {
                ("2016test", 0..3) => Use::Held,
                ("2016test", 3..6) => Use::Choose,
                ("2016test", _) if shift => Use::Kept,
                _ => Use::Train,
            };
            posts.push(Post { text: unescaped(text), label, set: TWEETS, part: year.into(), purpose });
        }
    }
    for part in ["tweets", "nytEditorialSnippets"] {
        for line in std::fs::read_to_string(folder.join(format!("vader/{part}_GroundTruth.txt")))?.lines() {
            let mut cells = line.splitn(3, '\t');
            let (Some(_), Some(rating), Some(text)) = (cells.next(), cells.next(), cells.next()) else { continue };
            let rating: f64 = rating.trim().parse()?;
            let label = if rating >= RATED_FROM { 2 } else { usize::from(rating > -RATED_FROM) };
            posts.push(Post { text: unescaped(text), label, set: RATED, part: part.into(), purpose: Use::Train });
        }
    }
    for language in LANGUAGES {
        let place = folder.join("xlmt").join(language);
        pairs(&mut posts, &place.join("train"), language, "train", |_| Use::Train)?;
        let half = |text: &str| if text::hash(text.as_bytes()) >> 7 & 1 == 0 { Use::Held } else { Use::Choose };
        pairs(&mut posts, &place.join("val"), language, "val", half)?;
    }
    // After xlmt, because its English posts are some of these.
    pairs(&mut posts, &folder.join("tweeteval/sentiment_val"), TWEETS, "tweeteval", |_| Use::Choose)?;
    Ok(once(&posts))
}

fn pairs(
    posts: &mut Vec<Post>,
    stem: &Path,
    set: &'static str,
    part: &str,
    purpose: impl Fn(&str) -> Use,
) -> Result<(), Box<dyn Error>> {
    let file = |what: &str| std::fs::read_to_string(format!("{}_{what}.txt", stem.display()));
    let (texts, labels) = (file("text")?, file("labels")?);
    for (text, label) in texts.lines().zip(labels.lines()) {
        posts.push(Post {
            text: unescaped(text),
            label: label.trim().parse()?,
            set,
            part: part.into(),
            purpose: purpose(text),
        });
    }
    Ok(())
}

/// Undoes `\u2019` escapes and doubled quotes, which come from the files.
fn unescaped(text: &str) -> String {
    let text = text.trim().trim_matches('"').replace("\"\"", "\"");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\\u") {
        let code =
            rest.get(at + 2..at + 6).and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        out.push_str(&rest[..at]);
        match code {
            Some(c) => {
                out.push(c);
                rest = &rest[at + 6..];
            }
            None => {
                out.push_str("\\u");
                rest = &rest[at + 2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Keeps each post once: held-out wins over selection, selection over kept-out, and that over training. Posts are the
/// same when their text is the same with names and links masked.
fn once(posts: &[Post]) -> Vec<Post> {
    let mut seen = HashSet::new();
    let mut kept = Vec::with_capacity(posts.len());
    for purpose in [Use::Held, Use::Choose, Use::Kept, Use::Train] {
        kept.extend(
            posts
                .iter()
                .filter(|post| post.purpose == purpose)
                .filter(|post| {
                    let reading = text::tokenize(&post.text);
                    let words: Vec<&str> =
                        reading.tokens.iter().filter(|t| t.kind == text::Kind::Word).map(|t| reading.of(t)).collect();
                    seen.insert(text::hash(words.join(" ").as_bytes()))
                })
                .cloned(),
        );
    }
    kept
}
