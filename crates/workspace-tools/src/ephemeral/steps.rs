//! Steps up, `..`, in a line that the policy lets run.
//!
//! The policy judges where paths lead, and `a/../b` leads inside. A session takes
//! none of them: what a line names is to be told from the line alone.

use std::iter::Peekable;
use std::str::Chars;

use workspace_shell_policy::Verdict;

/// The first word of a line, or target of a redirection, with `..` for a component.
pub(super) fn first_step_up(line: &str, verdict: &Verdict) -> Option<String> {
    let words = verdict.commands.iter().flatten().map(|word| word.text().to_owned());
    words.chain(targets(line)).find(|word| steps_up(word))
}

/// Whether a component is `..`, also where a word is an option with a path: `--file=../x`, `-f../x`.
fn steps_up(word: &str) -> bool {
    word.split('/').any(|component| component == ".." || component.ends_with("=.."))
        || (word.starts_with('-') && word.split_once("../").is_some_and(|(before, _)| !before.ends_with('.')))
}

/// What the redirections of a line read and write, without quotes.
///
/// The line is one that the policy lets run: its quotes are closed, its
/// here-documents have their ends, and nothing in it is nested but `( )`.
fn targets(line: &str) -> Vec<String> {
    let mut reader = Reader { rest: line.chars().peekable(), documents: Vec::new() };
    let mut targets = Vec::new();
    let mut begins = true;
    while let Some(&next) = reader.rest.peek() {
        match next {
            '#' if begins => while reader.rest.next_if(|&c| c != '\n').is_some() {},
            '<' | '>' => {
                reader.rest.next();
                targets.extend(reader.target(next));
            }
            '\n' => {
                reader.rest.next();
                reader.pass_documents();
            }
            _ if !is_break(next) => {
                reader.word();
                begins = false;
                continue;
            }
            _ => {
                reader.rest.next();
            }
        }
        begins = true;
    }
    targets
}

fn is_break(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')')
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    /// Ends of the here-documents that begin with the next line, and whether tabs before them are dropped.
    documents: Vec<(String, bool)>,
}

impl Reader<'_> {
    /// What stands behind a first `<` or `>`; `None` where it is no file.
    fn target(&mut self, first: char) -> Option<String> {
        if first == '<' && self.rest.next_if_eq(&'<').is_some() {
            let tabs = self.rest.next_if_eq(&'-').is_some();
            let end = self.operand();
            self.documents.push((end, tabs));
            return None;
        }
        let copies = self.rest.next_if_eq(&'&').is_some();
        self.rest.next_if(|c| matches!(c, '>' | '|'));
        let target = self.operand();
        (!copies).then_some(target)
    }

    fn operand(&mut self) -> String {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        self.word()
    }

    /// A word, without its quotes and backslashes.
    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|&c| !is_break(c)) {
            match c {
                '\'' => word.extend(self.rest.by_ref().take_while(|&c| c != '\'')),
                '"' => {
                    while let Some(c) = self.rest.next().filter(|&c| c != '"') {
                        if c != '\\' {
                            word.push(c);
                        } else if let Some(escaped) = self.rest.next() {
                            word.push(escaped);
                        }
                    }
                }
                '\\' => word.extend(self.rest.next().filter(|&c| c != '\n')),
                c => word.push(c),
            }
        }
        word
    }

    /// Passes by the here-documents that begin here.
    fn pass_documents(&mut self) {
        for (end, tabs) in std::mem::take(&mut self.documents) {
            while self.rest.peek().is_some() {
                let line: String = self.rest.by_ref().take_while(|&c| c != '\n').collect();
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if line == end {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, up: bool) {
        assert_eq!(steps_up(word), up, "{word}");
    }

    #[test]
    fn r_eph_2_a_component_of_two_dots_steps_up_and_two_dots_in_a_word_do_not() {
        for word in ["..", "../x", "a/../b", "a/..", "/..", "--file=../x", "--file=..", "-f../x", "x=.."] {
            check(word, true);
        }
        for word in ["1..2", "...", "a..b/c", "s/a..b/c/", "a .. b", "-f1..2", "a/.../b", "--x=1..2", "."] {
            check(word, false);
        }
    }

    #[track_caller]
    fn leads_to(line: &str, expected: &[&str]) {
        assert_eq!(targets(line), expected, "{line}");
    }

    #[test]
    fn targets_are_those_of_the_redirections() {
        leads_to("sort < a > b 2>> 'c d'", &["a", "b", "c d"]);
        leads_to("ls >a'/.'\"./b\" 2>&1 >|c <>d", &["a/../b", "c", "d"]);
        leads_to("echo '> a' \"< b\" \\> c # > d\n( ls ) > e\\ f", &["e f"]);
        leads_to("echo a#b >c;ls>d", &["c", "d"]);
    }

    #[test]
    fn here_documents_are_data() {
        leads_to("cat > a <<'E' && ls\nit's > ../x\nE\nls > b", &["a", "b"]);
        leads_to("cat <<-E\n\t> x\n\tE\nls > b", &["b"]);
        leads_to("cat <<A <<B\n> a\nA\n> b\nB\nls > c", &["c"]);
    }
}
