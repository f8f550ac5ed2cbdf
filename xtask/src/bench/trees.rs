//! The trees that are searched.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

const DIRECTORIES: usize = 2000;
const FILES_EACH: usize = 100;

/// What is told where the kernel's sources are missing.
pub(super) const NO_KERNEL: &str = "\
no `--kernel` is given, so the rows of the kernel's sources are left out. On Debian:
  apt-get install linux-source-6.1 && tar xf /usr/src/linux-source-6.1.tar.xz
  cd linux-source-6.1 && sed -i -e '/^\\/\\*$/d' -e '/^!\\/debian\\/$/d' .gitignore
The second line drops what Debian adds to the ignore rules, which hides every file.";

/// A tree of 200,000 small files in 2,000 directories: the one that is there, or a new one.
#[allow(clippy::disallowed_methods, reason = "a tree to be searched is laid on the disk")]
pub(super) fn small(at: &Path) -> Result<PathBuf, String> {
    let mark = at.join("whole");
    if mark.is_file() {
        return Ok(at.join("tree"));
    }
    let told = |error: std::io::Error| format!("`{}`: {error}", at.display());
    let bar = ProgressBar::new(DIRECTORIES as u64);
    for directory in 0..DIRECTORIES {
        let dir = at.join(format!("tree/{:02}/{:02}", directory / 100, directory % 100));
        std::fs::create_dir_all(&dir).map_err(told)?;
        for file in 0..FILES_EACH {
            let number = directory * FILES_EACH + file;
            let extension = if file % 4 == 0 { "c" } else { "txt" };
            std::fs::write(dir.join(format!("file{file:03}.{extension}")), text(number)).map_err(told)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    std::fs::write(mark, "").map_err(told)?;
    Ok(at.join("tree"))
}

/// Some lines; one file in 10,000 has a rare word in them, one in 20 a common one.
fn text(number: usize) -> String {
    let mut text = String::new();
    for line in 0..8 + number % 16 {
        // Writing to a string does not fail.
        let _ = writeln!(text, "line {line} of file {number}: the quick brown fox jumps over it");
    }
    if number.is_multiple_of(10_000) {
        text.push_str("a rare_needle\n");
    }
    if number.is_multiple_of(20) {
        text.push_str("a Common_word(argument) of many\n");
    }
    text
}
