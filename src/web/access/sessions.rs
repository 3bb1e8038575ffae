//! Sessions of browsers that logged in. A pass is the value of the session cookie: it is signed with the token (a
//! named one's hash) and a secret of this process, and holds the number of its login. Ended sessions are remembered
//! here. `access` decides who may log in.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Access;
use crate::model::Time;

/// How long a browser stays logged in.
pub(super) const STAYS: Duration = Duration::from_secs(30 * 86_400);

/// Maximum number of logouts that are remembered. One more ends all sessions.
const MOST_ENDED: usize = 10_000;

/// The name of the cookie, and its name if browsers must send it only over TLS and only to this very host.
const PLAIN: &str = "topicwatch_session";
const SECURE: &str = "__Host-topicwatch_session";

/// The cookie's name.
pub(in crate::web) fn name(https: bool) -> &'static str {
    if https { SECURE } else { PLAIN }
}

/// The whole cookie. Without a pass, it makes a browser drop its cookie.
pub(in crate::web) fn cookie(https: bool, pass: Option<&str>) -> String {
    let stays = if pass.is_some() { STAYS.as_secs() } else { 0 };
    let secure = if https { "; Secure" } else { "" };
    let (name, pass) = (name(https), pass.unwrap_or_default());
    format!("{name}={pass}; Path=/; HttpOnly; SameSite=Strict; Max-Age={stays}{secure}")
}

/// The sessions of a process; they end with it.
pub(in crate::web) struct Sessions {
    secret: String,
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    /// Incremented when all sessions end.
    era: u64,
    begun: u64,
    ended: HashSet<u64>,
}

impl Sessions {
    /// `secret` must be different in each process and impossible to guess.
    pub(in crate::web) fn new(secret: String) -> Self {
        Self { secret, list: Mutex::default() }
    }

    fn list(&self) -> std::sync::MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn words(&self, era: u64, number: u64, at: i64) -> String {
        format!("topicwatch session {} {era} {number} {at}", self.secret)
    }

    /// Returns a pass for a visitor who sent a valid token. `name` is that of a named token.
    pub(in crate::web) fn begin(&self, access: &Access, name: Option<&str>, now: Time) -> String {
        let (era, number) = {
            let mut list = self.list();
            list.begun += 1;
            (list.era, list.begun)
        };
        let at = now.0;
        let signed = access.sign(&self.words(era, number, at));
        match name {
            Some(name) => format!("{number}.{at}.{signed}.{name}"),
            None => format!("{number}.{at}.{signed}"),
        }
    }

    /// The number of a pass that is ours, not too old and not ended.
    fn number(&self, access: &Access, pass: &str, now: Time) -> Option<u64> {
        let mut parts = pass.splitn(4, '.');
        let (number, at, signature) = (parts.next()?, parts.next()?, parts.next()?);
        let (number, at) = (number.parse::<u64>().ok()?, at.parse::<i64>().ok()?);
        let (era, ended) = {
            let list = self.list();
            (list.era, list.ended.contains(&number))
        };
        let signed = access.verify(&self.words(era, number, at), signature);
        (signed && !ended && now.since(Time(at)) <= STAYS).then_some(number)
    }

    /// The named token that a pass claims to belong to; `None` for the configured token.
    pub(in crate::web) fn name_of(pass: &str) -> Option<&str> {
        pass.splitn(4, '.').nth(3)
    }

    /// Whether a browser with this pass is logged in.
    pub(in crate::web) fn is_valid(&self, access: &Access, pass: &str, now: Time) -> bool {
        self.number(access, pass, now).is_some()
    }

    /// Logs a browser out. Copies of its pass are no longer valid either.
    pub(in crate::web) fn end(&self, access: &Access, pass: &str, now: Time) {
        let Some(number) = self.number(access, pass, now) else { return };
        let mut list = self.list();
        if list.ended.len() >= MOST_ENDED {
            list.era += 1;
            list.ended.clear();
        } else {
            list.ended.insert(number);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use secrecy::SecretString;

    use super::*;

    fn access(token: &str) -> Access {
        Access::by(SecretString::from(token)).unwrap()
    }

    const BEGUN: Time = Time(1_773_219_600_000);

    #[test]
    fn a_session_pass_is_valid_for_its_token_its_process_and_thirty_days() {
        let (access, sessions) = (access("a token of some length"), Sessions::new("one".to_owned()));
        let pass = sessions.begin(&access, None, BEGUN);
        assert!(sessions.is_valid(&access, &pass, BEGUN.plus(STAYS)));
        assert!(!sessions.is_valid(&access, &pass, BEGUN.plus(STAYS).plus(Duration::from_secs(1))), "too old");
        let [number, at, hex] = pass.split('.').collect::<Vec<_>>()[..] else { panic!("{pass}") };
        for forged in [
            format!("2.{at}.{hex}"),
            format!("{number}.{}.{hex}", BEGUN.0 + 1),
            format!("{number}.{at}."),
            format!("{number}.{at}"),
            format!("{pass}0"),
            format!("1{pass}"),
            String::new(),
        ] {
            assert!(!sessions.is_valid(&access, &forged, BEGUN), "{forged}");
        }
        assert!(!sessions.is_valid(&self::access("another token, as long"), &pass, BEGUN), "signed by another token");
        let named = Access::named(&"0f".repeat(32));
        let pass_of_ann = sessions.begin(&named, Some("ann"), BEGUN);
        assert_eq!((Sessions::name_of(&pass_of_ann), Sessions::name_of(&pass)), (Some("ann"), None));
        assert!(sessions.is_valid(&named, &pass_of_ann, BEGUN) && !sessions.is_valid(&access, &pass_of_ann, BEGUN));
        assert!(!Sessions::new("two".to_owned()).is_valid(&access, &pass, BEGUN), "of another process");
    }

    #[test]
    fn an_ended_session_stays_ended_and_others_continue() {
        let (access, sessions) = (access("a token of some length"), Sessions::new("one".to_owned()));
        let (one, two) = (sessions.begin(&access, None, BEGUN), sessions.begin(&access, None, BEGUN));
        assert_ne!(one, two, "two logins in one moment are two");
        sessions.end(&access, "nonsense", BEGUN);
        sessions.end(&access, &one, BEGUN);
        assert!(!sessions.is_valid(&access, &one, BEGUN) && sessions.is_valid(&access, &two, BEGUN));
        for _ in 1..MOST_ENDED {
            let pass = sessions.begin(&access, None, BEGUN);
            sessions.end(&access, &pass, BEGUN);
        }
        assert!(sessions.is_valid(&access, &two, BEGUN));
        // If there are more logouts than are remembered, everybody must log in again, so that no ended session becomes
        // valid.
        let last = sessions.begin(&access, None, BEGUN);
        sessions.end(&access, &last, BEGUN);
        assert_eq!(sessions.list().ended.len(), 0);
        for pass in [one, two, last] {
            assert!(!sessions.is_valid(&access, &pass, BEGUN));
        }
        let pass = sessions.begin(&access, None, BEGUN);
        assert!(sessions.is_valid(&access, &pass, BEGUN));
    }

    #[test]
    fn the_cookie_behind_tls_is_limited_to_its_host() {
        assert_eq!(
            cookie(true, Some("1.2.3")),
            "__Host-topicwatch_session=1.2.3; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000; Secure"
        );
        assert_eq!(cookie(false, None), "topicwatch_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    }
}
