//! The loop of rig.

use agent_loops::{Project, ScriptedServer, agent, client, mending, rig_tools};
use serde_json::{Value, json};

use crate::transcript::{CALLS, results};

#[tokio::test]
async fn rig_mends_the_project_with_the_same_model() {
    let (project, server) = (Project::new().unwrap(), ScriptedServer::start(mending()).await.unwrap());
    let agent = agent(client().unwrap(), server.place(), &project.tools);
    let said = agent.prompt("mend it").await.unwrap().output();
    assert_eq!(said, "`add` subtracted; the tests pass now");
    assert_eq!(project.source(), "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n");
    assert_eq!(project.test_runs(), 2);

    let requests = server.requests();
    let results = results(requests.last().unwrap());
    let ids: Vec<_> = results.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, CALLS);
    let unknown: Value = serde_json::from_str(&results[2].1).unwrap();
    assert_eq!(
        (&unknown["error"]["kind"], &unknown["error"]["tool"]),
        (&json!("invalid-input"), &json!("open_file"))
    );
    assert_eq!(results[4].1, "     1\tpub fn add(a: u32, b: u32) -> u32 {\n     2\t    a - b\n     3\t}");
}

#[tokio::test]
async fn rig_offers_every_tool_with_its_own_schema() {
    let (project, server) = (Project::new().unwrap(), ScriptedServer::start(mending()).await.unwrap());
    let agent = agent(client().unwrap(), server.place(), &project.tools);
    agent.prompt("mend it").await.unwrap();
    let requests = server.requests();
    let mut offered: Vec<_> =
        requests[0]["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]).collect();
    let mut ours = project.tools.definitions();
    offered.sort_by_key(|function| function["name"].as_str().unwrap().to_owned());
    ours.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(offered.len(), ours.len());
    for (offered, ours) in offered.into_iter().zip(ours) {
        assert_eq!(
            (&offered["name"], &offered["description"], &offered["parameters"]),
            (&json!(ours.name), &json!(ours.description), &ours.input_schema)
        );
    }
}

#[tokio::test]
async fn an_error_comes_to_rig_with_its_kind_and_to_the_model_whole() {
    let project = Project::new().unwrap();
    let tools = rig_tools(&project.tools);
    let read = tools.iter().find(|tool| tool.name().as_str() == "read_file").unwrap();
    let error = read.execute(json!({"path": "src/lip.rs"})).await.unwrap_err();
    assert_eq!((error.kind().as_str(), error.code()), ("not_found", Some("not-found")));
    let told: Value = serde_json::from_str(error.model_feedback().unwrap()).unwrap();
    assert_eq!(told["error"]["similar"], json!(["src/lib.rs"]));
}
