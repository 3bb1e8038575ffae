//! Hints for TLS and certificate errors.

/// Returns a hint for a TLS failure, matched on the driver's error text.
pub(in crate::store) fn hint(text: &str) -> Option<&'static str> {
    [
        (
            "does not support TLS",
            "nothing was sent; turn TLS on in the server (ssl = on), or, on a trusted network, set \
             sslmode=disable in the URL, after ? or &",
        ),
        (
            "CaUsedAsEndEntity",
            "the server's certificate is a CA certificate (CA:TRUE), as `openssl req -x509` creates: create it with \
             -addext basicConstraints=critical,CA:FALSE, or sign one with that CA",
        ),
        ("UnknownIssuer", "set sslrootcert=FILE in the URL, after ? or &: the CA that signed the server's certificate"),
        ("not valid for name", "use a host name that the server's certificate has in its subjectAltName"),
        ("certificate expired", "renew the server's certificate, or correct this machine's clock"),
        ("certificate not valid yet", "correct this machine's clock"),
        ("Invalid certificate", "sslrootcert must be a file with PEM certificates"),
        ("No such file or directory", "is the server running, and does the sslrootcert file exist, if one is set?"),
        ("invalid dns name", "for TLS, write a full host name, or an IP address in its usual form"),
    ]
    .into_iter()
    .find_map(|(pattern, hint)| text.contains(pattern).then_some(hint))
}
