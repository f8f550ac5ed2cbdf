//! Text for a shell that takes it as it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use workspace_core::WorkspacePath;

/// A text as one word.
pub(crate) fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A path of the workspace as one word, relative to the root and never an option.
pub(crate) fn path(path: &WorkspacePath) -> String {
    if path.is_root() { ".".to_owned() } else { word(&format!("./{path}")) }
}

/// A here-document that `base64 -d` reads.
pub(crate) fn document(bytes: &[u8]) -> String {
    const LINE: usize = 1 << 12;
    let text = STANDARD.encode(bytes);
    let mut document = String::with_capacity(text.len() + text.len() / LINE + 32);
    document.push_str("base64 -d <<'W'\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        document.push_str(line);
        document.push('\n');
        rest = after;
    }
    document.push_str("W\n");
    document
}

/// The functions by which a script takes these bytes in: a builtin prints text,
/// so that no process is needed, and `base64` what no shell can hold.
pub(crate) fn taking(bytes: &[u8]) -> String {
    /// More quotes than bytes divided by this would make the text longer than `base64` does.
    const FEW: usize = 10;
    let quotes = memchr::memchr_iter(b'\'', bytes).count();
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    match text {
        Some(text) if quotes <= bytes.len() / FEW + FEW => {
            format!("w_ready() {{ :; }}\nw_quick=1\nw_in() {{ printf %s {}; }}\n", word(text))
        }
        _ => format!("w_ready() {{ :; }}\nw_quick=0\nw_in() {{\n{}}}\n", document(bytes)),
    }
}

/// What `base64` printed, or `None` where it is something else.
pub(crate) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use workspace_core::PathRules;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let parsed = WorkspacePath::parse(text, &PathRules::default()).unwrap();
        assert_eq!(path(&parsed), expected);
    }

    #[test]
    fn a_path_is_one_word_and_no_option() {
        check("", ".");
        check("a/b", "'./a/b'");
        check("-rf", "'./-rf'");
        check("$HOME `id` *", "'./$HOME `id` *'");
        check("it's", r"'./it'\''s'");
        check("a\nb", "'./a\nb'");
    }

    #[test]
    fn a_document_comes_back() {
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(10_000).collect();
        let document = document(&bytes);
        let body = document.strip_prefix("base64 -d <<'W'\n").unwrap().strip_suffix("W\n").unwrap();
        assert!(body.lines().all(|line| line.len() <= 4096));
        assert_eq!(decoded(body.as_bytes()), Some(bytes));
        assert_eq!(decoded(b"no base64!"), None);
    }
    #[test]
    fn text_goes_as_it_is_and_other_bytes_in_base64() {
        let quick = |bytes: &[u8]| taking(bytes).contains("w_quick=1");
        assert!(quick(b""));
        assert!(quick("it's a line\n\t\u{e9}\r\n".as_bytes()));
        assert!(taking(b"it's").ends_with("w_in() { printf %s 'it'\\''s'; }\n"));
        assert!(!quick(b"a\0b"));
        assert!(!quick(b"\xff"));
        assert!(!quick(&[b'\''; 1000]));
        // However it goes, the line of a vendor that takes no more than 128 KiB holds it.
        let worst: Vec<u8> = b"123456789'".iter().copied().cycle().take(64 << 10).collect();
        assert!(quick(&worst) && taking(&worst).len() < 90 << 10);
    }
}
