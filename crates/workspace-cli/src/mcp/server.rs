//! The server: one handler a connection, over one workspace.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CustomRequest, CustomResult,
    ErrorCode, Implementation, InputRequiredResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ResourcesCapability, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use serde_json::Value;
use tokio::sync::watch;
use workspace_tools::{PreparedCall, ToolError, ToolErrorKind, ToolName, ToolOutput, ToolSet};

use super::answer::{answer, listed};
use super::calls::Calls;
use super::instructions::instructions;
use super::owner::{Answer, Given, Owner};
use super::report::Reporter;
use super::resources;
use super::roots::Roots;

/// Requests that are answered here where their parameters are right.
const KNOWN: [&str; 9] = [
    "initialize",
    "ping",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// What every connection has in common.
struct Offer {
    tools: ToolSet,
    listed: Vec<Tool>,
    instructions: String,
    /// Who is asked through the client, where anybody is to be.
    owner: Option<Owner>,
    /// Raised whenever a call has made a file or done away with one.
    files_changed: watch::Sender<()>,
}

/// What a client talks to.
pub(super) struct Server {
    offer: Arc<Offer>,
    roots: Roots,
    calls: Calls,
}

impl Server {
    pub(super) fn new(tools: ToolSet, owner: Option<Owner>) -> Self {
        let listed = tools.definitions().into_iter().map(listed).collect();
        let instructions = instructions(&tools);
        let files_changed = watch::Sender::new(());
        let offer = Offer { tools, listed, instructions, owner, files_changed };
        Self { offer: Arc::new(offer), roots: Roots::default(), calls: Calls::default() }
    }

    /// The same server for another connection: jobs, tasks and locks are shared, roots and the ids of
    /// calls are not.
    #[cfg(feature = "http")]
    pub(super) fn for_another(&self) -> Self {
        Self { offer: Arc::clone(&self.offer), roots: Roots::default(), calls: Calls::default() }
    }

    /// The tools as far as this client may use them.
    async fn tools(&self, context: &RequestContext<RoleServer>) -> ToolSet {
        self.roots.narrow(&self.offer.tools, &context.peer).await
    }

    async fn call(
        &self,
        tools: &ToolSet,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let name = request.name;
        let given = Given { responses: request.input_responses, state: request.request_state };
        let input = Value::Object(request.arguments.unwrap_or_default());
        let outcome = match self.ask(tools, &name, &input, given, context).await {
            Ok(Asked::Approved(call)) => tools.run_approved(*call, &context.ct).await,
            Ok(Asked::Unneeded) => tools.call_with(&name, input, &context.ct).await,
            Ok(Asked::Later(question)) => return (*question).into(),
            Err(error) => Err(error),
        };
        if outcome.as_ref().is_ok_and(|output| changes_names(&name, output)) {
            self.tell_of_change(context).await;
        }
        answer(&name, outcome).into()
    }

    async fn ask(
        &self,
        tools: &ToolSet,
        name: &str,
        input: &Value,
        given: Given,
        context: &RequestContext<RoleServer>,
    ) -> Result<Asked, ToolError> {
        let Some(owner) = &self.offer.owner else { return Ok(Asked::Unneeded) };
        if !tools.may_need_approval(name) {
            return Ok(Asked::Unneeded);
        }
        let call = tools.prepare(name, input.clone()).await?;
        if !call.needs_approval {
            return Ok(Asked::Unneeded);
        }
        match owner.ask(&call, given, context).await {
            Answer::Yes => Ok(Asked::Approved(Box::new(call))),
            Answer::Later(question) => Ok(Asked::Later(question)),
            Answer::Unasked => Ok(Asked::Unneeded),
            Answer::No => Err(ToolError::new(
                ToolErrorKind::ApprovalDenied,
                format!("the owner did not approve `{name}`; nothing has run"),
            )
            .hint("do not try the same again; choose another way or ask what is wanted")),
        }
    }

    /// Tells whoever keeps a list of the files that it is another one now.
    async fn tell_of_change(&self, context: &RequestContext<RoleServer>) {
        if !resources::are_offered(&self.offer.tools) {
            return;
        }
        self.offer.files_changed.send_replace(());
        // Without a handshake a client hears of it where it has subscribed.
        if context.protocol_version().is_some_and(|version| version < ProtocolVersion::V_2026_07_28) {
            // A client that is gone need not know.
            let _ = context.peer.notify_resource_list_changed().await;
        }
    }

    fn must_offer_files<M: rmcp::model::ConstString>(&self) -> Result<(), ErrorData> {
        if resources::are_offered(&self.offer.tools) {
            Ok(())
        } else {
            Err(ErrorData::method_not_found::<M>())
        }
    }
}

/// What is to be done with a call.
enum Asked {
    Approved(Box<PreparedCall>),
    /// Nobody is to be asked, or nobody can be: then the call says so itself.
    Unneeded,
    Later(Box<InputRequiredResult>),
}

/// Whether a call has made a file or done away with one. Commands may have, unseen.
fn changes_names(tool: &str, output: &ToolOutput) -> bool {
    match ToolName::parse(tool) {
        Some(ToolName::WriteFile) => output.value.get("created") == Some(&Value::Bool(true)),
        Some(ToolName::Remove | ToolName::Move | ToolName::Copy) => true,
        Some(ToolName::ApplyPatch) => {
            let files = output.value.get("files").and_then(Value::as_array);
            files.is_some_and(|files| files.iter().any(|file| file["action"] != "update"))
        }
        _ => false,
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut server = Implementation::default();
        "workspace".clone_into(&mut server.name);
        server.title = Some("Workspace".to_owned());
        env!("CARGO_PKG_VERSION").clone_into(&mut server.version);
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if resources::are_offered(&self.offer.tools) {
            let mut files = ResourcesCapability::default();
            files.list_changed = Some(true);
            capabilities.resources = Some(files);
        }
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(self.offer.instructions.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.listed.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.offer.listed.iter().any(|tool| tool.name == request.name) {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}` here", request.name), None));
        }
        let _underway = self.calls.begin(&context.id, &context.ct)?;
        let tools = self.tools(&context).await;
        Ok(match Reporter::of(&request.name, &context) {
            Some(reporter) => {
                let tools = tools.watched(reporter.progress());
                reporter.during(self.call(&tools, request, &context)).await
            }
            None => self.call(&tools, request, &context).await,
        })
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.must_offer_files::<rmcp::model::ListResourcesRequestMethod>()?;
        let cursor = request.and_then(|request| request.cursor);
        resources::list(&self.tools(&context).await, cursor.as_deref(), &context.ct).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.must_offer_files::<rmcp::model::ListResourceTemplatesRequestMethod>()?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.must_offer_files::<rmcp::model::ReadResourceRequestMethod>()?;
        let tools = self.tools(&context).await;
        Ok(resources::read(&tools, &request.uri, &context.ct).await?.into())
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        resources::are_offered(&self.offer.tools)
            .then(|| SubscriptionFilter::builder().resources_list_changed().build())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut news = self.offer.files_changed.subscribe();
        loop {
            tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                changed = news.changed() => {
                    let told = subscription.sink().notify_resource_list_changed().await;
                    if changed.is_err() || told.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        // What the SDK knows and could not read comes here as well.
        if KNOWN.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("the parameters of `{method}` are missing, or of the wrong type"),
                None,
            ));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}` here"), None))
    }

    async fn on_cancelled(&self, cancelled: CancelledNotificationParam, _: NotificationContext<RoleServer>) {
        if let Some(id) = &cancelled.request_id {
            self.calls.cancel(id);
        }
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget().await;
    }
}
