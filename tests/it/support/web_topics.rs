//! Topics whose pages cases look at.

/// Two topics, one of them in a zone of its own.
pub const TOPICS: &str = "[[topics]]\nid = \"acme\"\ntitle = \"Acme & Sons\"\nquery = \"acme launch\"\nevery = \"12h\"\n\
    [[topics]]\nid = \"rust\"\nquery = \"rust async\"\nschedule = \"30 2 * * *\"\ntimezone = \"Asia/Kolkata\"\n";
