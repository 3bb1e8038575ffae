//! What is stored, for assistants and other programs that speak the Model Context Protocol: over standard input and output, or
//! over HTTP. It only reads, and asks the same functions as the API, so that the figures are the same. Every tool stands in
//! `tools`, from which its schema and the check of its arguments are made. Who may ask over HTTP is `web`'s.

mod answer;
mod argument;
mod asked;
mod http;
mod message;
mod quoted;
mod server;
mod settings;
mod stdio;
mod tool;
mod tools;
mod trouble;
mod trust;

pub use http::{Http, http};
pub use message::{Checked, check};
pub use server::Server;
pub use settings::Settings;
pub use stdio::{StdioError, serve};
