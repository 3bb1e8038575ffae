//! What every format writes to. One type for all outputs, so that reading and writing rows is compiled once.

use std::io::Write;

/// Where an export is written to.
pub type Out<'w> = &'w mut (dyn Write + Send);
