//! Tests what happens to an open database file, and how it is reported.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
use std::fs;

use super::*;

fn database(counter: u8) -> Vec<u8> {
    let mut head = b"SQLite format 3\0\x10\0\x02\x02\0\x40\x20\x20\0\0\0\0".to_vec();
    head[27] = counter;
    head.resize(4096, 0);
    head
}

#[test]
fn an_overwritten_file_is_still_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    fs::write(&path, database(1)).unwrap();
    let place = OpenFile::of(&path);
    place.watch_closely();
    place.check_whole().unwrap();
    // As if by a checkpoint, and as if SQLite itself removed its log and made a new one.
    fs::write(&path, database(2)).unwrap();
    fs::write(folder.path().join("t.db-wal"), "log").unwrap();
    place.check_whole().unwrap();
    fs::remove_file(folder.path().join("t.db-wal")).unwrap();
    place.check_whole().unwrap();
}

#[test]
fn a_missing_or_replaced_file_is_reported_with_what_happened() {
    type Fate = fn(&Path, &Path);
    let fates: [(&str, Fate); 7] = [
        ("was deleted or moved away", |path, _| fs::remove_file(path).unwrap()),
        ("was deleted or moved away", |path, other| fs::rename(path, other.with_extension("old")).unwrap()),
        ("was replaced by another file", |path, other| fs::rename(other, path).unwrap()),
        ("was replaced by another file", |path, other| {
            fs::remove_file(path).unwrap();
            std::os::unix::fs::symlink(other, path).unwrap();
        }),
        ("was overwritten", |path, _| fs::write(path, database(6)).unwrap()),
        ("was overwritten", |path, _| {
            let mut backup = database(9);
            backup[18..20].fill(1);
            fs::write(path, backup).unwrap();
        }),
        ("was overwritten", |path, _| fs::write(path, "").unwrap()),
    ];
    for (how, fate) in fates {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("t.db"), folder.path().join("other.db"));
        fs::write(&path, database(7)).unwrap();
        fs::write(&other, database(7)).unwrap();
        let place = OpenFile::of(&path);
        place.watch_closely();
        place.check_whole().unwrap();
        fate(&path, &other);
        let error = place.check_whole().unwrap_err();
        assert!(error.text.contains(how) && error.kind == StoreErrorKind::Replaced, "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_wal_removed_while_open_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (path, log) = (folder.path().join("t.db"), folder.path().join("t.db-wal"));
    fs::write(&path, database(1)).unwrap();
    let open = fs::File::create(&log).unwrap();
    let place = OpenFile::of(&path);
    place.watch_closely();
    place.check_whole().unwrap();
    fs::remove_file(&log).unwrap();
    assert!(place.check_whole().unwrap_err().text.contains("-wal"));
    drop(open);
    assert!(place.check_whole().is_err(), "a lost file stays lost");

    // SQLite removes its log with its last connection, and the next file may get the same inode.
    let open = fs::File::create(&log).unwrap();
    let place = OpenFile::of(&path);
    place.check_whole().unwrap();
    drop(open);
    fs::remove_file(&log).unwrap();
    let _other = fs::File::create(folder.path().join("other")).unwrap();
    place.check_whole().unwrap();
}
