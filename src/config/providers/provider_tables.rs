//! Sections of providers as written in the file, and the keys under a provider's name in a topic. `providers`
//! interprets them.

use toml::Spanned;
use toml::de::DeValue;

use crate::config::file::key_reader::{expected, fits, kind};
use crate::config::keys::Shape;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::mistakes::suggest::nearest;
use crate::config::values::value::{ConfigValue, Origin, Table, Value};
use crate::model::{KINDS, ProviderKind, QueryKeyType, Source, excerpt};

/// One of `[providers.NAME]`.
#[derive(Debug)]
pub(in crate::config) struct Provider {
    pub(in crate::config) name: Source,
    /// Its kind; `None` if that is wrong, which was reported.
    pub(in crate::config) kind: Option<&'static ProviderKind>,
    pub(in crate::config) table: Table,
}

impl Provider {
    /// Reads the keys of a topic for this provider.
    pub(in crate::config) fn read_topic_keys(
        &self,
        value: &Spanned<DeValue<'_>>,
        table: &mut Table,
        mistakes: &mut Mistakes<'_>,
    ) {
        let name = self.name;
        // If the kind is wrong, which was reported, its keys are not known.
        let Some(known) = self.kind else { return };
        let names: Vec<&'static str> = known.asks.iter().map(|key| key.name).collect();
        let all = names.iter().map(|key| format!("{name}.{key}")).collect::<Vec<_>>().join(", ");
        let DeValue::Table(entries) = value.get_ref() else {
            table.attempted_asks.extend(known.asks.iter().map(|key| (name, key.name)));
            let message = format!("`{name}` is a group of keys, found {}", kind(value.get_ref()));
            mistakes.at(&value.span(), message, format!("write one of its keys: {all}"));
            return;
        };
        for (at, value) in entries {
            let Some(key) = known.asks.iter().find(|key| key.name == at.get_ref()) else {
                let suggestion = nearest(at.get_ref(), names.iter().copied());
                table.attempted_asks.extend(suggestion.map(|suggestion| (name, suggestion)));
                let hint = match suggestion {
                    Some(suggestion) => format!("did you mean `{name}.{suggestion}`?"),
                    None => format!("its keys are {all}"),
                };
                let message = format!("{} has no key `{name}.{}`", known.name, excerpt(at.get_ref()));
                mistakes.at(&at.span(), message, hint);
                continue;
            };
            let shape = match key.shape {
                QueryKeyType::Text => Shape::Text,
                QueryKeyType::Texts => Shape::Texts,
                QueryKeyType::Count(least, most) => Shape::Integer(least, most),
                QueryKeyType::Flag => Shape::Flag,
                QueryKeyType::OneOf(choices) => Shape::OneOf(choices),
            };
            let (found, span) = (value.get_ref(), value.span());
            let (wanted, example) = expected(shape, found);
            let origin = Origin::File { key: at.span(), value: span.clone() };
            match Value::of(found).filter(|_| fits(shape, found)) {
                Some(Ok(value)) => {
                    table.asks.entry(name).or_default().insert(key.name, ConfigValue { value, origin });
                }
                Some(Err(fault)) => {
                    table.attempted_asks.push((name, key.name));
                    mistakes.fault(&format!("{name}.{}", key.name), &origin, fault);
                }
                None => {
                    table.attempted_asks.push((name, key.name));
                    let message = format!("`{name}.{}` takes {wanted}, found {}", key.name, kind(found));
                    mistakes.at(&span, message, format!("write {name}.{} = {example}", key.name));
                }
            }
        }
    }
}

/// Returns the kind of a provider's section.
pub(in crate::config) fn kind_of(
    table: &Table,
    name: Source,
    broken: bool,
    mistakes: &mut Mistakes<'_>,
) -> Option<&'static ProviderKind> {
    let names: Vec<&'static str> = KINDS.iter().map(|kind| kind.name).collect();
    match table.values.get("kind") {
        Some(ConfigValue { value: Value::Text(word), origin }) => {
            let kind = ProviderKind::named(word);
            if kind.is_none() {
                mistakes.fault("kind", origin, crate::config::values::scalars::unknown_choice(word, &names));
            }
            kind
        }
        _ => {
            if let (false, Some(header), false) = (broken, &table.header, table.was_written("kind")) {
                let hint = format!("write kind = \"…\": {}", names.join(", "));
                mistakes.at(header, format!("provider {name} has no `kind`"), hint);
            }
            None
        }
    }
}
