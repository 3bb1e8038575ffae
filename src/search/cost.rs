//! Reads the cost that a reply states, in US dollars, from a header or a member of its body. A cost in another
//! currency, or one that is not a plausible number, counts as absent. `decode` reads the bodies of replies with
//! results.

use serde_json::Value;

use crate::model::Micros;

/// Returns the cost in the billing header. `header` returns a header by its name.
pub(super) fn in_headers<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<Micros> {
    let currency = header("x-desearch-currency").unwrap_or(DOLLARS);
    parse(header("x-desearch-cost-usd")?).filter(|_| is_dollars(currency))
}

/// Returns the cost that a JSON body states, even one without results.
pub fn in_body(body: &[u8]) -> Option<Micros> {
    of(&serde_json::from_slice(body).ok()?)
}

/// Returns the cost that a value states.
pub(super) fn of(value: &Value) -> Option<Micros> {
    let currencies = ["/currency", "/usage/currency"].iter().filter_map(|at| value.pointer(at)?.as_str());
    let named = value.get("cost_usd").or_else(|| value.pointer("/usage/cost_usd"));
    let cost = match named? {
        Value::Number(number) => Micros::from_dollars(number.as_f64()?),
        Value::String(text) => parse(text),
        _ => None,
    };
    cost.filter(|_| currencies.clone().all(is_dollars))
}

/// Reads an amount such as `0.003` or `$0.003`.
pub(super) fn parse(text: &str) -> Option<Micros> {
    Micros::from_dollars(text.trim().trim_start_matches('$').parse().ok()?)
}

const DOLLARS: &str = "USD";

/// Whether a currency is US dollars.
pub(super) fn is_dollars(currency: &str) -> bool {
    currency.trim().eq_ignore_ascii_case(DOLLARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_without_results_may_name_its_cost() {
        for (body, cost) in [
            (r#"{"detail":"err","cost_usd":0.002}"#, Some(2_000)),
            (r#"{"error":"no","usage":{"cost_usd":"$0.0077","currency":"USD"}}"#, Some(7_700)),
            (r#"{"detail":"err","cost_usd":0}"#, Some(0)),
            (r#"{"detail":"err","cost_usd":0.002,"currency":"EUR"}"#, None),
            (r#"{"detail":"err","cost_usd":-1}"#, None),
            (r#"{"detail":"err","cost_usd":[1]}"#, None),
            (r#"{"detail":"err"}"#, None),
            ("[0.002]", None),
            (r#"{"cost_usd":0.00"#, None),
        ] {
            assert_eq!(in_body(body.as_bytes()), cost.map(Micros), "{body}");
        }
    }

    #[test]
    fn a_cost_header_counts_only_in_dollars() {
        for (cost, currency, expected) in [
            ("0.003", None, Some(3_000)),
            (" $0.003 ", Some("usd"), Some(3_000)),
            ("0.003", Some("EUR"), None),
            ("free", None, None),
        ] {
            let header = |name: &str| if name == "x-desearch-cost-usd" { Some(cost) } else { currency };
            assert_eq!(in_headers(header), expected.map(Micros), "{cost} {currency:?}");
        }
    }
}
