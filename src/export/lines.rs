//! The quick way for the longest export: sightings as CSV whose lines the database writes itself. Header and bytes are those
//! of the plain way, `csv`; only what need not be looked at row by row goes this way.

use std::io::{BufWriter, Write};

use super::csv::Writer;
use super::{Cell, ExportError, Order, Profile};
use crate::store::Store;

/// How much is gathered before it is handed on.
const PAGE: usize = 256 * 1024;

/// Writes sightings; returns the output and the number of rows.
pub(super) async fn write<W: Write + Send>(
    store: &Store,
    order: &Order,
    origin: Cell<'static>,
    out: W,
) -> Result<(W, u64), ExportError> {
    let origin = if let Cell::Word(word) = origin { word } else { "" };
    let out = Writer::begin(out, &order.what.columns(), order.profile)?.finish()?;
    let (mut out, mut rows) = (BufWriter::with_capacity(PAGE, out), 0);
    let mut put = |lines: &str, many: u64| {
        rows += many;
        Ok::<_, ExportError>(out.write_all(lines.as_bytes())?)
    };
    store.each_sightings_lines(&order.filter, order.profile == Profile::Excel, origin, &mut put).await?;
    Ok((out.into_inner().map_err(std::io::IntoInnerError::into_error)?, rows))
}
