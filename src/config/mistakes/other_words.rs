//! Words that people write for a key, from other programs or other sections, and the key that each means.

use crate::config::keys::Section;

/// Sections, their keys, and the words for these keys.
const WORDS: &[(Section, &str, &[&str])] = &[
    (Section::Service, "base_url", &["url", "uri", "endpoint", "host", "server", "address"]),
    (Section::Service, "call_timeout", &["timeout"]),
    (Section::Service, "max_tries", &["retries", "tries"]),
    (Section::Service, "max_concurrent", &["concurrency"]),
    (Section::Service, "api_key_env", &["key_env", "token_env"]),
    (Section::Service, "api_key_file", &["key_file", "token_file"]),
    (Section::Provider, "kind", &["type"]),
    (Section::Provider, "base_url", &["url", "uri", "endpoint", "host", "server", "address"]),
    (Section::Provider, "call_timeout", &["timeout"]),
    (Section::Provider, "max_tries", &["retries", "tries"]),
    (Section::Provider, "max_concurrent", &["concurrency"]),
    (Section::Provider, "user", &["username", "login"]),
    (Section::Provider, "key_env", &["api_key_env", "token_env", "password_env"]),
    (Section::Provider, "key_file", &["api_key_file", "token_file", "password_file"]),
    (Section::Database, "url", &["uri", "dsn", "path", "file", "host", "port", "name", "base_url"]),
    (Section::Scheduler, "max_concurrent_runs", &["workers", "concurrency", "max_concurrent", "threads"]),
    (Section::Scheduler, "output_folder", &["path", "folder", "output", "output_dir"]),
    (Section::Retention, "prune", &["schedule", "every", "cron"]),
    (Section::Web, "listen", &["port", "bind", "address"]),
    (Section::Web, "https", &["tls", "ssl"]),
    (Section::Topic, "id", &["name", "slug"]),
    (Section::Topic, "title", &["name"]),
    (Section::Topic, "query", &["keywords", "keyword", "search", "terms"]),
    (Section::Topic, "sources", &["providers", "provider"]),
    (Section::Topic, "lang", &["language", "languages"]),
    (Section::Topic, "must", &["include", "required"]),
    (Section::Topic, "exclude", &["ignore"]),
    (Section::Topic, "tags", &["labels", "label", "category"]),
    (Section::Topic, "schedule", &["cron"]),
    (Section::Topic, "every", &["interval", "frequency"]),
    (Section::Topic, "timezone", &["tz"]),
    (Section::Report, "name", &["id"]),
    (Section::Report, "schedule", &["cron"]),
    (Section::Report, "every", &["interval", "frequency"]),
    (Section::Report, "timezone", &["tz"]),
    (Section::Report, "window", &["period"]),
    (Section::Report, "path", &["file", "filename", "output"]),
    (Section::Report, "channels", &["to", "email", "recipients"]),
    (Section::Channel, "name", &["id"]),
    (Section::Channel, "kind", &["type"]),
    (Section::Channel, "host", &["server", "smtp_host"]),
    (Section::Channel, "port", &["smtp_port"]),
    (Section::Channel, "user", &["username", "login"]),
    (Section::Channel, "from", &["sender"]),
    (Section::Channel, "to", &["recipients", "recipient"]),
    (Section::Channel, "url", &["uri", "webhook", "webhook_url", "endpoint"]),
    (Section::Channel, "chat", &["chat_id"]),
    (Section::Channel, "tag", &["tags"]),
    (Section::Channel, "max_tries", &["retries", "tries"]),
    (Section::Export, "name", &["id"]),
    (Section::Export, "what", &["type", "kind", "rows"]),
    (Section::Export, "path", &["file", "filename", "output"]),
    (Section::Export, "search", &["query", "keywords"]),
    (Section::Export, "since", &["window", "period"]),
    (Section::Export, "retain", &["keep"]),
    (Section::Export, "schedule", &["cron"]),
    (Section::Export, "every", &["interval", "frequency"]),
    (Section::Export, "timezone", &["tz"]),
    (Section::Alert, "name", &["id"]),
    (Section::Alert, "rule", &["type", "kind"]),
    (Section::Alert, "words", &["keywords", "keyword", "query", "terms"]),
    (Section::Alert, "min", &["minimum"]),
    (Section::Alert, "channels", &["to", "email", "recipients"]),
    (Section::Alert, "quiet", &["quiet_hours"]),
    (Section::Alert, "timezone", &["tz"]),
];

/// Returns the key of a section that a word means: the first that is `free`, because a key is written once.
pub(in crate::config) fn key_of_word(
    section: Section,
    word: &str,
    free: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let meant = WORDS.iter().find(|(of, key, words)| *of == section && words.contains(&word) && free(key));
    meant.map(|(_, key, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys::of;

    #[test]
    fn every_word_means_an_existing_key_and_is_not_a_key_itself() {
        for &(section, key, words) in WORDS {
            let is_key = |name: &str| of(section).any(|key| key.name == name);
            assert!(is_key(key), "{section:?} {key}");
            for &word in words {
                assert!(!is_key(word), "{section:?} {word}");
                assert_eq!(key_of_word(section, word, |free| free == key), Some(key), "{section:?} {word}");
                let is_first = key_of_word(section, word, |_| true) == Some(key);
                assert!(is_first || (key, word) == ("title", "name"), "{section:?} {word} is listed twice");
            }
        }
    }
}
