//! Makes one short line without secrets from the receiver's reply, which may echo the address, a part of it, or a
//! login. Removes secrets from the whole text first, and cuts it afterwards.

use secrecy::ExposeSecret as _;
use url::Url;

use super::channel::{DeliveryError, Endpoint, is_plain};
use crate::http::KeyRedactor;
use crate::model::whole_start;

/// Maximum number of characters of an error that are kept.
const LONGEST_ERROR: usize = 300;

/// Maximum number of characters of a text that are searched.
const MAX_CHARS: usize = 8 * 1024;

/// Shortest part of an address that counts as a secret: `hook` and `v1` reveal nothing.
const SHORTEST_PART: usize = 6;

/// Shortest user name that counts as a secret.
const SHORTEST_NAME: usize = 3;

/// Shortest start of a secret that is removed where the text was cut.
const SHORTEST_BEGINNING: usize = 4;

/// A failure without the secrets of a channel.
pub(super) fn redact_error(endpoint: &Endpoint, error: DeliveryError) -> DeliveryError {
    if error.is_own {
        return error;
    }
    DeliveryError { text: redact(endpoint, &error.text), ..error }
}

/// A text without the secrets of a channel, on one line, and cut.
fn redact(endpoint: &Endpoint, text: &str) -> String {
    let text = mask_secrets(&plain(text), &secrets(endpoint));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().nth(LONGEST_ERROR).is_none() {
        return text;
    }
    format!("{}…", whole_start(&text, LONGEST_ERROR, |_| 1))
}

fn plain(text: &str) -> String {
    text.chars().take(MAX_CHARS).map(|c| if is_plain(c) { c } else { ' ' }).collect()
}

/// Replaces every secret with `***`, in every form, also where two overlap, and the start of a secret at the very end.
fn mask_secrets(text: &str, secrets: &[String]) -> String {
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    // Case does not matter: `%2f` is `%2F`, and a host may be echoed in lower case. In base64 it does.
    let low = text.to_ascii_lowercase();
    let mut hidden = vec![false; text.len()];
    for secret in secrets {
        let secret = plain(secret);
        for (text, secret) in [(low.as_str(), secret.to_ascii_lowercase()), (text, secret)] {
            for place in KeyRedactor::of_whole_secret(secret.into(), SHORTEST_BEGINNING).find_key(text.as_bytes()) {
                hidden[place].fill(true);
            }
        }
    }
    let mut left = String::with_capacity(text.len());
    let mut before = false;
    for (c, hide) in text.char_indices().filter_map(|(at, c)| Some((c, *hidden.get(at)?))) {
        match (hide, before) {
            (false, _) => left.push(c),
            (true, false) => left.push_str("***"),
            (true, true) => {}
        }
        before = hide;
    }
    left
}

/// The secrets of a channel, in each form in which they are sent or may be echoed.
fn secrets(endpoint: &Endpoint) -> Vec<String> {
    let mut all = Vec::new();
    match endpoint {
        Endpoint::Email { login, .. } => {
            if let Some((user, password)) = login {
                let password = password.expose_secret();
                login_of(user, password, &mut all);
                all.push(base64(format!("\0{user}\0{password}").as_bytes()));
                all.extend([user.as_str(), password].map(|word| base64(word.as_bytes())));
            }
        }
        Endpoint::Webhook { url, secret, .. } => {
            if let Some(secret) = secret {
                let secret = secret.expose_secret();
                all.push(secret.to_owned());
                // The part of a bot's token after its number.
                let part = secret.split_once(':').map(|(_, part)| part).filter(|part| part.len() >= SHORTEST_PART);
                all.extend(part.map(str::to_owned));
            }
            all.push(url.expose_secret().to_owned());
            if let Ok(url) = Url::parse(url.expose_secret()) {
                of_address(&url, &mut all);
            }
        }
    }
    all
}

fn login_of(user: &str, password: &str, all: &mut Vec<String>) {
    all.extend(Some(user).filter(|user| user.len() >= SHORTEST_NAME).map(str::to_owned));
    all.push(password.to_owned());
}

fn of_address(url: &Url, all: &mut Vec<String>) {
    all.push(url.to_string());
    // The first line of a request has these without the host.
    all.extend(Some(url.path()).filter(|path| path.len() > 4).map(str::to_owned));
    all.extend(url.query().map(str::to_owned));
    all.extend(url.fragment().filter(|part| part.len() >= SHORTEST_PART).map(str::to_owned));
    let (user, password) = (url.username(), url.password().unwrap_or(""));
    if !(user.is_empty() && password.is_empty()) {
        login_of(user, password, all);
        let (user, password) = (decoded(user), decoded(password));
        login_of(&user, &password, all);
        all.push(base64(format!("{user}:{password}").as_bytes()));
    }
    let segments = url.path().split('/').map(str::to_owned);
    let query = url.query().unwrap_or("").split('&').map(|pair| {
        // A parameter without `=` counts as a value.
        let value = pair.split_once('=').map_or(pair, |(_, value)| value);
        value.to_owned()
    });
    for part in segments.chain(query).filter(|part| part.len() >= SHORTEST_PART) {
        // In a query a plus means a space.
        all.extend([decoded(&part), decoded(&part.replace('+', " ")), part]);
    }
}

/// Decodes each escape such as `%41`.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let code = text.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        plain.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Base64 as in a login, without the padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = (0..3).fold(0_usize, |number, n| number << 8 | usize::from(three.get(n).copied().unwrap_or(0)));
        for n in 0..=three.len() {
            text.push(char::from(DIGITS[number >> (18 - 6 * n) & 63]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;
    use crate::model::SmtpTls;

    fn hook(url: &str) -> Endpoint {
        Endpoint::Webhook {
            url: url.into(),
            secret: Some(SecretString::from("signing key")),
            form: crate::model::WebhookFormat::Own,
            allow_private: true,
        }
    }

    fn mail(user: &str, password: &str) -> Endpoint {
        let login = Some((user.to_owned(), SecretString::from(password)));
        let (host, from) = ("mail.example.com".into(), "w@example.com".into());
        Endpoint::Email { host, port: 25, tls: SmtpTls::None, from, to: Vec::new(), login }
    }

    #[test]
    fn secrets_of_a_url_are_redacted_in_parts_and_in_every_encoding() {
        let endpoint =
            hook("https://us%40er:p%2Fss@example.com/v1/T0KEN%2Fsl/abcdef?key=QUERY%41KEY+x&short=ab&BAREKEY");
        for (text, expected) in [
            ("no such hook: T0KEN%2Fsl", "no such hook: ***"),
            ("no such hook: t0ken%2fsl", "no such hook: ***"),
            ("no such hook: T0KEN/sl", "no such hook: ***"),
            ("{\"key\":\"QUERYAKEY x\"}", "{\"key\":\"***\"}"),
            ("QUERY%41KEY+x or BAREKEY", "*** or ***"),
            ("us@er and p/ss and p%2Fss", "*** and *** and ***"),
            ("Authorization: Basic dXNAZXI6cC9zcw==", "Authorization: Basic ***=="),
            ("abcdefabcdef", "***"),
            ("signed with signing\nkey", "signed with ***"),
            ("POST /v1/T0KEN%2Fsl/abcdef?key=QUERY%41KEY+x&short=ab&BAREKEY", "POST ***?***"),
            ("404 Not Found v1 ab", "404 Not Found v1 ab"),
        ] {
            assert_eq!(redact(&endpoint, text), expected, "{text}");
        }
    }

    #[test]
    fn a_token_is_redacted_in_every_encoding() {
        let secret = Some(SecretString::from("nt%tok\"q'é"));
        let (url, form) = ("https://example.com/n".into(), crate::model::WebhookFormat::Own);
        let endpoint = Endpoint::Webhook { url, secret, form, allow_private: true };
        for (text, expected) in [
            ("nt%25tok%22q%27%C3%A9!", "***!"),
            ("nt%2525tok%2522q%2527%25C3%25A9!", "***!"),
            ("NT%TOK&quot;Q&#x27;é!", "***!"),
            ("{\"key\":\"nt%tok\\\"q'é\"}", "{\"key\":\"***\"}"),
            ("{\"key\":\"nt%tok\\\"q'\\u00e9\"}", "{\"key\":\"***\"}"),
            ("6e7425746f6b227127c3a9!", "***!"),
            ("6E7425746F6B227127C3A9!", "***!"),
            // The last letter depends on what follows the token, as do the letters of `user:`.
            ("bnQldG9rInEnw6k=!", "***k=!"),
            ("dXNlcjpudCV0b2sicSfDqQ==!", "dXNlcjp***Q==!"),
            // Cut within it, or within an escape of it.
            ("what is nt%25to", "what is ***"),
            ("what is nt%25tok%2", "what is ***"),
            ("what is bnQldG", "what is ***"),
        ] {
            assert_eq!(redact(&endpoint, text), expected, "{text}");
        }
    }

    #[test]
    fn a_mail_login_is_redacted_plain_and_in_base64() {
        let endpoint = mail("watcher", "hunter2");
        for secret in ["watcher", "hunter2", "AHdhdGNoZXIAaHVudGVyMg", "d2F0Y2hlcg", "aHVudGVyMg"] {
            assert_eq!(redact(&endpoint, &format!("535 what is {secret}?")), "535 what is ***?", "{secret}");
        }
    }

    #[test]
    fn a_long_reply_is_cut_between_whole_characters() {
        let endpoint = hook("https://example.com/hooks/T0KEN");
        for (whole, kept) in [("e\u{301}", ""), ("🇩🇪", ""), ("ab", "a")] {
            let start = "x".repeat(LONGEST_ERROR - 1);
            assert_eq!(redact(&endpoint, &format!("{start}{whole} and more")), format!("{start}{kept}…"), "{whole}");
        }
    }

    #[test]
    fn a_cut_leaves_no_part_of_a_secret() {
        let endpoint = hook("https://example.com/hooks/T0KENT0KENT0KENT0KEN");
        for at in 0..MAX_CHARS + 20 {
            if (320..MAX_CHARS - 40).contains(&at) {
                continue;
            }
            // Runs of spaces become one space, which moves distant text together.
            for fill in ["x", " "] {
                let text = format!("{}T0KENT0KENT0KENT0KEN!", fill.repeat(at));
                let redacted = redact(&endpoint, &text);
                assert!(!redacted.contains("T0KE"), "{at}: {redacted}");
                assert!(redacted.chars().count() <= LONGEST_ERROR + 1);
            }
        }
    }
}
