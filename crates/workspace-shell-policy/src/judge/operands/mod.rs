//! Paths among the operands and options of a command.

mod scan;
mod special;

use std::borrow::Cow;

use super::Program;
use crate::course::{Command, Question, Use};
use crate::syntax::{Arg, Span};
use crate::tables::operands::{Operands, UNKNOWN};
use crate::{Reason, Refusal, ShellPolicy};

/// A file that a command touches.
pub(super) struct Touch<'a> {
    what: What<'a>,
    span: Span,
    writes: bool,
}

enum What<'a> {
    Path(Cow<'a, str>),
    Word(&'a Arg),
    /// Files that are not named on the command line.
    Unseen(&'static str),
}

impl<'a> Touch<'a> {
    fn word(arg: &'a Arg, writes: bool) -> Self {
        Self { what: What::Word(arg), span: arg.span.clone(), writes }
    }

    fn path(path: impl Into<Cow<'a, str>>, span: &Span, writes: bool) -> Self {
        Self { what: What::Path(path.into()), span: span.clone(), writes }
    }

    fn unseen(why: &'static str, span: &Span, writes: bool) -> Self {
        Self { what: What::Unseen(why), span: span.clone(), writes }
    }
}

/// Paths that must lead inside, for every command in the list.
pub(crate) fn questions(policy: &ShellPolicy, commands: &[Command]) -> Vec<Result<Question, Box<Refusal>>> {
    if !policy.holds_operands() {
        return Vec::new();
    }
    let mut questions = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        let args = command.args_with_input();
        let Some(program) = command.program() else { continue };
        for touch in touches(&args, &program) {
            questions.push(question(touch, command, number));
        }
    }
    questions
}

fn question(touch: Touch<'_>, command: &Command, number: usize) -> Result<Question, Box<Refusal>> {
    let purpose = Use::Operand;
    match touch.what {
        What::Path(path) => Question::about(&path, touch.span, &command.directories, purpose, Some(number)),
        What::Word(arg) if arg.is("/dev/null") || arg.is("-") => {
            Question::about(".", touch.span, &command.directories, purpose, Some(number))
        }
        What::Word(arg) => {
            Question::about_word(arg, &command.directories, purpose, Some(number)).map_err(|mut refusal| {
                if arg.shown() == "…" {
                    "the paths that `xargs` adds are not seen here".clone_into(&mut refusal.message);
                    refusal.hint = Some("use `find … -exec … {} +`, which is read".to_owned());
                }
                refusal
            })
        }
        What::Unseen(why) => Err(Refusal::new(Reason::PathEscape, touch.span, why)
            .hint("name the files on the command line, and leave links alone")),
    }
}

/// The refusal of a command that is known to write a file, for a policy without writes.
pub(super) fn writes(command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    let args = command.args();
    let touch = touches(args, program).into_iter().find(|touch| {
        let null = match &touch.what {
            What::Path(path) => matches!(path.as_ref(), "/dev/null" | "/dev/stdout" | "/dev/stderr"),
            What::Word(arg) => arg.is("/dev/null") || arg.is("-"),
            What::Unseen(_) => false,
        };
        touch.writes && !null
    })?;
    let message = format!("`{}` writes a file here, and this workspace is only for looking", program.key);
    Some(
        Refusal::new(Reason::DeniedPattern, touch.span, message)
            .hint("leave the output file out: the output is returned"),
    )
}

/// The files that a command touches, as far as its words tell.
fn touches<'a>(args: &'a [Arg], program: &Program<'_>) -> Vec<Touch<'a>> {
    let profile = program.profile;
    // What a wrapper runs is judged on its own.
    if profile.wrapper.is_some() || profile.name == "xargs" {
        return Vec::new();
    }
    let rules = profile.paths.unwrap_or(&UNKNOWN);
    let rest = args.get(1..).unwrap_or_default();
    let mut touches = match rules.operands {
        Operands::Find => special::find(rest),
        Operands::Condition => special::condition(rest),
        Operands::Assignments => special::assignments(rest),
        _ => scan::touches(rules, profile.name, rest),
    };
    match profile.name {
        "sed" => special::sed(args, &mut touches),
        "awk" => special::awk(args, &mut touches),
        "gh" => special::cloned(rest, &mut touches),
        "ln" => special::link_targets(args, &mut touches),
        _ => {}
    }
    touches
}

#[cfg(test)]
mod tests {
    use super::touches;
    use crate::judge::Program;
    use crate::syntax::split;

    /// The paths that a line touches; written ones with a star.
    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let args = split(line).unwrap();
        let name = args[0].text().unwrap();
        let program = Program::of(name, name);
        let found: Vec<String> = touches(&args, &program)
            .into_iter()
            .map(|touch| {
                let text = match touch.what {
                    super::What::Path(path) => path.into_owned(),
                    super::What::Word(arg) => arg.shown().to_owned(),
                    super::What::Unseen(why) => format!("?{why}"),
                };
                if touch.writes { format!("{text}*") } else { text }
            })
            .collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn operands_that_are_paths() {
        check("cat a ../b", &["a", "../b"]);
        check("grep -rn '../x' src", &["src"]);
        check("grep -e ../x src", &["src"]);
        check("grep -f /etc/passwd x", &["/etc/passwd", "x"]);
        check("sort -o/tmp/x a", &["/tmp/x*", "a"]);
        check("sort --output=/tmp/x a", &["/tmp/x*", "a"]);
        check("sort --outp /tmp/x", &["/tmp/x*"]);
        check("cut -d / -f1 a", &["a"]);
        check("head -n 5 a", &["a"]);
        check("tar -C.. -xf a.tar", &["..*", "a.tar*"]);
        check("dd if=a of=/tmp/x bs=1", &["a", "/tmp/x*"]);
        check("find src -path '*/..*' -prune", &["src"]);
        check("find . -fprintf /tmp/x %p", &[".", "/tmp/x*"]);
        check("find -L .", &["?it follows links, which may lead out of the workspace", "."]);
        check("uniq a b", &["a", "b*"]);
        check("echo /etc ..", &[]);
        check("[ -f /etc/x ]", &["/etc/x"]);
        check("sed -i 's/a/b/w out' f", &[".*", "f", "out*"]);
        check("awk '{ print > \"o\" }' f", &["f", "o*"]);
        check("cargo run -- /etc/passwd", &[]);
        check("python3 ../x.py /etc", &["../x.py"]);
        check("python3 -c 'x' /etc", &[]);
        check("curl -o /tmp/x -d @/etc/passwd http://h/x", &["/tmp/x*", "/etc/passwd"]);
        check("curl -b /c -F 'a=</f' --data-urlencode n@/d -u a@b http://h", &["/c", "/f", "/d", "b"]);
        check("gcc -I/usr/include -o /out a.c -fx=/y -lm", &["/out*", "a.c"]);
        check("node -r ../x a.js /etc", &["../x", "a.js"]);
        check("jq --arg a /b --slurpfile c /d .e f", &["/d", "f"]);
        check("unknown -x/etc --y=/z w", &["/etc", "/etc", "/z", "w"]);
        check("ln -s ../x sub/l", &["../x*", "sub/l*", "sub/../x*", "sub/l/../x*"]);
    }
}
