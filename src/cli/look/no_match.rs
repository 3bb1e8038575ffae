//! The line of an empty list: which filters are in use. Without them, the list may have rows or be empty all the same.

/// Returns the line for an empty list, which begins with `none`, such as `no runs`. `in_use` has the filters: the option
/// of each, and whether it was given.
pub(in crate::cli) fn empty_list(none: &str, in_use: &[(&str, bool)]) -> String {
    let given: Vec<&str> = in_use.iter().filter(|(_, given)| *given).map(|(option, _)| *option).collect();
    match given.split_last() {
        None => format!("{none}\n"),
        Some((only, [])) => format!("{none} with {only}; try without it\n"),
        Some((last, others)) => {
            format!("{none} with {} and {last}; try without one of them\n", others.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_an_empty_list_names_the_filters_in_use() {
        for (in_use, expected) in [
            (&[("--topic", false)][..], "no runs\n"),
            (&[("--topic", false), ("--since", true)], "no runs with --since; try without it\n"),
            (
                &[("--topic", true), ("--since", true), ("--after", true)],
                "no runs with --topic, --since and --after; try without one of them\n",
            ),
        ] {
            assert_eq!(empty_list("no runs", in_use), expected);
        }
    }
}
