//! Page tokens: where the last page ended, and of what it was a page. A token says nothing that its holder has not seen; it
//! is bound to its question so that nobody goes on with another by mistake.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A place in a list: what it is ordered by, and the key of what stood there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub value: i64,
    pub key: String,
}

/// What is wrong with a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadToken {
    /// It was made for other filters, or another order.
    OfAnother,
    /// It is none.
    NoToken,
}

/// Letters of the mark of a question.
const MARK: usize = 16;

fn mark(scope: &str) -> String {
    blake3::hash(scope.as_bytes()).to_hex()[..MARK].to_owned()
}

/// The token of a page that begins behind a place.
#[must_use]
pub fn page_token(scope: &str, position: &Position) -> String {
    let Position { value, key } = position;
    URL_SAFE_NO_PAD.encode(serde_json::json!([mark(scope), value, key]).to_string())
}

/// Reads a token back.
///
/// # Errors
/// It is none, or belongs to another question.
pub fn position_of(scope: &str, token: &str) -> Result<Position, BadToken> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok();
    let parts: Option<(String, i64, String)> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match parts {
        Some((of, value, key)) if of == mark(scope) && !key.contains('\0') => Ok(Position { value, key }),
        Some(_) => Err(BadToken::OfAnother),
        None => Err(BadToken::NoToken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_for_its_own_question_alone() {
        for (value, key) in [(0, ""), (i64::MIN, "post:x:2031610711893905509"), (7, "page:https://ex.ample/ü?a=b&c=\"")]
        {
            let position = Position { value, key: key.to_owned() };
            let token = page_token("items of acme", &position);
            assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{token}");
            assert_eq!(position_of("items of acme", &token), Ok(position));
            assert_eq!(position_of("items of rust", &token), Err(BadToken::OfAnother));
        }
        for wrong in ["", "x", "bm9uc2Vuc2U", "W10", "WyJhIiwxLDJd", "=", "ä"] {
            assert_eq!(position_of("items of acme", wrong), Err(BadToken::NoToken), "{wrong}");
        }
    }
}
