//! A small disk for cases that fill one.

use crate::support::program::Place;

pub fn database_file(place: &Place) -> String {
    place.database.url[7..].to_owned()
}

/// A small mounted disk, unmounted when dropped.
pub struct MountedDisk(String);

/// Mounts a disk of this size on a folder; prints a line where this is not permitted.
pub fn mount_disk(folder: &std::path::Path, size: &str) -> Option<MountedDisk> {
    let path = folder.to_str().unwrap().to_owned();
    let of = format!("size={size}");
    let mounted = std::process::Command::new("mount").args(["-t", "tmpfs", "-o", &of, "tmpfs", &path]).output();
    if !mounted.is_ok_and(|out| out.status.success()) {
        crate::support::server_choice::print_to_stderr(
            "SKIPPED: a full disk (may not mount a small one; a limit of the file's size is tested)",
        );
        return None;
    }
    Some(MountedDisk(path))
}

impl Drop for MountedDisk {
    fn drop(&mut self) {
        std::process::Command::new("umount").args(["-l", &self.0]).status().ok();
    }
}
