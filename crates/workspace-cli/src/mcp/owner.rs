//! The owner, asked through the client.
//!
//! The protocol has two ways. In the versions that begin with a handshake the
//! server sends the question and waits. In 2026-07-28 it may send nothing: the
//! call ends with the question, and the client calls again with the answer and a
//! state that was sealed here, so that a yes cannot be moved to another call.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion, RequestStateCodec, SealOptions,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use workspace_tools::{ApprovalRequest, PreparedCall};

use crate::failure::Failure;

/// How long a question may wait for its answer in the client's hands.
const PATIENCE: Duration = Duration::from_hours(1);

/// The name of the question among those of one call.
const QUESTION: &str = "approval";

/// What came of asking.
pub(super) enum Answer {
    Yes,
    No,
    /// The client is to call again, with the answer.
    Later(Box<InputRequiredResult>),
    /// This client asks nobody.
    Unasked,
}

/// What a client gave with a call.
pub(super) struct Given {
    pub(super) responses: Option<BTreeMap<String, Value>>,
    pub(super) state: Option<String>,
}

pub(super) struct Owner {
    seals: RequestStateCodec,
}

impl Owner {
    /// One whose seals no other process can make.
    pub(super) fn new() -> Result<Self, Failure> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| Failure::Mcp(error.to_string()))?;
        let seals =
            RequestStateCodec::try_new(key.to_vec()).map_err(|error| Failure::Mcp(error.to_string()))?;
        Ok(Self { seals })
    }

    /// Asks about a call that needs approval.
    pub(super) async fn ask(
        &self,
        call: &PreparedCall,
        given: Given,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let Some(request) = &call.request else { return Answer::Unasked };
        if !asks_people(context) {
            return Answer::Unasked;
        }
        let Some(params) = question(request) else { return Answer::Unasked };
        if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            return self.ask_by_result(call, given, params);
        }
        let asking = context.peer.create_elicitation(params);
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Answer::No,
            answer = asking => match answer {
                Ok(answer) => read(&answer),
                Err(_) => Answer::No,
            },
        }
    }

    fn ask_by_result(&self, call: &PreparedCall, given: Given, params: ElicitRequestParams) -> Answer {
        let Ok(this) = serde_json::to_vec(call) else { return Answer::Unasked };
        if let (Some(mut responses), Some(state)) = (given.responses, given.state)
            && self.seals.open_with(&state, &this).is_ok()
        {
            let answer = responses.remove(QUESTION).and_then(|answer| serde_json::from_value(answer).ok());
            return answer.as_ref().map_or(Answer::No, read);
        }
        // Without an answer, or with one to another call, or too late: it is asked now.
        let seal = SealOptions::new().associated_data(&this).ttl(PATIENCE);
        let state = self.seals.seal_with(b"asked", &seal);
        let question = InputRequest::Elicitation(ElicitRequest::new(params));
        let questions = BTreeMap::from([(QUESTION.to_owned(), question)]);
        Answer::Later(Box::new(InputRequiredResult::new(Some(questions), Some(state))))
    }
}

/// Whether the client said that it can put a form to a person.
fn asks_people(context: &RequestContext<RoleServer>) -> bool {
    let of_call = context.meta.client_capabilities();
    let of_peer = || context.peer.peer_info().map(|client| client.capabilities.clone());
    of_call.or_else(of_peer).is_some_and(|client: ClientCapabilities| {
        client.elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
    })
}

fn question(request: &ApprovalRequest) -> Option<ElicitRequestParams> {
    let place = match request.cwd.as_deref() {
        Some(cwd) if cwd != "." => format!(" in {cwd}"),
        _ => String::new(),
    };
    let mut message = format!("Allow {}{place}: {}", request.tool.as_str(), request.subject);
    let diff = request.diff();
    if !diff.is_empty() {
        message.push_str("\n\n");
        message.push_str(&diff);
    }
    let schema = ElicitationSchema::builder().required_bool("allow").build().ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema })
}

/// Only a clear yes is a yes.
fn read(answer: &ElicitResult) -> Answer {
    let allow = answer.content.as_ref().and_then(|content| content.get("allow"));
    match (&answer.action, allow) {
        (ElicitationAction::Accept, Some(Value::Bool(true))) => Answer::Yes,
        _ => Answer::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        let answer = |action, content: Value| {
            let mut answer = ElicitResult::new(action);
            answer.content = Some(content);
            matches!(read(&answer), Answer::Yes)
        };
        assert!(answer(ElicitationAction::Accept, json!({"allow": true})));
        for content in [json!({}), json!({"allow": false}), json!({"allow": "true"}), json!(true)] {
            assert!(!answer(ElicitationAction::Accept, content));
        }
        for action in [ElicitationAction::Decline, ElicitationAction::Cancel] {
            assert!(!answer(action, json!({"allow": true})));
        }
    }
}
