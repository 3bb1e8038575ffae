//! The token: compared in constant time, and what a browser is given in its place, which is signed with it and says nothing
//! about it. How a request carries either is `guard`'s.

use std::collections::HashSet;
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use crate::model::Time;

/// Shorter tokens can be guessed.
const SHORTEST: usize = 16;
/// Different characters, without which a token is one key that somebody leaned on.
const FEWEST: usize = 5;

/// How long a browser stays logged in.
pub(super) const STAYS: Duration = Duration::from_secs(30 * 86_400);

/// Who may see the pages.
#[derive(Clone)]
pub struct Access {
    token: SecretString,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Access(***)")
    }
}

impl Access {
    /// By a token; refused, with what to do, when it is too short to be one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn by(token: SecretString) -> Result<Self, &'static str> {
        if token.expose_secret().len() < SHORTEST {
            return Err("the token of the pages is shorter than 16 characters");
        }
        if token.expose_secret().chars().collect::<HashSet<char>>().len() < FEWEST {
            return Err("the token of the pages repeats a few letters, so it can be guessed");
        }
        Ok(Self { token })
    }

    fn mac(&self, words: &str) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(self.token.expose_secret().as_bytes()).expect("any length");
        mac.update(words.as_bytes());
        mac
    }

    /// Whether this is the token. Both sides are hashed, so that the time it takes tells nothing.
    pub(super) fn knows(&self, given: &str) -> bool {
        const SAME: &str = "topicwatch token";
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut theirs = Hmac::<Sha256>::new_from_slice(given.as_bytes()).expect("any length");
        theirs.update(SAME.as_bytes());
        self.mac(SAME).verify_slice(&theirs.finalize().into_bytes()).is_ok()
    }

    /// What a browser keeps: when it logged in, signed.
    pub(super) fn pass(&self, now: Time) -> String {
        let digest = self.mac(&said(now.0)).finalize().into_bytes();
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}.{hex}", now.0)
    }

    /// Whether a browser's pass is one of ours, and not too old.
    pub(super) fn admits(&self, pass: &str, now: Time) -> bool {
        let Some((at, hex)) = pass.split_once('.') else { return false };
        let (Ok(at), true) = (at.parse::<i64>(), hex.len() == 64 && hex.is_ascii()) else { return false };
        let bytes: Option<Vec<u8>> =
            (0..32).map(|n| hex.get(2 * n..2 * n + 2).and_then(|two| u8::from_str_radix(two, 16).ok())).collect();
        let signed = bytes.is_some_and(|bytes| self.mac(&said(at)).verify_slice(&bytes).is_ok());
        signed && now.since(Time(at)) <= STAYS
    }
}

fn said(at: i64) -> String {
    format!("topicwatch session {at}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn only_the_token_and_what_it_signed_are_let_in() {
        let access = Access::by(SecretString::from("a token of some length")).unwrap();
        assert!(access.knows("a token of some length"));
        for wrong in ["", "a token", "a token of some length ", "A token of some length"] {
            assert!(!access.knows(wrong), "{wrong}");
        }
        let begun = Time(1_773_219_600_000);
        let pass = access.pass(begun);
        assert!(access.admits(&pass, begun.plus(STAYS)));
        assert!(!access.admits(&pass, begun.plus(STAYS).plus(Duration::from_secs(1))), "too old");
        let (at, hex) = pass.split_once('.').unwrap();
        for forged in [format!("{}.{hex}", begun.0 + 1), format!("{at}."), at.to_owned(), String::new()] {
            assert!(!access.admits(&forged, begun), "{forged}");
        }
        let other = Access::by(SecretString::from("another token, as long")).unwrap();
        assert!(!other.admits(&pass, begun), "signed by another token");
        for guessed in ["short", &"a".repeat(64), &"abab".repeat(8), &"0123".repeat(9)] {
            assert!(Access::by(SecretString::from(guessed)).is_err(), "{guessed}");
        }
        assert_eq!(format!("{access:?}"), "Access(***)");
    }
}
