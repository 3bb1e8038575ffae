//! Tokens of a Bluesky session. A token contains everything (its handle, its scope, its expiry by the sandbox's clock),
//! so no session is stored. Tokens look like real ones and protect nothing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::model::Time;

/// The lifetime of an access token, in seconds.
const ACCESS_SECONDS: i64 = 2 * 3_600;
/// The lifetime of a refresh token, in seconds.
const REFRESH_SECONDS: i64 = 90 * 86_400;

/// The purpose of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Access,
    Refresh,
}

impl Scope {
    fn as_str(self) -> &'static str {
        match self {
            Self::Access => "com.atproto.access",
            Self::Refresh => "com.atproto.refresh",
        }
    }
}

/// Why a token is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenError {
    Invalid,
    Expired,
}

/// Creates a token for a handle.
pub(super) fn token(scope: Scope, did: &str, handle: &str, now: Time) -> String {
    let issued = now.0.div_euclid(1_000);
    let lasts = if scope == Scope::Access { ACCESS_SECONDS } else { REFRESH_SECONDS };
    let head = json!({"typ": "at+jwt", "alg": "ES256K"});
    let claims = json!({
        "scope": scope.as_str(),
        "sub": did,
        "handle": handle,
        "aud": "did:web:sandbox.example",
        "iat": issued,
        "exp": issued.saturating_add(lasts),
    });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&head), part(&claims));
    let signature = signature(&signed);
    format!("{signed}.{signature}")
}

/// Returns the handle of a valid token.
pub(super) fn handle_of(token: &str, scope: Scope, now: Time) -> Result<String, TokenError> {
    let (signed, sent_signature) = token.rsplit_once('.').ok_or(TokenError::Invalid)?;
    if sent_signature != signature(signed) {
        return Err(TokenError::Invalid);
    }
    let claims = signed.split_once('.').and_then(|(_, claims)| URL_SAFE_NO_PAD.decode(claims).ok());
    let claims: Value = claims.and_then(|claims| serde_json::from_slice(&claims).ok()).ok_or(TokenError::Invalid)?;
    if claims["scope"] != scope.as_str() {
        return Err(TokenError::Invalid);
    }
    if claims["exp"].as_i64().is_none_or(|end| end <= now.0.div_euclid(1_000)) {
        return Err(TokenError::Expired);
    }
    claims["handle"].as_str().map(str::to_owned).ok_or(TokenError::Invalid)
}

fn signature(signed: &str) -> String {
    URL_SAFE_NO_PAD.encode(blake3::derive_key("topicwatch sandbox session", signed.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_valid_for_its_scope_until_it_expires() {
        let at = |seconds: i64| Time(1_773_219_600_000 + seconds * 1_000);
        let (access, refresh) = (token(Scope::Access, "d", "h", at(0)), token(Scope::Refresh, "d", "h", at(0)));
        assert_eq!(handle_of(&access, Scope::Access, at(ACCESS_SECONDS - 1)), Ok("h".to_owned()));
        assert_eq!(handle_of(&access, Scope::Access, at(ACCESS_SECONDS)), Err(TokenError::Expired));
        assert_eq!(handle_of(&refresh, Scope::Refresh, at(ACCESS_SECONDS)), Ok("h".to_owned()));
        for (wrong_token, scope) in
            [(&access, Scope::Refresh), (&refresh, Scope::Access), (&"x.y".to_owned(), Scope::Access)]
        {
            assert_eq!(handle_of(wrong_token, scope, at(1)), Err(TokenError::Invalid));
        }
        assert_eq!(handle_of(&access.replace('.', ".e"), Scope::Access, at(1)), Err(TokenError::Invalid));
    }
}
