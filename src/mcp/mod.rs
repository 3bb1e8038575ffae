//! A server of the Model Context Protocol, for assistants and other programs: over standard input and output, or over
//! HTTP. It only reads, and uses the same functions as the API, so that the figures are the same. Every tool is
//! defined in `tools`, from which its schema and the check of its arguments are made. `web` decides who may use it
//! over HTTP.

mod answer;
mod argument;
mod call;
mod caveats;
mod error;
mod http;
mod message;
mod quoting;
mod server;
mod settings;
mod stdio;
mod tool;
mod tools;

pub use http::{Http, http};
pub use message::{Checked, check};
pub use server::Server;
pub use settings::Settings;
pub use stdio::{StdioError, serve};
