//! TLS for connections to PostgreSQL. By default the driver falls back to clear text, password included, when the
//! server says that it has no TLS. An attacker in between could send the same answer.

use std::net::IpAddr;
use std::str::FromStr as _;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

use crate::store::{StoreError, StoreErrorKind};

/// The TLS parameters of a URL.
#[derive(Default)]
struct TlsParams {
    mode: Option<PgSslMode>,
    /// Whether it names a root certificate.
    authority: bool,
}

/// Returns the connection options for a URL, with TLS where the password would cross a network.
pub(in crate::store) fn connection(url: &str) -> Result<PgConnectOptions, StoreError> {
    let options = PgConnectOptions::from_str(url).map_err(|error| {
        StoreError::new(
            StoreErrorKind::Unreachable,
            format!(
                "the database address cannot be read: {}",
                error.to_string().replace("error with configuration: ", "")
            ),
            "write postgres://USER:PASSWORD@HOST:PORT/NAME",
        )
    })?;
    // The driver accepts an IPv6 address in brackets for connecting, but not for TLS.
    let host = options.get_host().trim_matches(['[', ']']).to_owned();
    let near = options.get_socket().is_some() || is_local(&host);
    let mode = mode(near, &tls_params(url), options.get_ssl_mode());
    Ok(options.host(&host).ssl_mode(mode))
}

/// Whether the host is a socket or an address of this machine. Other names are not resolved: DNS answers can be forged.
fn is_local(host: &str) -> bool {
    let name = host.to_ascii_lowercase();
    host.starts_with('/')
        || name == "localhost"
        || name.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

fn tls_params(url: &str) -> TlsParams {
    let mut params = TlsParams::default();
    let Ok(url) = Url::parse(url) else { return params };
    // The driver's spellings; the last one wins.
    for (name, value) in url.query_pairs() {
        match &*name {
            "sslmode" | "ssl-mode" => params.mode = value.parse().ok(),
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => params.authority = true,
            _ => {}
        }
    }
    params
}

/// Returns the mode to use. `otherwise` is PGSSLMODE or the driver's default. For a remote host, only the URL can turn
/// TLS off.
fn mode(near: bool, params: &TlsParams, otherwise: PgSslMode) -> PgSslMode {
    match (params.mode, otherwise) {
        (Some(PgSslMode::Disable), _) => PgSslMode::Disable,
        (Some(strict @ (PgSslMode::VerifyCa | PgSslMode::VerifyFull)), _)
        | (None, strict @ (PgSslMode::VerifyCa | PgSslMode::VerifyFull)) => strict,
        // A named root certificate must be checked; all other modes would ignore it.
        _ if params.authority => PgSslMode::VerifyFull,
        (Some(mode), _) | (None, mode) if near || matches!(mode, PgSslMode::Require) => mode,
        _ => PgSslMode::Require,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_remote_connection_is_unencrypted_only_if_the_url_says_so() {
        for (url, expected) in [
            // No mode in the URL.
            ("postgres://me:pw@db/t", "Require"),
            ("postgres://me:pw@db.example:5433/t", "Require"),
            ("postgres://me:pw@192.0.2.7/t", "Require"),
            ("postgres://me:pw@[2001:db8::7]/t", "Require"),
            ("postgres://me:pw@127.0.0.1.example/t", "Require"),
            ("postgres://me:pw@localhost.example/t", "Require"),
            ("postgres://me:pw@0.0.0.0/t", "Require"),
            ("postgres://me@localhost/t?host=db.example", "Require"),
            ("postgres://me@localhost/t?hostaddr=192.0.2.7", "Require"),
            ("postgres://me@localhost/t", "Prefer"),
            ("postgres://me@LOCALHOST/t", "Prefer"),
            ("postgres://me@127.8.9.1/t", "Prefer"),
            ("postgres://me@[::1]/t", "Prefer"),
            ("postgres://me@[::ffff:127.0.0.1]/t", "Prefer"),
            ("postgresql:///t?host=/run/postgresql", "Prefer"),
            ("postgres://me@%2Frun%2Fpostgresql/t", "Prefer"),
            // A mode in the URL.
            ("postgres://me@db/t?sslmode=disable", "Disable"),
            ("postgres://me@db/t?ssl-mode=disable", "Disable"),
            ("postgres://me@db/t?sslmode=require&sslmode=disable", "Disable"),
            ("postgres://me@db/t?sslmode=disable&sslmode=require", "Require"),
            ("postgres://me@db/t?sslmode=prefer", "Require"),
            ("postgres://me@db/t?sslmode=allow", "Require"),
            ("postgres://me@localhost/t?sslmode=allow", "Allow"),
            ("postgres://me@localhost/t?sslmode=require", "Require"),
            ("postgres://me@db/t?sslmode=verify-ca&sslrootcert=ca.pem", "VerifyCa"),
            ("postgres://me@db/t?sslmode=verify-full", "VerifyFull"),
            // A named root certificate is checked.
            ("postgres://me@db/t?sslrootcert=ca.pem", "VerifyFull"),
            ("postgres://me@db/t?sslmode=require&sslrootcert=ca.pem", "VerifyFull"),
            ("postgres://me@localhost/t?ssl-ca=ca.pem", "VerifyFull"),
            ("postgres://me@db/t?sslmode=disable&sslrootcert=ca.pem", "Disable"),
        ] {
            assert_eq!(format!("{:?}", connection(url).unwrap().get_ssl_mode()), expected, "{url}");
        }
        assert_eq!(connection("postgres://me@[2001:db8::7]/t").unwrap().get_host(), "2001:db8::7");
        assert!(connection("postgres://me@db/t?sslmode=nonsense").is_err());
    }

    #[test]
    fn the_environment_can_strengthen_but_not_weaken_sslmode() {
        let nothing = TlsParams::default();
        for (otherwise, far, near) in [
            (PgSslMode::Disable, "Require", "Disable"),
            (PgSslMode::Allow, "Require", "Allow"),
            (PgSslMode::Prefer, "Require", "Prefer"),
            (PgSslMode::Require, "Require", "Require"),
            (PgSslMode::VerifyCa, "VerifyCa", "VerifyCa"),
            (PgSslMode::VerifyFull, "VerifyFull", "VerifyFull"),
        ] {
            assert_eq!(format!("{:?}", mode(false, &nothing, otherwise)), far);
            assert_eq!(format!("{:?}", mode(true, &nothing, otherwise)), near);
        }
    }
}
