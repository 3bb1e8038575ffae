//! Numbers in the digits of any script, and those that Chinese and Japanese write with characters: ٣, 三千, 3千, 1.5万,
//! 二〇二六. They are compared by value, as 3,000 is 3000. A single character is a number only before a counter: 三人, but
//! not 三重 or 一緒. Also the number words of some languages.

/// Values are computed in ten-thousandths, so that 1.5万 is a whole number.
const ONE: u128 = 10_000;

/// The most digits read of a number, and of its part after the point.
const MOST_DIGITS: usize = 18;
const MOST_DECIMALS: usize = 4;

/// The least unit that multiplies all units before it.
const LARGE: u128 = 10_000;

/// Counters. 一 is also an article: 一个 and 一起 are not numbers.
const COUNTERS: &str = "人名個个件円元年月日時时台本回歳岁才階倍割度位社軒棟隻只頭头匹枚冊票点點勝敗連箇ヶヵカつ次家辆輛架艘例級级号號\
                        週周章話卷巻";
const COUNTERS_OF_ONE: &str = "人名件円元歳岁";

/// Number words by value: English, and German, French and Spanish words that mean nothing else in English.
const NUMBERS: [(&str, u16); 35] = [
    ("zero null", 0),
    ("one eins ein", 1),
    ("two zwei deux", 2),
    ("three drei trois tres", 3),
    ("four vier quatre cuatro", 4),
    ("five fünf cinq cinco", 5),
    ("six sechs seis", 6),
    ("seven sieben siete", 7),
    ("eight acht huit ocho", 8),
    ("nine neun nueve", 9),
    ("ten zehn diez", 10),
    ("eleven elf onze", 11),
    ("twelve zwölf douze doce", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty zwanzig vingt veinte", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred hundreds hundert cent cien", 100),
    ("thousand thousands tausend mille mil", 1_000),
    ("million millions millionen", 1_001),
    ("billion billions milliarden", 1_002),
    ("dozen dozens", 1_003),
    ("half", 1_004),
    ("trillion trillions billionen", 1_005),
];
const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
const MULTIPLES: [&str; 3] = ["double doubles doubled twice", "triple triples tripled", "halves halved"];
const FIRST_ORDINAL: u16 = 1_101;
const FIRST_MULTIPLE: u16 = 1_201;

/// The zeros of all scripts whose decimal digits NFKC keeps; nine digits follow each. Listed here so that a newer Unicode
/// version cannot change a key.
const ZEROS: [u32; 66] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20,
    0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0,
    0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0,
    0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50,
    0x11DA0, 0x11F50, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950,
];

/// Lists of number words, each with the value that its words share.
pub(super) fn number_words() -> impl Iterator<Item = (&'static str, u16)> {
    let ordinals = ORDINALS.into_iter().zip(FIRST_ORDINAL..);
    NUMBERS.into_iter().chain(ordinals).chain(MULTIPLES.into_iter().zip(FIRST_MULTIPLE..))
}

/// A decimal digit of any script as an ASCII digit; any other character as it is.
pub(super) fn in_ascii(c: char) -> char {
    let number = u32::from(c);
    let zero = ZEROS.partition_point(|zero| *zero <= number).checked_sub(1).and_then(|at| ZEROS.get(at));
    let value = zero.map(|zero| number - zero);
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

/// Whether a character is part of a number in Chinese characters.
pub(super) fn is_numeral(c: char) -> bool {
    digit(c).is_some() || unit(c).is_some()
}

/// Returns the numbers in a run of digits, marks between digits, and numerals; `next` is the character after it.
pub(super) fn numbers(run: &str, next: Option<char>) -> Vec<String> {
    let numerals = run.chars().filter(|c| is_numeral(*c)).count();
    if numerals == 0 {
        return if run.is_empty() { Vec::new() } else { vec![run.to_owned()] };
    }
    let counters = if run == "一" { COUNTERS_OF_ONE } else { COUNTERS };
    let counts = numerals > 1 || run.contains(is_digit) || next.is_some_and(|next| counters.contains(next));
    match value(run).filter(|_| counts) {
        Some(value) => vec![value],
        None => {
            let digits = run.split(is_numeral).map(|digits| digits.trim_matches('.'));
            digits.filter(|digits| !digits.is_empty()).map(str::to_owned).collect()
        }
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn digit(c: char) -> Option<u128> {
    let place = match c {
        '零' => 0,
        '两' | '兩' => 2,
        _ => "〇一二三四五六七八九".chars().position(|digit| digit == c)?,
    };
    u128::try_from(place).ok()
}

fn unit(c: char) -> Option<u128> {
    Some(match c {
        '十' => 10,
        '百' => 100,
        '千' => 1_000,
        '万' | '萬' => LARGE,
        '億' | '亿' => 100_000_000,
        '兆' => 1_000_000_000_000,
        _ => return None,
    })
}

/// The value in digits; `None` if this is no number.
fn value(run: &str) -> Option<String> {
    let (mut total, mut section, mut current) = (0_u128, 0_u128, None);
    // Units get smaller from left to right.
    let (mut below, mut below_large) = (u128::MAX, u128::MAX);
    let mut rest = run;
    while let Some(c) = rest.chars().next() {
        let is_part: fn(char) -> bool = if is_digit(c) { |c| is_digit(c) || c == '.' } else { |c| digit(c).is_some() };
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        if end > 0 {
            let (digits, left) = rest.split_at_checked(end)?;
            if current.is_some() {
                return None;
            }
            current = Some(decimal(digits)?);
            rest = left;
            continue;
        }
        let unit = unit(c)?;
        if unit < LARGE {
            if unit >= below {
                return None;
            }
            below = unit;
            section += current.take().unwrap_or(ONE).checked_mul(unit)?;
        } else {
            section += current.take().unwrap_or(0);
            if section == 0 || unit >= below_large {
                return None;
            }
            (below, below_large) = (u128::MAX, unit);
            total += std::mem::take(&mut section).checked_mul(unit)?;
        }
        rest = rest.get(c.len_utf8()..)?;
    }
    let sum = total + section + current.unwrap_or(0);
    sum.is_multiple_of(ONE).then(|| (sum / ONE).to_string())
}

/// The value of digits of either kind, with at most one point.
fn decimal(digits: &str) -> Option<u128> {
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let lengths = (whole.chars().count(), decimals.chars().count());
    if !(1..=MOST_DIGITS).contains(&lengths.0) || lengths.1 > MOST_DECIMALS {
        return None;
    }
    let filled = decimals.chars().chain(std::iter::repeat('0')).take(MOST_DECIMALS);
    whole.chars().chain(filled).try_fold(0_u128, |sum, c| {
        let digit = c.to_digit(10).map(u128::from).or_else(|| digit(c))?;
        Some(sum * 10 + digit)
    })
}

#[cfg(test)]
mod tests {
    use super::super::letters::Letters;
    use super::*;

    #[test]
    fn a_number_is_compared_by_its_value() {
        for (run, expected) in [
            ("三千", Some("3000")),
            ("3千", Some("3000")),
            ("五千", Some("5000")),
            ("千", Some("1000")),
            ("十五", Some("15")),
            ("二十", Some("20")),
            ("千五百", Some("1500")),
            ("一千五百万", Some("15000000")),
            ("1億2000万", Some("120000000")),
            ("1.5万", Some("15000")),
            ("3.5億", Some("350000000")),
            ("二〇二六", Some("2026")),
            ("两百", Some("200")),
            ("10", Some("10")),
            // Not in order, or not whole.
            ("万一", None),
            ("百千", None),
            ("三5", None),
            ("5三", None),
            ("1.23456万", None),
            ("1.2.3万", None),
            ("九九九九九九九九九九九九九九九九九九九", None),
            ("999999999999999999兆", Some("999999999999999999000000000000")),
        ] {
            assert_eq!(value(run).as_deref(), expected, "{run}");
        }
    }

    #[test]
    fn digits_of_any_script_become_ascii() {
        assert!(ZEROS.is_sorted());
        for (digits, expected) in [
            ("٠١٢٣٤٥٦٧٨٩", "0123456789"),
            ("۰۱۹", "019"),
            ("०९", "09"),
            ("๐๙", "09"),
            ("𞥐𞥙", "09"),
            ("9a٪½Ⅷ三", "9a٪½Ⅷ三"),
        ] {
            assert_eq!(digits.chars().map(in_ascii).collect::<String>(), expected, "{digits}");
        }
        let zeros = ZEROS.into_iter().filter_map(char::from_u32);
        assert_eq!(zeros.filter(|zero| in_ascii(*zero) == '0').count(), ZEROS.len());
    }

    #[test]
    fn a_single_numeral_character_counts_only_before_a_counter() {
        let of = |text: &str| Letters::of_text(text).numbers;
        for (text, expected) in [
            ("三千人が避難", vec!["3000"]),
            ("3千人が避難", vec!["3000"]),
            ("3,000人が避難", vec!["3000"]),
            ("二人と六人", vec!["2", "6"]),
            ("一緒に三重へ、八百屋と千葉", vec!["800"]),
            ("一个人和一起", vec![]),
            ("万一のとき", vec![]),
            ("第三, 5と7.5度", vec!["5", "7.5"]),
            ("#三千 #3千 10", vec!["10"]),
            ("1.5万元和2.5万元", vec!["15000", "25000"]),
            ("三千", vec!["3000"]),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
