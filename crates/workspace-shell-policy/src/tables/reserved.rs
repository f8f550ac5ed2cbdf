//! Words of the shells' grammars.

/// Words that dash or bash reads as grammar where a program is named.
const RESERVED: &[&str] = &[
    "!", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "until", "while", "[[", "]]", "{", "}",
];

/// Whether a word, unquoted and where a program is named, is grammar.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// What to write instead of a construct that begins with this word.
pub(crate) fn reserved_hint(word: &str) -> &'static str {
    match word {
        "for" | "while" | "until" | "select" | "do" | "done" => {
            "run the commands one by one, or use `find … -exec … {} +`"
        }
        "if" | "then" | "elif" | "else" | "fi" => "use `test … && … || …`",
        "case" | "esac" | "in" => "decide before, and send only the command that is wanted",
        "[[" | "]]" => "use `[ … ]` or `test …`",
        "!" => "write `! ` once, before a whole pipeline",
        "function" => "write the commands out, or put them in a script file",
        "coproc" => "use a pipe, or the background option of the call",
        _ => "use a subshell `( … )`",
    }
}
