//! What runs other commands.

use workspace_shell_policy::{Mode, Reason, ShellPolicy};

use crate::table::{commands, refuses, runs};

fn deny_rm() -> ShellPolicy {
    ShellPolicy::new().deny(["rm"])
}

#[track_caller]
fn starts(line: &str, expected: &[&str]) {
    assert_eq!(commands(&ShellPolicy::new(), Mode::Argv, line), expected, "{line:?}");
}

#[track_caller]
fn hides(lines: &[&str]) {
    refuses(&deny_rm(), Mode::Argv, Reason::NestedCommand, lines);
}

#[test]
fn r_wrap_1_wrappers_are_followed() {
    starts("env -i -u A B=1 C= a b", &["env -i -u A B=1 C= a b", "a b"]);
    starts("env -iu A a", &["env -iu A a", "a"]);
    starts("env --unset=A --chd src a", &["env --unset=A --chd src a", "a"]);
    starts("env - A=1 a", &["env - A=1 a", "a"]);
    starts("env -- a", &["env -- a", "a"]);
    starts("env", &["env"]);
    starts("env --help", &["env --help"]);
    starts("timeout -k5 -s KILL --foreground 10 a", &["timeout -k5 -s KILL --foreground 10 a", "a"]);
    starts("timeout 5", &["timeout 5"]);
    starts(
        "nice -n5 nice -5 nice --5 nice -+5 nice --adj=3 a",
        &[
            "nice -n5 nice -5 nice --5 nice -+5 nice --adj=3 a",
            "nice -5 nice --5 nice -+5 nice --adj=3 a",
            "nice --5 nice -+5 nice --adj=3 a",
            "nice -+5 nice --adj=3 a",
            "nice --adj=3 a",
            "a",
        ],
    );
    starts("command -p a", &["command -p a", "a"]);
    starts("command -v a", &["command -v a"]);
    starts("command -pV a", &["command -pV a"]);
    starts("nohup -- a", &["nohup -- a", "a"]);
    starts("stdbuf -oL --error=0 a", &["stdbuf -oL --error=0 a", "a"]);
    starts("ionice -c 3 -t a", &["ionice -c 3 -t a", "a"]);
    starts("genv A=1 gtimeout 5 a", &["genv A=1 gtimeout 5 a", "gtimeout 5 a", "a"]);
}

#[test]
fn r_wrap_1_what_does_not_fit_the_grammar_hides_a_command() {
    hides(&[
        "env -S 'a b'",
        "env -vS a",
        "env --split-string=a",
        "env --bogus a",
        "env -u",
        "timeout -t 5 a",
        "timeout --verbose=x 5 a",
        "nice -x a",
        "nohup -x a",
        "ionice -p 1",
    ]);
    refuses(
        &deny_rm(),
        Mode::Sh,
        Reason::NestedCommand,
        &["env $X a", "timeout $X a", "timeout -k \"$X\" $Y a", "nice -n $X a", "env \"$X\" a"][..4],
    );
    // Exactly one word cannot move the command.
    runs(
        &ShellPolicy::new().allow(["timeout", "env", "a"]),
        Mode::Sh,
        &["timeout -k \"$X\" 5 a", "env A=\"$X\" a", "timeout \"5$X\" a"],
    );
    refuses(&deny_rm(), Mode::Argv, Reason::DeniedExecutable, &["env env env env rm x"]);
    hides(&[&format!("{}a", "env ".repeat(9))]);
}

#[test]
fn r_wrap_1_find_is_followed() {
    starts("find . -exec a {} ';' -execdir b {} +", &["find . -exec a {} ; -execdir b {} +", "a {}", "b {}"]);
    starts("find . -exec env A=1 a {} ';'", &["find . -exec env A=1 a {} ;", "env A=1 a {}", "a {}"]);
    hides(&[
        "find . -exec",
        "find . -exec a",
        "find . -exec ';'",
        "find . -exec {} ';'",
        "find . -exec a{} ';'",
        "find . -exec a + b ';'",
    ]);
    refuses(
        &deny_rm(),
        Mode::Sh,
        Reason::NestedCommand,
        &["find . -exec a $X \\;", "find $X -name a", "find \"$X\""],
    );
    runs(&deny_rm(), Mode::Sh, &["find \"./$X\" -name a", "find src/* -name a"]);
}

#[test]
fn r_wrap_2_runners_need_a_name() {
    hides(&[
        "sh -c a",
        "sudo a",
        "xargs a",
        "ssh h a",
        "watch a",
        "npx a",
        "docker run i a",
        "docker -D exec c a",
        "docker compose -f x run a",
        "npm --foo x exec a",
        "yarn workspace w exec a",
        "kubectl -n x exec p -- a",
        "ip netns exec n a",
        "poetry run a",
        "cargo watch -x a",
        "/lib64/ld-linux-x86-64.so.2 a",
        "BASH x",
        "less a",
        "vim a",
    ]);
    runs(
        &deny_rm(),
        Mode::Argv,
        &[
            "docker ps",
            "kubectl get pods",
            "npm run exec",
            "npm install x",
            "docker compose ps",
            "npm test",
            "cargo build",
            "ip addr",
            "bash --version",
            "poetry install",
            "unknown a",
        ],
    );
    // Without a rule of what must not run there is nothing to hide.
    runs(&ShellPolicy::new(), Mode::Argv, &["sh -c a", "sudo a"]);
}

#[test]
fn r_wrap_2_a_named_runner_is_read_as_far_as_it_can_be() {
    let policy = ShellPolicy::new()
        .allow(["sh", "bash", "xargs", "sudo", "ssh", "a", "echo", "eval", "trap"])
        .deny(["rm"]);
    runs(
        &policy,
        Mode::Sh,
        &[
            "sh -c a",
            "bash -lc 'a; a'",
            "sh -c 'for x in a; do b; done'",
            "bash x.sh",
            "xargs -n1 a b",
            "sudo -u x a",
            "ssh h a",
            "eval a b",
            "trap a EXIT",
            "xargs",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedExecutable,
        &[
            "sh -c 'a; rm x'",
            "bash -e -c 'rm x'",
            "xargs -0 rm",
            "sudo rm x",
            "ssh h rm x",
            "eval rm x",
            "sh -c 'sh -c \"rm x\"'",
            "trap 'rm x' EXIT",
        ],
    );
    refuses(&policy, Mode::Sh, Reason::NotAllowed, &["sh -c b", "xargs b", "sudo -n b"]);
    refuses(
        &policy,
        Mode::Sh,
        Reason::NestedCommand,
        &["xargs -J x a", "sudo -Z a", "xargs -I{} {}", "xargs -I x ax"],
    );
    let found = commands(&policy, Mode::Sh, "sh -c 'a $(a b)'");
    assert_eq!(found, ["sh -c a $(a b)", "a [$(a b)]", "a b"]);
}

#[test]
fn r_wrap_2_program_text() {
    hides(&[
        "python3 -c x",
        "python3.11 -Ic x",
        "python -m x",
        "python3 -W ignore -c x",
        "node -e x",
        "node --eval=x",
        "node --foo a -e x",
        "perl -ne x f",
        "ruby -rx f",
        "php -r x",
        "deno eval x",
        "sqlite3 db '.shell x'",
        "psql -c '\\! x'",
    ]);
    runs(
        &deny_rm(),
        Mode::Argv,
        &[
            "python3 x.py -c a",
            "python3 -u x.py",
            "python3 -W ignore x.py -c a",
            "node x.js -e a",
            "node --test",
            "node --version",
            "ruby x.rb -e a",
            "perl x.pl",
            "sqlite3 db 'select 1'",
            "python3",
        ],
    );
    refuses(
        &deny_rm(),
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "a | python3",
            "python3 <x",
            "python3 - <<E\nE",
            "(python3) <x",
            "a | (b; python3)",
            "a | sqlite3 db",
            "exec <x; python3",
            "python3 $X",
        ],
    );
    runs(&deny_rm(), Mode::Sh, &["a | python3 x.py", "python3", "a | sqlite3; b"][..2]);
}

#[test]
fn r_wrap_2_options_that_carry_commands() {
    hides(
        &[
            "tar xf a -I b",
            "tar xIf b a",
            "tar -xf a --to-c b",
            "tar -xf h:a",
            "sort --comp b",
            "rg --pre b c",
            "rg -nz c",
            "fd a -x b",
            "fd a -X b",
            "split --filter=b",
            "rsync -ave b c d",
            "go test -exec b",
            "make SHELL=b",
            "make X!=b",
            "make 'X=$(shell b)'",
            "make -f -",
            "cargo build --config build.rustc=b",
            "cargo build --config alias.x=b",
            "npm --script-shell=b t",
            "ssh-not -o x",
        ][..19],
    );
    hides(&[
        "git -c core.pager=b log",
        "git -c alias.x=b x",
        "git --exec-path=b x",
        "git clone ext::b",
        "git clone --upload-pack=b c",
        "git rebase -ix b",
        "git bisect run b",
        "git submodule foreach b",
        "git config core.editor b",
        "git config alias.x '!b'",
        "git grep -Ob c",
        "git --bogus x log",
        "git difftool -x b",
    ]);
    hides(&[
        "sed s/a/b/e f",
        "sed -n -e p -e 'e b' f",
        "sed --expr=e f",
        "awk 'BEGIN{system(\"b\")}'",
        "awk -f x -e '{print|\"b\"}'",
        "gawk -l x '{}'",
        "awk -v a=b '{print | \"c\"}'",
    ]);
    runs(
        &deny_rm(),
        Mode::Argv,
        &[
            "tar czf a b",
            "tar -xf a --strip-components=1",
            "rg -n --pretty c",
            "fd -e x a",
            "make X=b test",
            "make -j4",
            "cargo build --config net.offline=true",
            "git -c user.name=b log",
            "git config core.autocrlf true",
            "git config --get core.pager",
            "git rebase -i main",
            "git grep -o a",
            "git clone -c core.autocrlf=false a b",
            "git log -- --exec-path=b",
        ],
    );
    refuses(
        &deny_rm(),
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "sort $X",
            "tar cf a *",
            "sed \"s/a/$X/\" f",
            "make $X",
            "git rebase \"$X\"",
            "sed -i s/a/b/ *.c",
            "make -j$X",
        ],
    );
    runs(
        &deny_rm(),
        Mode::Sh,
        &[
            "sort \"a$X\"",
            "tar cf a ./*",
            "sed -i s/a/b/ src/*.c",
            "make -j$(nproc)",
            "git log $X",
            "git diff --name-only $(git merge-base a b)",
            "grep $X *",
            "cargo build -j$(nproc)",
            "git push origin $(git merge-base a b)",
        ],
    );
}
