//! Addresses as messages, lists and exports show them. `normalise/url` decides what an address identifies.

use url::Url;

/// Returns an address for a message: without user and password, and with `…` for what follows `?` or `#`, which may be
/// a secret. Also works on text that is not a URL.
#[must_use]
pub fn without_secrets(address: &str) -> String {
    let plain = address.split(['?', '#']).next().unwrap_or_default();
    let more = if plain.len() < address.len() { "…" } else { "" };
    let (scheme, rest) = match plain.find("://") {
        Some(at) => plain.split_at(at + 3),
        None => ("", plain),
    };
    // An `@` may also be in a path. Only a parsed URL shows that; otherwise everything before the `@` is left out.
    let no_user = Url::parse(address).is_ok_and(|url| url.username().is_empty() && url.password().is_none());
    let rest = if no_user { rest } else { rest.rsplit_once('@').map_or(rest, |(_, rest)| rest) };
    format!("{scheme}{rest}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possible_secrets_of_a_url_are_left_out() {
        for (address, shown) in [
            ("https://h.example/feed", "https://h.example/feed"),
            ("https://h.example/feed?token=hush", "https://h.example/feed…"),
            ("https://h.example/feed#hush", "https://h.example/feed…"),
            ("https://me:hush@h.example/feed?a=hush#hush", "https://h.example/feed…"),
            ("https://hush@h.example", "https://h.example"),
            ("https://h.example/@name/feed", "https://h.example/@name/feed"),
            ("https://me:hu/sh@h.example/feed", "https://h.example/feed"),
            ("hush@h.example/feed?x", "h.example/feed…"),
        ] {
            assert_eq!(without_secrets(address), shown, "{address}");
        }
    }
}
