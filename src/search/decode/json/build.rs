//! Parses text to [`Node`]s with bounded memory. Members that no reader uses are checked and dropped while parsing.
//! Lists and the whole tree have a limit, so that a 15 MB body of small values cannot become hundreds of megabytes. The
//! grammar is that of the JSON parser.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::node::{List, Node, Object, is_billing_field, known_name};
use crate::search::decode::context::Limits;

/// Nodes kept for each allowed entry. A post with all its fields has about 25, and a reply has up to ten lists.
const NODES_PER_ITEM: usize = 250;

/// Parses a text that [`super::lenient`] has prepared.
pub(in crate::search::decode) fn build(text: &str, limits: Limits) -> Result<Node, serde_json::Error> {
    let mut budget = Budget { nodes: limits.max_items.saturating_mul(NODES_PER_ITEM), list: limits.max_items };
    let mut parser = serde_json::Deserializer::from_str(text);
    let node = Build(&mut budget).deserialize(&mut parser)?;
    parser.end()?;
    Ok(node)
}

struct Budget {
    nodes: usize,
    list: usize,
}

struct Build<'b>(&'b mut Budget);

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Node, D::Error> {
        self.0.nodes = self.0.nodes.saturating_sub(1);
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Build<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Number::from_f64(value).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut list = List::default();
        while list.items.len() < self.0.list && self.0.nodes > 0 {
            match entries.next_element_seed(Build(self.0))? {
                Some(node) => list.items.push(node),
                None => return Ok(Node::List(list)),
            }
        }
        while entries.next_element::<IgnoredAny>()?.is_some() {
            list.dropped = list.dropped.saturating_add(1);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut object = Object::default();
        while let Some(name) = members.next_key_seed(Name)? {
            match name {
                Ok(name) if self.0.nodes > 0 => {
                    let node = members.next_value_seed(Build(self.0))?;
                    object.members.push((name, node));
                }
                Ok(_) => drop(members.next_value::<IgnoredAny>()?),
                Err(name) => {
                    object.foreign |= !(name.starts_with("key_") || name.ends_with("_summary"));
                    if members.next_value_seed(Skip)? && object.strange.is_none() {
                        object.strange = Some(name.clone());
                    }
                    if object.unknown.is_none() && !is_billing_field(&name) {
                        object.unknown = Some(name);
                    }
                }
            }
        }
        Ok(Node::Object(object))
    }
}

/// A member's name: a known one, or the beginning of an unknown one for messages.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Result<Cow<'static, str>, String>;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Self::Value, D::Error> {
        parser.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Result<Cow<'static, str>, String>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(known_name(name).ok_or_else(|| name.chars().take(40).collect()))
    }
}

/// Discards a value. Returns true when it was a list with something in it.
struct Skip;

impl<'de> DeserializeSeed<'de> for Skip {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<bool, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Skip {
    type Value = bool;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<bool, A::Error> {
        let mut filled = false;
        while entries.next_element::<IgnoredAny>()?.is_some() {
            filled = true;
        }
        Ok(filled)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }
}
