//! `ping` and related keys in topics, reports and exports: the URL that a job pings when it starts and ends. The URL is
//! a secret and goes into no definition; `notify` uses it.

use crate::config::channels::http_channels::address;
use crate::config::file::key_reader::Reader;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::variable_name;
use crate::config::values::scalars::{flag, plain_text};
use crate::config::values::value::Value;
use crate::model::PingSpec;

const LONGEST: usize = 2_000;

/// Reads where a job's pings go. Returns `None` if nowhere, or if something is wrong, which is reported. Either key in
/// a table overrides both keys of `[defaults]`.
pub(in crate::config) fn read(reader: &Reader<'_>, job: &str, mistakes: &mut Mistakes<'_>) -> Option<PingSpec> {
    let written = |key: &str| reader.tables.iter().position(|table| table.values.contains_key(key));
    let (here, elsewhere) = (written("ping"), written("ping_env"));
    let allow_private = reader.read(mistakes, "ping_allow_private", flag)?;
    let mut spec = PingSpec { job: job.to_owned(), url: None, url_variable: None, allow_private };
    match (here, elsewhere) {
        (None, None) => return None,
        (Some(a), Some(b)) if a == b => {
            if let Some(setting) = reader.written("ping_env") {
                mistakes.fault(
                    "ping_env",
                    &setting.origin,
                    Fault::new("cannot be combined with `ping`", "keep one of the two"),
                );
            }
            return None;
        }
        (Some(a), b) if b.is_none_or(|b| a < b) => {
            let text = reader.read(mistakes, "ping", |value| match value {
                // In a topic, an empty text removes the ping of [defaults].
                Value::Text(text) if text.is_empty() => Ok(String::new()),
                value => {
                    let text = plain_text(value, LONGEST)?;
                    address(&spec.with_job_name(&text), "use `ping_env`").map(|_| text)
                }
            })?;
            if text.is_empty() {
                return None;
            }
            spec.url = Some(text);
        }
        _ => spec.url_variable = Some(reader.read(mistakes, "ping_env", variable_name)?),
    }
    Some(spec)
}
