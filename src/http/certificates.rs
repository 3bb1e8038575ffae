//! What to do about a connection that TLS refused, found in the words of the library.

/// Returns what to do about a TLS error in a text; `None` if the text names none. `whom` is the server in a few words.
#[must_use]
pub(crate) fn tls_advice(text: &str, whom: &str) -> Option<String> {
    let fixed = if text.contains("certificate expired") {
        "renew the server's certificate, or correct this machine's clock"
    } else if text.contains("certificate not valid yet") {
        "correct this machine's clock"
    } else if text.contains("CaUsedAsEndEntity") {
        "the server's certificate is marked as that of an authority (CA:TRUE): create one with CA:FALSE"
    } else if text.contains("certificate") {
        return Some(format!(
            "does this machine trust its issuer, see SSL_CERT_FILE, and is the certificate for {whom}?"
        ));
    } else if text.contains("corrupt message") {
        // What the server sent is no TLS record.
        "the server does not begin with TLS: check the port"
    } else {
        return None;
    };
    Some(fixed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tls_error_says_what_to_do_about_its_cause() {
        for (text, expected) in [
            ("invalid peer certificate: certificate expired: verification time 1", "renew"),
            ("invalid peer certificate: certificate not valid yet: verification time 1", "clock"),
            ("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))", "CA:FALSE"),
            ("invalid peer certificate: UnknownIssuer", "SSL_CERT_FILE"),
            ("invalid peer certificate: certificate not valid for name \"a\"", "is the certificate for that name?"),
            ("received corrupt message of type InvalidContentType", "does not begin with TLS"),
        ] {
            let advice = tls_advice(text, "that name");
            assert!(advice.as_ref().is_some_and(|advice| advice.contains(expected)), "{text}: {advice:?}");
        }
        assert_eq!(tls_advice("cannot connect: Connection refused (os error 111)", "that name"), None);
    }
}
