//! Drawing shared by reports and pages: charts as inline SVG without styles, and the formatting of numbers, times,
//! external text and answers. Pure; style sheets set the colours.

pub mod answer_text;
pub mod chart;
pub mod chart_parts;
pub mod enumeration;
pub mod format;
pub mod growth;
pub mod lower_bounds;
pub mod part_time;
pub mod sparkline;
pub mod story_chart;
