//! `workspace mcp`: the tools over the Model Context Protocol.

mod owner;

use std::process::ExitCode;
use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    InputRequiredResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use rmcp::transport::io::stdio_pipes;
use serde_json::{Map, Value};
use workspace_tools::{
    PreparedCall, ToolDefinition, ToolError, ToolErrorKind, ToolName, ToolOutput, ToolSet,
};

use self::owner::{Answer, Given, Owner};
use crate::args::{Approve, WorkspaceArgs};
use crate::failure::Failure;
use crate::open::{asks, open};

/// Serves until the client closes the connection. Then every command is ended.
pub(crate) async fn run(args: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    let tools = open(args).await?;
    let owner = match args.approve {
        Approve::Ask => Some(Arc::new(Owner::new().map_err(|error| Failure::Mcp(error.to_string()))?)),
        Approve::All | Approve::None => None,
    };
    let server = Server { instructions: instructions(&tools), tools: tools.clone(), owner };
    let running = server.serve(stdio_pipes()).await.map_err(|error| Failure::Mcp(error.to_string()))?;
    let ended = running.waiting().await;
    tools.workspace().dispose().await;
    ended.map(|_| ExitCode::SUCCESS).map_err(|error| Failure::Mcp(error.to_string()))
}

#[derive(Clone)]
struct Server {
    tools: ToolSet,
    instructions: String,
    /// Who is asked through the client, where anybody is to be.
    owner: Option<Arc<Owner>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut server = Implementation::default();
        "workspace".clone_into(&mut server.name);
        server.title = Some("Workspace".to_owned());
        env!("CARGO_PKG_VERSION").clone_into(&mut server.version);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, rmcp::ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.definitions().into_iter().map(definition).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, rmcp::ErrorData> {
        if !self.tools.definitions().iter().any(|tool| tool.name == request.name) {
            return Err(rmcp::ErrorData::invalid_params(
                format!("there is no tool `{}` here", request.name),
                None,
            ));
        }
        let given = Given { responses: request.input_responses, state: request.request_state };
        let input = Value::Object(request.arguments.unwrap_or_default());
        let outcome = match self.ask(&request.name, &input, given, &context).await {
            Ok(Asked::Approved(call)) => self.tools.run_approved(*call, &context.ct).await,
            Ok(Asked::Unneeded) => self.tools.call_with(&request.name, input, &context.ct).await,
            Ok(Asked::Later(question)) => return Ok((*question).into()),
            Err(error) => Err(error),
        };
        Ok(answer(&request.name, outcome).into())
    }
}

/// What is to be done with a call.
enum Asked {
    Approved(Box<PreparedCall>),
    /// Nobody is to be asked, or nobody can be: then the call says so itself.
    Unneeded,
    Later(Box<InputRequiredResult>),
}

impl Server {
    async fn ask(
        &self,
        name: &str,
        input: &Value,
        given: Given,
        context: &RequestContext<RoleServer>,
    ) -> Result<Asked, ToolError> {
        let Some(owner) = &self.owner else { return Ok(Asked::Unneeded) };
        let call = self.tools.prepare(name, input.clone()).await?;
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
}

fn answer(name: &str, outcome: Result<ToolOutput, ToolError>) -> CallToolResult {
    match outcome {
        Ok(output) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(output.text)]);
            result.structured_content = Some(Value::Object(output.value));
            result
        }
        Err(error) => {
            let mut text = format!("{}: {}", error.kind().as_str(), error.message());
            if let Some(hint) = error.next_step() {
                text.push_str("\nhint: ");
                text.push_str(hint);
            }
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            let mut object = Map::new();
            object.insert("error".into(), error.to_value(name));
            result.structured_content = Some(Value::Object(object));
            result
        }
    }
}

fn definition(tool: ToolDefinition) -> Tool {
    let annotations = ToolAnnotations::with_title(tool.title.clone())
        .read_only(tool.read_only)
        .destructive(tool.destructive)
        .idempotent(tool.idempotent)
        .open_world(tool.open_world);
    Tool::new_with_raw(tool.name, Some(tool.description.into()), schema(tool.input_schema))
        .with_title(tool.title)
        .with_raw_output_schema(schema(tool.output_schema))
        .with_annotations(annotations)
}

fn schema(schema: Value) -> Arc<Map<String, Value>> {
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

/// The workspace and its policy in a few lines, for the model.
fn instructions(tools: &ToolSet) -> String {
    let workspace = tools.workspace();
    let policy = workspace.policy();
    let mut lines = vec![
        "These tools work on one directory tree, the workspace. Paths are relative to its root, with `/`."
            .to_owned(),
    ];
    let vended: Vec<_> = workspace.tools().into_iter().map(ToolName::as_str).collect();
    if !vended.contains(&"write_file") {
        lines.push("Nothing can be changed here.".to_owned());
    }
    match &policy.shell {
        Some(shell) if vended.contains(&"run_shell") => {
            lines.push(match &shell.allow {
                Some(allow) => format!("Commands that may run: {}.", allow.join(", ")),
                None => "Commands may run.".to_owned(),
            });
            if asks(&policy.approval, tools) {
                lines.push("The owner is asked before a command runs.".to_owned());
            }
        }
        _ => lines.push("No commands run here.".to_owned()),
    }
    if !policy.paths.deny.is_empty() {
        lines.push("Some paths are closed by the owner and do not appear in listings.".to_owned());
    }
    lines.join("\n")
}
