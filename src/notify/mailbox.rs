//! Parses the sender and the recipients of mail as people write them: an address alone, or a name and then the
//! address in angle brackets. What is parsed can be written into a mail; only the server knows whether the mailbox
//! exists.

use lettre::Address;
use lettre::message::Mailbox;
use url::Host;

/// Why a text is not a mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The closing bracket is missing, or text follows it.
    #[error("the address after `<` does not end with `>`")]
    Open,
    /// There is no `@`.
    #[error("its address has no @")]
    NoAt,
    /// The part before the `@` is invalid.
    #[error("the part before the @ is not a mailbox name")]
    User,
    /// The part after the `@` is invalid.
    #[error("the part after the @ is not a domain")]
    Domain,
    /// The name contains a control character, which could end its line.
    #[error("its name contains a control character")]
    Name,
}

/// Checks whether mail can be written from or to this address.
///
/// # Errors
/// Returns why not.
pub fn check_address(text: &str) -> Result<(), AddressError> {
    mailbox(text).map(drop)
}

pub(super) fn mailbox(text: &str) -> Result<Mailbox, AddressError> {
    let (name, address) = match text.rsplit_once('<') {
        Some((name, rest)) => (unquote(name.trim()), rest.trim_end().strip_suffix('>').ok_or(AddressError::Open)?),
        None => (String::new(), text.trim()),
    };
    if name.chars().any(char::is_control) {
        return Err(AddressError::Name);
    }
    let (user, domain) = address.rsplit_once('@').ok_or(AddressError::NoAt)?;
    if user.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '@' | '<' | '>' | ',' | ';')) {
        return Err(AddressError::User);
    }
    // Checks the user together with a domain that is valid.
    Address::new(user, "example.com").map_err(|_| AddressError::User)?;
    let domain = ascii(domain).ok_or(AddressError::Domain)?;
    let address = Address::new(user, domain).map_err(|_| AddressError::Domain)?;
    Ok(Mailbox::new(Some(name).filter(|name| !name.is_empty()), address))
}

/// A name without the quotes around it; the mail adds its own where needed.
fn unquote(name: &str) -> String {
    let Some(quoted) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else { return name.to_owned() };
    let (mut plain, mut escaped) = (String::with_capacity(quoted.len()), false);
    for c in quoted.chars() {
        escaped = c == '\\' && !escaped;
        if !escaped {
            plain.push(c);
        }
    }
    plain
}

/// A domain in ASCII, which every server accepts.
fn ascii(domain: &str) -> Option<String> {
    if domain.is_ascii() {
        return Some(domain.to_owned());
    }
    match Host::parse(domain) {
        Ok(Host::Domain(domain)) => Some(domain),
        _ => None,
    }
}
