//! Items as JSON: the same fields whichever list they are in.

use serde_json::{Value, json};

use crate::cli::terminal::failure::Failure;
use crate::model::WindowFit;
use crate::store::{ItemRow, Store};

/// Items, each with whether it lay in the window when it was seen first.
pub(super) async fn with_fits(store: &Store, items: &[ItemRow]) -> Result<Vec<Value>, Failure> {
    let keys: Vec<String> = items.iter().map(|item| item.key.clone()).collect();
    let fits = store.first_fits(None, &keys).await?;
    let fit = |item: &ItemRow| fits.get(&(item.topic.clone(), item.key.clone())).copied();
    Ok(items.iter().map(|item| item_json(item, fit(item).unwrap_or(WindowFit::Undated))).collect::<Result<_, _>>()?)
}

/// An item and whether it lay in the window when it was seen first.
pub(super) fn item_json(item: &ItemRow, fit: WindowFit) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(item)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("fit".into(), json!(fit));
    }
    Ok(value)
}
