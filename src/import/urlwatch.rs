//! urlwatch's `urls.yaml`: documents with `name`, `url` (or `navigate`) and `enabled` at their top level. Only these
//! keys are read, one line each. Filters and everything else are about pages and are left out.

use super::entry::{Entry, name};

pub(super) fn entries(text: &str) -> Vec<Entry> {
    text.split("\n---").filter_map(document).collect()
}

fn document(text: &str) -> Option<Entry> {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        let value = scalar(line.trim());
        (!value.is_empty()).then_some(value)
    };
    let address = value("url").or_else(|| value("navigate"));
    // All words that YAML's readers take for `false`.
    let is_off = value("enabled").is_some_and(|word| matches!(&*word.to_ascii_lowercase(), "false" | "no" | "off"));
    let unfit = match (&address, is_off) {
        (None, _) => Some("is a command, and no command is run"),
        (Some(_), true) => Some("is paused there"),
        (Some(_), false) => None,
    };
    let url = address.or_else(|| value("command"))?;
    Some(Entry { title: value("name").as_deref().and_then(name), folder: None, url, is_feed: false, unfit })
}

/// Parses a scalar on one line: plain, or in single or double quotes.
fn scalar(text: &str) -> String {
    if let Some(quoted) = text.strip_prefix('\'') {
        let end = quoted.rfind('\'').unwrap_or(quoted.len());
        return quoted.get(..end).unwrap_or_default().replace("''", "'");
    }
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.rfind('"').unwrap_or(quoted.len());
        let inner = quoted.get(..end).unwrap_or_default();
        // JSON's escapes are the most common ones of YAML.
        return serde_json::from_str(&format!("\"{inner}\"")).unwrap_or_else(|_| inner.to_owned());
    }
    text.split(" #").next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_is_not_enabled_is_paused() {
        let text = "url: https://a.example/feed\nenabled: false\n---\nurl: https://b.example/feed\nenabled: No # later\n---\n\
                    url: https://c.example/feed\nenabled: true\n---\nurl: https://d.example/feed\n";
        let unfit: Vec<Option<&str>> = entries(text).into_iter().map(|one| one.unfit).collect();
        assert_eq!(unfit, [Some("is paused there"), Some("is paused there"), None, None]);
    }

    #[test]
    fn only_names_and_urls_are_read() {
        let text = "name: \"Releases \\u2014 all\"\nurl: https://a.example/releases.atom\nfilter:\n  - name: x\n    url: no\n---\n\
                    navigate: 'https://b.example/it''s'\n---\ncommand: ls\n--- \nurl: https://c.example # mine\n";
        let found: Vec<(Option<String>, String)> = entries(text).into_iter().map(|one| (one.title, one.url)).collect();
        let of = |title: Option<&str>, url: &str| (title.map(str::to_owned), url.to_owned());
        assert_eq!(
            found,
            [
                of(Some("Releases — all"), "https://a.example/releases.atom"),
                of(None, "https://b.example/it's"),
                of(None, "ls"),
                of(None, "https://c.example"),
            ]
        );
    }
}
