//! The one integration-test binary: every case drives the crate through its public interface against real parts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    unreachable_pub,
    reason = "tests fail by panicking"
)]

mod alerts;
mod api;
mod api_access;
mod api_client;
mod api_exports;
mod backfill;
mod budget;
mod budget_store;
mod calls;
mod changes;
mod changes_order;
mod cli;
mod client;
mod cluster;
mod config;
mod coverage;
mod crowded;
mod daemon;
mod databases;
mod docs;
mod endure;
mod endure_clock;
mod endure_crowd;
mod endure_database;
mod endure_downtime;
mod endure_kills;
mod endure_stands;
mod export_changes;
mod export_days;
mod export_disk;
mod export_search;
mod exports;
mod faults;
mod filters;
mod foresight;
mod forget;
mod formats;
mod fresh;
mod health;
mod hostile;
mod hostile_texts;
mod idle;
mod kills;
mod ledger_cli;
mod living;
mod mail_tls;
mod metrics;
mod moving;
mod near_copies;
mod near_forget;
mod outbox;
mod pg;
mod pings;
mod program;
mod protected;
mod real_input;
mod receivers;
mod reload;
mod replaced;
mod replay;
mod report;
mod report_browser;
mod report_calm;
mod report_cli;
mod report_data;
mod report_told;
mod reports;
mod retention;
mod retention_told;
mod sandbox;
mod sentiment;
mod service;
mod several;
mod sheets;
mod shutdown;
mod silence;
mod standing;
mod stops;
mod store;
mod store_coverage;
mod store_merge;
mod store_more;
mod story;
mod streams;
mod tone;
mod tongues;
mod truth;
mod usual;
mod views;
mod web;
mod web_alerts;
mod web_browser;
mod web_client;
mod web_keyboard;
mod web_reload;
mod web_security;
mod words;
mod words_leave;
