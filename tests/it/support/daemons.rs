//! A running daemon with topics of today.

use topicwatch::daemon::system_clock;

use crate::support::program::{Place, RunningProgram};
use crate::support::service::Sandbox;

/// Social topics with these names, twice a day each. A slot comes due during a case only by chance.
#[track_caller]
pub fn topics(names: &[&str]) -> String {
    let topic = |name: &&str| {
        format!("[[topics]]\nid = \"{name}\"\nquery = \"{name} launch\"\nsources = [\"social\"]\nevery = \"12h\"\n\n")
    };
    names.iter().map(topic).collect()
}

/// A sandbox with today's date, for a daemon, which uses the real clock.
#[track_caller]
pub fn sandbox_of_today(faults: &[&str]) -> Sandbox {
    Sandbox::at(&system_clock()().to_string(), faults)
}

#[track_caller]
pub fn start_daemon(place: &Place, args: &[&str]) -> RunningProgram {
    let mut daemon = place.program(&[&["run"], args].concat()).start();
    daemon.wait_until("its plan", |said| said.contains("next slot"));
    daemon
}

/// Whether a call is in flight.
#[track_caller]
pub fn is_calling(place: &Place) -> bool {
    place.database.calls_under_way() == 1
}
