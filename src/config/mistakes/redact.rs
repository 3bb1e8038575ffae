//! Keeps secrets out of printed text: passwords in database URLs, and keys that someone wrote into the file.

/// Key names after which the rest of a line is hidden.
const SECRET_NAMES: [&str; 8] = ["api_key", "api-key", "apikey", "key", "token", "secret", "password", "authorization"];

/// Whether a key of this name would hold a secret.
pub(in crate::config) fn is_secret_name(name: &str) -> bool {
    SECRET_NAMES.contains(&name.to_ascii_lowercase().as_str())
}

/// Returns a database URL for people: the password, and parameters that carry one, become `***`. Also works on broken
/// URLs, because they are printed too: without `://`, all that may hold a password is hidden.
#[must_use]
pub fn redact_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return match url.split_once(':') {
            Some(("sqlite", _)) => url.to_owned(),
            _ if !url.contains(['@', '=']) => url.to_owned(),
            Some((scheme @ ("postgres" | "postgresql"), _)) => format!("{scheme}:***"),
            _ => "***".to_owned(),
        };
    };
    // The last `@` ends the user information even when a password holds `/`, `#` or `@` unescaped.
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{user}:***@{host}"),
            None => format!("{user}@{host}"),
        },
        None => rest.to_owned(),
    };
    let Some((base, query)) = rest.split_once('?') else { return format!("{scheme}://{rest}") };
    let query: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("pass") || is_secret_name(name) => {
                format!("{name}=***")
            }
            _ => pair.to_owned(),
        })
        .collect();
    format!("{scheme}://{base}?{}", query.join("&"))
}

/// Returns the characters of a line one for one, with those of secrets replaced by `*`: the value of a key with a
/// secret's name up to the end of the line, and a URL's password.
pub(in crate::config) fn mask_secrets(line: &str) -> impl Iterator<Item = char> + '_ {
    let tail = line
        .match_indices('=')
        .find(|(at, _)| {
            let before = line[..*at].trim_end().trim_end_matches(['"', '\'']);
            let name = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).next().unwrap_or("");
            // The whole address is a secret.
            is_secret_name(name) || name == "ping"
        })
        .map_or(line.len(), |(at, _)| at + 1);
    // A mistyped address may have a password too: without `://`, the value of a key that ends in `url` counts.
    let name = |line: &str| line.trim_end().trim_end_matches(['"', '\'']).ends_with("url");
    let address = line.find("://").map(|at| at + 3);
    let address = address.or_else(|| line.find('=').filter(|at| name(&line[..*at])).map(|at| at + 1));
    let password = address.map_or(0..0, |from| {
        let to = line.rfind('@').unwrap_or(from);
        let colon = line.get(from..to).and_then(|user| user.find(':'));
        colon.map_or(0..0, |colon| from + colon + 1..to)
    });
    line.char_indices().map(move |(at, c)| {
        let secret = (at >= tail && !c.is_whitespace()) || password.contains(&at);
        if secret { '*' } else { c }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_printed() {
        for (url, redacted) in [
            ("postgres://me:hunter2@db/topics", "postgres://me:***@db/topics"),
            ("postgres://me:a/b@c#d@db/topics", "postgres://me:***@db/topics"),
            ("postgres://me@db/topics", "postgres://me@db/topics"),
            ("postgres://db/t?sslmode=require&password=x", "postgres://db/t?sslmode=require&password=***"),
            ("postgres://db/t?sslpassword=x", "postgres://db/t?sslpassword=***"),
            ("sqlite:topicwatch.db", "sqlite:topicwatch.db"),
            ("postgres://", "postgres://"),
            ("postgres:/me:hunter2@db/topics", "postgres:***"),
            ("postgresql:/db/t?password=x", "postgresql:***"),
            ("me:hunter2@db/topics", "***"),
            ("host=db password=hunter2", "***"),
            ("sqlite:/data/me@home/t.db", "sqlite:/data/me@home/t.db"),
        ] {
            assert_eq!(redact_url(url), redacted);
        }
    }

    #[test]
    fn a_secret_in_a_line_is_masked_character_by_character() {
        for (line, masked) in [
            ("api_key = \"abc\"", "api_key = *****"),
            ("service = { \"token\" = abc }", "service = { \"token\" = *** *"),
            ("service.key=abc", "service.key=***"),
            ("api_key_env = \"X\"", "api_key_env = \"X\""),
            ("ping = \"ftp://h/uuid\"", "ping = **************"),
            ("ping_env = \"X\"", "ping_env = \"X\""),
            ("url = \"postgres://me:pw@h/d\"", "url = \"postgres://me:**@h/d\""),
            ("url = \"postgres:me:pw@h/d\"", "url = \"postgres:*****@h/d\""),
            ("database.url = 'me:pw@h/d'", "database.url = 'me:**@h/d'"),
            ("query = \"from:me @you\"", "query = \"from:me @you\""),
        ] {
            assert_eq!(mask_secrets(line).collect::<String>(), masked);
        }
    }
}
