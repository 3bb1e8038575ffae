//! The keys of a topic that depend on the call that serves a source: the bounds of its number, and keys that the call
//! never sends. `search` has the table of what calls take; this file checks the configuration against it.

use std::ops::RangeInclusive;

use crate::config::file::key_reader::Reader;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::word;
use crate::config::values::scalars::{integer, text, texts, unknown_choice};
use crate::config::values::value::Value;
use crate::model::{SocialOperation, WebOperation};
use crate::search::{Dialect, TOOLS, social_limit, web_limit};

const DESEARCH_ONLY: &str = "remove it, or set dialect = \"desearch\" in [service]";
const SPEC_ONLY: &str = "remove it, or set dialect = \"spec\" in [service]";

/// A call, and the range of the number that it takes, if any.
struct Call {
    /// The key that chooses the call, and its value.
    operation: (&'static str, &'static str),
    dialect: Dialect,
    takes: Option<RangeInclusive<u32>>,
    /// The hint if a number was written but the call takes none.
    hint: &'static str,
}

/// Reads `social.limit`. If dialect or operation are wrong themselves, the number of any call is accepted.
pub(super) fn social_number(
    reader: &Reader<'_>,
    dialect: Option<Dialect>,
    operation: Option<SocialOperation>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Option<u32>> {
    if reader.written("social.limit").is_none() {
        return Some(None);
    }
    let call = dialect.zip(operation).map(|(dialect, operation)| Call {
        operation: ("social.operation", operation.as_str()),
        dialect,
        takes: social_limit(dialect, operation),
        hint: "remove it, or set social.operation = \"posts\" or \"basic\", or dialect = \"desearch\"",
    });
    number(reader, "social.limit", call, mistakes).map(Some)
}

/// Reads `web.limit`. Calls that take no number have its default too. A link search returns at least ten pages, even if
/// fewer are asked for.
pub(super) fn web_number(
    reader: &Reader<'_>,
    dialect: Option<Dialect>,
    operation: Option<WebOperation>,
    mistakes: &mut Mistakes<'_>,
) -> Option<u32> {
    let Some(setting) = reader.written("web.limit") else { return reader.count(mistakes, "web.limit") };
    let takes = dialect.zip(operation).map(|(dialect, operation)| web_limit(dialect, operation));
    let least = takes.clone().flatten().filter(|_| operation == Some(WebOperation::Links)).map(|range| *range.start());
    let call = dialect.zip(operation).zip(takes).map(|((dialect, operation), takes)| Call {
        operation: ("web.operation", operation.as_str()),
        dialect,
        takes: if least.is_some() { takes.map(|range| 1..=*range.end()) } else { takes },
        hint: match dialect {
            Dialect::Spec => "remove it, or set web.operation = \"search\" or \"links\"",
            Dialect::Desearch => "remove it, or set web.operation = \"links\", or dialect = \"spec\"",
        },
    });
    let number = number(reader, "web.limit", call, mistakes)?;
    if let Some(least) = least.filter(|least| number < *least) {
        let message = format!("`web.limit` is {number}, and web.operation = \"links\" returns at least {least} pages");
        mistakes.warn(setting.origin.span(), message, format!("{least} are requested"));
    }
    Some(number)
}

/// Reads a number that was written; `call` is `None` if the call is not known.
fn number(reader: &Reader<'_>, name: &str, call: Option<Call>, mistakes: &mut Mistakes<'_>) -> Option<u32> {
    let Some(Call { operation: (key, operation), dialect, takes, hint }) = call else {
        return reader.count(mistakes, name);
    };
    let number = reader.read(mistakes, name, |value| match &takes {
        Some(range) => integer(value, (*range.start()).into(), (*range.end()).into())
            .map_err(|fault| Fault { hint: format!("{} (allowed for {key} = \"{operation}\")", fault.hint), ..fault }),
        None => Err(Fault::new(
            format!("is not supported by this call ({key} = \"{operation}\") in dialect \"{dialect}\""),
            hint,
        )),
    })?;
    u32::try_from(number).ok()
}

/// Reads `ai.count`, which only dialect desearch takes.
pub(super) fn ai_count(
    reader: &Reader<'_>,
    dialect: Option<Dialect>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Option<u32>> {
    if reader.written("ai.count").is_none() {
        return Some(None);
    }
    report_unsent_key(reader, "ai.count", dialect, Dialect::Desearch, mistakes)?;
    reader.count(mistakes, "ai.count").map(Some)
}

/// Reads `ai.tools`, which only dialect desearch takes. Each must be a known tool.
pub(super) fn ai_tools(
    reader: &Reader<'_>,
    dialect: Option<Dialect>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Vec<String>> {
    let spec = dialect == Some(Dialect::Spec);
    reader.read(mistakes, "ai.tools", |value| {
        let tools = texts(value, 16, 40)?;
        if spec && !tools.is_empty() {
            return Err(unknown_to(Dialect::Spec, DESEARCH_ONLY));
        }
        let Value::List(list) = value else { return Ok(tools) };
        for (element, at) in list {
            let tool = text(element)?;
            if !TOOLS.contains(&tool.as_str()) {
                return Err(Fault { at: Some(at.clone()), ..unknown_choice(&tool, &TOOLS) });
            }
        }
        Ok(tools)
    })
}

/// Reads `model` and `response_order`, which only dialect spec takes.
pub(super) fn model_and_order(
    reader: &Reader<'_>,
    dialect: Option<Dialect>,
    mistakes: &mut Mistakes<'_>,
) -> Option<(String, Option<String>)> {
    let known = ["model", "response_order"].map(|name| {
        reader.written(name).is_none() || report_unsent_key(reader, name, dialect, Dialect::Spec, mistakes).is_some()
    });
    if known.contains(&false) {
        return None;
    }
    let model = reader.read(mistakes, "model", |value| word(value, "._:/-"));
    let order = match reader.written("response_order") {
        Some(_) => reader.read(mistakes, "response_order", |value| word(value, "_")).map(Some),
        None => Some(None),
    };
    model.zip(order)
}

/// Reports a key that was written although the dialect never sends it.
fn report_unsent_key(
    reader: &Reader<'_>,
    name: &str,
    dialect: Option<Dialect>,
    needed: Dialect,
    mistakes: &mut Mistakes<'_>,
) -> Option<()> {
    let Some(dialect) = dialect.filter(|dialect| *dialect != needed) else { return Some(()) };
    let hint = if needed == Dialect::Spec { SPEC_ONLY } else { DESEARCH_ONLY };
    reader.read(mistakes, name, |_| Err(unknown_to(dialect, hint)))
}

fn unknown_to(dialect: Dialect, hint: &str) -> Fault {
    Fault::new(format!("is not supported in dialect \"{dialect}\""), hint)
}
