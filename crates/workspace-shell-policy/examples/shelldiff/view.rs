//! The jail of the throwaway root, as the checker sees it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use workspace_shell_policy::{JailView, Place};

/// Follows links by their text, since the root is not that of this process.
pub(crate) struct ArenaView {
    root: PathBuf,
}

impl ArenaView {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The path in the throwaway root without any link; `None` for a loop or a dangling link.
    fn follow(&self, path: &str) -> Option<Vec<String>> {
        let mut reached: Vec<String> = Vec::new();
        let mut rest: VecDeque<String> = path.split('/').map(str::to_owned).collect();
        let mut links = 0;
        let mut through_link = false;
        while let Some(name) = rest.pop_front() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    reached.pop();
                    continue;
                }
                _ => reached.push(name),
            }
            let here = self.root.join(reached.join("/"));
            match here.symlink_metadata() {
                Err(_) if through_link => return None,
                Err(_) => {
                    reached.extend(rest.drain(..).filter(|name| !matches!(name.as_str(), "" | ".")));
                }
                Ok(found) if found.is_symlink() => {
                    links += 1;
                    if links > 40 {
                        return None;
                    }
                    let target = here.read_link().ok()?;
                    let target = target.to_str()?;
                    reached.pop();
                    if target.starts_with('/') {
                        reached.clear();
                    }
                    let ends = rest.is_empty();
                    for part in target.split('/').rev() {
                        rest.push_front(part.to_owned());
                    }
                    through_link = ends;
                }
                Ok(_) => {}
            }
        }
        Some(reached)
    }
}

impl JailView for ArenaView {
    fn resolve(&self, path: &str) -> Place {
        let absolute = if path.starts_with('/') { path.to_owned() } else { format!("jail/{path}") };
        match self.follow(&absolute) {
            Some(names) if names.first().is_some_and(|name| name == "jail") => {
                Place::Inside(names[1..].join("/"))
            }
            _ => Place::Outside,
        }
    }
}
