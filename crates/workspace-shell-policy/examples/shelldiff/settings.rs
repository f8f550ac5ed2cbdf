//! What a hunt is told on its command line.

/// How long a hunt goes on, and what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// How many lines are judged.
    pub(crate) lines: usize,
    /// How many accepted ones are run in each shell.
    pub(crate) runs: usize,
    pub(crate) seed: u64,
    /// Only prove that planted faults are found.
    pub(crate) prove_only: bool,
    /// Say on standard output how far the hunt is.
    pub(crate) progress: bool,
}

impl Settings {
    pub(crate) fn from_args(args: &[String]) -> Result<Self, String> {
        let mut settings =
            Self { lines: 1_000_000, runs: 50_000, seed: 1, prove_only: false, progress: false };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--lines" => settings.lines = number(arg, args.next())?,
                "--run" => settings.runs = number(arg, args.next())?,
                "--seed" => settings.seed = number(arg, args.next())?,
                "--prove" => settings.prove_only = true,
                "--progress" => settings.progress = true,
                other => {
                    return Err(format!(
                        "`{other}` is no option; use --lines N, --run M, --seed S, --prove, --progress"
                    ));
                }
            }
        }
        Ok(settings)
    }
}

fn number<T: std::str::FromStr<Err = std::num::ParseIntError>>(
    option: &str,
    value: Option<&String>,
) -> Result<T, String> {
    let value = value.ok_or_else(|| format!("`{option}` needs a number"))?;
    value.parse().map_err(|error| format!("`{option} {value}`: {error}"))
}
