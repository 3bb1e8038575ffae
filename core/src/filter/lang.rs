//! The language of a finding, by its code: one language is one code, however old the tag is and whoever wrote it. It reads
//! tags; what language a text is in it does not find out.

use super::TermError;

/// The code of a language that a filter asks for.
pub(super) fn asked(tag: &str) -> Result<String, TermError> {
    let mut parts = tag.split(['-', '_']);
    let first = parts.next().and_then(code);
    let good = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    first.filter(|_| parts.all(good)).ok_or_else(|| {
        TermError::new(
            "is no code of a language",
            "write that of ISO 639, two letters or three: \"en\", \"de\", \"pt-BR\"",
        )
    })
}

/// Whether somebody may ask for it: a code that names no language is no finding's, so it would hide whatever has one.
pub(super) fn check(tag: &str) -> Result<(), TermError> {
    let code = asked(tag)?;
    if names_none(&code) {
        return Err(TermError::new(
            "names no language, so it matches nothing",
            "leave it out: a finding without a language passes whatever is asked for",
        ));
    }
    Ok(())
}

/// The code of a language that a finding names; none where it names no language.
pub(super) fn known(tag: &str) -> Option<String> {
    tag.trim().split(['-', '_']).next().and_then(code).filter(|code| !names_none(code))
}

/// The one code of a language.
fn code(part: &str) -> Option<String> {
    let shaped = (2..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic());
    let code = part.to_ascii_lowercase();
    shaped.then(|| same_as(&code).map_or_else(|| code.clone(), str::to_owned))
}

/// Undetermined, none at all, several, one without a code, artificial; `qaa` to `qtz` are left to whoever writes them, and
/// posts that are only pictures, tags or links have one of them.
fn names_none(code: &str) -> bool {
    matches!(code, "und" | "zxx" | "mul" | "mis" | "art") || matches!(code.as_bytes(), [b'q', b'a'..=b't', _])
}

/// The usual code of a language that is named by a former one, as a written form of another, or by the three letters of a
/// language that has two.
fn same_as(code: &str) -> Option<&'static str> {
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
