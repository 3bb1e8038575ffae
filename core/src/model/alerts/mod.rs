//! Alerts: their rules, their stored state, what pages show of them, and the hours in which they send nothing.

pub(super) mod alert;
pub(super) mod alert_card;
pub(super) mod quiet_hours;
