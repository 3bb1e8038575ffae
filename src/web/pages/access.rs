//! Who else may see the pages: tokens and links, as `topicwatch token list` shows them. They are made and withdrawn
//! only on the command line.

use std::sync::Arc;

use maud::{Markup, html};

use super::items::item_view::when;
use crate::draw::format;
use crate::model::{LinkRow, Time, TokenRow};
use crate::web::layout::{Page, moment};
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::site::Site;

pub(in crate::web) async fn show(site: Arc<Site>, _ask: PageRequest) -> Result<Page, Problem> {
    let store = &site.store;
    let (tokens, links) = (store.tokens().await?, store.links().await?);
    let main = html! {
        h1 { "Access" }
        p { "Create and withdraw tokens and links with " code { "topicwatch token" } "." }
        section aria-labelledby="tokens" {
            h2 #tokens { "Tokens" }
            @if tokens.is_empty() { p { "There are no named tokens." } } @else { (table_of_tokens(&tokens)) }
        }
        section aria-labelledby="links" {
            h2 #links { "Links" }
            @if links.is_empty() { p { "There are no links." } } @else { (table_of_links(&links, site.now())) }
        }
    };
    Ok(Page { title: "Access".to_owned(), place: "/access", live: false, origin: site.origin().await?, main })
}

fn word(class: &str, word: &str) -> Markup {
    html! { span.{ "state " (class) } { (word) } }
}

fn table_of_tokens(tokens: &[TokenRow]) -> Markup {
    html! { div.wide { table.cards {
        caption.quiet { "Named tokens, what they cover and when they were last used" }
        thead { tr { th scope="col" { "Name" } th scope="col" { "Role" } th scope="col" { "For" } th scope="col" { "Created" } th scope="col" { "Last used" } th scope="col" { "State" } } }
        tbody { @for token in tokens { tr {
            th scope="row" { (token.name) }
            td data-label="Role" { (token.role) }
            td data-label="For" {
                @if token.covers_all_topics() { "all topics" }
                @for topic in &token.topics { span.sub { (format::line(topic, 80)) } }
                @for tag in &token.tags { span.sub { "tag " (format::line(tag, 80)) } }
            }
            td data-label="Created" { (moment(token.made_at, "UTC")) }
            td data-label="Last used" { (when(token.last_used_at, "UTC")) }
            td data-label="State" { @match token.withdrawn_at { None => (word("good", "valid")), Some(at) => { (word("calm", "withdrawn")) " " (moment(at, "UTC")) } } }
        } } }
    } } }
}

fn table_of_links(links: &[LinkRow], now: Time) -> Markup {
    html! { div.wide { table.cards {
        caption.quiet { "Links, what they show and when they expire" }
        thead { tr { th scope="col" { "Link" } th scope="col" { "Shows" } th scope="col" { "Created" } th scope="col" { "Expires" } th scope="col" { "State" } } }
        tbody { @for link in links { tr {
            th scope="row" { (link.id) }
            td data-label="Shows" { (format::line(&link.shows(), 120)) }
            td data-label="Created" { (moment(link.made_at, "UTC")) }
            td data-label="Expires" { (moment(link.expires_at, "UTC")) }
            td data-label="State" {
                @if link.is_valid(now) { (word("good", "valid")) }
                @else if link.withdrawn_at.is_some() { (word("calm", "withdrawn")) }
                @else { (word("calm", "expired")) }
            }
        } } }
    } } }
}
