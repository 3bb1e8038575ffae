//! Finds out from the library's error text why TLS refused a connection, and what to do about it.

/// Why TLS refused a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TlsFault {
    Expired,
    NotYetValid,
    /// The certificate is for another name.
    OtherName,
    /// The certificate is marked as that of an authority, as `openssl req -x509` marks it.
    OfAuthority,
    /// The certificate is refused for another reason, usually because its issuer is unknown here.
    Untrusted,
    /// The server's reply is not a TLS record.
    NoTls,
}

impl TlsFault {
    /// Finds the fault in the text of an error.
    pub(crate) fn in_text(text: &str) -> Option<Self> {
        const WORDS: [(&str, TlsFault); 6] = [
            ("certificate expired", TlsFault::Expired),
            ("certificate not valid yet", TlsFault::NotYetValid),
            ("certificate not valid for name", TlsFault::OtherName),
            ("CaUsedAsEndEntity", TlsFault::OfAuthority),
            ("certificate", TlsFault::Untrusted),
            ("corrupt message", TlsFault::NoTls),
        ];
        WORDS.iter().find(|(words, _)| text.contains(words)).map(|(_, fault)| *fault)
    }
}

/// Returns what to do about a TLS error in a text; `None` if the text names none. `whom` is the server in a few words.
pub(crate) fn tls_advice(text: &str, whom: &str) -> Option<String> {
    let fixed = match TlsFault::in_text(text)? {
        TlsFault::Expired => "renew the server's certificate, or correct this machine's clock",
        TlsFault::NotYetValid => "correct this machine's clock",
        TlsFault::OfAuthority => {
            "the server's certificate is marked as that of an authority (CA:TRUE): create one with CA:FALSE"
        }
        TlsFault::OtherName | TlsFault::Untrusted => {
            return Some(format!(
                "does this machine trust its issuer, see SSL_CERT_FILE, and is the certificate for {whom}?"
            ));
        }
        TlsFault::NoTls => "the server does not begin with TLS: check the port",
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
