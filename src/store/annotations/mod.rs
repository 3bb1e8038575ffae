//! What people attach to findings: stars, notes and saved searches, for all topics; marks, for one.

mod marks;
mod stars_and_searches;
