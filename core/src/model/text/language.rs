//! Codes that name the same language: a former code, a written form, three letters instead of two.

/// A code, a colon, and the usual code of its language. Former codes and written forms come first.
const CODES: &str = "iw:he in:id ji:yi jw:jv mo:ro nb:no nn:no fil:tl \
                     ara:ar baq:eu ben:bn bul:bg cat:ca ces:cs chi:zh cze:cs dan:da deu:de dut:nl ell:el eng:en est:et eus:eu \
                     fas:fa fin:fi fra:fr fre:fr ger:de glg:gl gre:el heb:he hin:hi hrv:hr hun:hu ice:is ind:id isl:is \
                     ita:it jpn:ja kor:ko lav:lv lit:lt may:ms msa:ms nld:nl nob:no nno:no nor:no per:fa pol:pl por:pt \
                     ron:ro rum:ro rus:ru slk:sk slo:sk slv:sl spa:es srp:sr swa:sw swe:sv tam:ta tel:te tgl:tl tha:th \
                     tur:tr ukr:uk urd:ur vie:vi yid:yi zho:zh";

fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    CODES.split_whitespace().filter_map(|pair| pair.split_once(':'))
}

/// The usual code of a language that this lower-case code names otherwise; `None` if there is no more usual one.
#[must_use]
pub fn usual_language_code(code: &str) -> Option<&'static str> {
    codes().find(|(other, _)| *other == code).map(|(_, usual)| usual)
}

/// A language tag with each code of its language, in lower case with `-`: `iw-il`, `heb-il` and `he-il` for `he_IL`.
#[must_use]
pub fn equal_language_tags(tag: &str) -> Vec<String> {
    let tag = tag.to_ascii_lowercase().replace('_', "-");
    let (code, region) = tag.split_at(tag.find('-').unwrap_or(tag.len()));
    let usual = usual_language_code(code).unwrap_or(code);
    let others = codes().filter(|(_, of)| *of == usual).map(|(other, _)| other);
    std::iter::once(usual).chain(others).map(|code| format!("{code}{region}")).collect()
}

/// Returns whether this can be the language tag of a finding: a code of two or three letters, or `i` or `x` before a
/// word, and then parts of up to eight letters and digits.
#[must_use]
pub fn is_language_tag(tag: &str) -> bool {
    let (code, rest) = tag.split_at(tag.find(['-', '_']).unwrap_or(tag.len()));
    let is_code = (2..=3).contains(&code.len())
        || (code.eq_ignore_ascii_case("i") || code.eq_ignore_ascii_case("x")) && !rest.is_empty();
    let good = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    is_code && code.bytes().all(|b| b.is_ascii_alphabetic()) && rest.split(['-', '_']).skip(1).all(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_tag_begins_with_a_code() {
        for tag in ["en", "EN-gb", "pt_BR", "zh-Hant-TW", "ast", "und", "qaa", "i-klingon", "x-acme"] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in
            ["", "e", "x", "english", "engl", "12", "e%", "en-", "-en", "en--us", "en us", "x-", "日本", "en-abcdefghi"]
        {
            assert!(!is_language_tag(tag), "{tag}");
        }
    }

    #[test]
    fn a_tag_matches_every_code_of_its_language_and_keeps_its_region() {
        for (tag, equal) in [
            ("he", &["he", "iw", "heb"][..]),
            ("IW", &["he", "iw", "heb"]),
            ("in_ID", &["id-id", "in-id", "ind-id"]),
            ("nn", &["no", "nb", "nn", "nob", "nno", "nor"]),
            ("pt-BR", &["pt-br", "por-br"]),
            ("xx", &["xx"]),
            ("", &[""]),
        ] {
            assert_eq!(equal_language_tags(tag), equal, "{tag}");
        }
    }
}
