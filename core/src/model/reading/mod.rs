//! Rows for readers: exports, reports and pages, and the tokens of their pages.

pub(super) mod counts;
pub(super) mod exported;
pub(super) mod lower_bounds;
pub(super) mod page_token;
pub(super) mod pages;
pub(super) mod report_rows;
pub(super) mod rows;
