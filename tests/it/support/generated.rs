//! Replaces generated documentation pages (`UPDATE_DOCS=1`). Each page is replaced atomically: another test may be
//! reading it. The tests themselves compare pages with the generated text.

use std::io::Write as _;
use std::path::Path;

/// Replaces the text of a page.
pub fn replace(page: &Path, text: &str) {
    let mut aside = tempfile::NamedTempFile::new_in(page.parent().unwrap()).unwrap();
    aside.write_all(text.as_bytes()).unwrap();
    std::fs::set_permissions(aside.path(), std::fs::metadata(page).unwrap().permissions()).unwrap();
    aside.persist(page).unwrap();
}

/// Compares a table with the one between its marks in a page, or writes it there.
pub fn check_table(path: &str, mark: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let page = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->"));
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("{begin} is not in {}", path.display()));
    let (old, after) = rest.split_once(&end).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        replace(&path, &format!("{before}{begin}{table}{end}{after}"));
    } else {
        assert!(old == table, "{} is old: UPDATE_DOCS=1 writes it anew\n{table}", path.display());
    }
}
