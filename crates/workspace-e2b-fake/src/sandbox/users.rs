//! Users and groups of a sandbox, by its own `/etc/passwd` and `/etc/group`.

use super::view::View;

/// A user that files are made and processes run as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) home: String,
}

/// The user of calls that name none.
pub(crate) const DEFAULT_USER: &str = "user";

impl User {
    pub(crate) fn root() -> Self {
        Self { name: "root".into(), uid: 0, gid: 0, home: "/root".into() }
    }

    /// The user of that name.
    pub(crate) fn named(view: &View, name: &str) -> Option<Self> {
        let passwd = view.text("/etc/passwd");
        passwd.lines().find_map(|line| {
            let fields: Vec<_> = line.split(':').collect();
            let [own, _, uid, gid, _, home, ..] = fields.as_slice() else { return None };
            if *own != name {
                return None;
            }
            let (uid, gid) = (uid.parse().ok()?, gid.parse().ok()?);
            Some(Self { name: name.into(), uid, gid, home: (*home).into() })
        })
    }
}

/// Names of owners: read once for a whole listing.
pub(crate) struct Names {
    passwd: String,
    group: String,
}

impl Names {
    pub(crate) fn of(view: &View) -> Self {
        Self { passwd: view.text("/etc/passwd"), group: view.text("/etc/group") }
    }

    /// The name of a user, or the number where it has none.
    pub(crate) fn user(&self, uid: u32) -> String {
        name(&self.passwd, uid)
    }

    /// The name of a group, or the number where it has none.
    pub(crate) fn group(&self, gid: u32) -> String {
        name(&self.group, gid)
    }
}

fn name(table: &str, id: u32) -> String {
    let id = id.to_string();
    let named = table.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == id).then(|| name.to_owned())
    });
    named.unwrap_or(id)
}
