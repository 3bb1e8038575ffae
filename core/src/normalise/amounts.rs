//! Writes out the signs and units of numbers, so that they are not lost with punctuation: "−5%" becomes "minus 5%",
//! "$5bn" "$5 billion", "10am" and "10 a.m." become "10 am". A plus is dropped, because it adds nothing. A hyphen is a
//! minus only before a number with a measure: not in ranges, dates, scores and names, nor before the items of a list.

/// Signs that are always a minus if a number follows.
const MINUS: [char; 4] = ['−', '▼', '↓', '🔻'];

/// Signs that may also be a hyphen or a dash.
const HYPHENS: [char; 6] = ['-', '–', '‐', '‑', '－', '﹣'];

/// Signs between the numbers of a range.
const BETWEEN: [char; 7] = ['-', '–', '—', '‐', '‑', '−', '/'];

const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '₽'];

/// Other characters that may precede a number in its word.
const OPENING: [char; 15] = ['(', '[', '{', '"', '\'', '“', '„', '‘', '«', '¿', '¡', '~', '≈', '+', '±'];

/// The most characters of a word before its number: "(−US$".
const LONGEST_HEAD: usize = 6;

/// Signs that make the number before them an amount, in addition to units and letters.
const DEGREES: [char; 5] = ['%', '‰', '°', '℃', '℉'];
const MEASURES: &str = "percent per pct pc prozent degrees degree deg grad c f celsius fahrenheit points point pts bps bp \
    thousand million millions mn mln mio billion billions bn bln mrd trillion trillions tn trn";

/// Units, and how they are written out. A unit of a single letter may have a space before it only after a price: "$5 m",
/// but "5 m" is a length.
const UNITS: [(&str, &str); 21] = [
    ("k", "thousand"),
    ("m", "million"),
    ("mn", "million"),
    ("mln", "million"),
    ("mio", "million"),
    ("b", "billion"),
    ("bn", "billion"),
    ("bln", "billion"),
    ("mrd", "billion"),
    ("mld", "billion"),
    ("t", "trillion"),
    ("tn", "trillion"),
    ("trn", "trillion"),
    ("am", "am"),
    ("a.m", "am"),
    ("pm", "pm"),
    ("p.m", "pm"),
    ("c", "c"),
    ("f", "f"),
    ("°c", "c"),
    ("°f", "f"),
];

/// Returns the text with its signs and units written out.
pub(super) fn spelt_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let pieces: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let mut before = "";
    for (at, piece) in pieces.iter().enumerate() {
        let word = piece.trim_end();
        let next = pieces.get(at + 1).map_or("", |next| next.trim_end());
        if word.contains('…') || word.ends_with("...") {
            // Cut off: the rest of a unit may be missing.
            out.push_str(word);
        } else if let Some((unit, rest)) = unit_after(before, word) {
            out.push_str(unit);
            out.push_str(rest);
        } else {
            write(word, next, &mut out);
        }
        out.push_str(piece.get(word.len()..).unwrap_or_default());
        if !word.is_empty() {
            before = word;
        }
    }
    out
}

/// The unit at the start of a word, and the rest of the word, if the word before is a number without a unit.
fn unit_after<'a>(before: &str, word: &'a str) -> Option<(&'static str, &'a str)> {
    let amount = Amount::read(before).filter(|amount| amount.unit.is_empty() && amount.rest.is_empty())?;
    let (unit, rest) = split_unit(word)?;
    let written = written_out(unit, rest)?;
    (unit.chars().count() > 1 || amount.is_price()).then_some((written, rest))
}

/// Writes a word. If it consists of amounts, writes them out: "−5%", "$5bn-$6bn".
fn write(word: &str, next: &str, out: &mut String) {
    let (mut rest, mut is_first) = (word, true);
    while let Some(amount) = Amount::read(rest) {
        amount.write(is_first, next, out);
        rest = amount.rest;
        is_first = false;
        let Some(dash) = rest.chars().next().filter(|c| BETWEEN.contains(c)) else { break };
        out.push(dash);
        rest = rest.strip_prefix(dash).unwrap_or_default();
    }
    out.push_str(rest);
}

/// A number with the characters around it in its word.
#[derive(Debug, Clone, Copy)]
struct Amount<'a> {
    head: &'a str,
    digits: &'a str,
    unit: &'a str,
    rest: &'a str,
}

impl<'a> Amount<'a> {
    /// The amount at the start of a word. "covid-19", "v1.9" and "#5m" do not.
    fn read(word: &'a str) -> Option<Self> {
        let (head, left) = word.split_at_checked(word.find(char::is_numeric)?)?;
        if !is_head(head) {
            return None;
        }
        let (digits, left) = left.split_at_checked(end_of_digits(left))?;
        let (unit, rest) = split_unit(left)?;
        Some(Self { head, digits, unit, rest })
    }

    fn write(&self, is_first: bool, next: &str, out: &mut String) {
        match self.sign().filter(|sign| MINUS.contains(sign) || is_first && self.is_measured(next)) {
            Some(sign) => out.push_str(&self.head.replace(sign, "minus ")),
            None => out.push_str(self.head),
        }
        out.push_str(self.digits);
        match written_out(self.unit, self.rest) {
            Some(unit) => {
                out.push(' ');
                out.push_str(unit);
            }
            None => out.push_str(self.unit),
        }
    }

    /// The only sign, if nothing but a currency stands between it and the number.
    fn sign(&self) -> Option<char> {
        let is_sign = |c: char| MINUS.contains(&c) || HYPHENS.contains(&c);
        let (before, after) = self.head.split_at_checked(self.head.find(is_sign)?)?;
        let sign = after.chars().next()?;
        let after = after.strip_prefix(sign)?;
        let is_its = |c: char| CURRENCIES.contains(&c) || c.is_ascii_alphabetic();
        (!before.ends_with(char::is_alphabetic) && after.chars().all(is_its)).then_some(sign)
    }

    fn is_price(&self) -> bool {
        self.head.contains(CURRENCIES)
    }

    /// Whether a hyphen before the number is likely a minus. Nobody counts the items of a list with "0.5".
    fn is_measured(&self, next: &str) -> bool {
        let is_measure = |word: &str| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '%').to_lowercase();
            word.starts_with(DEGREES) || MEASURES.split_whitespace().any(|measure| measure == word)
        };
        let amount = written_out(self.unit, self.rest).is_some_and(|unit| !matches!(unit, "am" | "pm"));
        self.is_price()
            || self.digits.starts_with("0.")
            || self.digits.starts_with("0,")
            || amount
            || is_measure(self.unit)
            || self.unit.is_empty() && self.rest.starts_with(DEGREES)
            || self.unit.is_empty() && self.rest.is_empty() && is_measure(next)
    }
}

/// Whether only opening marks, signs and a currency stand here. Letters belong to a currency: "US$".
fn is_head(head: &str) -> bool {
    let is_mark = |c: char| {
        OPENING.contains(&c)
            || MINUS.contains(&c)
            || HYPHENS.contains(&c)
            || CURRENCIES.contains(&c)
            || c.is_ascii_alphabetic()
    };
    let letter = head.rfind(|c: char| c.is_ascii_alphabetic());
    let is_of_currency = letter.is_none_or(|at| head.rfind(CURRENCIES).is_some_and(|currency| currency > at));
    head.chars().count() <= LONGEST_HEAD && is_of_currency && head.chars().all(is_mark)
}

fn end_of_digits(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let is_mark = matches!(c, '.' | ',' | ':' | '٫' | '٬');
        let digit_follows = characters.peek().is_some_and(|(_, next)| next.is_numeric());
        let belongs = c.is_numeric() || (is_mark && digit_follows);
        if !belongs {
            return at;
        }
    }
    text.len()
}

/// Splits off the unit: the letters, or "a.m", or "°C".
fn split_unit(text: &str) -> Option<(&str, &str)> {
    let is = |unit: &&str| ["a.m", "p.m", "°c", "°f"].iter().any(|listed| unit.eq_ignore_ascii_case(listed));
    let marked = text.get(..3).filter(is).map(str::len);
    text.split_at_checked(marked.or_else(|| text.find(|c: char| !c.is_alphabetic())).unwrap_or(text.len()))
}

/// How a unit is written out, if nothing after it makes it a part of a name, an address or another unit: "5b.com", "5m2".
fn written_out(unit: &str, rest: &str) -> Option<&'static str> {
    let mut after = rest.chars();
    let is_whole = after.next().is_none_or(|c| {
        let joins = matches!(c, '.' | ':' | '\'' | '’') && after.next().is_some_and(char::is_alphanumeric);
        !c.is_alphanumeric() && !matches!(c, '_' | '@') && !joins
    });
    let (_, written) = UNITS.iter().find(|(listed, _)| unit.eq_ignore_ascii_case(listed)).filter(|_| is_whole)?;
    Some(*written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_units_are_written_out() {
        for (text, expected) in [
            ("shares −5% after", "shares minus 5% after"),
            ("shares -5% after", "shares minus 5% after"),
            ("shares –5 % after", "shares minus 5 % after"),
            ("shares +5% after", "shares +5% after"),
            ("(-1.5%), “−3”", "(minus 1.5%), “minus 3”"),
            ("it is -5 °C, -5 °", "it is minus 5 c, minus 5 °"),
            ("it is −5°C or -5C", "it is minus 5 c or minus 5 c"),
            ("-3 degrees, -4 points.", "minus 3 degrees, minus 4 points."),
            ("EPS -0.05, FTSE 100 -1,2%", "EPS minus 0.05, FTSE 100 minus 1,2%"),
            ("-$5m, $-5, −US$5, −€5", "minus $5 million, $minus 5, minus US$5, minus €5"),
            ("▼5% ▲5%", "minus 5% ▲5%"),
            ("$5bn or $5 bn, 5 BN!", "$5 billion or $5 billion, 5 billion!"),
            ("$5 m, 5 m, 5m", "$5 million, 5 m, 5 million"),
            ("5k 5M 5B 5T 5 Mrd. 5 Mio", "5 thousand 5 million 5 billion 5 trillion 5 billion. 5 million"),
            ("a $5bn-a-year deal, $5bn/year", "a $5 billion-a-year deal, $5 billion/year"),
            ("$5bn-$6bn, 5-6m", "$5 billion-$6 billion, 5-6 million"),
            ("10am, 10 a.m., 10.30pm. 10p.m. 9am-5pm", "10 am, 10 am., 10.30 pm. 10 pm. 9 am-5 pm"),
            ("5 billion  at 10 am", "5 billion  at 10 am"),
        ] {
            assert_eq!(spelt_out(text), expected, "{text}");
        }
    }

    #[test]
    fn text_that_only_looks_like_a_sign_or_unit_is_unchanged() {
        for text in [
            "5-10% on 2024-11-30, 2-1, 5−10, 3–4",
            "covid-19 Mon-Fri Disney+ 18+ 5+ years C++ F-16",
            "- item\n- 5% of all\n-5 dead\n-12 hurt -",
            "call +44 20 7946-0958 or -0958",
            "I am at 5 metres, 5km, 5th, 1st, 3D, 5m2, 10 amps",
            "t.co/5bn https://a.example/-5%?b=5m bbc.com/a-5bn-deal 5b.com/x 5m@a.example",
            "#5m #p2 @5bn v1.95b I'm",
            "worth $5b… worth -5%... −5…",
            "3\u{20e3} bn, --5%, -(5%)",
            "",
            " \n ",
        ] {
            assert_eq!(spelt_out(text), text);
        }
    }
}
