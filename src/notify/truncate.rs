//! Cuts texts to what a service accepts. Texts that are cut elsewhere, as in a terminal, have other rules.

/// The mark at the end of a text that was cut.
pub(super) const CUT: &str = "\n… (cut)";

/// A text of at most `most` units, with a mark if it was cut. `size` returns the units of a character.
pub(super) fn truncate(text: &str, most: usize, size: fn(char) -> usize) -> String {
    let all = |text: &str| text.chars().map(size).sum::<usize>();
    if all(text) <= most {
        return text.to_owned();
    }
    let (room, mut taken) = (most.saturating_sub(all(CUT)), 0);
    let kept = text.chars().take_while(|c| {
        taken += size(*c);
        taken <= room
    });
    // A backslash at the end would escape the mark.
    format!("{}{CUT}", kept.collect::<String>().trim_end_matches('\\'))
}
