//! Single values: names, paths, templates, times, sizes and prices, each within its bounds.

pub(super) mod names;
pub(super) mod paths;
pub(super) mod scalars;
pub(super) mod template;
pub(super) mod value;
