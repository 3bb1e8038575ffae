//! A text as one word of a command line that people copy into a shell.

/// Returns a word of a command line, in quotes if a shell would take it for something else. The caller escapes control
/// characters.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
