//! Normalises percent-encoding in parts of a URL (RFC 3986 section 6.2.2). Not a library: keys are made from the result
//! and must not change with a dependency. Not a decoder: the output is still part of a URL and means the same resource.

use std::fmt::Write as _;

/// The part of a URL. Each part has its own delimiters, which are never decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A path, slashes included.
    Path,
    /// One name or one value of a query, without its `&`.
    Query,
    /// A fragment that selects content.
    Fragment,
}

impl Part {
    /// Whether a byte means the same encoded and plain. If so, it is written plain.
    ///
    /// By RFC 3986, this holds for the unreserved characters. The marks `!'()*` were unreserved in RFC 2396, and
    /// `encodeURIComponent` still leaves them plain. `,` `:` `@` delimit nothing in an http path, nor do `/` `?` `$` in
    /// a form value. Real links contain both spellings (`Rust_%28language%29`, `/%40user`).
    fn is_plain(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || b"-._~!'()*,:@".contains(&byte)
            || match self {
                Self::Path => false,
                Self::Query => b"/?$".contains(&byte),
                Self::Fragment => b"/?".contains(&byte),
            }
    }

    /// Whether a byte found plain stays plain: the bytes above, and the delimiters of this part.
    fn may_stay_plain(self, byte: u8) -> bool {
        self.is_plain(byte)
            || match self {
                Self::Path => b"$&+;=/".contains(&byte),
                Self::Query => b"+;=".contains(&byte),
                Self::Fragment => b"$&+;=".contains(&byte),
            }
    }
}

/// Normalises `text`: upper-case hex, decodes all that may be decoded and encodes all that must be. A `%` without two
/// hex digits becomes `%25`, so that the function is idempotent. In a query a space becomes `+`, as in forms.
pub(super) fn normalise(text: &str, part: Part) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let triple = if byte == b'%' { bytes.get(at + 1).zip(bytes.get(at + 2)).and_then(hex_pair) } else { None };
        let (value, plain) = match triple {
            Some(value) => (value, part.is_plain(value)),
            None => (byte, part.may_stay_plain(byte)),
        };
        at += if triple.is_some() { 3 } else { 1 };
        if value == b' ' && part == Part::Query {
            out.push('+');
        } else if plain {
            out.push(char::from(value));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{value:02X}");
        }
    }
    out
}

/// The value of two hexadecimal digits.
fn hex_pair((high, low): (&u8, &u8)) -> Option<u8> {
    let digit = |b: &u8| char::from(*b).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equivalent_encodings_get_one_spelling_and_delimiters_are_kept() {
        for (part, text, expected) in [
            (Part::Path, "/%7euser/%c3%a9", "/~user/%C3%A9"),
            (Part::Path, "/é|\"", "/%C3%A9%7C%22"),
            (Part::Path, "/AC%2fDC%3b", "/AC%2FDC%3B"),
            (Part::Path, "/Rust_%28language%29", "/Rust_(language)"),
            (Part::Path, "/%40user/a+b%2Bc d", "/@user/a+b%2Bc%20d"),
            (Part::Path, "/%E0%A4%A", "/%E0%A4%25A"),
            (Part::Path, "/100%/%%35%35", "/100%25/%2555"),
            (Part::Query, "a%20b+c%2bd", "a+b+c%2Bd"),
            (Part::Query, "http%3A%2F%2Fa%26b%3D", "http://a%26b%3D"),
            (Part::Query, "x[0]", "x%5B0%5D"),
            (Part::Fragment, "!topic/a%20b", "!topic/a%20b"),
        ] {
            assert_eq!(normalise(text, part), expected, "{part:?} {text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn normalising_percent_encoding_twice_changes_nothing(text in "(%[0-9a-fA-F]{0,2}|\\PC|[ -~]){0,24}") {
            for part in [Part::Path, Part::Query, Part::Fragment] {
                let once = normalise(&text, part);
                prop_assert!(once.bytes().all(|b| b.is_ascii_graphic()), "{}", once);
                prop_assert_eq!(&normalise(&once, part), &once);
            }
        }
    }
}
