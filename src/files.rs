//! Replacing a file as a whole: readers see the old one or the new one, never a part. Not for databases, which keep
//! their own files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file being written beside the one it will replace. Dropped without [`Replacement::commit`], it disappears and the
/// old file stays as it was.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
}

impl Replacement {
    /// Begins a replacement of `target`, in the same folder so that the last step is one rename. A symbolic link at
    /// `target` is replaced itself, never followed.
    pub fn create(target: &Path) -> io::Result<Self> {
        if target.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
        }
        // A rename over /dev/null would take it from everybody on the machine.
        let special = target.metadata().is_ok_and(|there| !there.is_file());
        if special || is_systems(target) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file; write to stdout instead"));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        // The temporary file is created readable by its owner only (0600) and stays so: findings are nobody else's.
        let file = tempfile::Builder::new().prefix(".topicwatch-").suffix(".part").tempfile_in(&folder)?;
        Ok(Self { target: target.to_owned(), folder, file })
    }

    /// The file that is being written, for whoever writes it by its name.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Makes the content durable and puts it in place.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.as_file().sync_all()?;
        self.file.persist(&self.target).map_err(|e| e.error)?;
        // The rename itself is durable once the folder is.
        #[cfg(unix)]
        std::fs::File::open(&self.folder)?.sync_all()?;
        Ok(())
    }
}

/// Whether the folder is one whose entries are no files of anybody's, whatever they point at (/dev/stdout).
fn is_systems(target: &Path) -> bool {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    folder
        .is_some_and(|folder| folder.starts_with("/proc") || folder.starts_with("/sys") || folder == Path::new("/dev"))
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        std::fs::write(&target, "old").unwrap();
        let mut abandoned = Replacement::create(&target).unwrap();
        abandoned.write_all(b"half").unwrap();
        drop(abandoned);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "old");
        let mut new = Replacement::create(&target).unwrap();
        new.write_all(b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "old");
        new.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_never_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        for target in ["/dev/null", "/dev/stdout", "/dev/new"] {
            assert!(Replacement::create(Path::new(target)).is_err(), "{target}");
        }
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        assert!(Replacement::create(&link).is_err());
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_planted_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        let target = folder.path().join("out.csv");
        std::os::unix::fs::symlink(&victim, &target).unwrap();
        let mut new = Replacement::create(&target).unwrap();
        new.write_all(b"new").unwrap();
        new.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!std::fs::symlink_metadata(&target).unwrap().is_symlink());
    }
}
