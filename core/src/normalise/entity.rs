//! Decodes HTML entities (`&#8217;`, `&rsquo;`). Not a library: keys and clusters are made from the decoded text and
//! must not change with a dependency. Not supported: names without `;`, most named entities, nested entities.

use std::borrow::Cow;

/// The most digits of a number, leading zeros included. Anything longer is not an entity.
const MOST_DIGITS: usize = 8;

/// Named entities that occur in posts.
const NAMED: [(&str, char); 13] = [
    ("amp;", '&'),
    ("lt;", '<'),
    ("gt;", '>'),
    ("quot;", '"'),
    ("nbsp;", ' '),
    ("apos;", '\''),
    ("rsquo;", '\u{2019}'),
    ("lsquo;", '\u{2018}'),
    ("ldquo;", '\u{201c}'),
    ("rdquo;", '\u{201d}'),
    ("hellip;", '\u{2026}'),
    ("mdash;", '\u{2014}'),
    ("ndash;", '\u{2013}'),
];

/// Decodes the entities of a text: services return `AT&amp;T` for `AT&T`.
#[must_use]
pub fn decode_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, found) = rest.split_at(at);
        let entity = found.get(1..).and_then(decode_entity);
        let (c, length) = entity.map_or(('&', 1), |(c, length)| (c, length + 1));
        out.push_str(before);
        out.push(c);
        rest = found.get(length..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Decodes the entity whose `&` was just read. Returns the character and the length in bytes of the rest of the entity.
#[must_use]
pub fn decode_entity(rest: &str) -> Option<(char, usize)> {
    match rest.strip_prefix('#') {
        None => NAMED.iter().find(|(name, _)| rest.starts_with(name)).map(|(name, plain)| (*plain, name.len())),
        Some(number) => {
            let hexadecimal = number.strip_prefix(['x', 'X']);
            let (digits, radix) = hexadecimal.map_or((number, 10), |digits| (digits, 16));
            let length = digits.bytes().take(MOST_DIGITS + 1).position(|b| !char::from(b).is_digit(radix))?;
            let (digits, end) = digits.split_at_checked(length).filter(|(_, end)| end.starts_with(';'))?;
            let plain = entity_char(u32::from_str_radix(digits, radix).ok()?)?;
            Some((plain, rest.len() - end.len() + 1))
        }
    }
}

/// The character with this number. Control characters become a space, except that Windows-1252 punctuation is decoded
/// as browsers do. `None` if there is no such character.
fn entity_char(number: u32) -> Option<char> {
    Some(match char::from_u32(number)? {
        '\u{85}' => '\u{2026}',
        '\u{91}' => '\u{2018}',
        '\u{92}' => '\u{2019}',
        '\u{93}' => '\u{201c}',
        '\u{94}' => '\u{201d}',
        '\u{96}' => '\u{2013}',
        '\u{97}' => '\u{2014}',
        c if c.is_control() => ' ',
        c => c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_entities_of_existing_characters_are_decoded() {
        for (text, plain) in [
            ("#39;", Some('\'')),
            ("#039;s", Some('\'')),
            ("#00000039;", Some('\'')),
            ("#000000039;", None),
            ("#x27;", Some('\'')),
            ("#X27;", Some('\'')),
            ("#x1F600;", Some('😀')),
            ("#x1f600;", Some('😀')),
            ("#128512;", Some('😀')),
            ("#8217;", Some('’')),
            ("#146;", Some('’')),
            ("#10;", Some(' ')),
            ("#0;", Some(' ')),
            ("#127;", Some(' ')),
            ("#x9b;", Some(' ')),
            ("#xD800;", None),
            ("#x110000;", None),
            ("#99999999;", None),
            ("#xFFFFFFFF;", None),
            ("#;", None),
            ("#x;", None),
            ("#+39;", None),
            ("#-39;", None),
            ("#39", None),
            ("#39 ;", None),
            ("#3a;", None),
            ("#٣٩;", None),
            ("#é;", None),
            ("#", None),
            ("#x", None),
            ("", None),
            ("rsquo;s", Some('’')),
            ("rsquo", None),
            ("nothing;", None),
        ] {
            let found = decode_entity(text);
            assert_eq!(found.map(|(plain, _)| plain), plain, "{text}");
            let end = found.and_then(|(_, length)| text.get(..length));
            assert!(found.is_none() || end.is_some_and(|read| read.ends_with(';')), "{text}");
        }
    }
}
