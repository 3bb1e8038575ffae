//! A form of the pages, filled in and sent as a browser does, and a place whose file is edited.

use std::collections::BTreeMap;

use super::databases::sqlite;
use super::program::{NINE, Place};
use super::service::Sandbox;
use super::web_client::{Answer, Pages};

/// A form with the values of its fields.
#[derive(Clone)]
pub struct Form {
    pub page: String,
    path: String,
    fields: BTreeMap<String, String>,
}

impl Form {
    /// Gets a page and reads its form.
    #[track_caller]
    pub fn fetch(pages: &Pages, path: &str) -> Self {
        Self::parse(&pages.page(path), path.split('?').next().unwrap())
    }

    /// Reads the form of a page that was already fetched.
    #[track_caller]
    pub fn parse(page: &str, path: &str) -> Self {
        let mut fields = BTreeMap::new();
        for tag in page.split("<input ").skip(1).filter_map(|rest| rest.split('>').next()) {
            let of = |name: &str| tag.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
            if let (Some(name), false) = (of("name"), tag.contains("checkbox") && !tag.contains(" checked")) {
                fields.insert(name.to_owned(), plain(of("value").unwrap_or("")));
            }
        }
        for area in page.split("<textarea ").skip(1) {
            let name = area.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            let text = area.split_once('>').and_then(|(_, rest)| rest.split("</textarea>").next()).unwrap();
            fields.insert(name.to_owned(), plain(text.strip_prefix('\n').unwrap_or(text)));
        }
        Self { page: page.to_owned(), path: path.to_owned(), fields }
    }

    #[track_caller]
    pub fn value(&self, name: &str) -> String {
        self.fields.get(name).cloned().unwrap_or_else(|| panic!("no field {name}:\n{}", self.page))
    }

    #[track_caller]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut typed = self.clone();
        assert!(typed.fields.insert(name.to_owned(), value.to_owned()).is_some(), "no field {name}:\n{}", self.page);
        typed
    }

    /// The same form with a box unticked, or without another field.
    #[track_caller]
    pub fn untick(&self, name: &str) -> Self {
        let mut typed = self.clone();
        assert!(typed.fields.remove(name).is_some(), "no field {name}:\n{}", self.page);
        typed
    }

    /// Submits the form with one of its buttons.
    #[track_caller]
    pub fn submit(&self, pages: &Pages, button: &str) -> Answer {
        let fields = self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        post_form(pages, &self.path, &fields.chain([("do", button)]).collect::<Vec<_>>())
    }
}

/// Unescapes HTML.
fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Posts a form with the pages' own origin.
#[track_caller]
pub fn post_form(pages: &Pages, path: &str, fields: &[(&str, &str)]) -> Answer {
    let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    pages.request("POST", path, &[("Origin", &pages.origin())], &form)
}

/// A place whose database has one topic, and whose file was replaced afterwards.
#[track_caller]
pub fn place_with(rest: &str) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place =
        Place::new(sqlite(), &sandbox.lines(), "[[topics]]\nid = \"first\"\nquery = \"first\"\nevery = \"12h\"\n");
    place.ok(&["once", "--at", NINE]);
    place.configure(&sandbox.lines(), &with_edit(rest));
    (sandbox, place)
}

/// The configuration with pages that `serve` may edit, unless it has its own `[web]`.
#[track_caller]
pub fn with_edit(rest: &str) -> String {
    if rest.contains("[web]") { rest.to_owned() } else { format!("[web]\nedit = true\n\n{rest}") }
}

/// Deletes a topic as a browser does: asks for it, and confirms.
#[track_caller]
pub fn delete_topic(pages: &Pages, topic: &str) -> Answer {
    let asked = Form::fetch(pages, &format!("/jobs?delete={topic}"));
    post_form(pages, "/jobs", &[("do", "delete"), ("kind", "topic"), ("name", topic), ("seen", &asked.value("seen"))])
}
