//! Regular expressions over the words of a command.

use regex::Regex;

use crate::syntax::Arg;

/// Whether an expression matches the command, or cannot be shown not to.
pub(super) fn matches(regex: &Regex, basename: &str, args: &[Arg], subcommand: usize) -> bool {
    let rest = args.get(1..).unwrap_or_default();
    let behind_globals = args.get(subcommand..).unwrap_or_default();
    let lower = basename.to_lowercase();
    let names = [basename, lower.as_str()];
    let names = if lower == basename { names.get(..1) } else { names.get(..) };
    names
        .unwrap_or_default()
        .iter()
        .any(|name| one(regex, name, rest) || (subcommand > 1 && one(regex, name, behind_globals)))
}

fn one(regex: &Regex, name: &str, rest: &[Arg]) -> bool {
    let mut text = name.to_owned();
    let mut known = None;
    for arg in rest {
        text.push(' ');
        if let (None, Some(runtime)) = (known, arg.runtime()) {
            known = Some(text.len() + runtime.prefix.len());
            text.push_str(&runtime.prefix);
            let source = runtime.source.get(runtime.prefix.len()..).unwrap_or_default();
            text.push_str(source);
        } else {
            text.push_str(arg.shown());
        }
    }
    if regex.is_match(&text) {
        return true;
    }
    let Some(known) = known.and_then(|known| text.get(..known)) else { return false };
    // From here on the text is open: it matches unless the start contradicts the expression.
    match literal_start(regex.as_str()) {
        Some(start) => {
            let (start, known) = (start.to_lowercase(), known.to_lowercase());
            start.starts_with(&known) || known.starts_with(&start)
        }
        None => true,
    }
}

/// The text with which everything that an anchored expression matches begins.
pub(crate) fn literal_start(pattern: &str) -> Option<String> {
    let pattern = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let body = pattern.strip_prefix('^').or_else(|| pattern.strip_prefix("\\A"))?;
    // An alternative may begin with anything.
    if body.contains('|') || pattern.contains("(?") {
        return None;
    }
    let mut start = String::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        let literal = match c {
            '\\' => match chars.next() {
                Some(escaped) if escaped.is_ascii_punctuation() => escaped,
                _ => break,
            },
            '.' | '[' | '(' | ')' | '$' | '^' | '*' | '+' | '?' | '{' => break,
            c => c,
        };
        // A repetition may leave the character out.
        if matches!(chars.peek(), Some('*' | '?' | '{')) {
            break;
        }
        start.push(literal);
    }
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::literal_start;

    #[test]
    fn the_literal_start_of_an_expression() {
        for (pattern, start) in [
            ("^git reset --hard\\b", Some("git reset --hard")),
            ("^rm\\s+-rf", Some("rm")),
            ("^a\\.b?c", Some("a.")),
            ("^(?:a|b)", None),
            ("^a|b", None),
            ("git", None),
            ("(?i)^GIT push", Some("GIT push")),
        ] {
            assert_eq!(literal_start(pattern).as_deref(), start, "{pattern}");
        }
    }
}
