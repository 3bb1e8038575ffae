//! Trains the sentiment scorer's weights on public sets of labelled posts, and measures them. The same data gives the
//! same bytes. `train_sentiment DATA [--out FILE] [--held] [KEY=NUMBER…]` prints results for the selection posts;
//! `--held` adds the held-out posts, for the final measurement only; `--out` trains again on everything except the
//! held-out posts and writes the weights; `--topics FILE` compares the scorer with posts labelled for their topic. See
//! docs/dev/sentiment-measured.md.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]
#![allow(clippy::cast_precision_loss, clippy::indexing_slicing, reason = "figures; classes are 0 to 2")]

mod calibrate;
mod data;
mod learn;
mod measure;
mod tables;
mod topics;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use topicwatch::sentiment::text::{self, Kind};
use topicwatch::sentiment::valence::{STRONGEST, Valences, upper_half};
use topicwatch::sentiment::weights;
use vader_parity::SentimentIntensityAnalyzer;

use data::{Post, RATED, TWEETS, Use};
use learn::{CLASSES, Model, Seen, Settings};

/// The command-line arguments.
struct Arguments {
    data: PathBuf,
    out: Option<PathBuf>,
    held: bool,
    topics: Option<PathBuf>,
    settings: Settings,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = parse_arguments()?;
    if let Some(labels) = &arguments.topics {
        return topics::print(labels, &arguments.data.join("../posts"));
    }
    let vader = SentimentIntensityAnalyzer::new();

    // Results on unseen topics: the newest test set is completely left out of training.
    let unseen = data::load(&arguments.data, true)?;
    let first = Learned::new(&unseen, &[Use::Train], &arguments.settings, &vader);
    println!("## Chosen by, unseen topics\n");
    let calibration = calibrate::fit(&first, &unseen, Use::Choose);
    let file = first.file(&calibration);
    tables::print(&unseen, Use::Choose, &file, &vader)?;
    if arguments.held {
        println!("\n## Held out, unseen topics\n");
        tables::print(&unseen, Use::Held, &file, &vader)?;
    }
    let Some(out) = arguments.out else { return Ok(()) };
    drop(first);

    let posts = data::load(&arguments.data, false)?;
    let last = Learned::new(&posts, &[Use::Train, Use::Choose], &arguments.settings, &vader);
    let file = last.file(&calibration);
    if arguments.held {
        println!("\n## Held out, the written weights\n");
        tables::print(&posts, Use::Held, &file, &vader)?;
    }
    if file.len() > weights::LARGEST {
        return Err(format!("{} bytes of weights, at most {} are allowed", file.len(), weights::LARGEST).into());
    }
    std::fs::write(&out, &file)?;
    let texts = std::fs::read_to_string(out.with_file_name("parity.txt"))?;
    std::fs::write(out.with_extension("tsv"), tables::parity(&last, &calibration, &file, &texts))?;
    println!(
        "\n{} bytes in {}, largest difference to the float weights {:.4}",
        file.len(),
        out.display(),
        tables::difference(&last, &posts, &file)?
    );
    Ok(())
}

fn parse_arguments() -> Result<Arguments, Box<dyn Error>> {
    let (mut data, mut out, mut held, mut topics) = (None, None, false, None);
    let mut settings = Settings::CHOSEN;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match (arg.as_str(), arg.split_once('=')) {
            ("--held", _) => held = true,
            ("--topics", _) => topics = Some(PathBuf::from(args.next().ok_or("--topics needs a file")?)),
            ("--out", _) => out = Some(PathBuf::from(args.next().ok_or("--out needs a file")?)),
            (_, Some((key, number))) => settings.set(key, number.parse()?)?,
            _ => data = Some(PathBuf::from(arg)),
        }
    }
    Ok(Arguments {
        data: data.ok_or("the folder with semeval, tweeteval and xlmt is missing")?,
        out,
        held,
        topics,
        settings,
    })
}

/// A model and its inputs.
pub(crate) struct Learned {
    pub(crate) words: Vec<(u32, i8)>,
    pub(crate) valences: Valences,
    pub(crate) model: Model,
}

impl Learned {
    fn new(posts: &[Post], from: &[Use], settings: &Settings, vader: &SentimentIntensityAnalyzer) -> Self {
        let posts: Vec<&Post> = posts.iter().filter(|post| from.contains(&post.purpose)).collect();
        let words = valences(&posts, vader);
        let valences = Valences::new(&words);
        let mut seen: Vec<Seen> = posts.iter().map(|post| learn::see(post, &valences)).collect();
        let mut counts = [[0.0f32; CLASSES]; 3];
        let of = |post: &Post| match post.set {
            TWEETS => 0,
            RATED => 1,
            _ => 2,
        };
        posts.iter().for_each(|post| counts[of(post)][post.label] += 1.0);
        for (post, seen) in posts.iter().zip(&mut seen) {
            let counts = counts[of(post)];
            let even = counts.iter().sum::<f32>() / CLASSES as f32;
            let share = [1.0, settings.rated, settings.xlmt][of(post)];
            seen.weight = share * (even / counts[post.label]).powf(settings.balance);
        }
        eprintln!("{} posts, {} words with a valence", posts.len(), words.len());
        Self { words, valences, model: Model::learn(&seen, settings) }
    }

    fn file(&self, calibration: &calibrate::Calibrations) -> Vec<u8> {
        let over_neutral: Vec<[f32; 2]> = self.model.hashed.iter().map(|[n, o, p]| [n - o, p - o]).collect();
        weights::serialize(&self.words, &self.model.counted, calibration, &over_neutral)
    }
}

/// Gets the valence of each word, emoji and emoticon that occurs from VADER's score for it alone.
fn valences(posts: &[&Post], vader: &SentimentIntensityAnalyzer) -> Vec<(u32, i8)> {
    let mut found = BTreeMap::new();
    for post in posts {
        let reading = text::tokenize(&post.text);
        for token in reading.tokens.iter().filter(|token| token.kind != Kind::Mask) {
            found.entry(upper_half(token.hash)).or_insert_with(|| {
                let compound = vader.polarity_scores(reading.of(token)).compound;
                let valence = compound * (15.0 / (1.0 - compound * compound)).sqrt();
                let most = f64::from(STRONGEST);
                #[allow(clippy::cast_possible_truncation, reason = "between -50 and 50")]
                let tenths = (valence * 10.0).round().clamp(-most, most) as i8;
                tenths
            });
        }
    }
    found.into_iter().filter(|(_, valence)| *valence != 0).collect()
}
