//! What is measured: one search of ours beside one of theirs.

/// A search, in the words of both programs.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) name: String,
    /// The words of `search_once` without the directory.
    pub(super) ours: Vec<String>,
    /// The words of the other program, which searches where it is started.
    pub(super) theirs: Vec<String>,
}

/// The words of the sought texts in one tree.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) rare: &'static str,
    pub(super) common: &'static str,
    pub(super) regex: &'static str,
    pub(super) any_case: &'static str,
    pub(super) counted: &'static str,
}

pub(super) const KERNEL: Texts = Texts {
    rare: "clocksource_mmio_init",
    common: "mutex_lock",
    regex: r"[a-z]+_init\(struct [a-z]+",
    any_case: "spinlock_irq",
    counted: "return",
};

pub(super) const SMALL: Texts = Texts {
    rare: "rare_needle",
    common: "Common_word",
    regex: r"[A-Z][a-z]+_word\([a-z]+",
    any_case: "common_WORD",
    counted: "fox",
};

/// Program and options of ripgrep, for the files that ours searches: dot files
/// are searched, `.git` is not, the rules of the tree hold and no others.
const RG: &str = "rg --no-config --color never --hidden --no-require-git --no-ignore-global --no-ignore-parent \
                  --glob !.git --glob !node_modules";

/// The searches of one tree. `fd` is the name of that program, where there is one.
pub(super) fn rows(tree: &str, texts: &Texts, threads: usize, fd: Option<&str>) -> Vec<Row> {
    let theirs = |more: &str, pattern: &str| {
        let mut words = split(RG);
        words.extend(split(&format!("--threads {threads} {more}")));
        words.extend([pattern.to_owned(), ".".to_owned()]);
        words
    };
    let grep = |name: &str, options: &str, rg_options: &str, pattern: &str| {
        let mut ours = split(&format!("grep {options}"));
        ours.push(pattern.to_owned());
        Row { name: format!("{tree}: {name}"), ours, theirs: theirs(rg_options, pattern) }
    };
    let lines = "--no-heading --line-number --column";
    let mut rows = vec![
        grep("rare literal", "--literal", &format!("{lines} --fixed-strings --regexp"), texts.rare),
        grep("common literal", "--literal", &format!("{lines} --fixed-strings --regexp"), texts.common),
        grep("regex", "", &format!("{lines} --regexp"), texts.regex),
        grep("any case", "--ignore-case", &format!("{lines} --ignore-case --regexp"), texts.any_case),
        grep("count of lines", "--literal --count", "--count --fixed-strings --regexp", texts.counted),
        grep(
            "rare literal, no ignore rules",
            "--literal --no-ignore",
            &format!("{lines} --no-ignore --fixed-strings --regexp"),
            texts.rare,
        ),
    ];
    let ours = split("glob **/*.c");
    let listing = split(&format!("{RG} --threads {threads} --files --glob **/*.c ."));
    rows.push(Row { name: format!("{tree}: glob `**/*.c`"), ours: ours.clone(), theirs: listing });
    if let Some(fd) = fd {
        let words = format!("{fd} --threads {threads} --hidden --type file --exclude .git --glob *.c .");
        rows.push(Row { name: format!("{tree}: glob `**/*.c`, fd"), ours, theirs: split(&words) });
        let all = split(&format!("{fd} --threads {threads} --hidden --no-ignore . ."));
        rows.push(Row { name: format!("{tree}: walk, fd"), ours: split("walk"), theirs: all });
    }
    rows
}

fn split(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}
