//! The databases that `scripts/bench` fills for its figures: they must fit the tables, or nobody can measure again.

use crate::support::databases::sqlite;
use crate::support::independent_readers::{path_text, run_python};
use crate::support::program::Place;

#[test]
fn the_benchmarks_fill_a_database_that_the_program_exports() {
    let topics = "[[topics]]\nid = \"topic-000\"\nquery = \"harbor\"\nsources = [\"social\"]\n";
    let place = Place::new(sqlite(), "base_url = \"sandbox\"\n", topics);
    place.ok(&["db", "migrate"]);
    let script = "import sys\n\
        sys.dont_write_bytecode = True\n\
        sys.path.insert(0, sys.argv[1])\n\
        from benchmarks.fill import add_details, fill\n\
        fill(sys.argv[2], '8000')\n\
        add_details(sys.argv[2], 1_700_000_000_000)";
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
    let file = place.database.url.trim_start_matches("sqlite:").to_owned();
    if run_python(script, &[scripts, path_text(file.as_ref())]).is_none() {
        return;
    }
    let exported = place.ok(&["export", "--what", "sightings"]);
    assert_eq!(exported.lines().count(), 8_001, "a header and the 8,000 sightings");
    place.ok(&["status"]);
}
