//! Page tokens: where the last page ended, and of what it was a page. A token says nothing that its holder has not seen; it
//! is bound to its question so that nobody goes on with another by mistake.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::web::problem::Problem;

/// A place in a list: what it is ordered by, and the key of what stood there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) value: i64,
    pub(super) key: String,
}

/// Letters of the mark of a question.
const MARK: usize = 16;

fn mark(scope: &str) -> String {
    blake3::hash(scope.as_bytes()).to_hex()[..MARK].to_owned()
}

pub(super) fn write(scope: &str, position: &Position) -> String {
    let Position { value, key } = position;
    URL_SAFE_NO_PAD.encode(serde_json::json!([mark(scope), value, key]).to_string())
}

pub(super) fn read(scope: &str, token: &str) -> Result<Position, Problem> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok();
    let parts: Option<(String, i64, String)> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let hint = "Use the `next_page_token` of the page before as it is, with the same filters, or leave it out.";
    let none = |title: &str| Problem { hint: hint.to_owned(), ..Problem::unknown(title) };
    match parts {
        Some((of, value, key)) if of == mark(scope) && !key.contains('\0') => Ok(Position { value, key }),
        Some(_) => Err(none("This page token belongs to another question")),
        None => Err(none("This is no page token")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_token_is_read_back_for_its_own_question_alone() {
        for (value, key) in [(0, ""), (i64::MIN, "post:x:2031610711893905509"), (7, "page:https://ex.ample/ü?a=b&c=\"")]
        {
            let position = Position { value, key: key.to_owned() };
            let token = write("items of acme", &position);
            assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{token}");
            assert_eq!(read("items of acme", &token).unwrap(), position);
            assert!(read("items of rust", &token).unwrap_err().title.contains("another question"));
        }
        for wrong in ["", "x", "bm9uc2Vuc2U", "W10", "WyJhIiwxLDJd", "=", "ä"] {
            assert!(read("items of acme", wrong).is_err(), "{wrong}");
        }
    }
}
