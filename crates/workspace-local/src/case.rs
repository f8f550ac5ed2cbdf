//! Whether names that differ in case alone are one file.

use std::os::fd::BorrowedFd;

use workspace_core::FileKind;

use crate::attributes::{self, Identity, Raw};
use crate::files::first_names;
use crate::place::look_at;

/// How many entries are asked, until one can tell.
const ASKED: usize = 64;

/// Asks a directory by its entries: does one answer to its name in the other case?
///
/// One that holds no entry to ask, such as an empty one, is taken for what is
/// usual on the system. Nothing is written.
pub(crate) fn ignores_case(dir: BorrowedFd<'_>) -> bool {
    let answers = first_names(dir, ASKED).into_iter().filter_map(|name| {
        let other = other_case(&name)?;
        answer(&look_at(dir, &name).ok()??, look_at(dir, &other).ok()?.as_ref())
    });
    answers.into_iter().next().unwrap_or(cfg!(target_vendor = "apple"))
}

/// The name with its ASCII letters in the other case, where it has any.
fn other_case(name: &str) -> Option<String> {
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let other: String = name.chars().map(swap).collect();
    (other != name).then_some(other)
}

/// What the two looks tell; `None` where the one file may have both names.
fn answer(own: &Raw, other: Option<&Raw>) -> Option<bool> {
    let Some(other) = other else { return Some(false) };
    if Identity::of(own) != Identity::of(other) {
        return Some(false);
    }
    let has_one_name = attributes::kind(own) == FileKind::Dir || own.st_nlink == 1;
    has_one_name.then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn an_entry_tells_by_its_name_in_the_other_case() {
        let root = tempfile::tempdir().unwrap();
        let dir = std::fs::File::open(root.path()).unwrap();
        let put = |name: &str| {
            std::fs::write(root.path().join(name), "x").unwrap();
            look_at(&dir, name).unwrap().unwrap()
        };
        let (a, b) = (put("a"), put("b"));
        assert_eq!(answer(&a, None), Some(false));
        assert_eq!(answer(&a, Some(&b)), Some(false));
        assert_eq!(answer(&a, Some(&a)), Some(true));
        // Two names of one file look the same as one name in two spellings.
        std::fs::hard_link(root.path().join("a"), root.path().join("A")).unwrap();
        let twin = look_at(&dir, "A").unwrap().unwrap();
        assert_eq!(answer(&twin, Some(&twin)), None);
        assert_eq!(ignores_case(dir.as_fd()), other_case_is_the_same(root.path()));
    }

    fn other_case_is_the_same(root: &std::path::Path) -> bool {
        root.join("B").exists()
    }

    #[test]
    fn only_letters_have_another_case() {
        assert_eq!(other_case("aB-1").as_deref(), Some("Ab-1"));
        assert_eq!(other_case("123"), None);
    }
}
