//! The error made when the tone of a post is taken as the tone towards a topic, measured on posts labelled by hand for
//! their topic.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use topicwatch::model::Tone;
use topicwatch::sentiment;

use crate::measure::{Confusion, share_error};

/// Prints the table. `labels` has the columns id, topic, label; the posts are in the folders of `posts`.
pub(crate) fn print(labels: &Path, posts: &Path) -> Result<(), Box<dyn Error>> {
    let mut texts: HashMap<String, String> = HashMap::new();
    for folder in ["crisislex_t6", "crisislex_t26"] {
        for file in std::fs::read_dir(posts.join(folder))? {
            let mut rows = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_path(file?.path())?;
            for row in rows.byte_records() {
                let row = row?;
                let cell = |at: usize| String::from_utf8_lossy(row.get(at).unwrap_or_default()).into_owned();
                texts.insert(cell(0).trim_matches(['\'', '"']).to_owned(), cell(1));
            }
        }
    }
    let (mut pairs, mut missing, mut away) = (Vec::new(), 0, 0);
    for row in csv::Reader::from_path(labels)?.records() {
        let row = row?;
        let label = ["negative", "neutral", "positive"].iter().position(|name| Some(*name) == row.get(2));
        let (Some(text), Some(label)) = (row.get(0).and_then(|id| texts.get(id)), label) else {
            missing += 1;
            continue;
        };
        let said = match sentiment::score(text).tone {
            Tone::Negative => 0,
            Tone::Positive => 2,
            Tone::Neutral => 1,
            Tone::Unsupported => {
                away += 1;
                1
            }
        };
        pairs.push((label, said));
    }
    let confusion = Confusion::of(pairs.iter().copied());
    let (mean, half) = share_error(&pairs, None);
    let right = pairs.iter().filter(|(label, said)| label == said).count();
    println!("{} posts, {missing} without text or label, {away} turned away", pairs.len());
    println!(
        "right {:.3}, macro-recall {:.3}, macro-F1 {:.3}",
        right as f64 / pairs.len().max(1) as f64,
        confusion.macro_recall(),
        confusion.macro_f1()
    );
    println!("share error over days of 200: mean {mean:.3}, half sum {half:.3}");
    println!("\n| towards the topic | posts | said negative | neutral | positive |\n|---|--:|--:|--:|--:|");
    for (name, row) in ["negative", "neutral", "positive"].iter().zip(confusion.0) {
        println!("| {name} | {} | {} | {} | {} |", row.iter().sum::<f64>(), row[0], row[1], row[2]);
    }
    Ok(())
}
