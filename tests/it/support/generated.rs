//! Pages that tests write anew (`UPDATE_DOCS=1`). Replaced whole: another test may be reading the page. What is compared with them
//! is the tests' own.

use std::io::Write as _;
use std::path::Path;

/// Puts a text in a page's place.
pub fn replace(page: &Path, text: &str) {
    let mut aside = tempfile::NamedTempFile::new_in(page.parent().unwrap()).unwrap();
    aside.write_all(text.as_bytes()).unwrap();
    std::fs::set_permissions(aside.path(), std::fs::metadata(page).unwrap().permissions()).unwrap();
    aside.persist(page).unwrap();
}
