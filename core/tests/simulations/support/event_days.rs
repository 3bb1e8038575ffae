//! Days of the CrisisLex streams with known events, and the words for each event. The words were chosen from general
//! knowledge of the events, before any result was seen. Days are local days of the place.

/// A stream of posts: its file, the time zone of the place, the query of a topic, and the event days with their words.
pub struct EventStream {
    pub file: &'static str,
    pub zone: &'static str,
    pub query: &'static str,
    pub days: &'static [(&'static str, &'static [&'static str])],
}

pub const STREAMS: &[EventStream] = &[
    EventStream {
        file: "crisislex_t6/2012_Sandy_Hurricane.csv",
        zone: "America/New_York",
        query: "\"new york\" OR \"new jersey\"",
        days: &[
            // The hurricane approaches: evacuations, transit shuts down.
            ("2012-10-28", &["sandy", "hurricane", "frankenstorm", "hurricanesandy", "evacuation"]),
            // Landfall in the evening: power cuts, flooded streets, a crane hangs over a street.
            ("2012-10-29", &["landfall", "power", "wind", "winds", "crane", "flooding", "flooded", "lights"]),
            // The day after: damage, no power.
            ("2012-10-30", &["aftermath", "damage", "devastation", "destroyed", "subway", "without power", "no power"]),
        ],
    },
    EventStream {
        file: "crisislex_t6/2013_Boston_Bombings.csv",
        zone: "America/New_York",
        query: "boston",
        days: &[
            ("2013-04-15", &["marathon", "bostonmarathon", "explosion", "explosions", "bomb", "bombs", "bombing"]),
            // Mourning: prayers, the youngest victim.
            ("2013-04-16", &["pray", "prayers", "prayforboston", "martin", "victims", "vigil", "bombing", "bombings"]),
            // A false report of an arrest. In the evening a plant explodes in West, Texas.
            (
                "2013-04-17",
                &["suspect", "arrest", "arrested", "custody", "texas", "waco", "fertilizer", "prayfortexas"],
            ),
            // The plant again; pictures of the suspects are published.
            ("2013-04-18", &["fbi", "suspect", "suspects", "texas", "fertilizer", "photos"]),
            // The hunt.
            ("2013-04-19", &["watertown", "lockdown", "manhunt", "suspect", "tsarnaev", "dzhokhar", "mit", "custody"]),
        ],
    },
    EventStream {
        file: "crisislex_t6/2013_Alberta_Floods.csv",
        zone: "America/Edmonton",
        query: "alberta OR calgary",
        days: &[
            (
                "2013-06-21",
                &["flood", "flooding", "floods", "flooded", "yycflood", "abflood", "evacuation", "evacuated"],
            ),
            // The crest reaches Medicine Hat.
            ("2013-06-24", &["medicine", "hat", "medicine hat"]),
            // A train is stuck on a failing bridge.
            ("2013-06-27", &["bridge", "bonnybrook", "train", "derailment", "cp"]),
            ("2013-07-01", &["canada", "canada day", "canadaday"]),
        ],
    },
    EventStream {
        file: "crisislex_t26/2012_Costa_Rica_earthquake.csv",
        zone: "America/Costa_Rica",
        query: "\"costa rica\"",
        days: &[("2012-09-05", &["terremoto", "sismo", "temblor", "earthquake", "tsunami", "quake"])],
    },
    EventStream {
        file: "crisislex_t26/2012_Italy_earthquakes.csv",
        zone: "Europe/Rome",
        query: "emilia OR italia",
        days: &[
            ("2012-05-20", &["terremoto", "scossa", "scosse", "sisma", "earthquake"]),
            // The second quake, farther west.
            ("2012-05-29", &["terremoto", "scossa", "scosse", "mirandola", "cavezzo", "medolla", "modena"]),
            // A strong aftershock in the evening.
            ("2012-06-03", &["scossa", "scosse", "novi"]),
        ],
    },
    EventStream {
        file: "crisislex_t26/2013_Russia_meteor.csv",
        zone: "Asia/Yekaterinburg",
        query: "россия OR russia",
        days: &[(
            "2013-02-15",
            &["метеорит", "метеорита", "метеор", "метеоритныи", "метеоритный", "meteor", "meteorite", "челябинск"],
        )],
    },
];
