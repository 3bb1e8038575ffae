//! Providers of other kinds on the same port, each below a prefix of its own: Hacker News by Algolia, SearXNG, feeds,
//! Bluesky, and models behind OpenAI's interface. They answer from the same corpus, and each in its provider's own words,
//! errors included. Written from those providers' documentation; the contract's paths know nothing of them.

mod asked;
mod bluesky;
mod broken;
mod feeds;
mod hackernews;
mod openai;
mod role;
mod routes;
mod searxng;
mod session;
mod tags;
mod wording;

pub(super) use broken::{damaged, refusal};
pub(super) use role::{is_kind, of_path};
pub(super) use routes::{routes, unknown};
