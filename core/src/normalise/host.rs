//! Normalises host names: strips `www.` and mobile labels and maps renamed sites. It has no list of public suffixes and
//! leaves other subdomains alone.

/// The longest host name, without the trailing dot (RFC 1035 section 2.3.4).
const MAX_HOST_BYTES: usize = 253;

/// First labels that select a layout, not another page.
const MOBILE_LABELS: [&str; 2] = ["m.", "mobile."];

/// Sites whose subdomains belong to users: `m.github.io` is a user's site.
const NAMES_OF_PEOPLE: [&str; 22] = [
    "appspot.com",
    "blogspot.com",
    "bsky.social",
    "dreamwidth.org",
    "firebaseapp.com",
    "fly.dev",
    "github.io",
    "gitlab.io",
    "herokuapp.com",
    "livejournal.com",
    "neocities.org",
    "netlify.app",
    "onrender.com",
    "pages.dev",
    "substack.com",
    "tumblr.com",
    "vercel.app",
    "web.app",
    "weebly.com",
    "wixsite.com",
    "wordpress.com",
    "workers.dev",
];

/// Second-level labels of country registries: `m.co.uk` is a registered name, not the mobile `co.uk`.
const REGISTRY_LABELS: [&str; 14] =
    ["ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "mil", "ne", "net", "nom", "or", "org"];

/// Wikimedia sites have the mobile label second: `en.m.wikipedia.org`.
const WIKIMEDIA: [&str; 11] = [
    "mediawiki.org",
    "wikibooks.org",
    "wikidata.org",
    "wikimedia.org",
    "wikinews.org",
    "wikipedia.org",
    "wikiquote.org",
    "wikisource.org",
    "wikiversity.org",
    "wikivoyage.org",
    "wiktionary.org",
];

/// Old and current names of hosts that serve the same paths.
const RENAMED: [(&str, &str); 4] = [
    ("twitter.com", "x.com"),
    ("new.reddit.com", "reddit.com"),
    ("np.reddit.com", "reddit.com"),
    ("old.reddit.com", "reddit.com"),
];

/// The canonical host name of a site; `None` if it is empty or too long. `host` is lower-case ASCII from the URL
/// parser. IP addresses are returned unchanged.
pub(super) fn canonical_host(host: &url::Host<&str>) -> Option<String> {
    let url::Host::Domain(name) = host else { return Some(host.to_string()) };
    let mut name = name.trim_end_matches('.').to_owned();
    while let Some(shorter) = without_layout(&name) {
        name = shorter;
    }
    if let Some((_, current)) = RENAMED.iter().find(|(old, _)| *old == name) {
        name = (*current).to_owned();
    }
    (!name.is_empty() && name.len() <= MAX_HOST_BYTES).then_some(name)
}

/// The name without its layout label; `None` if it has none.
fn without_layout(name: &str) -> Option<String> {
    if let Some(rest) = name.strip_prefix("www.")
        && is_site(rest)
    {
        return Some(rest.to_owned());
    }
    for label in MOBILE_LABELS {
        if let Some(rest) = name.strip_prefix(label)
            && is_site(rest)
            && !NAMES_OF_PEOPLE.contains(&rest)
        {
            return Some(rest.to_owned());
        }
    }
    let (language, rest) = name.split_once('.')?;
    let project = rest.strip_prefix("m.")?;
    WIKIMEDIA.contains(&project).then(|| format!("{language}.{project}"))
}

/// Whether a name can be a site of its own: it has at least two labels and is not a country registry (`co.uk`).
fn is_site(name: &str) -> bool {
    let Some((first, rest)) = name.split_once('.') else { return false };
    let registry = rest.len() == 2 && REGISTRY_LABELS.contains(&first);
    !first.is_empty() && !rest.is_empty() && !registry
}

/// Whether `host` is `site` or a subdomain of it.
pub(super) fn is_subdomain(host: &str, site: &str) -> bool {
    host.strip_suffix(site).is_some_and(|front| front.is_empty() || front.ends_with('.'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn mobile_and_renamed_hosts_are_mapped_and_other_subdomains_kept() {
        for (host, expected) in [
            ("www.example.com", "example.com"),
            ("www.www.example.com", "example.com"),
            ("m.example.com", "example.com"),
            ("mobile.twitter.com", "x.com"),
            ("www.twitter.com", "x.com"),
            ("en.m.wikipedia.org", "en.wikipedia.org"),
            ("m.wikidata.org", "wikidata.org"),
            ("old.reddit.com", "reddit.com"),
            ("example.com.", "example.com"),
            ("127.0.0.1", "127.0.0.1"),
            // Unchanged: each of these is a site of its own, not a layout.
            ("m.me", "m.me"),
            ("mobile.de", "mobile.de"),
            ("www.com", "www.com"),
            ("m.co.uk", "m.co.uk"),
            ("m.github.io", "m.github.io"),
            ("notm.example.com", "notm.example.com"),
            ("en.m.example.org", "en.m.example.org"),
            ("mytwitter.com", "mytwitter.com"),
            ("api.twitter.com", "api.twitter.com"),
            ("localhost", "localhost"),
        ] {
            let parsed = url::Host::parse(host).unwrap();
            let as_str = match &parsed {
                url::Host::Domain(name) => url::Host::Domain(name.as_str()),
                url::Host::Ipv4(ip) => url::Host::Ipv4(*ip),
                url::Host::Ipv6(ip) => url::Host::Ipv6(*ip),
            };
            assert_eq!(canonical_host(&as_str).as_deref(), Some(expected), "{host}");
        }
        assert_eq!(canonical_host(&url::Host::Domain("..")), None);
        assert_eq!(canonical_host(&url::Host::Domain(&"a.".repeat(200))), None);
    }

    #[test]
    fn a_host_is_below_a_site_if_equal_or_a_subdomain() {
        assert!(is_subdomain("a.example.com", "example.com") && is_subdomain("example.com", "example.com"));
        assert!(!is_subdomain("badexample.com", "example.com") && !is_subdomain("com", "example.com"));
    }
}
