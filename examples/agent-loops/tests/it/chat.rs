//! The loop over plain HTTP.

use agent_loops::{LoopError, Place, Project, Say, ScriptedServer, Step, client, mending, work};
use serde_json::{Value, json};
use workspace_tools::ToolDefinition;

use crate::transcript::{CALLS, results};

#[tokio::test]
async fn a_model_that_errs_on_the_way_mends_the_project() {
    let (project, server) = (Project::new().unwrap(), ScriptedServer::start(mending()).await.unwrap());
    let said = work(&client().unwrap(), server.place(), &project.tools, "mend it").await.unwrap();
    assert_eq!(said, "`add` subtracted; the tests pass now");
    assert_eq!(project.source(), "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n");
    assert_eq!(project.test_runs(), 2);

    let requests = server.requests();
    let definitions = project.tools.definitions();
    let tools: Vec<_> = definitions.iter().map(ToolDefinition::to_openai_chat).collect();
    for request in &requests {
        assert_eq!((&request["model"], &request["tools"]), (&json!("scripted"), &json!(tools)));
    }
    let results = results(requests.last().unwrap());
    let ids: Vec<_> = results.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, CALLS);
    let kinds: Vec<_> = results.iter().map(|(_, text)| kind(text)).collect();
    let (none, invalid) = (None, Some("invalid-input".to_owned()));
    assert_eq!(
        kinds,
        [
            none.clone(),
            none.clone(),
            invalid.clone(),
            invalid,
            none.clone(),
            Some("no-match".into()),
            none.clone(),
            none
        ]
    );
    assert_eq!(results[4].1, "     1\tpub fn add(a: u32, b: u32) -> u32 {\n     2\t    a - b\n     3\t}");
}

/// The kind of the error that a result tells.
fn kind(result: &str) -> Option<String> {
    let result: Value = serde_json::from_str(result).ok()?;
    Some(result["error"]["kind"].as_str().unwrap().to_owned())
}

/// Plays a script, which must end with this error.
async fn failure(script: Vec<Step>) -> LoopError {
    let (project, server) = (Project::new().unwrap(), ScriptedServer::start(script).await.unwrap());
    work(&client().unwrap(), server.place(), &project.tools, "mend it").await.unwrap_err()
}

#[tokio::test]
async fn a_model_that_never_ends_is_given_up() {
    let list = || Say::Calls(vec![("list_dir", String::new())]);
    let script = (0..100).map(|_| Step { reads: &[], says: list() }).collect();
    assert!(matches!(failure(script).await, LoopError::TooLong));
}

#[tokio::test]
async fn a_model_that_does_not_read_what_it_needs_fails_the_run() {
    let step = Step { reads: &["words that nobody says"], says: Say::Text("done") };
    match failure(vec![step]).await {
        LoopError::Refused { status, body } => {
            assert_eq!(status, 422);
            assert!(body.contains("`words that nobody says`") && body.contains("mend it"), "{body}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error() {
    let project = Project::new().unwrap();
    let place = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        Place { url, model: "scripted".into(), key: "none".into() }
    };
    let failed = work(&client().unwrap(), &place, &project.tools, "mend it").await.unwrap_err();
    assert!(matches!(failed, LoopError::Http(_)), "{failed:?}");
}
