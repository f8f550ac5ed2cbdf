//! The subset of sh.

use workspace_shell_policy::{MAX_COMMANDS, MAX_DEPTH, MAX_WORDS, Mode, Reason, ShellPolicy};

use crate::table::{commands, refuses, runs};

fn open() -> ShellPolicy {
    ShellPolicy::new()
}

#[track_caller]
fn starts(line: &str, expected: &[&str]) {
    assert_eq!(commands(&open(), Mode::Sh, line), expected, "{line:?}");
}

#[track_caller]
fn invalid(lines: &[&str]) {
    refuses(&open(), Mode::Sh, Reason::UnsupportedSyntax, lines);
}

#[test]
fn r_parse_1_lists_and_pipelines() {
    starts("a; b && c || d | e\nf", &["a", "b", "c", "d", "e", "f"]);
    starts("! a | b", &["a", "b"]);
    starts("(a; b) && (\nc\n)", &["a", "b", "c"]);
    starts("a |\n\n b &&\n# x\nc", &["a", "b", "c"]);
    starts("a;\n\n# c\n b # d", &["a", "b"]);
    starts("( (a) )", &["a"]);
    invalid(&[
        "; a", "a ;; b", "a; ; b", "a | | b", "a &&", "&& a", "a |& b", "()", "(a", "a)", "(a) b", "!",
        "! ! a", "a | ! b", "a b(c)", "!(a)",
    ]);
    invalid(&["a &", "a & b", "((a))", "{ a; }", "a }", "f() { a; }"]);
}

#[test]
fn r_parse_1_words_and_quotes() {
    starts("a 'b c' \"d\\$e\" f\\g ''", &["a b c d$e fg "]);
    starts("r''m r\"\"m r\\m r\\\nm", &["rm rm rm rm"]);
    starts("a \"b\\\nc\" 'd\ne'", &["a bc d\ne"]);
    starts("a b#c \"#\" ''# #d", &["a b#c # #"]);
    starts("a $ $. \"$\" a$", &["a $ $. $ a$"]);
    starts("a 'q\u{a0}' \"\u{200b}\"", &["a q\u{a0} \u{200b}"]);
    starts("[ -f x ]", &["[ -f x ]"]);
    starts("a [$X \"$Y\"[ $?[ [b", &["a [[$X] [\"$Y\"[] [$?[] [[b]"]);
    refuses(&open(), Mode::Sh, Reason::UnbalancedQuotes, &["a 'b", "a \"b", "a \"$(b\"", "a \"b\\"]);
    invalid(&["a\\", "a\u{a0}b", "a \u{3000}", "a # \u{202e}", "a\r", "a \0", "\"\"", "'' a"]);
}

#[test]
fn r_parse_1_run_time_words() {
    starts(
        "a $X ${Y} \"$Z\" $? $1 ~ ~/b *.c [d] ?",
        &["a [$X] [${Y}] [\"$Z\"] [$?] [$1] [~] [~/b] [*.c] [[d]] [?]"],
    );
    starts("a x=~ b:~/c", &["a [x=~] [b:~/c]"]);
    starts("a HEAD~1 b]", &["a HEAD~1 b]"]);
    invalid(
        &["$X a", "a$X", "*", "~/a", "\"$X\"", "`a`", "$(a)", "A=1 $X", "env $X", "timeout 5 \"$X\" a"][..7],
    );
    invalid(&[
        "a ${X:-b}",
        "a ${#X}",
        "a ${!X}",
        "a ${X",
        "a $((1))",
        "a $[1]",
        "a $'b'",
        "a $\"b\"",
        "a $\\\nX",
        "a \"$é\"",
        "a $$(",
    ]);
}

#[test]
fn r_parse_1_braces() {
    starts(
        "a stash@{0} @{u} {} a{b b}c {a HEAD@{1}..HEAD@{0}",
        &["a stash@{0} @{u} {} a{b b}c {a HEAD@{1}..HEAD@{0}"],
    );
    starts("a '{b,c}' \\{b,c}", &["a {b,c} {b,c}"]);
    invalid(&["a {b,c}", "a {1..2}", "a x{b,{c}}", "a {b,$X}", "a {", "a }", "{a,b}"]);
}

#[test]
fn r_parse_1_substitutions() {
    starts("a $(b; c) \"$(d)\" `e`", &["a [$(b; c)] [\"$(d)\"] [`e`]", "b", "c", "d", "e"]);
    starts("a `b \\`c\\``", &["a [`b \\`c\\``]", "b [`c`]", "c"]);
    starts("a \"`b \\\"c d\\\"`\"", &["a [\"`b \\\"c d\\\"`\"]", "b c d"]);
    starts("A=$(a) B=`b`", &["a", "b"]);
    starts("a $(# c )\nb)", &["a [$(# c )\nb)]", "b"]);
    starts("a $()", &["a [$()]"]);
    invalid(&["a $(b", "a `b", "a $(b;;c)", "a `b'", "a `b \\\n c`", "a $(b))"][..3]);
}

#[test]
fn r_parse_1_here_documents() {
    starts("a <<E\nb $(c)\nE\nd", &["a", "c", "d"]);
    starts("a <<'E'\nb $(c) `d`\nE\ne", &["a", "e"]);
    starts("a <<-E\n\tb\n\tE\nc", &["a", "c"]);
    starts("a <<A <<'B' | b\n$(c)\nA\n$(d)\nB\ne", &["a", "c", "b", "e"]);
    starts("a <<E\n\\$(b) \\`c\\`\nE", &["a"]);
    starts("a \"$(b <<'E'\nit's ( \"\nE\n)\"", &["a [\"$(b <<'E'\nit's ( \"\nE\n)\"]", "b"]);
    invalid(&[
        "a <<E\nb",
        "a <<E",
        "a <<",
        "a <<''\nb\n\nc",
        "a <<$X\n$X",
        "a <<`b`\nx",
        "a <<E\nb\\\nE\nE",
        "a <<E\n$(b\nE\n)",
        "a $(b <<E)\nE",
        "a `b <<E\nE\n`",
        "a <<E \"\n\"\nE",
        "a <<E $(b\n)\nE",
        "a <<E\n`b \\\"c\\\"`\nE",
        "a <<<b",
    ]);
}

#[test]
fn r_parse_1_redirections() {
    starts("a >b 2>>c <d >|e <>f 2>&1 >&- 3<&0 >&2", &["a"]);
    starts(">b a; 2>&1 c", &["a", "c"]);
    starts("a 'x'>b \\2>c", &["a x 2"]);
    invalid(&[
        "a >",
        "a > ; b",
        "a &>b",
        "a >&b",
        "a 2>&$X",
        "a >& b",
        "a 10>b",
        "a {x}>b",
        "a >(b)",
        "a <(b)",
        "a >| 2>b",
        "a 2\\\n>b",
        "a 2>&10",
        "a >&\"1\"",
    ]);
}

#[test]
fn r_parse_1_words_of_the_grammar() {
    invalid(&[
        "if a; then b; fi",
        "while a; do b; done",
        "for x in a; do b; done",
        "case a in b) c;; esac",
        "[[ a ]]",
        "function f",
        "select x",
        "coproc a",
        "a; fi",
        "A=1 if",
    ]);
    starts("a if then for", &["a if then for"]);
    starts("'if' a; \\then", &["if a", "then"]);
    starts("time a | b; time -p c", &["time a", "a", "b", "time -p c", "c"]);
    invalid(&[
        "time",
        "time; a",
        "time -f %e a",
        "time { a; }",
        "time ! a",
        "time A=1 b",
        "time time a",
        "time if",
    ]);
}

#[test]
fn r_parse_1_assignments_to_special_variables() {
    starts("A=1 B='2 3' a", &["a"]);
    invalid(&[
        "PATH=. a",
        "PATH=.",
        "LD_PRELOAD=x a",
        "IFS=x",
        "GIT_SSH_COMMAND=x git fetch",
        "env PATH=. a",
        "env -u PATH a",
        "A=1 ENV=x a",
    ]);
    invalid(&[
        "export PATH=.",
        "export IFS",
        "readonly PS4=x",
        "unset PATH",
        "read PATH",
        "read -r A IFS",
        "read -rPATH",
        "getopts a PATH",
        "command export PATH=x",
    ]);
    invalid(&["export \"$X\"", "export A=$X", "unset $X", "read $X", "A+=x", "A=(b)", "export A+=x"][..6]);
    starts("export A=\"$X\" B", &["export [A=\"$X\"] B"]);
}

#[test]
fn r_parse_1_builtins_that_shells_read_differently() {
    invalid(&[
        "alias a=b",
        "let x=1",
        "shopt -s x",
        "declare A=1",
        "typeset A",
        "enable -n a",
        "hash -p x y",
        "printf -v PATH x",
        "exec -a b c",
        "set -k",
        "set -o posix",
        "set +o keyword",
        "set $X",
        "builtin x",
    ]);
    runs(
        &open(),
        Mode::Sh,
        &[
            "set -e",
            "set -euo pipefail",
            "set -- $X",
            "set -x; a",
            "hash -r",
            "printf x",
            "exec a",
            "exec >b",
            "builtin cd a",
        ],
    );
    invalid(&["-x", "+x a", "%1", "env -x", "a; -b"][..3]);
}

#[test]
fn r_parse_1_limits_refuse() {
    let nested =
        |open: &str, close: &str, depth: usize| format!("{}a{}", open.repeat(depth), close.repeat(depth));
    runs(&open(), Mode::Sh, &[&nested("( ", " )", MAX_DEPTH)]);
    for deep in [
        nested("( ", " )", MAX_DEPTH + 1),
        nested("( ", " )", 20_000),
        nested("a $(", ")", 10_000),
        nested("a \"$(", ")\"", 100),
    ] {
        invalid(&[&deep]);
    }
    runs(&open(), Mode::Sh, &[&"a;".repeat(MAX_COMMANDS)]);
    invalid(&[&"a;".repeat(MAX_COMMANDS + 1), &"a ".repeat(MAX_WORDS + 1)]);
    runs(&open(), Mode::Sh, &[&"a ".repeat(MAX_WORDS)]);
}

#[test]
fn r_parse_1_bash_assigns_behind_time_what_dash_runs() {
    let policy = ShellPolicy::new();
    refuses(
        &policy,
        Mode::Sh,
        Reason::UnsupportedSyntax,
        &["time A=1 x", "time A+=1 x", "time -p A+=1 x", "time a[0]=1 x", "time a[0]+=1 x", "time A=$X x"],
    );
    runs(&policy, Mode::Sh, &["time x A+=1", "time ./a+=b x", "time -p x"]);
}

#[test]
fn r_parse_1_bash_loses_a_semicolon_behind_a_document_in_a_substitution() {
    let policy = ShellPolicy::new();
    refuses(
        &policy,
        Mode::Sh,
        Reason::UnsupportedSyntax,
        &[
            "echo $(cat <<E\nx\nE\necho a; rm b)",
            "echo \"$(cat <<E\nx\nE\necho a; rm b)\"",
            "echo $(cat <<E\nx\nE\n(echo a); rm b)",
            "echo $( (cat <<E\nx\nE\n); rm b)",
            "echo $(cat <<E && echo a; rm b\nx\nE\n)",
            "A=$(cat <<E\nx\nE\necho a | cat; rm b)",
        ],
    );
    runs(
        &policy,
        Mode::Sh,
        &[
            "echo $(cat <<E\nx\nE\necho a\nrm b)",
            "echo $(echo a; cat <<E\nx\nE\n)",
            "echo $(cat <<E\nx\nE\n); rm b",
            "cat <<E; rm b\nx\nE\necho a; rm c",
            "echo $(echo $(cat <<E\nx\nE\n); rm b)",
            "git commit -m \"$(cat <<'E'\nx; y\nE\n)\"; git push",
        ],
    );
}

#[test]
fn r_parse_1_no_line_of_a_document_in_a_substitution_begins_with_the_end_word() {
    let policy = ShellPolicy::new();
    refuses(
        &policy,
        Mode::Sh,
        Reason::UnsupportedSyntax,
        &[
            "echo \"$(cat <<'EOF'\nEOFx) ; rm y\nEOF\n)\"",
            "echo $(cat <<EOF\na\nEOF )\nEOF\n)",
            "echo $(cat <<-EOF\n\tEOF2 (a)\n\tEOF\n)",
        ],
    );
    runs(&policy, Mode::Sh, &["cat <<EOF\nEOFx) ; rm y\nEOF", "echo $(cat <<EOF\nan EOF )\n EOF)\nEOF\n)"]);
}
