//! A path followed the way the system follows it: one component after the other.

use super::Place;
use crate::steps::step;

/// A path text on its way to a place.
///
/// `..` means the parent of what the link before it points to, not the
/// component before it in the text. So the text up to a `..` is asked for
/// first, and the walk goes on from the answer.
#[derive(Debug, Clone)]
pub(crate) struct Trail {
    /// Folded so far; what is asked for next.
    reached: String,
    /// Components not yet taken, in reverse order.
    rest: Vec<String>,
}

/// What a trail needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// The place of this folded path.
    Ask(String),
    /// Nothing: this is where it leads.
    Arrived(Place),
}

impl Trail {
    pub(crate) fn new(path: &str) -> Self {
        // Most paths climb nowhere: they are one question.
        if !path.is_empty()
            && path
                .split('/')
                .enumerate()
                .all(|(at, name)| !matches!(name, "." | "..") && (at == 0 || !name.is_empty()))
        {
            return Self { reached: path.to_owned(), rest: Vec::new() };
        }
        let reached = if path.starts_with('/') { "/".to_owned() } else { String::new() };
        let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
        Self { reached, rest: names.rev().map(str::to_owned).collect() }
    }

    /// Follows the path as far as the answers go.
    pub(crate) fn follow(mut self, answer: impl Fn(&str) -> Option<Place>) -> Next {
        loop {
            step(1);
            match self.rest.pop() {
                Some(name) if name == ".." => {
                    // The parent of the start is outside, and needs no question.
                    if self.reached.is_empty() {
                        return Next::Arrived(Place::Outside);
                    }
                    match answer(&self.reached) {
                        None => return Next::Ask(self.reached),
                        Some(Place::Outside) => return Next::Arrived(Place::Outside),
                        Some(Place::Inside(at)) => match parent(&at) {
                            None => return Next::Arrived(Place::Outside),
                            Some(parent) => parent.clone_into(&mut self.reached),
                        },
                    }
                }
                Some(name) => {
                    if !self.reached.is_empty() && !self.reached.ends_with('/') {
                        self.reached.push('/');
                    }
                    self.reached.push_str(&name);
                }
                None => {
                    return match answer(&self.reached) {
                        None => Next::Ask(self.reached),
                        Some(place) => Next::Arrived(place),
                    };
                }
            }
        }
    }
}

/// The parent of a path inside; the root has none.
fn parent(path: &str) -> Option<&str> {
    if path.is_empty() {
        return None;
    }
    Some(path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

#[cfg(test)]
mod tests {
    use super::{Next, Trail};
    use crate::Place;

    #[allow(clippy::unnecessary_wraps)] // It has the shape of a view that may not know.
    fn link_in(path: &str) -> Option<Place> {
        Some(match path {
            "link" => Place::Inside("src/sub".to_owned()),
            "out" => Place::Outside,
            "/jail/src" => Place::Inside("src".to_owned()),
            path if path.starts_with('/') => Place::Outside,
            path => Place::Inside(path.to_owned()),
        })
    }

    #[track_caller]
    fn check(path: &str, place: Place) {
        assert_eq!(Trail::new(path).follow(link_in), Next::Arrived(place), "{path}");
    }

    #[test]
    fn two_dots_leave_the_target_of_a_link() {
        check("link/../x", Place::Inside("src/x".to_owned()));
        check("src/../x", Place::Inside("x".to_owned()));
        check("src/../..", Place::Outside);
        check("..", Place::Outside);
        check("out/../x", Place::Outside);
        check("/jail/src/../x", Place::Inside("x".to_owned()));
        check("/etc/passwd", Place::Outside);
    }

    #[test]
    fn asks_for_what_it_needs_next() {
        assert_eq!(Trail::new("a/./b/../c").follow(|_| None), Next::Ask("a/b".to_owned()));
    }
}
