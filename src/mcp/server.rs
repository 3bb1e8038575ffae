//! The server: lists the tools and calls them. `stdio` and `http` carry the requests.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as McpTool,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::Semaphore;

use super::argument::Arguments;
use super::call::ToolCall;
use super::error::ToolError;
use super::quoting::ABOUT;
use super::settings::Settings;
use super::tool::Tool;
use super::tools::TOOLS;
use crate::model::{Clock, excerpt};
use crate::store::Store;

/// The version of the tools, for readers who may not learn that of the program.
const TOOLS_VERSION: &str = "1.0.0";
/// Methods with parameters that this server answers.
const WITH_PARAMETERS: [&str; 3] = ["initialize", "tools/list", "tools/call"];
/// Calls answered at a time; others wait.
const AT_ONCE: usize = 4;

/// A server that reads one store and changes nothing.
#[derive(Clone)]
pub struct Server {
    store: Store,
    clock: Clock,
    settings: Arc<Settings>,
    places: Arc<Semaphore>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Server {
    /// Returns a server that reads a store.
    #[must_use]
    pub fn new(store: Store, clock: Clock, settings: Settings) -> Self {
        Self { store, clock, settings: Arc::new(settings), places: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    async fn answered(
        self,
        tool: &'static Tool,
        arguments: serde_json::Map<String, serde_json::Value>,
    ) -> CallToolResult {
        let result = async {
            let now = (self.clock)();
            let given = Arguments::of(tool.arguments, arguments, now)?;
            let sandbox = self.store.is_sandbox().await?;
            let Self { store, settings, .. } = self;
            (tool.handler)(ToolCall { tool: tool.name, store, settings, given, now }).await?.result(sandbox)
        };
        result.await.unwrap_or_else(|trouble: ToolError| trouble.result())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("topicwatch", self.settings.version.unwrap_or(TOOLS_VERSION))
            .with_title("topicwatch")
            .with_description("What watched topics found, and how far to trust it");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(format!(
                "topicwatch searches topics on a schedule and stores every post and page once. These tools only read \
                 what is stored: they run no searches and change nothing. Start with list_topics. Read the `notes` of \
                 an answer before its figures: they say what was not searched, and which figures are lower bounds. \
                 Items have keys; cite them. {ABOUT}"
            ))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(Tool::describe).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        TOOLS.iter().find(|tool| tool.name == name).map(Tool::describe)
    }

    /// Refuses a request of an unknown method, or one whose parameters do not fit.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if WITH_PARAMETERS.contains(&method.as_str()) {
            let text = format!("the parameters of {method} do not match MCP");
            return Err(ErrorData::invalid_params(text, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{}`", excerpt(&method)), None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let text = format!("there is no tool `{}`; tools/list names the available ones", excerpt(&request.name));
            return Err(ErrorData::invalid_params(text, None));
        };
        let (server, places) = (self.clone(), Arc::clone(&self.places));
        // A task of its own, because a call to the store must not be dropped midway.
        let task = tokio::spawn(async move {
            let _place = places.acquire_owned().await.ok()?;
            Some(server.answered(tool, request.arguments.unwrap_or_default()).await)
        });
        match task.await {
            Ok(Some(result)) => Ok(result.into()),
            Ok(None) | Err(_) => Err(ErrorData::internal_error("this call failed; the server's log says why", None)),
        }
    }
}
