//! A made-up history for the daily report: sixteen days of two topics, written past the store so that every figure can be worked
//! out again from the rows. Drawn by arithmetic: the same on every database.
