//! Recognises emoticons and maps each to one of a few types. `lexicon` handles emoji.

/// Recognises an emoticon at the start of `rest`. Returns its length in characters and its type's representative.
pub(super) fn at(rest: &[char], before: Option<char>) -> Option<(usize, &'static str)> {
    let get = |at: usize| rest.get(at).copied().unwrap_or(' ');
    let alone = !before.is_some_and(char::is_alphanumeric);
    match get(0) {
        ':' | ';' | '=' => eyes(get(0), &get),
        '<' if get(1) == '3' => Some((2, "<3")),
        '<' if get(1) == '/' && get(2) == '3' => Some((3, "</3")),
        '^' if get(1) == '^' => Some((2, ":)")),
        '^' if get(1) == '_' && get(2) == '^' => Some((3, ":)")),
        '-' if get(1) == '_' && get(2) == '-' => Some((3, ":/")),
        '-' if get(1) == '.' && get(2) == '-' => Some((3, ":/")),
        '(' if alone && matches!(get(1), ':' | ';' | '=') && !get(2).is_alphanumeric() => Some((2, ":)")),
        ')' if alone && get(1) == ':' && !get(2).is_alphanumeric() => Some((2, ":(")),
        'x' | 'X' if alone && matches!(get(1), 'd' | 'D') && !get(2).is_alphanumeric() => Some((2, ":D")),
        'T' if alone && get(1) == '_' && get(2) == 'T' => Some((3, ":'(")),
        _ => None,
    }
}

fn eyes(eye: char, get: &impl Fn(usize) -> char) -> Option<(usize, &'static str)> {
    let (tear, nose) = (get(1) == '\'', matches!(get(1), '-' | '^' | '\'' | 'o') && !get(2).is_alphanumeric());
    let mouth = if nose || matches!(get(1), '-' | '\'') && matches!(get(2), 'D' | 'P' | 'p') { 2 } else { 1 };
    let ends = !get(mouth + 1).is_alphanumeric();
    let name = match get(mouth) {
        ')' | ']' if tear => ":')",
        ')' | ']' | '}' if eye == ';' => ";)",
        ')' | ']' | '}' => ":)",
        '(' | '[' | '{' if tear => ":'(",
        '(' | '[' | '{' => ":(",
        'D' if ends => ":D",
        'p' | 'P' if ends => ":P",
        '*' if eye != '=' => ":*",
        '3' if ends && eye == ':' => "<3",
        '/' | '\\' if get(mouth + 1) != '/' && eye != ';' => ":/",
        '|' | 'S' | 's' if ends && eye == ':' => ":/",
        'o' | 'O' if ends && eye == ':' => ":O",
        _ => return None,
    };
    // `:))))` is one emoticon.
    let last = get(mouth);
    let length = (mouth..64).take_while(|at| get(*at) == last).count();
    Some((mouth + length.max(1), name))
}
