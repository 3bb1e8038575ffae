//! `jobs.toml` on disk: read, and replaced as a whole with the same owner and permissions, by one process at a time.

use std::fs::TryLockError;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use crate::files::{Protected, Replacement};
use crate::web::Diagnostic;

/// How long a change waits for another process to finish, and how often it tries.
const LOCKED: Duration = Duration::from_secs(5);
const LOCK_AGAIN: Duration = Duration::from_millis(20);
const OF_ANOTHER: &str = "it belongs to another user or group";
/// Larger files are rejected.
const LARGEST: u64 = 8 * 1024 * 1024;

pub(super) fn unwritable(error: &io::Error) -> Diagnostic {
    let hint = match error.kind() {
        io::ErrorKind::ResourceBusy if error.raw_os_error().is_none() => "save again in a moment; it was not changed",
        // The system cannot replace a mount point.
        io::ErrorKind::ResourceBusy => {
            "is the file mounted by itself, as in a container? mount its folder instead; it was not changed"
        }
        _ => "may this user write the file and its folder? it was not changed",
    };
    Diagnostic::without_line(format!("the file cannot be written: {error}"), hint)
}

pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 8 MiB"));
    }
    Ok(bytes)
}

pub(super) fn fingerprint(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Checks whether the file can be replaced, as far as possible without writing.
pub(super) fn writable(path: &Path) -> io::Result<()> {
    let metadata = not_read_only(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let folder = path.parent().unwrap_or(Path::new("."));
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)?;
        let user = rustix::process::geteuid();
        if !user.is_root() && (user.as_raw() != metadata.uid() || !gets_group(folder, metadata.gid())?) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, OF_ANOTHER));
        }
    }
    Ok(())
}

/// Returns the file's metadata, or an error if the file is read-only.
fn not_read_only(path: &Path) -> io::Result<std::fs::Metadata> {
    let metadata = std::fs::metadata(path)?;
    if metadata.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    Ok(metadata)
}

/// Whether a new file in the folder has this group or can be given it.
#[cfg(unix)]
fn gets_group(folder: &Path, group: u32) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    const SET_GROUP: u32 = 0o2000;
    let of_folder = std::fs::metadata(folder)?;
    let inherited = of_folder.mode() & SET_GROUP != 0 && of_folder.gid() == group;
    let own = || rustix::process::getgroups().is_ok_and(|all| all.iter().any(|one| one.as_raw() == group));
    Ok(inherited || rustix::process::getegid().as_raw() == group || own())
}

/// Locks the folder until the returned file is dropped. Otherwise, if two processes saved at once, the later one would
/// overwrite the other. A folder that cannot be locked, as on some network file systems, stays unlocked.
pub(in crate::cli) fn lock_folder(path: &Path) -> io::Result<Option<std::fs::File>> {
    let Ok(folder) = std::fs::File::open(path.parent().unwrap_or(Path::new("."))) else { return Ok(None) };
    let started = std::time::Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCKED => {
                crate::failpoint::at("editor/waits");
                // Saving runs on a thread that may block.
                std::thread::park_timeout(LOCK_AGAIN);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process is changing it"));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Creates a file that can replace the one at a path, with the same owner and permissions.
pub(in crate::cli) fn create_replacement(path: &Path) -> io::Result<Replacement> {
    let metadata = not_read_only(path)?;
    let new = Replacement::create(path, &Protected::databases())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let new_metadata = std::fs::metadata(new.path())?;
        if (new_metadata.uid(), new_metadata.gid()) != (metadata.uid(), metadata.gid()) {
            std::os::unix::fs::chown(new.path(), Some(metadata.uid()), Some(metadata.gid()))
                .map_err(|error| io::Error::new(error.kind(), OF_ANOTHER))?;
        }
    }
    std::fs::set_permissions(new.path(), metadata.permissions())?;
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_jobs_toml_that_is_a_mount_point_cannot_be_replaced() {
        // EBUSY
        let mounted = unwritable(&io::Error::from_raw_os_error(16));
        assert!(mounted.hint.contains("mount its folder"), "{}", mounted.hint);
        let locked = unwritable(&io::Error::new(io::ErrorKind::ResourceBusy, "another process is changing it"));
        assert!(locked.hint.contains("save again in a moment"), "{}", locked.hint);
    }
}
