//! The labelled posts: read, cleaned of the files' own escapes, divided into what is learned from, what is chosen by and
//! what is held out, and cleared of posts that are in two of them.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use topicwatch::sentiment::text;

/// What a post is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Learned from.
    Train,
    /// Decides between ways of learning, and calibrates.
    Choose,
    /// Looked at once, at the end.
    Held,
    /// Neither, and no post with the same words is learned from.
    Kept,
}

/// A labelled post.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub(crate) text: String,
    /// 0 negative, 1 neutral, 2 positive.
    pub(crate) label: usize,
    /// `tweets` or a language of xlmt.
    pub(crate) set: &'static str,
    /// File of the set.
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

/// Mean rating from which a text counts as positive, or on the other side as negative.
const RATED_FROM: f64 = 0.75;

/// Reads everything. `shift` keeps the newest test set wholly out of what is learned from, also where another set has its
/// posts, which shows what posts about topics that were never seen get.
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
    // After those of xlmt, whose English posts are some of these.
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

/// `\u2019` and doubled quotes are the files', not the posts'.
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

/// Each post once: what is held out wins over what is chosen by, which wins over what is kept out, and that over what is
/// learned from. Posts are the same when they read the same, names and links masked.
fn once(posts: &[Post]) -> Vec<Post> {
    let mut seen = HashSet::new();
    let mut kept = Vec::with_capacity(posts.len());
    for purpose in [Use::Held, Use::Choose, Use::Kept, Use::Train] {
        kept.extend(
            posts
                .iter()
                .filter(|post| post.purpose == purpose)
                .filter(|post| {
                    let reading = text::read(&post.text);
                    let words: Vec<&str> =
                        reading.tokens.iter().filter(|t| t.kind == text::Kind::Word).map(|t| reading.of(t)).collect();
                    seen.insert(text::hash(words.join(" ").as_bytes()))
                })
                .cloned(),
        );
    }
    kept
}
