//! Topics whose pages the cases check.

/// Two topics, one with its own time zone.
pub const TOPICS: &str = "[[topics]]\nid = \"acme\"\ntitle = \"Acme & Sons\"\nquery = \"acme launch\"\nevery = \"12h\"\n\
    [[topics]]\nid = \"rust\"\nquery = \"rust async\"\nschedule = \"30 2 * * *\"\ntimezone = \"Asia/Kolkata\"\n";
