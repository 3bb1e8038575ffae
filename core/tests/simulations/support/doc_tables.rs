//! Tables of measured figures in the docs. A test compares its table with the page, or writes it there (`UPDATE_DOCS=1`).

use std::path::Path;

use super::replaced_page::replace;

/// Compares a table with the one between its marks in a page, or writes it there. The path of the page starts at the root of
/// the repository.
pub fn check_table(path: &str, mark: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let page = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->"));
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("{begin} is not in {}", path.display()));
    let (old, after) = rest.split_once(&end).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        replace(&path, &format!("{before}{begin}{table}{end}{after}"));
    } else {
        assert!(old == table, "{} is old: UPDATE_DOCS=1 rewrites it\n{table}", path.display());
    }
}
