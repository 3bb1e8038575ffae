//! MCP over HTTP (streamable HTTP), one answer for each request. It keeps no session, so there is none to limit or to
//! end. The web server checks host, origin, token and sizes.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::Server;

/// The HTTP service.
pub type Http = StreamableHttpService<Server, NeverSessionManager>;

/// Returns the HTTP service. `make` makes a server for each request.
#[must_use]
pub fn http(make: impl Fn() -> Server + Send + Sync + 'static) -> Http {
    let how = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_sse_retry(None)
        .disable_allowed_hosts();
    StreamableHttpService::new(move || Ok(make()), Arc::new(NeverSessionManager::default()), how)
}
