//! A request for a page: its path and its parameters, parsed once and limited in size. Each page decides what its
//! parameters mean.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use axum::extract::RawPathParams;
use axum::http::{StatusCode, Uri};

use super::access::visitor::Visitor;
use super::problem::Problem;
use crate::model::{TextQuery, excerpt};
use crate::normalise::words::{LONGEST_QUERY, parse_query};

/// Maximum number of bytes of a form.
pub(super) const LARGEST_FORM: usize = 32 * 1024;
/// The same for the form of a topic, whose lists may be long: all of its fields filled, each character encoded.
pub(super) const LARGEST_TOPIC_FORM: usize = 720 * 1024;
/// Longest value of a parameter, in characters: a search may be as long in every script.
pub(super) const LONGEST: usize = LONGEST_QUERY;

/// The parameter of the login page: the address to return to.
pub(super) const NEXT: &str = "next";

/// Parameters that had another name during development. The former name works until 1.0.
const FORMER: [(&str, &str); 2] = [("q", "search"), ("sort", "order")];

/// A request for a page.
#[derive(Debug, Clone, Default)]
pub(super) struct PageRequest {
    /// The last part of the path.
    pub(super) name: String,
    /// The visitor; nobody if only a form was read.
    pub(super) visitor: Visitor,
    parameters: BTreeMap<String, String>,
}

impl PageRequest {
    /// Parses a request for a page that takes these parameters. Others are refused: a misspelt filter would filter
    /// nothing.
    pub(super) fn of(uri: &Uri, visitor: Visitor, takes: &[&str]) -> Result<Self, Problem> {
        let name = uri.path().rsplit('/').next().unwrap_or("").to_owned();
        let mut request = Self::form(uri.query().unwrap_or(""))?;
        for (former, name) in FORMER.into_iter().filter(|(_, name)| takes.contains(name)) {
            let Some(value) = request.parameters.remove(former).filter(|value| !value.is_empty()) else { continue };
            match request.get(name) {
                Some(other) if other != value => return Err(repeated(name)),
                _ => drop(request.parameters.insert(name.to_owned(), value)),
            }
        }
        match request.parameters.keys().find(|key| !takes.contains(&key.as_str())) {
            Some(unknown) => Err(unknown_parameter(takes, unknown)),
            None => Ok(Self { name, visitor, ..request }),
        }
    }

    /// The same request, named by the variable part of its path, decoded.
    pub(super) fn about(mut self, params: &RawPathParams) -> Self {
        if let Some((_, name)) = params.iter().last() {
            self.name = name.to_owned();
        }
        self
    }

    /// Parses a form in which longer text may be typed.
    pub(super) async fn long_form(body: Body) -> Result<Self, Problem> {
        let too_large =
            |_| Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request is too large", "Forms here are short.");
        let body = to_bytes(body, LARGEST_TOPIC_FORM).await.map_err(too_large)?;
        Self::form_of(&String::from_utf8_lossy(&body), LARGEST_TOPIC_FORM)
    }

    /// Parses parameters alone, as an address writes them. One that is repeated with another value is refused: a page
    /// filters by one value of each.
    pub(super) fn form(text: &str) -> Result<Self, Problem> {
        let mut seen = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(text.as_bytes()).filter(|(_, value)| !value.trim().is_empty())
        {
            if seen.insert(name.clone(), value.clone()).is_some_and(|earlier| earlier != value) {
                return Err(repeated(&name));
            }
        }
        Self::form_of(text, LONGEST)
    }

    /// Parses a form, for values of at most `longest` characters. Of several with one name the last that is not empty
    /// counts.
    pub(super) fn form_of(text: &str, longest: usize) -> Result<Self, Problem> {
        if !is_utf8(text) {
            return Err(Problem::bad_request("A parameter is not valid text", "Write it as UTF-8, percent-encoded."));
        }
        let mut parameters = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(text.as_bytes()) {
            if value.chars().count() > longest || name.len() > 40 {
                return Err(Problem::bad_request("A parameter is too long", "Search for less at a time."));
            }
            // Stored text never contains NUL, and PostgreSQL accepts none.
            if value.contains('\0') {
                return Err(Problem::bad_request("A parameter is not valid text", "Remove the NUL character."));
            }
            let value = value.trim();
            if !value.is_empty() || !parameters.contains_key(&*name) {
                parameters.insert(name.into_owned(), value.to_owned());
            }
        }
        Ok(Self { parameters, ..Self::default() })
    }

    /// Parameters that were stored.
    pub(super) fn from_stored(parameters: &BTreeMap<String, String>) -> Self {
        Self { visitor: Visitor::default(), name: String::new(), parameters: parameters.clone() }
    }

    /// A parameter, unless it is empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A parameter of a closed list, parsed.
    pub(super) fn word<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Problem> {
        self.get(name).map(|value| parse(value).ok_or_else(|| self.invalid(name))).transpose()
    }

    /// The problem that a parameter has an invalid value.
    pub(super) fn invalid(&self, name: &str) -> Problem {
        let value: String = self.get(name).unwrap_or("").chars().take(60).collect();
        let problem = if value.is_empty() {
            Problem::bad_request(format!("`{name}` is missing"), "Choose it in the form of the page.")
        } else {
            Problem::bad_request(
                format!("`{value}` is not a valid `{name}`"),
                format!("Remove `{name}` from the address, then choose in the form of the page."),
            )
        };
        Problem { field: Some(name.to_owned()), ..problem }
    }

    /// The given ones of these parameters.
    pub(super) fn given_of(&self, names: &[&str]) -> BTreeMap<String, String> {
        let pairs = names.iter().filter_map(|name| Some(((*name).to_owned(), self.get(name)?.to_owned())));
        pairs.collect()
    }

    /// The same request without a parameter.
    pub(super) fn without(&self, name: &str) -> Self {
        let mut other = self.clone();
        other.parameters.remove(name);
        other
    }

    /// An address with these parameters changed; other parameters stay as they are.
    pub(super) fn with(&self, path: &str, changes: &[(&str, Option<&str>)]) -> String {
        let mut all = self.parameters.clone();
        for (name, value) in changes {
            match value {
                Some(value) => drop(all.insert((*name).to_owned(), (*value).to_owned())),
                None => drop(all.remove(*name)),
            }
        }
        link(path, all.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

/// Whether parameters are UTF-8 once they are decoded. The parser of forms replaces what is not.
pub(super) fn is_utf8(encoded: &str) -> bool {
    percent_encoding::percent_decode_str(encoded).decode_utf8().is_ok()
}

/// The maximum number of bytes of a form that is sent to a path. Topics have their forms below `/jobs/`.
pub(super) fn largest_form(path: &str) -> usize {
    if path.starts_with("/jobs/") { LARGEST_TOPIC_FORM } else { LARGEST_FORM }
}

/// The problem that a parameter is given twice with different values.
fn repeated(name: &str) -> Problem {
    let name: String = name.chars().take(40).collect();
    Problem::bad_request(
        format!("`{name}` is in this address more than once"),
        "Choose one value. The API and `topicwatch export` take several.",
    )
}

/// The problem that a parameter is unknown, with the `known` ones as a hint.
pub(super) fn unknown_parameter(known: &[&str], name: &str) -> Problem {
    let hint = if known.is_empty() {
        "This takes no parameters.".to_owned()
    } else {
        format!("Known parameters: {}.", known.join(", "))
    };
    Problem::bad_request(format!("There is no parameter `{}`", excerpt(name)), hint)
}

/// Parses the words of a search.
pub(super) fn words(typed: &str) -> Result<TextQuery, Problem> {
    parse_query(typed).map_err(|unclear| {
        let hint = "Write words, \"a phrase\", prefix*, #hashtag, @name; -word excludes.";
        let problem = Problem::bad_request(format!("This search is not usable: {unclear}"), hint);
        Problem { field: Some("search".to_owned()), ..problem }
    })
}

/// An address with parameters.
pub(super) fn link<'a>(path: &str, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters {
        query.append_pair(name, value);
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parameters_that_decode_to_utf8_are_accepted() {
        for right in ["", "a=b&c", "search=%C3%A4", "search=ä", "a%EF%BF%BD", "100%", "%4", "%zz", "a=%+41", "a+b"] {
            assert!(is_utf8(right) && PageRequest::form(right).is_ok(), "{right}");
        }
        for wrong in ["%FF", "search=%ff", "%C3=a", "a=%C3&b=%A4", "a=%C3(", "a=%ED%A0%80"] {
            assert!(!is_utf8(wrong), "{wrong}");
            let problem = PageRequest::form(wrong).unwrap_err();
            assert_eq!(
                (problem.status, &*problem.hint),
                (StatusCode::BAD_REQUEST, "Write it as UTF-8, percent-encoded.")
            );
        }
    }
}
