//! Who says yes.

use std::io::{BufRead, IsTerminal, Write};

use async_trait::async_trait;
use workspace_tools::{ApprovalRequest, Approver, Decision};

/// Allows all that the policy allows: `--approve all`.
pub(crate) struct Everything;

#[async_trait]
impl Approver for Everything {
    async fn decide(&self, _: &ApprovalRequest) -> Decision {
        Decision::Allow
    }
}

/// Asks the person at the terminal.
pub(crate) struct Terminal;

impl Terminal {
    /// Whether there is a person to ask.
    pub(crate) fn is_there() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }
}

#[async_trait]
impl Approver for Terminal {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let question = question(request);
        let answered = tokio::task::spawn_blocking(move || ask(&question)).await;
        match answered {
            Ok(Ok(answer)) => read(&answer),
            _ => Decision::Deny("nobody answered".to_owned()),
        }
    }
}

fn question(request: &ApprovalRequest) -> String {
    let place = match request.cwd.as_deref() {
        Some(cwd) if cwd != "." => format!(" in {cwd}"),
        _ => String::new(),
    };
    let diff = request.diff();
    let change = if diff.is_empty() { diff } else { diff + "\n" };
    format!(
        "{change}{}{place}: {}\nallow it? [y]es, [a]lways, [n]o or a reason: ",
        request.tool.as_str(),
        request.subject
    )
}

fn ask(question: &str) -> std::io::Result<String> {
    let mut stderr = std::io::stderr().lock();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(answer)
}

fn read(answer: &str) -> Decision {
    match answer.trim() {
        "y" | "yes" => Decision::Allow,
        "a" | "always" => Decision::AllowSession,
        "" | "n" | "no" => Decision::Deny("the answer was no".to_owned()),
        reason => Decision::Deny(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        assert_eq!(read("y\n"), Decision::Allow);
        assert_eq!(read(" always\n"), Decision::AllowSession);
        assert_eq!(read("\n"), Decision::Deny("the answer was no".into()));
        assert_eq!(read("not on main\n"), Decision::Deny("not on main".into()));
    }
}
