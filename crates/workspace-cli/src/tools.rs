//! `workspace tools`: the definitions for a model.

use std::process::ExitCode;

use serde_json::Value;
use workspace_tools::ToolDefinition;

use crate::args::{Format, ToolsArgs, WorkspaceArgs};
use crate::call::print;
use crate::failure::Failure;
use crate::open::open;

pub(crate) async fn run(list: &ToolsArgs, args: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    let tools = open(args).await?;
    let render = match list.format {
        Format::Mcp => ToolDefinition::to_mcp,
        Format::Openai => ToolDefinition::to_openai,
        Format::OpenaiLoose => ToolDefinition::to_openai_loose,
        Format::OpenaiChat => ToolDefinition::to_openai_chat,
        Format::Gemini => ToolDefinition::to_gemini,
        Format::Anthropic => ToolDefinition::to_anthropic,
    };
    let definitions: Value = tools.definitions().iter().map(render).collect();
    print(&definitions)?;
    Ok(ExitCode::SUCCESS)
}
