//! Items as JSON: every list has the same fields.

use serde_json::{Value, json};

use crate::cli::terminal::failure::Failure;
use crate::model::WindowFit;
use crate::store::{ItemRow, Store};

/// Returns items as JSON, each with whether it was inside the window when first seen.
pub(super) async fn items_to_json(store: &Store, items: &[ItemRow]) -> Result<Vec<Value>, Failure> {
    let keys: Vec<String> = items.iter().map(|item| item.key.clone()).collect();
    let fits = store.window_fits(None, &keys).await?;
    let fit = |item: &ItemRow| fits.get(&(item.topic.clone(), item.key.clone())).copied();
    Ok(items.iter().map(|item| item_json(item, fit(item).unwrap_or(WindowFit::Undated))).collect::<Result<_, _>>()?)
}

/// Returns an item as JSON with whether it was inside the window when first seen.
pub(in crate::cli::look) fn item_json(item: &ItemRow, fit: WindowFit) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(item)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("fit".into(), json!(fit));
    }
    Ok(value)
}
