//! Identity of findings: keys, canonical URLs, folded text, and grouping of one run's findings. Pure and versioned:
//! equal input gives equal keys on every machine and in both databases. Every change of a rule needs a new
//! [`KEY_VERSION`]. The rules for users are in `docs/explanation/identity.md`.
//!
//! ```text
//! Found --finding--> Finding { keys, kind, fit } --group--> Group { one item, its sightings }
//!            |
//!            +-- post (id in the URL, time in the id), url (host, percent, tracking), text (fold, digest)
//! Text --near--> keys that find copies; which items are near-copies of one another
//!      +-words-> search tokens of an item; parsed search queries; terms
//! ```

mod address_keys;
mod amounts;
mod entity;
mod finding;
mod group;
mod host;
mod identity;
pub mod near;
mod percent;
mod post;
mod text;
mod tracking;
mod url;
pub mod words;

#[cfg(test)]
mod key_golden_tests;
#[cfg(test)]
mod url_vector_tests;

pub use address_keys::{address_keys, bluesky_id};
pub use entity::{decode_entities, decode_entity};
pub use finding::{FUTURE_SLACK, to_finding, window_fit};
pub use group::{Group, group};
pub use identity::{Identity, KEY_VERSION, identify, link_key, platform_key};
pub use post::{PostAddress, post_of_url, snowflake_time};
pub use text::fold;
pub use url::{canonical, safe_link};
