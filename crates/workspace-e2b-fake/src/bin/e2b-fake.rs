//! Serves a fake until it is interrupted or its standard input ends.
//!
//! `e2b-fake [PORT]` prints two lines, to be taken over into the environment:
//! `E2B_API_URL=…` (the same is `E2B_SANDBOX_URL`) and `E2B_API_KEY=…`.
#![allow(clippy::print_stdout, reason = "its lines are what it is started for")]

#[cfg(target_os = "linux")]
#[tokio::main]
async fn main() -> std::io::Result<()> {
    use tokio::io::AsyncReadExt;
    use workspace_e2b_fake::{Fake, Options};

    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let fake = Fake::start_with(Options::default().with_port(port)).await?;
    println!("E2B_API_URL={}", fake.url());
    println!("E2B_API_KEY={}", fake.api_key());
    let mut ignored = Vec::new();
    tokio::io::stdin().read_to_end(&mut ignored).await?;
    fake.stop().await;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("sandboxes need Linux");
}
