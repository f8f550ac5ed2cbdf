//! Ways to start a program or to reach out of the workspace that hide in an
//! allowed program: by its options, subcommands, settings and variables.

use workspace_shell_policy::{ArgPaths, Mode, Reason, ShellPolicy};

use crate::table::{refuses, runs};

fn allowing(programs: &[&str]) -> ShellPolicy {
    ShellPolicy::new().allow(programs.iter().copied())
}

#[test]
fn r_wrap_2_git_starts_programs_in_many_ways() {
    refuses(
        &allowing(&["git"]),
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "git remote-ext origin 'rm x'",
            "git remote-fd 3",
            "git merge-index rm -a",
            "git merge-index -o rm a",
            "git for-each-repo --config=a.b push",
            "git difftool",
            "git difftool -y HEAD",
            "git bugreport",
            "git credential-store get",
            "git imap-send",
            "git submodule--helper foreach rm",
            "git maintenance start",
            "git maintenance register",
            "git config --rename-section a core",
            "git config --rename a core",
            "git config --local --rename-section a alias",
            "git config rename-section a core",
            "git config --local --global --edit",
            "git config --ed",
            "git config lfs.customtransfer.a.path b",
            "git -c lfs.standalonetransferagent=b fetch",
        ],
    );
    runs(
        &allowing(&["git"]),
        Mode::Sh,
        &[
            "git merge-base a b",
            "git merge a",
            "git maintenance run",
            "git config --remove-section a",
            "git config --get-regexp edit",
            "git config user.email a@b",
            "git remote -v",
            "git credential-x",
        ],
    );
}

#[test]
fn r_parse_1_variables_that_reach_further() {
    refuses(
        &allowing(&["git", "gcc", "curl", "docker", "npm", "cargo", "env", "export", "zip", "wget", "cd"]),
        Mode::Sh,
        Reason::UnsupportedSyntax,
        &[
            "GIT_TRACE=/etc/a git log",
            "GIT_TRACE2_EVENT=/etc/a git log",
            "GIT_TRACE_PACKET=1 git fetch",
            "GIT_INDEX_FILE=../a git add .",
            "GIT_ALLOW_PROTOCOL=ext git fetch",
            "GIT_PAGER=cat git log",
            "AWS_PAGER= git log",
            "KUBE_EDITOR=a git log",
            "SUDO_ASKPASS=a git log",
            "HOME=. git status",
            "export HOME=.",
            "env HOME=. git status",
            "env -u HOME git status",
            "XDG_CONFIG_HOME=. git status",
            "CURL_HOME=. curl a",
            "WGETRC=a wget b",
            "OPENSSL_CONF=a curl b",
            "OPENSSL_MODULES=. curl b",
            "DOCKER_CONFIG=. docker info",
            "DOCKER_HOST=ssh://a docker ps",
            "COMPILER_PATH=. gcc a.c",
            "GCC_EXEC_PREFIX=./ gcc a.c",
            "ZIPOPT='-TT rm' zip a b",
            "CARGO_BUILD_RUSTC_WRAPPER=a cargo check",
            "CARGO_REGISTRY_CREDENTIAL_PROVIDER=a cargo check",
            "npm_config_git=./a npm ci",
            "NPM_CONFIG_NODE_OPTIONS=a npm ci",
            "POSIXLY_CORRECT=1 git log",
        ],
    );
    runs(
        &allowing(&["git", "cargo", "npm", "curl"]),
        Mode::Sh,
        &[
            "GIT_TERMINAL_PROMPT=0 git fetch",
            "GIT_AUTHOR_DATE=now git commit -m a",
            "GIT_PAGERS=1 git log",
            "CARGO_HOME=.cargo cargo check",
            "npm_config_loglevel=warn npm ci",
            "https_proxy=a curl b",
            "X_HOME=a git log",
        ],
    );
}

#[test]
fn r_wrap_2_compilers_start_and_load_what_they_are_told() {
    refuses(
        &allowing(&["gcc", "gcc-12", "clang", "rustc", "cargo", "go", "cmake"]),
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "gcc -B. a.c",
            "gcc -B b a.c",
            "gcc --prefix=b a.c",
            "gcc @options",
            "gcc -fplugin=b a.c",
            "gcc -Wl,-plugin,b.so a.c",
            "gcc -Xlinker -plugin -Xlinker b.so a.c",
            "gcc-12 -wrapper b a.c",
            "clang -fuse-ld=./b a.c",
            "clang -fpass-plugin=b a.c",
            "clang -Xclang -load -Xclang b.so a.c",
            "clang --ld-path=b a.c",
            "clang --config b a.c",
            "clang --gcc-toolchain=b a.c",
            "rustc -C linker=b a.rs",
            "rustc -Clinker=b a.rs",
            "rustc --codegen linker=b a.rs",
            "rustc -Zcodegen-backend=b a.rs",
            "cargo rustc -- -C linker=b",
            "cargo --config 'env.PATH=\".\"' build",
            "cargo --config env.LD_PRELOAD.value='b' build",
            "go build -ldflags '-extld=b'",
            "go build -ldflags=-extld=b",
            "cmake -E env rm a",
            "cmake -E time rm a",
            "cmake -E $X rm",
        ],
    );
    runs(
        &allowing(&["gcc", "clang", "rustc", "cargo", "go", "cmake"]),
        Mode::Sh,
        &[
            "gcc -O2 -DB=1 -Iplugins/my-plugin/include -o b a.c -lplugin",
            "gcc -fuse-ld=lld a.c",
            "clang -flto -Wall a.c",
            "rustc -C opt-level=3 -Clinker-flavor=gcc a.rs",
            "cargo -C b build",
            "cargo --config 'env.RUST_LOG=\"b\"' build",
            "go build -ldflags '-s -w' ./...",
            "cmake -E make_directory b",
            "cmake --build b -j4",
        ],
    );
}

#[test]
fn r_wrap_2_package_and_service_tools() {
    refuses(
        &allowing(&["npm", "pip", "gh", "docker", "fd", "make"]),
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "npm explore a -- rm b",
            "npm --prefix b explore a",
            "npm edit a",
            "npm config edit",
            "npm --git=./a install",
            "npm --shell ./a test",
            "pip config edit --editor a",
            "gh alias set a '!rm'",
            "gh alias set --shell a rm",
            "gh -R a/b alias import c",
            "gh extension install a/b",
            "gh ext exec a",
            "gh config set pager a",
            "gh codespace ssh",
            "docker -H ssh://a ps",
            "docker --host=ssh://a ps",
            "docker --config a ps",
            "fd -l a",
            "fd --list-details a",
            "make PATH=.",
            "make LD_PRELOAD=a",
            "make GIT_SSH_COMMAND=a",
        ],
    );
    runs(
        &allowing(&["npm", "pip", "gh", "docker", "fd", "make"]),
        Mode::Sh,
        &[
            "npm ls -g --depth=0",
            "npm config get registry",
            "npm run edit",
            "pip install -e .",
            "gh alias list",
            "gh config get editor",
            "gh pr view 1",
            "docker ps -a",
            "docker build -t HELLO .",
            "docker compose config",
            "fd -e rs a",
            "make PREFIX=a install",
        ],
    );
}

#[test]
fn r_wrap_2_scripts_in_files_are_not_seen() {
    let policy = ShellPolicy::posix_utilities();
    refuses(
        &policy,
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "sed -f a b",
            "sed -nf a b",
            "sed --file=a b",
            "sed -n -f a -e p b",
            "awk -f a b",
            "awk -v x=1 -fa b",
            "awk --file a b",
            "awk -E a b",
            "awk --exec=a b",
        ],
    );
    runs(
        &policy,
        Mode::Sh,
        &["sed -e s/f/g/ f", "awk -F, '{print $1}' f", "grep -f a b", "sed -E 's/a/b/' f"],
    );
}

#[test]
fn r_argv_paths_archives_and_addresses_stay_inside() {
    let policy = ShellPolicy::new().arg_paths(ArgPaths::Jail);
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &[
            "tar xPf a",
            "tar -xPf a",
            "tar -x --absolute-names -f a",
            "tar xhf a",
            "tar cTf list a",
            "unzip -: a.zip",
            "git clone file:///etc/a",
            "git remote add a file:///etc",
            "git pull file:/etc/a",
            "gh repo clone a/b /etc/c",
            "gh repo clone a/b ../c -- --depth 1",
            "gh run download 1 -D /etc",
            "gh release download --output=../a",
            "gh pr create -F /etc/passwd",
            "gh api a -F body=@/etc/passwd",
            "gh api a --input ../b",
            "ruby -r../a b.rb",
            "ruby -I/etc b.rb",
            "pip --python /etc/a install b",
        ],
    );
    runs(
        &policy,
        Mode::Sh,
        &[
            "tar xzf a -C b",
            "tar -czf a.tgz Pictures",
            "tar czf a b",
            "unzip -o a.zip -d b",
            "git clone https://a.example/b.git c",
            "gh repo clone a/b",
            "gh api /repos/a/b/pulls/1/comments",
            "gh api graphql -f query='{ a }' -F n=1",
            "gh pr create --title 'a / b' --body '../c and /d'",
            "ruby -rjson b.rb",
            "uv venv --python 3.12",
        ],
    );
}

#[test]
fn r_argv_paths_globs_and_copies_stay_inside() {
    let policy = ShellPolicy::new().arg_paths(ArgPaths::Jail);
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &[
            "echo /*",
            "printf '%s' /etc/*",
            "echo ../*",
            "echo ../../?",
            "sed -i'../a/*' s/b/c/ d",
            "sed -i/a/b s/b/c/ d",
        ],
    );
    runs(
        &policy,
        Mode::Sh,
        &[
            "echo *",
            "echo src/*",
            "printf '%s' \"/etc/*\"",
            "grep a.*b src/c",
            "sed -i.bak s/b/c/ d",
            "cat .env*",
            "ls -d .[!.]*",
            "ls .git*/config",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &["ls -d .*", "cat ..*", "cat .?/a", "cat .[.]/a", "cp -r .* a"],
    );
}

#[test]
fn r_sh_3_options_before_the_subcommand_count() {
    let policy =
        ShellPolicy::new().deny_patterns(["npm install --global", "gh api --method=DELETE"]).unwrap();
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "npm -g install a",
            "npm --global install a",
            "npm install a -g",
            "npm --loglevel warn -g install a",
            "gh api -X DELETE a",
            "gh api -XDELETE a",
            "gh api -X=DELETE a",
            "gh api --method DELETE a",
            "gh api a --method $M",
        ],
    );
    runs(
        &policy,
        Mode::Sh,
        &["npm install a", "npm -g ls", "gh api a", "gh api -X POST a", "gh api a -f method=DELETE"],
    );
    // The short options of git before and behind the subcommand are not the same.
    let copies = ShellPolicy::new().deny_patterns(["git branch --copy"]).unwrap();
    runs(&copies, Mode::Sh, &["git -C a -c b.c=d branch"]);
}

#[test]
fn read_only_changes_no_remote_and_writes_no_listing() {
    let policy = ShellPolicy::read_only();
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "git remote -v add a b",
            "git remote -v remove a",
            "git remote -v rm a",
            "git remote -v rename a b",
            "git remote -v set-url a b",
            "git remote -v update",
            "git remote -v prune a",
            "tree -R -L 1 -H .",
        ],
    );
    refuses(&policy, Mode::Sh, Reason::NestedCommand, &["sed -f a b", "awk -f a b"]);
    runs(&policy, Mode::Sh, &["git remote -v", "tree -L 2"]);
}

#[test]
fn developer_installs_and_publishes_nothing() {
    refuses(
        &ShellPolicy::developer(),
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "cargo install a",
            "npm -g install a",
            "npm i -g a",
            "pnpm add -g a",
            "yarn global add a",
            "pip install --user a",
            "go install a@latest",
            "uv tool install a",
            "gh release create v1",
            "gh gist create a",
            "gh api -X DELETE a",
            "./gradlew publish",
            "./mvnw deploy",
            "npm deprecate a b",
            "git switch --discard-changes a",
        ],
    );
    runs(
        &ShellPolicy::developer(),
        Mode::Sh,
        &["npm ls -g --depth=0", "pip install -e .", "gh release list", "./gradlew build", "go build ./..."],
    );
}

#[test]
fn r_parse_1_exec_takes_no_option_at_all() {
    // Dash takes `--` for the program.
    refuses(&ShellPolicy::new(), Mode::Sh, Reason::UnsupportedSyntax, &["exec -- git log", "exec -a b git"]);
    runs(&ShellPolicy::new(), Mode::Sh, &["exec git log", "exec 3>&1"]);
}

#[test]
fn r_wrap_1_a_program_that_is_put_in_is_found_behind_wrappers() {
    let denies = ShellPolicy::new().deny(["rm"]);
    refuses(
        &denies,
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "find . -exec {} \\;",
            "find . -exec env {} \\;",
            "find . -exec env A=1 {} \\;",
            "find . -exec timeout 5 nice {} +",
            "find . -exec env A=1 ./{} \\;",
        ],
    );
    let named = ShellPolicy::new().allow(["xargs", "env", "{}", "%"]);
    refuses(&named, Mode::Sh, Reason::NestedCommand, &["xargs -I{} env {}", "xargs -I% env A=1 %"]);
    runs(&denies, Mode::Sh, &["find . -exec env A=1 cat {} \\;", "find . -exec timeout 5 cat {} +"]);
}
