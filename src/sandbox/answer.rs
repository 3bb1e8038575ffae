//! Writes the AI search's summary: a few sentences with counts and citations about the posts and pages found. It is not
//! a language model, and the summary says so.

use super::corpus::{Page, Post};
use crate::model::one_line;

/// The maximum length of a quoted post, in characters.
const QUOTED_CHARS: usize = 120;

/// Returns the summary of the findings, in Markdown. Pure.
pub(crate) fn summary(prompt: &str, posts: &[Post], pages: &[Page]) -> String {
    let subject: String = prompt.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED_CHARS).collect();
    let mut authors: Vec<&str> =
        posts.iter().filter_map(|post| post.author.as_ref()).map(|a| a.handle.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    let mut text = format!(
        "**{subject}** (invented by the sandbox): {} by {}, and {}.",
        counted(posts.len(), "post"),
        counted(authors.len(), "author"),
        counted(pages.len(), "page"),
    );
    let liked = posts.iter().max_by_key(|post| (post.counts.map(|counts| counts.likes), std::cmp::Reverse(&post.id)));
    if let Some(post) = liked {
        let likes = post.counts.map_or(0, |counts| counts.likes);
        let who = post.author.as_ref().map_or("somebody", |author| author.handle.as_str());
        text.push_str(&format!("\n\nMost liked ({likes}): {who} writes “{}”", one_line(&post.text, QUOTED_CHARS)));
        if let Some(id) = &post.id {
            text.push_str(&format!(
                " [1](https://x.com/{}/status/{id})",
                post.author.as_ref().map_or("i", |a| &a.handle)
            ));
        }
        text.push('.');
    }
    for (number, page) in (2..).zip(pages.iter().take(3)) {
        text.push_str(&format!("\n- {} [{number}]({})", one_line(&page.title, QUOTED_CHARS), page.url));
    }
    text
}

/// Formats a count with its noun: `1 post`, `2 posts`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_without_results_is_still_a_sentence() {
        assert_eq!(
            summary(" a\n b ", &[], &[]),
            "**a b** (invented by the sandbox): 0 posts by 0 authors, and 0 pages."
        );
    }
}
