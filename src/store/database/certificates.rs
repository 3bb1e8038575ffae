//! Hints for TLS and certificate errors.

/// Returns a hint for a TLS failure, matched on the driver's error text.
pub(in crate::store) fn hint(text: &str) -> Option<&'static str> {
    [
        (
            "does not support TLS",
            "nothing was sent; turn TLS on in the server (ssl = on), or, if nobody else is on the way to it, add \
             ?sslmode=disable to the URL",
        ),
        (
            "CaUsedAsEndEntity",
            "the server's certificate is an authority's (CA:TRUE), as `openssl req -x509` makes them: make it with \
             -addext basicConstraints=critical,CA:FALSE, or sign one with the authority",
        ),
        ("UnknownIssuer", "add &sslrootcert=FILE with the authority that signed the server's certificate"),
        ("not valid for name", "use a host name that the server's certificate has in its subjectAltName"),
        ("certificate expired", "renew the server's certificate, or set this machine's clock right"),
        ("certificate not valid yet", "set this machine's clock right"),
        ("Invalid certificate", "sslrootcert must be a file of certificates in PEM form"),
        (
            "No such file or directory",
            "is the server running, and is sslrootcert, if there is one, a file that is there?",
        ),
        ("invalid dns name", "for TLS write a whole host name, or an IP address in its usual form"),
    ]
    .into_iter()
    .find_map(|(said, hint)| text.contains(said).then_some(hint))
}
