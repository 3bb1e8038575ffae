//! The output of commands and pages, prepared for a snapshot: the same in every run and on every database.

use regex::Regex;

/// The text without what differs from run to run: random ids, times that calls took, the database.
pub fn without_run_details(text: &str) -> String {
    let same = |text: &str, pattern: &str, by: &str| Regex::new(pattern).unwrap().replace_all(text, by).into_owned();
    let text = same(text, r"/\S+/t\.db", "DATABASE");
    let text = same(&text, r"\d+\.\d kB", "N kB");
    let text = same(&text, r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "RUN-ID");
    let text = same(&text, r" +\d+ ms", " N ms");
    let text = same(&text, r"(?m)^\d+ ms", "N ms");
    let text = same(&text, r#""(latency_ms|free|bytes|took_ms)": \d+"#, "\"$1\": 0");
    // The column is as wide as its longest time.
    let text = same(&text, r" +(time|-)\n", " $1\n");
    let text = same(&text, r"127\.0\.0\.1:\d+", "127.0.0.1:PORT");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The words of a page, a line for each piece of text. Styles, scripts and drawings are left out.
pub fn visible_text(page: &str) -> String {
    let same = |text: &str, pattern: &str, by: &str| Regex::new(pattern).unwrap().replace_all(text, by).into_owned();
    let text = same(page, r"(?s)<(style|script|svg)\b.*?</(style|script|svg)>", "\n");
    let text = same(&text, r"(?s)<[^>]*>", "\n");
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}
