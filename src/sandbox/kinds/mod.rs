//! Providers of other kinds on the same port, each below its own prefix: Hacker News by Algolia, SearXNG, feeds,
//! Bluesky, and models with OpenAI's interface. They use the same corpus, and each answers in its provider's own
//! format, errors included. Written from the documentation of these providers, independent of the contract's paths.

mod bluesky;
mod broken;
mod feeds;
mod hackernews;
mod openai;
mod query_params;
mod role;
mod routes;
mod searxng;
mod session;
mod tags;
mod texts;

pub(super) use broken::{damaged, refusal};
pub(super) use role::{is_kind, of_path};
pub(super) use routes::{routes, unknown};
