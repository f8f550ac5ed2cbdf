//! A model mends a project in memory, over plain HTTP; see the docs of the crate.
#![allow(clippy::print_stdout)] // It is here to be watched.

use agent_loops::{Place, Project, ScriptedServer, client, mending, work};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let project = Project::new()?;
    let server = ScriptedServer::start(mending()).await?;
    let place = Place::of_the_command_line().unwrap_or_else(|| server.place().clone());
    let said = work(&client()?, &place, &project.tools, "The test of this project fails: mend it.").await?;
    for message in server.requests().last().and_then(|last| last["messages"].as_array()).into_iter().flatten()
    {
        println!("{message}");
    }
    println!("{said}\n\n{}", project.source());
    Ok(())
}
