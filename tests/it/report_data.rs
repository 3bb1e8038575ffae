//! Empty: the history for the daily report is in `support/report_world.rs`.
