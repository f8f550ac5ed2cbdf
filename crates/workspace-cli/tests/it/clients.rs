//! What docs/clients.md tells people to paste.

use serde_json::Value;

use crate::program::{root, workspace};

const PAGE: &str = include_str!("../../../../docs/clients.md");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    PAGE.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Whatever stands under `args`, anywhere.
fn arguments(value: &Value, found: &mut Vec<Vec<String>>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        if key == "args" {
            found.push(serde_json::from_value(value.clone()).unwrap());
        } else {
            arguments(value, found);
        }
    }
}

#[test]
fn every_block_can_be_read_and_its_words_are_taken() {
    let mut found = Vec::new();
    for block in blocks("json") {
        arguments(&serde_json::from_str(block).unwrap(), &mut found);
    }
    for block in blocks("toml") {
        let table: toml::Table = toml::from_str(block).unwrap();
        arguments(&serde_json::to_value(table).unwrap(), &mut found);
    }
    assert_eq!(found.len(), 5);
    let root = root(&[]);
    for words in found {
        let asked: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = workspace(root.path(), &asked, "");
        assert_eq!(help.status, 0, "{words:?}: {}", help.stderr);
    }
}
