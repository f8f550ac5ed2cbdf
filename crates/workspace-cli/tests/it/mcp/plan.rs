//! A plan of calls over all tools (`testdata/mcp/plan.json`), by both ways of the protocol and over
//! both transports.

use std::collections::BTreeSet;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};
use workspace_tools::ToolName;

use super::client::{Client, stateless};
#[cfg(feature = "http")]
use super::http_client::{HttpServer, HttpSession};
use super::session::Session;

const PLAN: &str = include_str!("../../../testdata/mcp/plan.json");
const POLICY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/mcp/policy.toml");

#[derive(Clone, Copy)]
enum Era {
    Handshake,
    Stateless,
}

impl Era {
    fn params(self, params: Value) -> Value {
        match self {
            Self::Handshake => params,
            Self::Stateless => stateless(params),
        }
    }

    /// A call to its end, with the answer of a person on the way. Tells how often one was asked.
    fn call(self, client: &mut dyn Client, case: &Value) -> (Value, usize) {
        let person = match &case["elicit"] {
            Value::String(action) => Some(json!({"action": action})),
            Value::Object(content) => Some(json!({"action": "accept", "content": content})),
            _ => None,
        };
        let params = json!({"name": case["tool"], "arguments": case["args"]});
        let mut params = self.params(params);
        if !case["progress_min"].is_null() {
            params["_meta"]["progressToken"] = json!("plan");
        }
        client.set_answer(person.clone());
        let answer = client.ask("tools/call", params.clone());
        if answer["result"]["resultType"] != "input_required" {
            return (answer, usize::from(person.is_some()));
        }
        params["inputResponses"]["approval"] = person.expect("nobody was to be asked");
        params["requestState"] = answer["result"]["requestState"].clone();
        (client.ask("tools/call", params), 1)
    }
}

/// Whether all that is wanted is there.
fn holds(have: &Value, want: &Value) -> bool {
    match want {
        Value::Object(fields) => fields.iter().all(|(key, want)| holds(&have[key], want)),
        _ => have == want,
    }
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap())
}

fn play(client: &mut dyn Client, era: Era) {
    let plan: Value = serde_json::from_str(PLAN).unwrap();
    let mut list = client.ask("tools/list", era.params(json!({})));
    let tools = list["result"]["tools"].take();
    let tool = |name: &Value| tools.as_array().unwrap().iter().find(|tool| tool["name"] == *name);
    assert_eq!(tools.as_array().unwrap().len(), texts(&plan["tools"]).count());
    for (name, hints) in plan["hints"].as_object().unwrap() {
        assert!(holds(&tool(&json!(name)).unwrap()["annotations"], hints), "{name}");
    }
    let cases = plan["calls"].as_array().unwrap();
    for case in cases {
        let (answer, asked) = era.call(client, case);
        let result = &answer["result"];
        let kind = match (&answer["error"], &result["isError"]) {
            (Value::Null, Value::Bool(false)) => "ok",
            (Value::Null, Value::Bool(true)) => "tool_error",
            _ => "protocol_error",
        };
        assert_eq!(kind, case["expect"].as_str().unwrap_or("ok"), "{case}: {answer}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(texts(&case["text"]).all(|part| text.contains(part)), "{case}: {text}");
        assert!(!texts(&case["text_not"]).any(|part| text.contains(part)), "{case}: {text}");
        assert!(!texts(&plan["forbid"]).any(|part| answer.to_string().contains(part)), "{case}: {answer}");
        assert!(holds(&result["structuredContent"], &case["structured"]) || case["structured"].is_null());
        if kind == "ok" {
            let schema = &tool(&case["tool"]).unwrap()["outputSchema"];
            let validator: Validator = jsonschema::validator_for(schema).unwrap();
            assert!(validator.is_valid(&result["structuredContent"]), "{case}: {answer}");
        } else {
            // It would be held against the schema, which is not that of an error.
            assert_eq!(result["structuredContent"], Value::Null, "{case}: {answer}");
            assert!(result["_meta"]["workspace/error"]["kind"].is_string(), "{case}: {answer}");
        }
        assert!(asked as u64 >= case["elicit_min"].as_u64().unwrap_or(0), "{case}");
        let reports = client.told().iter().filter(|told| told["method"] == "notifications/progress").count();
        assert!(reports as u64 >= case["progress_min"].as_u64().unwrap_or(0), "{case}: {reports}");
    }
}

fn arguments() -> Vec<String> {
    let plan: Value = serde_json::from_str(PLAN).unwrap();
    let tools = texts(&plan["tools"]).collect::<Vec<_>>().join(",");
    ["--policy", POLICY, "--tools", &tools].map(str::to_owned).to_vec()
}

fn over_stdio(root: &Path, era: Era) {
    let arguments = arguments();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let mut session = match era {
        Era::Handshake => Session::greet(root, &arguments, json!({"elicitation": {}})),
        Era::Stateless => Session::launch(root, &arguments),
    };
    play(&mut session, era);
    session.end();
}

#[test]
fn the_plan_calls_every_tool_there_is() {
    let plan: Value = serde_json::from_str(PLAN).unwrap();
    let all: BTreeSet<_> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    assert_eq!(texts(&plan["tools"]).collect::<BTreeSet<_>>(), all);
    let called = plan["calls"].as_array().unwrap().iter().map(|call| call["tool"].as_str().unwrap());
    assert_eq!(called.collect::<BTreeSet<_>>(), all);
}

#[test]
fn the_plan_holds_over_stdio_by_both_ways() {
    let root = tempfile::tempdir().unwrap();
    // The plan leaves nothing that it would stumble over.
    over_stdio(root.path(), Era::Handshake);
    over_stdio(root.path(), Era::Stateless);
}

#[cfg(feature = "http")]
#[test]
fn the_plan_holds_over_http_by_both_ways() {
    let root = tempfile::tempdir().unwrap();
    let arguments = arguments();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    // Jobs are numbered by the workspace, which all connections share: one server a way.
    let server = HttpServer::start(root.path(), &arguments);
    play(&mut HttpSession::greet(&server, json!({"elicitation": {}})), Era::Handshake);
    drop(server);
    let server = HttpServer::start(root.path(), &arguments);
    play(&mut HttpSession::stateless(&server), Era::Stateless);
}
