//! The agent: a script in the place of a model. Each call follows from the answer before.

use serde_json::{Value, json};
use workspace_tools::{ToolError, ToolOutput, ToolSet};

/// What the agent knows to mend, by the test that fails: the fault and its cure.
const CURES: &[(&str, &str, &str)] = &[
    ("every_price_counts", "prices.iter().skip(1).sum()", "prices.iter().sum()"),
    ("small_prices_are_discounted_too", "price - price / 100 * percent", "price - price * percent / 100"),
];

/// Rounds before it gives up.
const ROUNDS: usize = 4;

/// Works until the tests pass; tells whether they do. `say` gets each call and its answer.
pub(crate) async fn work(tools: &ToolSet, say: impl Fn(&str)) -> bool {
    let desk = Desk { tools, say };
    if desk.call("list_dir", json!({"depth": 2})).await.is_err() {
        return false;
    }
    for _ in 0..ROUNDS {
        let Ok(run) = desk.call("run_shell", json!({"command": "cargo test --quiet --offline"})).await else {
            return false;
        };
        if run.value["exit_code"] == 0 {
            return true;
        }
        let Some(cure) = CURES.iter().find(|(test, ..)| text_of(&run).contains(test)) else { return false };
        if desk.mend(cure).await.is_err() {
            return false;
        }
    }
    false
}

struct Desk<'a, F> {
    tools: &'a ToolSet,
    say: F,
}

impl<F: Fn(&str)> Desk<'_, F> {
    /// Finds the test that fails, reads its file, and edits the fault in it.
    async fn mend(&self, (test, fault, cure): &(&str, &str, &str)) -> Result<(), ToolError> {
        let found = self.call("grep", json!({"pattern": format!("fn {test}"), "glob": "*.rs"})).await?;
        let path = found.value["matches"][0]["path"].clone();
        let page = self.call("read_file", json!({"path": path})).await?;
        let edit = json!({
            "path": path,
            "old_string": fault,
            "new_string": cure,
            "expect_hash": page.value["hash"],
        });
        self.call("edit_file", edit).await.map(drop)
    }

    async fn call(&self, tool: &str, input: Value) -> Result<ToolOutput, ToolError> {
        (self.say)(&format!("\n> {tool} {input}"));
        let result = self.tools.call(tool, input).await;
        let answer = match &result {
            Ok(output) => output.text.clone(),
            Err(error) => error.to_value(tool).to_string(),
        };
        for line in answer.lines() {
            (self.say)(&format!("  {line}"));
        }
        result
    }
}

fn text_of(run: &ToolOutput) -> String {
    format!("{}{}", run.value["stdout"].as_str().unwrap_or(""), run.value["stderr"].as_str().unwrap_or(""))
}
