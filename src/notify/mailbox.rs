//! Who a mail is from and for, as people write it: an address alone, or a name before it and the address in angle brackets.
//! What is read here can be written into a mail; whether anybody is there, the server says.

use lettre::Address;
use lettre::message::Mailbox;
use url::Host;

/// Why a text is nobody's mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAddress {
    /// Nothing can stand after the closing bracket, and none can be missing.
    #[error("the address after `<` does not end with `>`")]
    Open,
    /// There is no `@`.
    #[error("its address has no @")]
    NoAt,
    /// What stands before the `@`.
    #[error("what stands before the @ is no name of a mailbox")]
    User,
    /// What stands after the `@`.
    #[error("what stands after the @ is no domain")]
    Domain,
    /// A name that would end its line.
    #[error("its name holds a control character")]
    Name,
}

/// Whether mail can be written from or to this.
///
/// # Errors
/// Why not.
pub fn check_address(text: &str) -> Result<(), NoAddress> {
    mailbox(text).map(drop)
}

pub(super) fn mailbox(text: &str) -> Result<Mailbox, NoAddress> {
    let (name, address) = match text.rsplit_once('<') {
        Some((name, rest)) => (bare(name.trim()), rest.trim_end().strip_suffix('>').ok_or(NoAddress::Open)?),
        None => (String::new(), text.trim()),
    };
    if name.chars().any(char::is_control) {
        return Err(NoAddress::Name);
    }
    let (user, domain) = address.rsplit_once('@').ok_or(NoAddress::NoAt)?;
    if user.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '@' | '<' | '>' | ',' | ';')) {
        return Err(NoAddress::User);
    }
    // The user is checked beside a domain that nothing is wrong with.
    Address::new(user, "example.com").map_err(|_| NoAddress::User)?;
    let domain = ascii(domain).ok_or(NoAddress::Domain)?;
    let address = Address::new(user, domain).map_err(|_| NoAddress::Domain)?;
    Ok(Mailbox::new(Some(name).filter(|name| !name.is_empty()), address))
}

/// A name without the quotes that somebody put around it: the mail gets its own where it needs them.
fn bare(name: &str) -> String {
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

/// A domain in the letters that every server takes.
fn ascii(domain: &str) -> Option<String> {
    if domain.is_ascii() {
        return Some(domain.to_owned());
    }
    match Host::parse(domain) {
        Ok(Host::Domain(domain)) => Some(domain),
        _ => None,
    }
}
