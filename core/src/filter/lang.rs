//! Language codes of filters and findings, normalized so that each language has one code, whatever form the tag has.
//! Reads tags only; does not detect the language of a text.

use super::TermError;

/// Parses a language of a filter and returns its usual code.
pub(super) fn parse_filter_lang(tag: &str) -> Result<String, TermError> {
    let mut parts = tag.split(['-', '_']);
    let first = parts.next().and_then(code);
    let good = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    first.filter(|_| parts.all(good)).ok_or_else(|| {
        TermError::new(
            "is not a language code",
            "write an ISO 639 code of two or three letters: \"en\", \"de\", \"pt-BR\"",
        )
    })
}

/// Checks a language that a user enters. A code that names no language matches no finding, so it would hide every
/// finding with a language.
pub(super) fn check(tag: &str) -> Result<(), TermError> {
    let code = parse_filter_lang(tag)?;
    if is_no_language(&code) {
        return Err(TermError::new(
            "names no language, so it matches nothing",
            "leave it out: a finding without a language always passes",
        ));
    }
    Ok(())
}

/// Returns the usual code of a finding's language; `None` if the tag names no language.
pub(super) fn parse_item_lang(tag: &str) -> Option<String> {
    tag.trim().split(['-', '_']).next().and_then(code).filter(|code| !is_no_language(code))
}

/// Returns the usual code for the first part of a tag.
fn code(part: &str) -> Option<String> {
    let shaped = (2..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic());
    let code = part.to_ascii_lowercase();
    shaped.then(|| canonical_code(&code).map_or_else(|| code.clone(), str::to_owned))
}

/// Undetermined, none, several, uncoded, artificial. `qaa` to `qtz` are for private use; posts with only pictures, tags
/// or links get one of them.
fn is_no_language(code: &str) -> bool {
    matches!(code, "und" | "zxx" | "mul" | "mis" | "art") || matches!(code.as_bytes(), [b'q', b'a'..=b't', _])
}

/// Returns the usual code for a former code, for a written form of another language, or for the three letters of a
/// language that has a two-letter code.
fn canonical_code(code: &str) -> Option<&'static str> {
    const THREE: &str = "ara:ar baq:eu ben:bn bul:bg cat:ca ces:cs chi:zh cze:cs dan:da deu:de dut:nl ell:el eng:en est:et eus:eu \
                         fas:fa fin:fi fra:fr fre:fr ger:de glg:gl gre:el heb:he hin:hi hrv:hr hun:hu ice:is ind:id isl:is \
                         ita:it jpn:ja kor:ko lav:lv lit:lt may:ms msa:ms nld:nl nob:no nno:no nor:no per:fa pol:pl por:pt \
                         ron:ro rum:ro rus:ru slk:sk slo:sk slv:sl spa:es srp:sr swa:sw swe:sv tam:ta tel:te tgl:tl tha:th \
                         tur:tr ukr:uk urd:ur vie:vi yid:yi zho:zh";
    match code {
        "iw" => Some("he"),
        "in" => Some("id"),
        "ji" => Some("yi"),
        "jw" => Some("jv"),
        "mo" => Some("ro"),
        "nb" | "nn" => Some("no"),
        "fil" => Some("tl"),
        _ if code.len() == 3 => {
            let mut pairs = THREE.split_whitespace().filter_map(|pair| pair.split_once(':'));
            pairs.find(|(three, _)| *three == code).map(|(_, two)| two)
        }
        _ => None,
    }
}
