//! Programs whose operands have a grammar of their own.

use super::Touch;
use crate::jail::join;
use crate::judge::{awk, sed};
use crate::syntax::Arg;
use crate::tables::operands::{FIND_READS, FIND_WRITES, TEST_BETWEEN, TEST_PATHS};

/// Names of the standard streams, which are no files of the disk.
const STREAMS: &[&str] = &["-", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/null"];

pub(super) const LISTED: &str = "the files are named in another file";
pub(super) const LEAVES: &str = "it takes names that lead out of the workspace as they are";
pub(super) const FOLLOWS: &str = "it follows links, which may lead out of the workspace";

/// Where `find` starts, and the files that its tests and actions name.
pub(super) fn find(args: &[Arg]) -> Vec<Touch<'_>> {
    let mut touches = Vec::new();
    let mut starts = true;
    let mut words = args.iter();
    while let Some(arg) = words.next() {
        let prefix = arg.prefix();
        if starts && !prefix.starts_with(['-', '(', '!']) {
            touches.push(Touch::word(arg, false));
            continue;
        }
        if matches!(prefix, "-L" | "-H" | "-follow") {
            touches.push(Touch::unseen(FOLLOWS, &arg.span, false));
            continue;
        }
        starts &= matches!(prefix, "-P" | "-D") || prefix.starts_with("-O");
        let writes = FIND_WRITES.contains(&prefix);
        let newer = prefix.starts_with("-newer") && !prefix.ends_with('t');
        if prefix == "-files0-from" {
            touches.push(Touch::unseen(LISTED, &arg.span, false));
        }
        if writes || newer || FIND_READS.contains(&prefix) {
            touches.extend(words.next().map(|file| Touch::word(file, writes)));
        } else if prefix == "-delete" {
            touches.push(Touch::path(".", &arg.span, true));
        }
    }
    touches
}

/// The files that a condition of `test` looks at.
pub(super) fn condition(args: &[Arg]) -> Vec<Touch<'_>> {
    let is_one_of = |arg: &Arg, operators: &[&str]| arg.text().is_some_and(|word| operators.contains(&word));
    let mut touches = Vec::new();
    for pair in args.windows(2) {
        let [left, right] = pair else { continue };
        if is_one_of(left, TEST_PATHS) && !right.is("]") || is_one_of(left, TEST_BETWEEN) {
            touches.push(Touch::word(right, false));
        }
        if is_one_of(right, TEST_BETWEEN) {
            touches.push(Touch::word(left, false));
        }
    }
    touches
}

/// `if=` and `of=` of `dd`.
pub(super) fn assignments(args: &[Arg]) -> Vec<Touch<'_>> {
    let mut touches = Vec::new();
    for arg in args {
        match (arg.text(), arg.prefix().split_once('=')) {
            (Some(_), Some((name @ ("if" | "of"), path))) => {
                touches.push(Touch::path(path, &arg.span, name == "of"));
            }
            (Some(_), _) => {}
            (None, Some((name, _))) if !matches!(name, "if" | "of") => {}
            (None, _) => touches.push(Touch::word(arg, true)),
        }
    }
    touches
}

/// The files that scripts of sed read and write.
pub(super) fn sed<'a>(args: &'a [Arg], touches: &mut Vec<Touch<'a>>) {
    let span = args.first().map_or(0..0, |arg| arg.span.clone());
    match sed::doings_of(args) {
        Err(arg) => {
            touches.push(Touch::unseen("the script is known only when the line runs", &arg.span, true));
        }
        Ok(doings) => {
            let files = doings.files.into_iter().filter(|(name, _)| !STREAMS.contains(&name.as_str()));
            touches.extend(files.map(|(name, writes)| Touch::path(name, &span, writes)));
        }
    }
}

/// The files that programs of awk read and write.
pub(super) fn awk<'a>(args: &'a [Arg], touches: &mut Vec<Touch<'a>>) {
    let span = args.first().map_or(0..0, |arg| arg.span.clone());
    let programs = match awk::doings_of(args) {
        Ok(programs) => programs,
        Err(arg) => {
            touches.push(Touch::unseen("the program is known only when the line runs", &arg.span, true));
            return;
        }
    };
    for doings in programs {
        if doings.arguments {
            touches.push(Touch::unseen("the program changes which files it reads", &span, false));
        }
        for (name, writes) in doings.files {
            match name {
                Some(name) if STREAMS.contains(&name.as_str()) => {}
                Some(name) => touches.push(Touch::path(name, &span, writes)),
                None => touches.push(Touch::unseen("the program makes up the name of a file", &span, writes)),
            }
        }
    }
}

/// The target of a symbolic link counts from the directory that holds the link.
pub(super) fn link_targets<'a>(args: &'a [Arg], touches: &mut Vec<Touch<'a>>) {
    let operands: Vec<&Arg> = args.iter().skip(1).filter(|arg| !arg.prefix().starts_with('-')).collect();
    let Some((last, targets)) = operands.split_last() else { return };
    let Some(link) = last.text() else { return };
    let directory = link.trim_end_matches('/').rsplit_once('/').map_or("", |(directory, _)| directory);
    for target in targets.iter().filter_map(|target| target.text()) {
        for base in [directory, link] {
            touches.push(Touch::path(join(base, target), &last.span, true));
        }
    }
}

/// Where `gh repo clone` puts the repository.
pub(super) fn cloned<'a>(args: &'a [Arg], touches: &mut Vec<Touch<'a>>) {
    let mut operands =
        args.iter().take_while(|arg| !arg.is("--")).filter(|arg| !arg.prefix().starts_with('-'));
    if operands.next().is_some_and(|arg| arg.is("repo")) && operands.next().is_some_and(|arg| arg.is("clone"))
    {
        touches.extend(operands.nth(1).map(|target| Touch::word(target, true)));
    }
}
