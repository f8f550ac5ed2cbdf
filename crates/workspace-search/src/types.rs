//! Types of files by name, as ripgrep knows them.

use std::sync::Arc;

use ignore::types::{FileTypeDef, Types, TypesBuilder};
use workspace_core::{Error, ErrorKind, Result};

/// How many names a refusal proposes.
const MAX_PROPOSALS: usize = 3;
/// What languages are called that are known by another name.
const COMMON_NAMES: [(&str, &str); 4] =
    [("c++", "cpp"), ("javascript", "js"), ("shell", "sh"), ("text", "txt")];

/// Which types of files are sought: `rust` for `*.rs`, `py` for `*.py` and `*.pyi`, ….
///
/// The names are those of `rg --type`, with the globs that the `ignore` crate
/// has for them. `!name` leaves a type out; `all` is every file of a known type.
/// A file needs to be of one of the types and of none that is left out.
/// Without names files of any type are sought.
///
/// # Examples
/// ```
/// use workspace_search::FileTypes;
///
/// let types = FileTypes::new(&["rust".into(), "toml".into()])?;
/// assert!(types.accept("main.rs") && types.accept("Cargo.toml") && !types.accept("README"));
/// assert!(FileTypes::new(&["rusty".into()]).is_err());
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct FileTypes(Option<Arc<Types>>);

impl FileTypes {
    /// The types of these names.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a name that is no type's, with names like it.
    pub fn new(names: &[String]) -> Result<Self> {
        if names.is_empty() {
            return Ok(Self::default());
        }
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        let known = builder.definitions();
        for name in names {
            match name.strip_prefix('!') {
                Some(name) => builder.negate(name),
                None => builder.select(name),
            };
            let bare = name.trim_start_matches('!');
            if bare != "all" && known.iter().all(|known| known.name() != bare) {
                return Err(unknown(bare, &known));
            }
        }
        let types = builder.build().map_err(|error| {
            Error::new(ErrorKind::InvalidInput, "the file types cannot be read").because(error)
        })?;
        Ok(Self(Some(Arc::new(types))))
    }

    /// Whether a file of this name is of the types that are sought.
    pub fn accept(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|types| !types.matched(name, false).is_ignore())
    }
}

fn unknown(name: &str, known: &[FileTypeDef]) -> Error {
    let lower = name.to_lowercase();
    let extension = format!("*.{lower}");
    let called = COMMON_NAMES.iter().find(|(common, _)| *common == lower).map(|(_, known)| *known);
    let by_extension = known.iter().filter(|known| known.globs().contains(&extension));
    let by_name = known.iter().filter(|known| {
        known.name().starts_with(&lower) || (known.name().len() > 1 && lower.starts_with(known.name()))
    });
    let mut proposals: Vec<&str> = match called {
        Some(called) => vec![called],
        None if lower.is_empty() => Vec::new(),
        None => by_extension.chain(by_name).map(FileTypeDef::name).collect(),
    };
    proposals.truncate(MAX_PROPOSALS);
    let hint = if proposals.is_empty() {
        "name a type as ripgrep does, for instance `rust`, `py` or `ts`, or use `glob`".to_owned()
    } else {
        format!("did you mean `{}`? `glob` selects files by name too", proposals.join("` or `"))
    };
    Error::new(ErrorKind::InvalidInput, format!("there is no file type `{name}`")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], accepted: &[&str], refused: &[&str]) {
        let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
        let types = FileTypes::new(&names).unwrap();
        for name in accepted {
            assert!(types.accept(name), "{name}");
        }
        for name in refused {
            assert!(!types.accept(name), "{name}");
        }
    }

    #[test]
    fn a_file_is_of_one_of_the_types_and_of_none_left_out() {
        check(&[], &["a", "b.rs"], &[]);
        check(&["rust"], &["a.rs", ".rs"], &["a.rsx", "a.py", "rs"]);
        check(&["rust", "make"], &["a.rs", "Makefile"], &["a.py"]);
        check(&["!rust"], &["a.py", "x"], &["a.rs"]);
        check(&["py", "!py"], &[], &["a.py"]);
        check(&["all"], &["a.rs", "Makefile"], &["nothing.known.zzz"]);
    }

    #[track_caller]
    fn check_unknown(name: &str, hint: &str) {
        let error = FileTypes::new(&[name.into()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(error.message(), format!("there is no file type `{}`", name.trim_start_matches('!')));
        assert_eq!(error.next_step(), Some(hint));
    }

    #[test]
    fn a_name_that_is_no_type_is_told_with_those_like_it() {
        check_unknown("rs", "did you mean `rust` or `rst`? `glob` selects files by name too");
        check_unknown("golang", "did you mean `go`? `glob` selects files by name too");
        check_unknown("javascript", "did you mean `js`? `glob` selects files by name too");
        check_unknown("!rusty", "did you mean `rust`? `glob` selects files by name too");
        check_unknown("", "name a type as ripgrep does, for instance `rust`, `py` or `ts`, or use `glob`");
        check_unknown("§", "name a type as ripgrep does, for instance `rust`, `py` or `ts`, or use `glob`");
    }
}
