//! The hunt itself.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use workspace_shell_policy::{Mode, ShellPolicy, Verdict, check};

use crate::arena::{Arena, SHELLS};
use crate::generate::Generator;
use crate::oracle::{self, Finding, Forbidden, Run};
use crate::plants::{Judge, PLANTS, sound};
use crate::view::ArenaView;

/// After so many runs the jail is made anew.
const FRESH: usize = 400;

/// How many findings are shown.
const SHOWN: usize = 40;

pub(crate) struct Settings {
    lines: usize,
    runs: usize,
    seed: u64,
    /// Only prove that planted faults are found.
    prove_only: bool,
    /// Also report lines that the shells run differently.
    disagreements: bool,
}

impl Settings {
    pub(crate) fn from_args(args: &[String]) -> Result<Self, String> {
        let mut settings =
            Self { lines: 100_000, runs: 5_000, seed: 1, prove_only: false, disagreements: true };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut number = || {
                let value = args.next().ok_or(format!("`{arg}` needs a number"))?;
                value.parse::<usize>().map_err(|error| format!("`{arg} {value}`: {error}"))
            };
            match arg.as_str() {
                "--lines" => settings.lines = number()?,
                "--runs" => settings.runs = number()?,
                "--seed" => settings.seed = number()? as u64,
                "--prove" => settings.prove_only = true,
                "--holes-only" => settings.disagreements = false,
                other => {
                    return Err(format!(
                        "`{other}` is no option; use --lines N, --runs N, --seed S, --prove, --holes-only"
                    ));
                }
            }
        }
        Ok(settings)
    }

    /// Proves that planted faults are found, then hunts; tells whether nothing was found.
    pub(crate) fn hunt(&self) -> Result<bool, String> {
        for (name, judge) in PLANTS {
            let found = Hunt::new(*judge, self.seed)?.go(200_000, 4_000, true)?;
            if found.holes == 0 {
                return Err(format!("the hunt is blind: no hole in the checker in which {name}"));
            }
            println!("planted, {name}: found after {} runs: {}", found.runs, found.shown.join("; "));
        }
        if self.prove_only {
            return Ok(true);
        }
        let start = Instant::now();
        let workers = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let shares: Vec<_> = (0..workers)
            .map(|worker| {
                let (lines, runs, seed) = (self.lines / workers, self.runs / workers, self.seed);
                std::thread::spawn(move || {
                    Hunt::new(sound, seed.wrapping_mul(1_000_003) + worker as u64)?.go(lines, runs, false)
                })
            })
            .collect();
        let mut total = Tally::default();
        for share in shares {
            total.add(share.join().map_err(|_| "a worker failed".to_owned())??);
        }
        for finding in total
            .shown
            .iter()
            .filter(|finding| self.disagreements || !finding.starts_with("differ"))
            .take(SHOWN)
        {
            println!("{finding}");
        }
        println!(
            "{} lines checked, {} accepted, {} run in each shell, {} programs started; {} holes, {} invalid, {} run differently; {:.0?}",
            total.lines,
            total.accepted,
            total.runs,
            total.started,
            total.holes,
            total.faults,
            total.differ,
            start.elapsed()
        );
        Ok(total.holes == 0 && total.faults == 0)
    }
}

#[derive(Default)]
struct Tally {
    lines: usize,
    accepted: usize,
    runs: usize,
    started: usize,
    holes: usize,
    faults: usize,
    differ: usize,
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.accepted += other.accepted;
        self.runs += other.runs;
        self.started += other.started;
        self.holes += other.holes;
        self.faults += other.faults;
        self.differ += other.differ;
        self.shown.extend(other.shown);
    }
}

struct Hunt {
    judge: Judge,
    generator: Generator,
    rules: Vec<(ShellPolicy, Forbidden)>,
    arena: Arena,
    view: ArenaView,
    runner: Runner,
}

impl Hunt {
    fn new(judge: Judge, seed: u64) -> Result<Self, String> {
        let arena = Arena::new().map_err(|error| format!("the throwaway root cannot be made: {error}"))?;
        let view = ArenaView::new(arena.root());
        let runner = Runner::start(&arena)?;
        Ok(Self { judge, generator: Generator::new(seed), rules: rules()?, arena, view, runner })
    }

    fn go(&mut self, lines: usize, runs: usize, stop: bool) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let mut seen = HashSet::new();
        while tally.lines < lines {
            let line = self.generator.line();
            let (policy, forbidden) = &self.rules[tally.lines % self.rules.len()];
            tally.lines += 1;
            let verdict = (self.judge)(policy, &line, &self.view);
            let argv = check(Some(policy), Mode::Argv, &line, &self.view);
            if [&verdict, &argv].into_iter().any(failed) {
                tally.faults += 1;
                tally.shown.push(format!("FAULT {line:?}: the checker failed"));
            }
            if !verdict.runs() {
                continue;
            }
            tally.accepted += 1;
            if tally.runs >= runs || line.contains('\0') || !seen.insert(line.clone()) {
                continue;
            }
            tally.runs += 1;
            if tally.runs % FRESH == 0 {
                self.arena.fill_jail().map_err(|error| error.to_string())?;
            }
            let results = self.runner.run(&line)?;
            tally.started += results.iter().map(|(_, run)| run.started.len()).sum::<usize>();
            let finding = oracle::judge(&verdict, *forbidden, &results);
            note(&mut tally, &line, &verdict, finding, &results);
            if stop && tally.holes > 0 {
                break;
            }
        }
        Ok(tally)
    }
}

/// Whether the checker itself broke on the line, which it reports as a refusal.
fn failed(verdict: &Verdict) -> bool {
    verdict.refusal.as_ref().is_some_and(|refusal| refusal.message == "the checker failed on this line")
}

fn note(tally: &mut Tally, line: &str, verdict: &Verdict, finding: Option<Finding>, results: &[(&str, Run)]) {
    let text = match finding {
        Some(Finding::Hole(text)) => {
            tally.holes += 1;
            format!("HOLE {line:?}: {text}; reported {:?}", verdict.commands)
        }
        Some(Finding::Fault(text)) => {
            tally.faults += 1;
            format!("FAULT {line:?}: {text}")
        }
        None => match oracle::disagreement(results) {
            Some(text) => {
                tally.differ += 1;
                format!("differ {line:?}: {text}")
            }
            None => return,
        },
    };
    if tally.shown.len() < 4 * SHOWN || text.starts_with("HOLE") {
        tally.shown.push(text);
    }
}

/// The policies that take turns.
fn rules() -> Result<Vec<(ShellPolicy, Forbidden)>, String> {
    let names = [
        "git", "echo", "cat", "cd", "ls", "grep", "npm", "true", "false", "printf", "id", "env", "timeout",
        "nice", "nohup", "time", "command", "exec", "find", "xargs", "export", "read", "set", "unset", ":",
        "exit", "test", "[", "shift", "umask", "readonly", "stdbuf", "type", "hash", "wait", "alias",
        "nproc", "x", "builtin", "head", "tail", "sort", "wc", "sed", "awk",
    ];
    let allow = ShellPolicy::new().allow(names);
    let deny = ShellPolicy::new().deny(["rm", "kill", "sudo"]);
    let patterns = ShellPolicy::new()
        .allow(names)
        .deny_patterns(["git push --force"])
        .map_err(|error| error.to_string())?;
    Ok(vec![
        (allow, Forbidden { programs: &["rm"], forced_push: false }),
        (deny, Forbidden { programs: &["rm", "sudo"], forced_push: false }),
        (patterns, Forbidden { programs: &["rm"], forced_push: true }),
    ])
}

/// The process inside the throwaway root.
struct Runner {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Runner {
    fn start(arena: &Arena) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        let own = std::env::current_exe().map_err(failed)?;
        let mut child = Command::new(own)
            .arg("--runner")
            .arg(arena.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("the runner has no output")?;
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    fn run(&mut self, line: &str) -> Result<Vec<(&'static str, Run)>, String> {
        let failed = |error: std::io::Error| format!("the runner ended: {error}");
        let input = self.input.as_mut().ok_or("the runner has no input")?;
        writeln!(input, "{}", Value::from(line)).map_err(failed)?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).map_err(failed)?;
        let answer: Value =
            serde_json::from_str(&answer).map_err(|error| format!("the runner ended: {error}"))?;
        let runs = answer.as_array().into_iter().flatten().map(Run::from_json);
        Ok(SHELLS.iter().copied().zip(runs).collect())
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
