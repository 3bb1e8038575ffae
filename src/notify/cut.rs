//! Texts that are cut to what a service takes. What is cut elsewhere, as in a terminal, has rules of its own.

/// What stands where a text was cut.
pub(super) const CUT: &str = "\n… (cut)";

/// A text of at most so many units, which `size` counts of each character; with a mark where it was cut.
pub(super) fn within(text: &str, most: usize, size: fn(char) -> usize) -> String {
    let all = |text: &str| text.chars().map(size).sum::<usize>();
    if all(text) <= most {
        return text.to_owned();
    }
    let (room, mut taken) = (most.saturating_sub(all(CUT)), 0);
    let kept = text.chars().take_while(|c| {
        taken += size(*c);
        taken <= room
    });
    // A backslash at the end would make a sign of the mark.
    format!("{}{CUT}", kept.collect::<String>().trim_end_matches('\\'))
}
