//! Limits the entries of a feed before the parser reads it: each entry costs the parser more than a kilobyte of memory,
//! however short it is.

use std::borrow::Cow;
use std::ops::Range;

use super::xml_text::{after, local_name};

/// The maximum number of entries read from one feed: the first ones, which are nearly always the newest.
pub(super) const MOST: usize = 20_000;

/// The maximum number of `<media:group>` in all entries: the parser makes half a kilobyte of each, even of an empty one.
const MOST_GROUPS: usize = 5 * MOST;

/// The length of the shortest entry, `<item/>`.
const SHORTEST: usize = 7;

/// Returns an XML feed with its first entries only, and how many it has beyond them.
pub(super) fn with_first_entries(body: Cow<'_, [u8]>) -> (Cow<'_, [u8]>, usize) {
    if body.len() < MOST * SHORTEST {
        return (body, 0);
    }
    let Some((cut, entries)) = surplus(&body, MOST, MOST_GROUPS) else { return (body, 0) };
    let (before, after) = (body.get(..cut.start).unwrap_or_default(), body.get(cut.end..).unwrap_or_default());
    (Cow::Owned([before, after].concat()), entries)
}

/// Returns the place and number of the entries after the first `most`, or from the entry on that exceeds `most_groups`.
/// An entry inside another one is a part of it.
fn surplus(body: &[u8], most: usize, most_groups: usize) -> Option<(Range<usize>, usize)> {
    let (mut at, mut depth, mut entries, mut groups) = (0, 0_usize, 0_usize, 0_usize);
    let (mut cut, mut kept, mut begin): (Option<Range<usize>>, usize, usize) = (None, 0, 0);
    while let Some(found) = body.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
        at += found;
        let text = body.get(at..).unwrap_or_default();
        let end: Option<&[u8]> = match text {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            [b'<', b'!', b'[', ..] => Some(b"]]>"),
            _ => None,
        };
        if let Some(end) = end {
            at = after(text, end).map_or(body.len(), |rest| body.len() - rest.len());
            continue;
        }
        let closes = text.get(1) == Some(&b'/');
        let name = local_name(text.get(usize::from(closes)..).unwrap_or_default());
        if !name.eq_ignore_ascii_case(b"item") && !name.eq_ignore_ascii_case(b"entry") {
            groups += usize::from(!closes && depth > 0 && name == b"group");
            if groups > most_groups && cut.is_none() {
                (cut, kept) = (Some(begin..begin), entries.saturating_sub(1));
            }
            at += 1;
            continue;
        }
        let (length, is_empty) = tag(text);
        match (closes, depth) {
            (true, _) => depth = depth.saturating_sub(1),
            (false, 0) => {
                (entries, begin) = (entries + 1, at);
                if entries > most && cut.is_none() {
                    (cut, kept) = (Some(at..at), most);
                }
                depth += usize::from(!is_empty);
            }
            (false, _) => depth += usize::from(!is_empty),
        }
        at += length;
        if depth == 0
            && let Some(cut) = &mut cut
        {
            cut.end = at;
        }
    }
    let mut cut = cut?;
    // The last entry does not end.
    if depth > 0 && groups > most_groups {
        cut.end = body.len();
    }
    Some((cut, entries.saturating_sub(kept)))
}

/// Returns the length of the tag at the start of a text, and whether it is a whole element. A `>` in quotes does not end
/// it.
fn tag(text: &[u8]) -> (usize, bool) {
    let mut quote = None;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match (quote, byte) {
            (Some(mark), byte) if mark == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return (at + 1, text.get(at - 1) == Some(&b'/')),
            (None, b'<') => return (at, false),
            _ => {}
        }
    }
    (text.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_feed_entries_are_cut() {
        let cut = |text: &str, most: usize| {
            let (range, entries) = surplus(text.as_bytes(), most, 2)?;
            Some((format!("{}|{}", &text[..range.start], &text[range.end..]), entries))
        };
        let two = Some(("<c><item>1</item>|</c>".to_owned(), 2));
        assert_eq!(cut("<c><item>1</item><item a='>'>2</item><ITEM/></c>", 1), two);
        assert_eq!(cut("<c><item>1</item><item><x:item/>2</item>\n<item>3</item></c>", 1), two);
        assert_eq!(
            cut("<c><item>1</item><a:item><!-- </item> --></a:item><item><![CDATA[</item>]]></item></c>", 1),
            two
        );
        assert_eq!(cut("<c><item>1</item><item>2</item></c>", 2), None);
        assert_eq!(cut("<items/><!-- <item/><item/> --><![CDATA[<item/>]]><entry/>", 1), None);
        let none_closed = Some(("<item>1</item>|<item>2".to_owned(), 1));
        assert_eq!(cut("<item>1</item><item>2", 1), none_closed);
        assert_eq!(cut("<item>1</item><item \"", 1).map(|(_, entries)| entries), Some(1));
        let group = "<m:group></m:group>";
        let too_many = format!("<c>{group}<item>{group}</item><item>{group}{group}</item><item/>");
        let first = Some((format!("<c>{group}<item>{group}</item>|</c>"), 2));
        assert_eq!(cut(&format!("{too_many}</c>"), 9), first);
        assert_eq!(cut(&format!("{too_many}</c>"), 1), first);
        let unfinished = Some((format!("<c>{group}<item>{group}</item>|"), 3));
        assert_eq!(cut(&format!("{too_many}<item>"), 9), unfinished);
        assert_eq!(cut(&format!("<c><item>{group}{group}</item></c>"), 9), None);
    }
}
