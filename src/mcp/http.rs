//! MCP over HTTP (streamable HTTP), one answer for each request: no session is kept, so there is nothing to bound or to end.
//! Host, origin, token and sizes are checked by whoever serves it.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::Server;

/// What answers requests over HTTP.
pub type Http = StreamableHttpService<Server, NeverSessionManager>;

/// Answers over HTTP, each request by a server that is made for it.
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
