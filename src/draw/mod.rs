//! What reports and pages draw alike: charts as inline SVG without a style of their own, and how numbers, times, foreign
//! words and answers are written. It reads nothing and decides nothing; colours are the style sheets' of whoever shows it.

pub mod chart;
pub mod chart_parts;
pub mod format;
pub mod growth;
pub mod prose;
pub mod spark;
pub mod spread;
