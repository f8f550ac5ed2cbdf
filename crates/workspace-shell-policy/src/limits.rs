//! What the checker reads at most. Beyond a limit a line is refused; there is
//! no number after which checks stop.

/// Longest line, in bytes.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Deepest nesting of subshells, substitutions, here-document bodies and command texts.
pub const MAX_DEPTH: usize = 32;

/// Most commands in a line, the nested ones included.
pub const MAX_COMMANDS: usize = 5_000;

/// Most words in a line, the nested ones included.
pub const MAX_WORDS: usize = 20_000;

/// Longest chain of wrappers (`env timeout 5 nice …`).
pub const MAX_WRAPPERS: usize = 8;

/// Most directories that a line may be in at one place. Beyond it a relative
/// path cannot be judged and is refused.
pub const MAX_DIRECTORIES: usize = 32;

/// Longest path, in bytes, seen from the root. No system opens a longer one.
pub const MAX_PATH_BYTES: usize = 4096;
