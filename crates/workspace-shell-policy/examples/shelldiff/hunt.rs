//! The hunt itself.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use workspace_shell_policy::{Mode, ShellPolicy, Verdict, check};

use crate::arena::{Arena, SHELLS};
use crate::generate::Generator;
use crate::oracle::{self, Finding, Forbidden, Run};
use crate::plants::{Judge, PLANTS, sound};
use crate::rules::rules;
use crate::runner::Runner;
use crate::settings::Settings;
use crate::tally::Tally;
use crate::view::ArenaView;

/// After so many runs the jail is made anew.
const FRESH: usize = 400;

/// Parts of a hunt, each with a seed of its own: a seed gives the same lines
/// on every machine, however many of them run at a time.
const SHARES: usize = 8;

/// How often a hunt says how far it is.
const REPORTS: usize = 500;

/// Proves that planted faults are found, then hunts; tells whether nothing was found.
pub(crate) fn run(settings: &Settings) -> Result<bool, String> {
    for (name, judge) in PLANTS {
        let found = Hunt::new(*judge, settings.seed)?.go(200_000, 4_000, |tally| !tally.holes.is_empty())?;
        let hole = found
            .holes
            .first()
            .ok_or_else(|| format!("the hunt is blind: no hole in the checker in which {name}"))?;
        let shown: String = hole.chars().take(200).collect();
        println!("planted, {name}: found after {} runs: {shown}", found.runs);
    }
    if settings.prove_only {
        return Ok(true);
    }
    let start = Instant::now();
    let progress = Progress { lines: AtomicUsize::new(0), runs: AtomicUsize::new(0), settings };
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Tally::default());
    let work = || -> Result<(), String> {
        loop {
            let share = next.fetch_add(1, Ordering::Relaxed);
            if share >= SHARES {
                return Ok(());
            }
            let seed = settings.seed.wrapping_mul(1_000_003).wrapping_add(share as u64);
            let mut before = (0, 0);
            let tally = Hunt::new(sound, seed)?.go(
                part(settings.lines, share),
                part(settings.runs, share),
                |tally| {
                    progress.add(tally.lines - before.0, tally.runs - before.1);
                    before = (tally.lines, tally.runs);
                    false
                },
            )?;
            total.lock().map_err(|_| "a worker failed".to_owned())?.add(tally);
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(SHARES);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker failed".to_owned())?)
    })?;
    let total = total.into_inner().map_err(|_| "a worker failed".to_owned())?;
    println!("{total}; seed {}, {:.0?}", settings.seed, start.elapsed());
    Ok(total.is_clean())
}

/// What one share does of a total.
fn part(total: usize, share: usize) -> usize {
    total / SHARES + usize::from(share < total % SHARES)
}

/// How far all shares are.
struct Progress<'a> {
    lines: AtomicUsize,
    runs: AtomicUsize,
    settings: &'a Settings,
}

impl Progress<'_> {
    fn add(&self, lines: usize, runs: usize) {
        let before = self.lines.fetch_add(lines, Ordering::Relaxed);
        let runs = self.runs.fetch_add(runs, Ordering::Relaxed) + runs;
        let step = (self.settings.lines / REPORTS).max(1);
        if self.settings.progress && before / step != (before + lines) / step {
            println!("progress {} {runs}", before + lines);
        }
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

    /// Judges lines and runs accepted ones. `watch` sees the tally after each
    /// line, and ends the hunt where it says so.
    fn go(
        &mut self,
        lines: usize,
        runs: usize,
        mut watch: impl FnMut(&Tally) -> bool,
    ) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let mut seen = HashSet::new();
        while tally.lines < lines && !watch(&tally) {
            let line = self.generator.line();
            let (policy, forbidden) = &self.rules[tally.lines % self.rules.len()];
            tally.lines += 1;
            let verdict = (self.judge)(policy, &line, &self.view);
            let argv = check(Some(policy), Mode::Argv, &line, &self.view);
            if [&verdict, &argv].into_iter().any(failed) {
                tally.faults.push(format!("{line:?}: the checker failed"));
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
            let mut results = Vec::new();
            for shell in SHELLS {
                results.push(self.runner.run(shell, &line)?);
            }
            // What one shell left behind is no difference between the two.
            if oracle::disagreement(&line, &results).is_some() {
                for result in &mut results {
                    self.arena.fill_jail().map_err(|error| error.to_string())?;
                    *result = self.runner.run(result.0, &line)?;
                }
            }
            tally.started += results.iter().map(|(_, run)| run.started.len()).sum::<usize>();
            note(&mut tally, &line, &verdict, *forbidden, &results);
        }
        watch(&tally);
        Ok(tally)
    }
}

/// Whether the checker itself broke on the line, which it reports as a refusal.
fn failed(verdict: &Verdict) -> bool {
    verdict.refusal.as_ref().is_some_and(|refusal| refusal.message == "the checker failed on this line")
}

fn note(tally: &mut Tally, line: &str, verdict: &Verdict, forbidden: Forbidden, results: &[(&str, Run)]) {
    match oracle::judge(verdict, forbidden, results) {
        Some(Finding::Hole(text)) => {
            tally.holes.push(format!("{line:?}: {text}; reported {:?}", verdict.commands));
        }
        Some(Finding::Fault(text)) => tally.faults.push(format!("{line:?}: {text}")),
        None => {
            let difference = oracle::disagreement(line, results);
            tally.differences.extend(difference.map(|text| format!("{line:?}: {text}")));
        }
    }
}
