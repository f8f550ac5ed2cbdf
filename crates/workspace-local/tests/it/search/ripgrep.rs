//! The same files, lines and columns as `rg --json`, on trees and patterns from the sources of this repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use workspace_core::{FsProvider, GrepAnswer, GrepQuery};

use super::grep_query;
use crate::support::{Scene, skip};

/// How many trees, each searched for one pattern.
const PAIRS: usize = 200;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}

/// The texts of this repository, with their paths.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut dirs: Vec<PathBuf> = vec![root.join("crates"), root.join("docs")];
    while let Some(dir) = dirs.pop() {
        let Ok(entries) = fs::read_dir(dir) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                dirs.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                found.push((path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(), text));
            }
        }
    }
    found.sort();
    found
}

/// A pattern that some line is likely to match.
fn pattern(dice: &mut Dice, text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| line.trim().len() > 3).collect();
    let line = if lines.is_empty() { "fn" } else { dice.pick(&lines) };
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let word = if words.is_empty() { "fn" } else { dice.pick(&words) };
    let half: String = word.chars().take(1 + word.chars().count() / 2).collect();
    match dice.roll(11) {
        0 => word.to_owned(),
        1 => format!(r"\b{word}\b"),
        2 => format!(r"{half}\w+"),
        3 => format!(r"^\s+.*{word}"),
        4 => format!(r"{word}.*[;{{]$"),
        5 => format!("(?i){word}|{half}"),
        6 => format!("[{half}]{{2,}}[^a-z]"),
        7 => r"\p{Lu}\w*::\w+".to_owned(),
        8 => format!(r"{word}[^\w]+{half}?"),
        9 => format!(r"{half}\w*\s+\w+"),
        _ => format!(r"({half}|\.\w+\()+"),
    }
}

/// Path, line, and column in characters.
type Places = BTreeSet<(String, u64, u64)>;

fn ours(answer: &GrepAnswer) -> Places {
    answer.lines.iter().map(|at| (at.path.to_string(), at.line, at.column)).collect()
}

fn theirs(root: &Path, query: &GrepQuery) -> Places {
    let mut rg = Command::new("rg");
    rg.args(["--json", "--no-config", "--hidden", "--no-require-git", "--glob", "!.git"]);
    rg.args(if query.scope.gitignore {
        ["--no-ignore-global", "--no-ignore-parent"]
    } else {
        ["--no-ignore", "--no-messages"]
    });
    if query.multiline {
        rg.arg("--multiline");
    }
    rg.args(query.types.iter().map(|name| format!("--type={name}")));
    let output = rg.arg("--").arg(&query.pattern).arg("./").current_dir(root).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    told.lines().flat_map(places).collect()
}

/// The places that a message of `rg --json` tells of: lines that a match shares are one place.
fn places(message: &str) -> Vec<(String, u64, u64)> {
    let message: serde_json::Value = serde_json::from_str(message).unwrap();
    if message["type"] != "match" {
        return Vec::new();
    }
    let data = &message["data"];
    let path = data["path"]["text"].as_str().unwrap().trim_start_matches("./");
    let (first, text) = (data["line_number"].as_u64().unwrap(), data["lines"]["text"].as_str().unwrap());
    let line_of = |at: usize| first + text[..at].matches('\n').count() as u64;
    let mut found = Vec::new();
    let mut shown_to = 0;
    for place in data["submatches"].as_array().unwrap() {
        let [start, end] = ["start", "end"].map(|at| usize::try_from(place[at].as_u64().unwrap()).unwrap());
        let line = line_of(start);
        if line > shown_to {
            let before = text[..start].rsplit('\n').next().unwrap_or_default();
            found.push((path.to_owned(), line, before.chars().count() as u64 + 1));
        }
        let last = if text[..end].ends_with('\n') && end > start { end - 1 } else { end };
        shown_to = shown_to.max(line_of(last));
    }
    found
}

#[tokio::test]
async fn r_grep_1_ripgrep_finds_the_same_files_lines_and_columns() {
    if Command::new("rg").arg("--version").output().is_err() {
        skip("ripgrep is not installed, so nothing is compared with it");
        return;
    }
    let sources = sources();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut found = 0;
    for _ in 0..PAIRS {
        let scene = Scene::new();
        let mut sample = String::new();
        for _ in 0..=dice.roll(12) {
            let (at, text) = dice.pick(&sources);
            scene.put(at, text);
            sample.clone_from(text);
        }
        let rules = ["*.toml\n", "tests/\n!it/\n", "/docs\n*.md\n", "src/*\n!src/lib.rs\n", ""];
        scene.put(".gitignore", dice.pick::<&str>(&rules));
        scene.put("crates/.ignore", dice.pick::<&str>(&rules));
        let pattern = pattern(&mut dice, &sample);
        let mut query = grep_query("", &pattern);
        query.scope.gitignore = dice.roll(4) > 0;
        query.max_line_chars = usize::MAX;
        query.multiline = dice.roll(3) == 0;
        if dice.roll(4) == 0 {
            query.types.push((*dice.pick(&["rust", "md", "toml", "sh"])).into());
        }
        let answer = scene.open().grep(query.clone()).await.unwrap();
        let expected = theirs(&scene.root(), &query);
        let found_here = ours(&answer);
        let different: Vec<_> = found_here.symmetric_difference(&expected).collect();
        assert!(different.is_empty(), "`{pattern}` of {query:?}: {different:?}");
        found += expected.len();
    }
    assert!(found > PAIRS, "{found} lines in {PAIRS} pairs prove little");
}
