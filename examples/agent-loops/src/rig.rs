//! The tools for rig.

use reqwest::Client;
use rig_agent::run::policy::{InvalidToolCallAction, InvalidToolCallContext, InvalidToolCallReason};
use rig_agent::{Agent, AgentBuilder, AgentHook, HookContext};
use rig_core::message::ToolName;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::tool::{DynamicTool, ToolErrorKind as RigKind, ToolExecutionError, ToolOutput};
use rig_reqwest::ReqwestClient;
use serde_json::json;
use workspace_tools::{ToolDefinition, ToolError, ToolErrorKind, ToolSet};

use crate::Place;

/// How often the model is asked before rig gives up.
const TURNS: usize = 20;

/// The tools of a set as rig's.
///
/// A run of rig that is dropped drops the call that it waits for, and that ends the call's commands.
pub fn rig_tools(tools: &ToolSet) -> Vec<DynamicTool> {
    tools.definitions().into_iter().filter_map(|definition| rig_tool(tools, definition)).collect()
}

/// One tool; none for a definition without a name, which rig does not take.
fn rig_tool(tools: &ToolSet, definition: ToolDefinition) -> Option<DynamicTool> {
    let (tools, name) = (tools.clone(), definition.name.clone());
    let rig_name = ToolName::new(definition.name).ok()?;
    Some(DynamicTool::new(rig_name, definition.description, definition.input_schema, move |input| {
        let (tools, name) = (tools.clone(), name.clone());
        Box::pin(async move {
            match tools.call(&name, input).await {
                Ok(output) => Ok(ToolOutput::text(output.text)),
                Err(error) => Err(rig_error(&name, &error)),
            }
        })
    }))
}

/// The error as rig sorts it. The model reads the whole of it, with the next step.
fn rig_error(tool: &str, error: &ToolError) -> ToolExecutionError {
    let kind = match error.kind() {
        ToolErrorKind::InvalidInput | ToolErrorKind::InvalidPattern => RigKind::InvalidArgs,
        ToolErrorKind::NotFound | ToolErrorKind::JobNotFound => RigKind::NotFound,
        ToolErrorKind::PathEscape
        | ToolErrorKind::DeniedPath
        | ToolErrorKind::DeniedCommand
        | ToolErrorKind::ReadOnly
        | ToolErrorKind::ApprovalRequired
        | ToolErrorKind::ApprovalDenied
        | ToolErrorKind::Permission => RigKind::PermissionDenied,
        ToolErrorKind::BackendUnavailable => RigKind::Network,
        ToolErrorKind::Cancelled => RigKind::Cancelled,
        _ => RigKind::Other,
    };
    ToolExecutionError::new(kind, error.message())
        .with_code(error.kind().as_str())
        .with_model_feedback(told(tool, error))
}

fn told(tool: &str, error: &ToolError) -> String {
    json!({"error": error.to_value(tool)}).to_string()
}

/// A hook that tells the model of a tool that is not there, with the names of those that are. Without
/// one, rig ends the run.
pub struct TellUnknown(pub ToolSet);

impl AgentHook for TellUnknown {
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        call: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let InvalidToolCallReason::UnknownTool = call.reason else { return None };
        // The set knows best what to say, and an unknown tool does nothing.
        let error = self.0.call(&call.tool_name, json!({})).await.err()?;
        Some(InvalidToolCallAction::skip(told(&call.tool_name, &error)))
    }
}

/// An agent of rig with the tools of a set and a model that is to be had there.
pub fn agent(client: Client, place: &Place, tools: &ToolSet) -> Agent {
    let openai = OpenAIConfig::new(place.key.as_str()).with_base_url(place.url.as_str());
    let model = openai.connect(ReqwestClient::from(client)).chat(place.model.as_str());
    AgentBuilder::new(model)
        .default_max_turns(TURNS)
        .add_hook(TellUnknown(tools.clone()))
        .dynamic_tools(rig_tools(tools))
        .build()
}
