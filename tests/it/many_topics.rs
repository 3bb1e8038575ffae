//! Files with many topics: `status` and `once --dry-run` write their output while they produce it and never hold all of
//! it.
#![cfg(target_os = "linux")]

use std::io::Read as _;
use std::process::{Command, Stdio};

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};

fn topics(many: u64) -> String {
    let topic = |n: u64| format!("[[topics]]\nid = \"topic-{n:05}\"\nquery = \"subject {n}\"\nevery = \"12h\"\n");
    (0..many).map(topic).collect()
}

/// The peak memory in KiB of a program whose output is not read beyond the first byte, so that it still holds what it
/// buffers.
fn peak(place: &Place, args: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_topicwatch"))
        .args(args)
        .current_dir(place.path("."))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut begin = [0; 1];
    child.stdout.as_mut().unwrap().read_exact(&mut begin).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_else(|| panic!("{args:?} has ended"));
    let peak = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    peak
}

#[test]
fn output_about_many_topics_is_streamed_not_held_in_memory() {
    const FEW: u64 = 1_000;
    const MANY: u64 = 4_000;
    let places = [FEW, MANY].map(|many| {
        let place = Place::new(sqlite(), "base_url = \"sandbox\"", &topics(many));
        // Stores the topics; nothing runs yet.
        place.ok(&["once", "--due", "--at", NINE]);
        place
    });
    for args in [&["status", "--json"][..], &["once", "--dry-run"]] {
        let [few, many] = [0, 1].map(|n| peak(&places[n], &[args, &["--at", NINE]].concat()));
        let more = many.saturating_sub(few);
        // The file itself is in memory: its text, and each topic in it.
        assert!(more < (MANY - FEW) * 3, "{args:?}: of {FEW} topics {few} KiB, of {MANY} {many} KiB");
    }
}
