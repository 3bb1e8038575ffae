//! Replaces generated pages of the docs (`UPDATE_DOCS=1`). Each page is replaced atomically: another test may be reading it.
//! The tests of both crates use this file.

use std::io::Write as _;
use std::path::Path;

/// Replaces the text of a page.
pub fn replace(page: &Path, text: &str) {
    let mut aside = tempfile::NamedTempFile::new_in(page.parent().unwrap()).unwrap();
    aside.write_all(text.as_bytes()).unwrap();
    std::fs::set_permissions(aside.path(), std::fs::metadata(page).unwrap().permissions()).unwrap();
    aside.persist(page).unwrap();
}
