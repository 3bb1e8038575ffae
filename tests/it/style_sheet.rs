//! The style sheets hold no rule twice, and no class that nothing has.

use std::path::{Path, PathBuf};

const SHEETS: [&str; 2] = ["src/draw/base.css", "src/web/assets/style.css"];

/// The sources that write classes: pages, reports, charts and scripts.
fn sources() -> String {
    let mut folders: Vec<PathBuf> = ["src/web", "src/draw", "src/report", "src/compare"].map(PathBuf::from).into();
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs" || end == "js") {
                text.push_str(&std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    text
}

/// Each rule's selector and declarations, without comments and at-rules around them.
fn rules(sheet: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(Path::new(sheet)).unwrap();
    let mut plain = String::new();
    for (at, part) in text.split("/*").enumerate() {
        plain.push_str(if at == 0 { part } else { part.split_once("*/").map_or("", |(_, rest)| rest) });
    }
    let mut found = Vec::new();
    for part in plain.split('}') {
        // An at-rule opens a block around its first rule.
        let inner = part.rsplit_once('{').map(|(head, body)| (head.rsplit('{').next().unwrap_or(head), body));
        if let Some((selector, body)) = inner {
            found.push((selector.trim().to_owned(), body.trim().to_owned()));
        }
    }
    found
}

#[test]
fn the_style_sheet_has_no_duplicate_rule_and_no_unused_class() {
    let sources = sources();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    for sheet in SHEETS {
        let mut seen = Vec::new();
        for (selector, body) in rules(sheet) {
            for one in body.split(';') {
                // On a phone or on paper the same property may have another value.
                let rule = (selector.clone(), one.trim().to_owned());
                assert!(!seen.contains(&rule), "{sheet}: {selector} has {one} twice");
                seen.push(rule);
            }
            for class in selector.split('.').skip(1) {
                let class: String = class.chars().take_while(|c| is_part(*c)).collect();
                let mut uses = sources.match_indices(&class).map(|(at, _)| {
                    let before = sources[..at].chars().next_back().is_some_and(is_part);
                    let after = sources[at + class.len()..].chars().next().is_some_and(is_part);
                    !before && !after
                });
                assert!(uses.any(|whole| whole), "{sheet}: no element has the class `{class}` of {selector}");
            }
        }
    }
}
