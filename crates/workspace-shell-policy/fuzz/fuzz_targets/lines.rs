//! Any bytes as a line, under every policy and in both modes: no panic, no hang.
//!
//! `cargo +nightly fuzz run lines` in the directory of the crate, with `cargo-fuzz`, a nightly
//! toolchain and a C++ compiler. `-max_len=65536` and `-timeout=1` make long lines count.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/it/everywhere.rs"]
mod everywhere;

fuzz_target!(|bytes: &[u8]| everywhere::judge_everywhere(&String::from_utf8_lossy(bytes)));
