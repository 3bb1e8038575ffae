//! The output of every format. One type for all outputs, so that the code that reads and writes rows is compiled
//! once.

use std::io::Write;

/// The output of an export.
pub type Out<'w> = &'w mut (dyn Write + Send);
