//! `score`: one text per line in, one JSON object per line out. Needs no configuration and no database.

use std::io::{self, BufRead, IsTerminal as _, Read as _, Write as _};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::model::Tone;
use crate::sentiment;

#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// File with one text per line [default: stdin]
    pub file: Option<PathBuf>,
}

/// Bytes kept of each line. The scorer reads fewer; the rest of a longer line is dropped.
const LONGEST_LINE: u64 = 1 << 20;

pub(in crate::cli) fn run(args: &ScoreArgs) -> Result<Exit, Failure> {
    match args.file.as_ref().filter(|file| file.as_os_str() != "-") {
        Some(file) => {
            let opened = std::fs::File::open(file).map_err(|error| {
                Failure::usage(
                    format!("{}: {error}", output::escape_control(&file.display().to_string())),
                    "give a file with one text per line, or - for stdin",
                )
            })?;
            score_lines(io::BufReader::new(opened), false, &file.display().to_string())
        }
        None => {
            let stdin = io::stdin().lock();
            // Someone who types the lines wants each result at once.
            let typed = io::stdin().is_terminal();
            score_lines(stdin, typed, "stdin")
        }
    }
}

fn score_lines(mut from: impl BufRead, at_once: bool, name: &str) -> Result<Exit, Failure> {
    let unread = |error: io::Error| {
        Failure::usage(
            format!("{}: {error}", output::escape_control(name)),
            "give a file with one text per line, or - for stdin; the lines before were scored",
        )
    };
    let mut out = output::stdout();
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(unread)? == 0 {
            break;
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
        } else {
            from.skip_until(b'\n').map_err(unread)?;
        }
        serde_json::to_writer(&mut out, &score_to_json(&String::from_utf8_lossy(&line)))?;
        out.write_all(b"\n")?;
        if at_once {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// Returns the score of a text as one object. Unsupported is a label of its own, without score and probabilities.
fn score_to_json(text: &str) -> Value {
    let scored = sentiment::score(text);
    let thousandths = |n: i64| json!(f64::from(i32::try_from(n).unwrap_or(0)) / 1_000.0);
    let (score, p) = match scored.tone {
        Tone::Unsupported => (Value::Null, Value::Null),
        _ => {
            let [negative, neutral, positive] = scored.thousandths().map(thousandths);
            (thousandths(scored.score), json!({ "negative": negative, "neutral": neutral, "positive": positive }))
        }
    };
    json!({ "label": scored.tone, "score": score, "p": p, "lang": scored.lang, "scorer": sentiment::VERSION })
}
