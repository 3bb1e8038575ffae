//! Annotations by people: stars, notes and saved searches, for all topics; marks, for one topic.

mod marks;
mod stars_and_searches;
