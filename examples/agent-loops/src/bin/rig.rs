//! A model mends a project in memory, with rig; see the docs of the crate.
#![allow(clippy::print_stdout)] // It is here to be watched.

use agent_loops::{Place, Project, ScriptedServer, agent, client, mending};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let project = Project::new()?;
    let server = ScriptedServer::start(mending()).await?;
    let place = Place::of_the_command_line().unwrap_or_else(|| server.place().clone());
    let agent = agent(client()?, &place, &project.tools);
    let response = agent.prompt("The test of this project fails: mend it.").await?;
    for message in response.messages() {
        println!("{message:?}");
    }
    println!("{}\n\n{}", response.output(), project.source());
    Ok(())
}
