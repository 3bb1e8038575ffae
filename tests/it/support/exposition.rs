//! A strict parser of the metrics page that knows only the Prometheus text format.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::web_client::Pages;

/// Samples by name and labels, as written.
pub struct ExposedMetrics {
    pub types: BTreeMap<String, String>,
    pub samples: BTreeMap<(String, BTreeMap<String, String>), f64>,
}

impl ExposedMetrics {
    pub fn read(pages: &Pages) -> Self {
        let answer = pages.get("/metrics");
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        Self::parse(&answer.body)
    }

    /// Every line must be a comment of the format or a sample of the last announced family; no sample may come twice.
    pub fn parse(text: &str) -> Self {
        let (mut types, mut samples, mut helped) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut family = String::new();
        assert!(text.ends_with('\n') && !text.contains('\r'));
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                assert!(!help.is_empty() && helped.insert(name.to_owned()), "{line}");
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert!(matches!(kind, "counter" | "gauge" | "histogram"), "{line}");
                assert!(helped.contains(name), "{line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                assert!(types.insert(name.to_owned(), kind.to_owned()).is_none(), "{line}");
                name.clone_into(&mut family);
            } else {
                let (name, labels, value) = sample(line);
                let own = name == family
                    || types[&family] == "histogram"
                        && ["_bucket", "_sum", "_count"].iter().any(|end| name == format!("{family}{end}"));
                assert!(own, "{line} is not of {family}");
                assert!(value.is_finite() && value >= 0.0, "{line}");
                assert!(samples.insert((name, labels), value).is_none(), "twice: {line}");
            }
        }
        Self { types, samples }
    }

    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.samples.get(&(name.to_owned(), labels)).copied()
    }

    /// The samples of a name as `label-values value`.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let of = self.samples.iter().filter(|((known, _), _)| known == name);
        let mut lines: Vec<String> = of
            .map(|((_, labels), value)| {
                // In the order of the label names.
                labels.values().cloned().chain([value.to_string()]).collect::<Vec<_>>().join(" ")
            })
            .collect();
        lines.sort();
        lines
    }

    pub fn sum(&self, name: &str) -> f64 {
        self.samples.iter().filter(|((known, _), _)| known == name).map(|(_, value)| value).sum()
    }

    pub fn values(&self, label: &str) -> BTreeSet<&str> {
        self.samples.keys().filter_map(|(_, labels)| labels.get(label).map(String::as_str)).collect()
    }
}

/// Parses a line into name, labels and value.
pub fn sample(line: &str) -> (String, BTreeMap<String, String>, f64) {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let end = line.find(|c| !good(c)).unwrap();
    let (name, mut rest) = line.split_at(end);
    assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{line}");
    let mut labels = BTreeMap::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            let (label, after) = rest.split_once("=\"").unwrap();
            assert!(!label.is_empty() && label.chars().all(good), "{line}");
            let (mut value, mut chars) = (String::new(), after.char_indices());
            let close = loop {
                match chars.next().unwrap() {
                    (_, '\\') => value.push(match chars.next().unwrap().1 {
                        'n' => '\n',
                        c @ ('\\' | '"') => c,
                        other => panic!("unknown escape: {other} in {line}"),
                    }),
                    (at, '"') => break at,
                    (_, c) => value.push(c),
                }
            };
            assert!(labels.insert(label.to_owned(), value).is_none(), "{line}");
            rest = &after[close + 1..];
            match rest.split_at(1) {
                (",", more) => rest = more,
                ("}", more) => {
                    rest = more;
                    break;
                }
                _ => panic!("{line}"),
            }
        }
    }
    let value = rest.strip_prefix(' ').unwrap_or_else(|| panic!("{line}"));
    (name.to_owned(), labels, value.parse().unwrap_or_else(|_| panic!("{line}")))
}
