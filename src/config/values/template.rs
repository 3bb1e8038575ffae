//! Queries as templates: `{query}` and `{title}` are filled in once, `{{` and `}}` are literal braces. Filled-in text
//! is never read as a template again.

use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::suggest::nearest;

/// Why a template could not be filled in.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::config) enum TemplateError {
    /// It names a placeholder that does not exist.
    Wrong(Fault),
    /// It needs `{query}`, and the topic has none.
    NeedsQuery,
}

/// Fills a template in.
pub(in crate::config) fn fill(template: &str, query: Option<&str>, title: &str) -> Result<String, TemplateError> {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{") {
            filled.push('{');
            rest = after;
        } else if let Some(after) = rest.strip_prefix("}}") {
            filled.push('}');
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{query}") {
            filled.push_str(query.ok_or(TemplateError::NeedsQuery)?);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{title}") {
            filled.push_str(title);
            rest = after;
        } else {
            return Err(TemplateError::Wrong(unknown(rest)));
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

fn unknown(rest: &str) -> Fault {
    const HINT: &str = "only {query} and {title} are filled in; write {{ or }} for a brace itself";
    match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((name, _)) if !name.contains('{') => {
            let name: String = name.chars().take(40).collect();
            let hint = match nearest(&name, ["query", "title"]) {
                Some(suggestion) => format!("did you mean `{{{suggestion}}}`? {HINT}"),
                None => HINT.to_owned(),
            };
            Fault::new(format!("has an unknown placeholder `{{{name}}}`"), hint)
        }
        _ => Fault::new("has a single brace", HINT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_once() {
        for (template, filled) in [
            ("{query}", "a {title} b"),
            ("what of {query}, {title}?", "what of a {title} b, T?"),
            ("{{query}} {{{title}}}", "{query} {T}"),
            ("", ""),
        ] {
            assert_eq!(fill(template, Some("a {title} b"), "T"), Ok(filled.to_owned()), "{template}");
        }
    }

    #[test]
    fn unknown_placeholders_are_refused() {
        for template in ["{qeury}", "{}", "{", "}", "a } b", "{query", "{ query }"] {
            assert!(matches!(fill(template, Some("q"), "T"), Err(TemplateError::Wrong(_))), "{template}");
        }
        assert_eq!(fill("{query}", None, "T"), Err(TemplateError::NeedsQuery));
    }
}
