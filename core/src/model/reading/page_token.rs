//! Page tokens: where the last page ended, and a hash of the query it belongs to. A token reveals nothing that its
//! holder has not seen. The hash prevents its use with another query by mistake.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A position in a list: the sort value and the key of the last entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub value: i64,
    pub key: String,
}

/// Why a token is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadToken {
    /// It belongs to other filters or another order.
    OfAnother,
    /// It is not a token.
    NoToken,
}

/// Length of a query's hash in a token.
const MARK: usize = 16;

fn scope_hash(scope: &str) -> String {
    blake3::hash(scope.as_bytes()).to_hex()[..MARK].to_owned()
}

/// The token of the page that starts after a position.
#[must_use]
pub fn page_token(scope: &str, position: &Position) -> String {
    let Position { value, key } = position;
    URL_SAFE_NO_PAD.encode(serde_json::json!([scope_hash(scope), value, key]).to_string())
}

/// Parses a token.
///
/// # Errors
/// If it is not a token, or belongs to another query.
pub fn parse_page_token(scope: &str, token: &str) -> Result<Position, BadToken> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok();
    let parts: Option<(String, i64, String)> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match parts {
        Some((of, value, key)) if of == scope_hash(scope) && !key.contains('\0') => Ok(Position { value, key }),
        Some(_) => Err(BadToken::OfAnother),
        None => Err(BadToken::NoToken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_token_is_valid_only_for_its_own_query() {
        for (value, key) in [(0, ""), (i64::MIN, "post:x:2031610711893905509"), (7, "page:https://ex.ample/ü?a=b&c=\"")]
        {
            let position = Position { value, key: key.to_owned() };
            let token = page_token("items of acme", &position);
            assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{token}");
            assert_eq!(parse_page_token("items of acme", &token), Ok(position));
            assert_eq!(parse_page_token("items of rust", &token), Err(BadToken::OfAnother));
        }
        for wrong in ["", "x", "bm9uc2Vuc2U", "W10", "WyJhIiwxLDJd", "=", "ä"] {
            assert_eq!(parse_page_token("items of acme", wrong), Err(BadToken::NoToken), "{wrong}");
        }
    }
}
