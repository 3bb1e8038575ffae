//! Joins parts of a sentence: `a`, `a and b`, `a, b and c`.

/// Joins parts with commas, and puts `conjunction` (such as ` and`) before the last.
#[must_use]
pub fn join(parts: &[impl AsRef<str>], conjunction: &str) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match parts.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{}{conjunction} {last}", others.join(", ")),
        _ => parts.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conjunction_is_before_the_last_of_several_parts() {
        assert_eq!(join(&[] as &[&str], " and"), "");
        assert_eq!(join(&["a"], " and"), "a");
        assert_eq!(join(&["a", "b"], " and"), "a and b");
        assert_eq!(join(&["a", "b", "c"], ", or"), "a, b, or c");
    }
}
