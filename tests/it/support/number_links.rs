//! Links of numbers on pages, and the rows of the pages behind them.

/// A link of a page: where it leads, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub address: String,
    pub words: String,
}

impl Link {
    /// The number that it says first.
    pub fn number(&self) -> u64 {
        number(&self.words).unwrap_or_else(|| panic!("no number: {self:?}"))
    }
}

/// The links of a page whose words begin with a number.
pub fn number_links(page: &str) -> Vec<Link> {
    let links = page.split("<a ").skip(1).filter_map(|rest| {
        let (tag, rest) = rest.split_once('>')?;
        let address = tag.split("href=\"").nth(1)?.split('"').next()?.replace("&amp;", "&");
        let words = rest.split("</a>").next()?.to_owned();
        Some(Link { address, words })
    });
    let is_number = |link: &Link| {
        link.words.trim_start_matches(['≥', '\u{a0}', '(', '+', '$']).starts_with(|c: char| c.is_ascii_digit())
    };
    links.filter(is_number).collect()
}

/// The first number in a text.
pub fn number(text: &str) -> Option<u64> {
    let begin = text.find(|c: char| c.is_ascii_digit())?;
    let digits = text[begin..].chars().take_while(|c| c.is_ascii_digit() || *c == ',');
    digits.filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// The text and the rows of the page behind a number, with all further pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedRows {
    /// The number that it says.
    pub said: u64,
    /// The rows that it lists.
    pub rows: u64,
    /// The rows that it says are not listed.
    pub unlisted: u64,
    /// What the rows link to, if they are items.
    pub items: Vec<String>,
}

/// Follows a link, and from there on to the last page.
pub fn follow_link(get: &dyn Fn(&str) -> String, address: &str) -> LinkedRows {
    let (mut listed, mut next, mut pages) = (LinkedRows::default(), Some(address.to_owned()), 0);
    while let Some(here) = next {
        let (path, anchor) = here.split_once('#').unwrap_or((here.as_str(), ""));
        let page = get(path);
        let part = page.split_once(&format!("id=\"{anchor}\"")).filter(|_| !anchor.is_empty());
        let part = part.map_or(page.as_str(), |(_, part)| part);
        if pages == 0 {
            let status = part.split("role=\"status\"><strong>").nth(1).and_then(|rest| rest.split("</strong>").next());
            listed.said = status.and_then(number).unwrap_or_default();
            let note = part.split(" not listed: ").next().filter(|before| before.len() < part.len());
            listed.unlisted =
                note.and_then(|note| number(note.rsplit("<p class=\"note\">").next()?)).unwrap_or_default();
        }
        let list = part.split("<ol class=\"found\">").nth(1).and_then(|rest| rest.split("</ol>").next()).unwrap_or("");
        listed.rows += list.matches("<li").count() as u64;
        let items = list.split("href=\"/item?key=").skip(1).filter_map(|rest| rest.split('"').next());
        listed.items.extend(items.map(str::to_owned));
        let more = part.split("rel=\"next\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
        next = more.map(|more| more.replace("&amp;", "&"));
        pages += 1;
        assert!(pages < 50, "{address}: no end");
    }
    listed
}
