//! A daemon at work on topics of today.

use topicwatch::daemon::system_clock;

use crate::support::program::{Going, Place};
use crate::support::service::Sandbox;

/// Social topics of these names, each twice a day, whose slots do not come while a case runs but by chance.
pub fn topics(names: &[&str]) -> String {
    let topic = |name: &&str| {
        format!("[[topics]]\nid = \"{name}\"\nquery = \"{name} launch\"\nsources = [\"social\"]\nevery = \"12h\"\n\n")
    };
    names.iter().map(topic).collect()
}

/// A sandbox of today, and a daemon that was there.
pub fn today(faults: &[&str]) -> Sandbox {
    Sandbox::at(&system_clock()().to_string(), faults)
}

pub fn daemon(place: &Place, args: &[&str]) -> Going {
    let mut daemon = place.program(&[&["run"], args].concat()).start();
    daemon.until("its plan", |said| said.contains("next slot"));
    daemon
}

/// Whether a call is under way.
pub fn under_a_call(place: &Place) -> bool {
    place.database.number("SELECT count(*) FROM search WHERE state = 'started'") == 1
}
