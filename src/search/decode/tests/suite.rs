//! The public JSON parsing test suite, when its files are there: what every parser must accept is accepted, what every
//! parser must refuse never becomes an item, and nothing panics.

use super::*;
use crate::search::decode::lenient;

/// Accepted on purpose: a raw NUL in a string becomes U+FFFD before parsing. (Invalid UTF-8 and lone surrogates are
/// `i_` cases of the suite, where a parser may choose.)
const ACCEPTED: &[&str] = &["n_string_unescaped_ctrl_char.json"];

#[test]
fn the_json_parsing_suite_holds() {
    let Some(root) = std::env::var_os("TOPICWATCH_TEST_DATA") else {
        eprintln!("skipped: the_json_parsing_suite_holds (TOPICWATCH_TEST_DATA is not set)");
        return;
    };
    let mut seen = 0;
    for file in std::fs::read_dir(std::path::Path::new(&root).join("json/test_parsing")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let body = std::fs::read(&path).unwrap();
        let parsed = lenient::parse(lenient::text(&body).trim_start_matches('\u{feff}'), Limits::default());
        match name.as_bytes()[0] {
            b'y' => assert!(parsed.is_ok(), "{name}: {parsed:?}"),
            b'n' => assert_eq!(parsed.is_ok(), ACCEPTED.contains(&name.as_str()), "{name}: {parsed:?}"),
            _ => {}
        }
        for source in [Source::Social, Source::Web, Source::Ai] {
            let Ok(reply) = decode(&body, &context(source)) else { continue };
            if name.starts_with('n') && !ACCEPTED.contains(&name.as_str()) {
                assert_eq!(reply.items, [], "{name}");
                let blank = lenient::text(&body).trim().is_empty();
                assert!(source == Source::Ai || blank, "{name}: {reply:?}");
            }
            let _ = dripped(source, &body);
        }
        seen += 1;
    }
    assert!(seen > 300, "{seen} files");
}
