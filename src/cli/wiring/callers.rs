//! Builds the clients of the search service and the other providers from configuration and environment. Makes no call.

use secrecy::SecretString;
use url::Url;

use crate::cli::terminal::failure::Failure;
use crate::cli::wiring::environment::env;
use crate::collect::Provider;
use crate::config::{self, ProviderConfig, ServiceConfig, Target};
use crate::model::{Login, LookBackKind, SERVICE, SecretSource};
use crate::search::{self, Access, Client};

/// The clients that searches use.
pub(in crate::cli) struct Callers {
    /// The search service, if the configuration has one.
    pub(in crate::cli) service: Option<Client>,
    pub(in crate::cli) providers: Vec<Provider>,
}

/// Builds the service's client; `sandbox` is the address of the embedded sandbox.
pub(in crate::cli) fn service(service: &ServiceConfig, sandbox: Option<&Url>) -> Result<Option<Client>, Failure> {
    let (base_url, key) = match (&service.target, sandbox) {
        (Target::Url(url), _) => {
            (url.clone(), config::read_key(service, &env).map_err(|e| Failure::usage(e.message, e.hint))?)
        }
        (Target::Sandbox, Some(url)) => (url.clone(), SecretString::from("sandbox")),
        (Target::Sandbox, None) | (Target::Absent, _) => return Ok(None),
    };
    let client = Client::new(search::Settings {
        provider: SERVICE.to_owned(),
        base_url,
        dialect: service.dialect,
        platform: service.platform.clone(),
        access: Access::Bare(key),
        allow_private: true,
        call_timeout: service.call_timeout,
        max_concurrent: service.max_concurrent,
        rate_limit: service.rate_limit,
        max_tries: service.max_tries,
        max_response_bytes: service.max_response_bytes,
    });
    client.map(Some).map_err(|e| Failure::usage(e.text, e.hint))
}

/// Builds the other providers.
pub(in crate::cli) fn providers(all: &[ProviderConfig], sandbox: Option<&Url>) -> Result<Vec<Provider>, Failure> {
    all.iter().map(|one| provider(one, sandbox)).collect()
}

fn provider(provider: &ProviderConfig, sandbox: Option<&Url>) -> Result<Provider, Failure> {
    let invented = provider.target == Target::Sandbox;
    let base_url = address(provider, sandbox)
        .ok_or_else(|| Failure::usage(format!("provider {} has no address", provider.name), "set its base_url"))?;
    let client = Client::new(search::Settings {
        provider: provider.name.to_string(),
        base_url,
        dialect: search::Dialect::Spec,
        platform: provider.kind.name.to_owned(),
        access: access(provider)?,
        // The owner of the file chose base_url, but anyone may have chosen a feed's address or its redirects.
        allow_private: invented || provider.allow_private || provider.kind.reach != LookBackKind::Feed,
        call_timeout: provider.call_timeout,
        max_concurrent: provider.max_concurrent,
        rate_limit: provider.rate_limit,
        max_tries: provider.max_tries,
        max_response_bytes: provider.max_response_bytes,
    });
    let client = client.map_err(|e| Failure::usage(e.text, e.hint))?;
    Ok(Provider {
        name: provider.name,
        client: if invented { client.for_sandbox() } else { client },
        limits: provider.limits(),
        price: provider.price,
        open: provider.kind.login == Login::Open,
    })
}

/// Returns a provider's address; in the sandbox it has its own path.
pub(in crate::cli) fn address(provider: &ProviderConfig, sandbox: Option<&Url>) -> Option<Url> {
    match &provider.target {
        Target::Url(url) => Some(url.clone()),
        Target::Sandbox => {
            let mut url = sandbox?.clone();
            url.set_path(provider.kind.sandbox);
            Some(url)
        }
        Target::Absent => None,
    }
}

/// Returns how to log in to a provider, without reading its key.
pub(in crate::cli) fn login(provider: &ProviderConfig) -> Login {
    let named = provider.key_env.is_some() || provider.key_file.is_some();
    match provider.kind.login {
        // A self-hosted server may need no login.
        Login::Bearer if !named && provider.target != Target::Sandbox => Login::Open,
        login => login,
    }
}

/// Returns why a provider cannot be called: its key or user is missing, or its key cannot be used.
pub(in crate::cli) fn refusal(provider: &ProviderConfig) -> Option<Failure> {
    access(provider).err()
}

fn access(provider: &ProviderConfig) -> Result<Access, Failure> {
    let place = key_place(provider);
    let named = place.variable.is_some() || place.file.is_some();
    let invented = provider.target == Target::Sandbox;
    match provider.kind.login {
        Login::Open => Ok(Access::Open),
        Login::Session => {
            let user = provider.user.clone().or_else(|| invented.then(|| "sandbox.example".to_owned()));
            let missing =
                |key: &str, hint: &str| Failure::usage(format!("provider {} has no `{key}`", provider.name), hint);
            let user = user.ok_or_else(|| missing("user", "set user = \"you.bsky.social\", your handle"))?;
            if !named && !invented {
                return Err(missing(
                    "key_env",
                    "set key_env = \"BLUESKY_APP_PASSWORD\", and put an app password there",
                ));
            }
            let password = if named { secret(provider, &place)? } else { SecretString::from("sandbox") };
            Ok(Access::Session { user, password })
        }
        Login::Bare if invented => Ok(Access::Bare(SecretString::from("sandbox"))),
        Login::Bare if !named => Err(Failure::usage(
            format!("provider {} has no `key_env`", provider.name),
            "set key_env = \"SECOND_KEY\" and put its key there, or key_file = \"…\"",
        )),
        Login::Bare => Ok(Access::Bare(secret(provider, &place)?)),
        Login::Bearer if invented => Ok(Access::Bearer(SecretString::from("sandbox"))),
        // A self-hosted server may need no login.
        Login::Bearer if !named => Ok(Access::Open),
        Login::Bearer => Ok(Access::Bearer(secret(provider, &place)?)),
    }
}

/// Reads a provider's key, if it has one.
pub(in crate::cli) fn key(provider: &ProviderConfig) -> Option<SecretString> {
    secret(provider, &key_place(provider)).ok()
}

fn key_place(provider: &ProviderConfig) -> SecretSource {
    SecretSource { variable: provider.key_env.clone(), file: provider.key_file.clone() }
}

fn secret(provider: &ProviderConfig, place: &SecretSource) -> Result<SecretString, Failure> {
    let what = format!("key of provider {}", provider.name);
    config::read_secret(&what, place, &env).map_err(|e| Failure::usage(e.message, e.hint))
}
