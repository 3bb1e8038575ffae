//! Converts the page to one that mail programs can show. Many of them remove the style sheet, show no SVG, unfold
//! folded parts, and cut long mails. So only inline styles are used: a table row becomes a block of lines that fits any
//! width, a chart becomes its description, and of a folded part only the first line is kept, or nothing. Colours are
//! those of the mail program, light or dark. The input is our own page, in which foreign text is escaped: each `<`
//! begins one of our tags.

use std::fmt::Write as _;

/// The style around everything: mail programs keep a block's style even if they remove the body's.
const AROUND: &str = "max-width:640px;margin:0 auto;padding:8px;font-family:Arial,sans-serif;font-size:16px;line-height:1.5;overflow-wrap:anywhere;word-break:break-word";
const SMALL: &str = "margin:4px 0;font-size:13px;opacity:.8";
const ROW: &str = "border-top:1px solid #999;padding:6px 0";
/// The maximum depth of nested elements; the page has far fewer.
const DEEPEST: usize = 64;

enum Node<'a> {
    Text(&'a str),
    Element(Element<'a>),
}

struct Element<'a> {
    name: &'a str,
    /// The tag with its attributes.
    tag: &'a str,
    inner: Vec<Node<'a>>,
}

/// Returns the mail of a page. `left_out` is a note at its end about what only the page has.
pub(super) fn mail(page: &str, left_out: &str) -> String {
    let mut out = String::with_capacity(page.len() / 2);
    write_nodes(&parse(page), left_out, &mut out);
    out
}

fn parse(page: &str) -> Vec<Node<'_>> {
    let mut open = vec![Element { name: "", tag: "", inner: Vec::new() }];
    let mut rest = page;
    // A `>` in the value of an attribute is escaped.
    while let Some((text, (tag, after))) =
        rest.split_once('<').and_then(|(text, from)| Some((text, from.split_once('>')?)))
    {
        append(&mut open, Node::Text(text));
        rest = after;
        let name = tag.split([' ', '/']).next().unwrap_or("");
        if tag.starts_with('/') {
            if open.len() > 1
                && let Some(done) = open.pop()
            {
                append(&mut open, Node::Element(done));
            }
        } else if name.starts_with('!') || matches!(name, "meta" | "br" | "wbr") || open.len() > DEEPEST {
            append(&mut open, Node::Element(Element { name, tag, inner: Vec::new() }));
        } else {
            open.push(Element { name, tag, inner: Vec::new() });
        }
    }
    append(&mut open, Node::Text(rest));
    while open.len() > 1 {
        let done = open.pop().map(Node::Element);
        done.into_iter().for_each(|done| append(&mut open, done));
    }
    open.pop().map(|all| all.inner).unwrap_or_default()
}

fn append<'a>(open: &mut [Element<'a>], node: Node<'a>) {
    if let Some(last) = open.last_mut() {
        last.inner.push(node);
    }
}

impl<'a> Element<'a> {
    fn attribute(&self, name: &str) -> Option<&'a str> {
        let (_, value) = self.tag.split_once(&format!(" {name}=\""))?;
        value.split('"').next()
    }

    fn is(&self, class: &str) -> bool {
        self.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
    }

    fn elements(&self) -> impl Iterator<Item = &Element<'a>> {
        self.inner.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    fn elements_named(&self, name: &str) -> impl Iterator<Item = &Element<'a>> {
        self.elements().filter(move |element| element.name == name)
    }

    /// Returns all text in it.
    fn text(&self) -> String {
        self.inner
            .iter()
            .map(|node| match node {
                Node::Text(text) => (*text).to_owned(),
                Node::Element(element) => element.text(),
            })
            .collect()
    }
}

fn write_nodes(nodes: &[Node<'_>], left_out: &str, out: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Element(element) => write_element(element, left_out, out),
        }
    }
}

fn write_element(element: &Element<'_>, left_out: &str, out: &mut String) {
    let inner = |out: &mut String| write_nodes(&element.inner, left_out, out);
    let mut within = |before: &str, after: &str| {
        out.push_str(before);
        inner(out);
        out.push_str(after);
    };
    match element.name {
        _ if ["page-only", "paper-only", "skip"].iter().any(|class| element.is(class)) => {}
        // A mail may break any word.
        "style" | "wbr" => {}
        "meta" if element.attribute("name") == Some("viewport") || element.attribute("charset").is_some() => {
            within(&format!("<{}>", element.tag), "");
        }
        "meta" if element.attribute("name") == Some("color-scheme") => within(&format!("<{}>", element.tag), ""),
        "meta" => {}
        "br" | "!DOCTYPE" => within(&format!("<{}>", element.tag), ""),
        "body" => {
            let before = format!("<body><div style=\"{AROUND}\">");
            within(&before, &format!("<p style=\"{SMALL}\">{left_out}</p></div></body>"));
        }
        "details" if element.is("brief") => {
            for summary in element.elements_named("summary") {
                write_element(summary, left_out, out);
            }
        }
        "summary" => within("<p style=\"margin:6px 0\">", "</p>"),
        "svg" => chart(element, out),
        "table" => table(element, left_out, out),
        "a" if element.attribute("href").is_some_and(|link| !link.starts_with('#')) => {
            let kept = ["href", "rel", "dir"].map(|name| Some(format!(" {name}=\"{}\"", element.attribute(name)?)));
            within(&format!("<a{}>", kept.into_iter().flatten().collect::<String>()), "</a>");
        }
        "a" => within("", ""),
        "html" | "head" | "title" => within(&format!("<{}>", element.tag), &format!("</{}>", element.name)),
        name => {
            let (name, style) = styled(name, element);
            let dir = element.attribute("dir").map_or_else(String::new, |dir| format!(" dir=\"{dir}\""));
            let style = if style.is_empty() { String::new() } else { format!(" style=\"{style}\"") };
            within(&format!("<{name}{dir}{style}>"), &format!("</{name}>"));
        }
    }
}

/// Returns the element used in the mail, and its style.
fn styled<'a>(name: &'a str, element: &Element<'_>) -> (&'a str, &'static str) {
    let small = ["meta", "kind", "date"].iter().any(|class| element.is(class));
    match name {
        "details" | "section" | "figure" | "header" | "main" | "footer" | "nav" => ("div", ""),
        "figcaption" | "caption" => ("p", SMALL),
        "h1" => (name, "margin:8px 0;font-size:22px;line-height:1.3"),
        "h2" => (name, "margin:24px 0 6px;padding-top:8px;border-top:2px solid #999;font-size:19px;line-height:1.3"),
        "h3" | "h4" => (name, "margin:16px 0 4px;font-size:16px"),
        "p" if element.is("note") || element.is("sandbox") => {
            (name, "margin:6px 0;padding-left:8px;border-left:4px solid #b8860b")
        }
        "p" if small => (name, SMALL),
        "span" if element.is("kind") => (name, "font-size:13px;font-weight:bold"),
        "span" if small => (name, "font-size:13px;opacity:.8"),
        "p" => (name, "margin:6px 0"),
        "ol" | "ul" => (name, "margin:6px 0;padding-left:24px"),
        "li" => (name, "margin:6px 0"),
        "dt" => (name, "font-weight:bold"),
        "dd" => (name, "margin:0 0 6px"),
        "code" | "pre" => (name, "font-size:13px;white-space:pre-wrap;word-break:break-all"),
        _ => (name, ""),
    }
}

/// Writes a chart as its title and description, without the holes, which have their own list.
fn chart(svg: &Element<'_>, out: &mut String) {
    let words: Vec<String> =
        ["title", "desc"].into_iter().filter_map(|name| Some(svg.elements_named(name).next()?.text())).collect();
    let words = words.join(": ");
    let words = words.split(" Not covered: ").next().unwrap_or_default();
    let _ = write!(out, "<p style=\"{SMALL}\">{words}</p>");
}

/// Writes each row as lines: its head, its numbers with the names of their columns, its other cells.
fn table(table: &Element<'_>, left_out: &str, out: &mut String) {
    let heads = table.elements_named("thead").flat_map(|head| head.elements_named("tr")).flat_map(Element::elements);
    let names: Vec<String> = heads.map(Element::text).collect();
    for caption in table.elements_named("caption").filter(|caption| !caption.is("quiet")) {
        write_element(caption, left_out, out);
    }
    for row in table.elements_named("tbody").flat_map(|body| body.elements_named("tr")) {
        let _ = write!(out, "<div style=\"{ROW}\">");
        let (mut numbers, mut others) = (Vec::new(), String::new());
        for (cell, name) in row.elements().zip(&names) {
            let mut text = String::new();
            write_nodes(&cell.inner, left_out, &mut text);
            match cell.name {
                "th" => {
                    let _ = write!(out, "<div><strong>{text}</strong></div>");
                }
                _ if cell.is("n") => numbers.push(format!("{name}: {text}")),
                _ if text.is_empty() => {}
                _ => {
                    let _ = write!(others, "<div>{name}: {text}</div>");
                }
            }
        }
        if !numbers.is_empty() {
            let _ = write!(out, "<div>{}</div>", numbers.join(" · "));
        }
        let _ = write!(out, "{others}</div>");
    }
}
