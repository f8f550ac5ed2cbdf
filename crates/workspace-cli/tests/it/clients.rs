//! What docs/clients.md tells people to paste.

use serde_json::Value;

use crate::program::{root, workspace};

const PAGE: &str = include_str!("../../../../docs/clients.md");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    PAGE.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Whatever stands under a key, anywhere.
fn under<'a>(value: &'a Value, wanted: &str, found: &mut Vec<&'a Value>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        if key == wanted {
            found.push(value);
        } else {
            under(value, wanted, found);
        }
    }
}

/// Every block of the page that configures a client.
fn configurations() -> Vec<Value> {
    let json = blocks("json").into_iter().map(|block| serde_json::from_str(block).unwrap());
    let toml = blocks("toml").into_iter().map(|block| {
        let table: toml::Table = toml::from_str(block).unwrap();
        serde_json::to_value(table).unwrap()
    });
    json.chain(toml).collect()
}

#[test]
fn every_block_can_be_read_and_its_words_are_taken() {
    let blocks = configurations();
    let mut found = Vec::new();
    for block in &blocks {
        under(block, "args", &mut found);
    }
    assert_eq!(found.len(), 5);
    let root = root(&[]);
    for words in found {
        let words: Vec<String> = serde_json::from_value(words.clone()).unwrap();
        let asked: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = workspace(root.path(), &asked, "");
        assert_eq!(help.status, 0, "{words:?}: {}", help.stderr);
    }
}

#[test]
fn every_address_is_that_of_the_server_which_the_page_starts() {
    let blocks = configurations();
    let mut found = Vec::new();
    for block in &blocks {
        under(block, "url", &mut found);
    }
    assert_eq!(found, vec!["http://127.0.0.1:8765/mcp"; 4]);
    assert!(PAGE.contains("--http 127.0.0.1:8765\n"));
}
