//! What a file keeps when its content is replaced, besides its mode.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::process::geteuid;

use crate::support::{Scene, skip, write};

#[tokio::test]
async fn r_write_2_the_owner_is_kept_where_that_may_be() {
    if !geteuid().is_root() {
        return skip("to give a file away takes root");
    }
    let scene = Scene::new();
    scene.put("a", "old");
    chown(scene.at("a"), Some(12), Some(34)).unwrap();
    fs::set_permissions(scene.at("a"), fs::Permissions::from_mode(0o640)).unwrap();
    write(&scene.open(), "a", "new").await.unwrap();
    let after = scene.at("a").metadata().unwrap();
    assert_eq!((after.uid(), after.gid(), after.mode() & 0o7777), (12, 34, 0o640));
    assert_eq!(scene.text("a"), "new");
}

#[tokio::test]
async fn r_write_2_extended_attributes_are_kept() {
    let scene = Scene::new();
    scene.put("a", "old");
    let value = vec![7_u8; 3000];
    for (name, value) in [("user.short", &b"x"[..]), ("user.long", &value)] {
        if setxattr(scene.at("a"), name, value, XattrFlags::empty()).is_err() {
            return skip("this file system keeps no extended attributes");
        }
    }
    write(&scene.open(), "a", "new").await.unwrap();
    for (name, expected) in [("user.short", &b"x"[..]), ("user.long", &value)] {
        let mut found = vec![0; 4000];
        let length = getxattr(scene.at("a"), name, &mut found[..]).unwrap();
        assert_eq!(&found[..length], expected, "{name}");
    }
    assert_eq!(scene.text("a"), "new");
}

/// An access list as Linux keeps it: version 2, then entries of tag, rights and user.
fn access_list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, user) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(user.to_le_bytes());
    }
    bytes
}

const NONE: u32 = u32::MAX;
const LIST: &str = "system.posix_acl_access";

#[tokio::test]
async fn r_write_2_an_access_list_is_kept_and_none_is_gained() {
    let scene = Scene::new();
    scene.put("dir/with", "old");
    scene.put("dir/without", "old");
    // The owner, user 12, the group, the mask, the others.
    let list = access_list(&[(1, 6, NONE), (2, 4, 12), (4, 4, NONE), (16, 4, NONE), (32, 0, NONE)]);
    if setxattr(scene.at("dir/with"), LIST, &list, XattrFlags::empty()).is_err() {
        return skip("this file system keeps no access lists");
    }
    fs::set_permissions(scene.at("dir/without"), fs::Permissions::from_mode(0o664)).unwrap();
    setxattr(scene.at("dir"), "system.posix_acl_default", &list, XattrFlags::empty()).unwrap();
    let files = scene.open();
    for name in ["dir/with", "dir/without", "dir/new"] {
        write(&files, name, "new").await.unwrap();
    }
    let found = |name: &str| {
        let mut found = [0; 200];
        let length = getxattr(scene.at(name), LIST, &mut found[..]);
        length.map(|length| found[..length].to_vec()).ok()
    };
    assert_eq!(found("dir/with"), Some(list));
    assert_eq!(found("dir/without"), None);
    assert_eq!(scene.at("dir/without").metadata().unwrap().mode() & 0o777, 0o664);
    // A new file gets what the directory gives to new files.
    assert!(found("dir/new").is_some());
}
