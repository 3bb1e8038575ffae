//! Tests against a file of cron vectors: expressions, zones, and the instants on which independent engines agree. The
//! file is not in the repository.

use super::time;
use crate::schedule::parse_cron;

/// Rows that depend on the version of the zone tables, with the reason. None is known.
const OTHER_TABLES: [(&str, &str); 0] = [];

#[test]
fn every_cron_vector_has_exactly_its_slots_or_is_refused() {
    let Ok(data) = std::env::var("TOPICWATCH_TEST_DATA") else {
        eprintln!("skipped: cron vectors, because TOPICWATCH_TEST_DATA is not set");
        return;
    };
    let file = std::path::Path::new(&data).join("cron/cron_vectors.csv");
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (id, expression, zone, after, expect) =
        (column("id"), column("expr"), column("tz"), column("after_utc"), column("expect"));
    let first = column("next1_utc");
    let (mut fires, mut refused, mut wrong) = (0, 0, Vec::new());
    for row in reader.records() {
        let row = row.unwrap();
        if OTHER_TABLES.iter().any(|(other, _)| *other == &row[id]) {
            continue;
        }
        let schedule = parse_cron(&row[expression], &row[zone]);
        if &row[expect] != "FIRES" {
            refused += 1;
            if schedule.is_ok() {
                wrong.push(format!("{}: `{}` was accepted", &row[id], &row[expression]));
            }
            continue;
        }
        fires += 1;
        let wanted: Vec<String> = (first..first + 5).map(|column| row[column].to_owned()).collect();
        let got: Vec<String> = match &schedule {
            Err(refused) => vec![refused.to_string()],
            Ok(schedule) => {
                let next = |slot: &crate::model::Time| schedule.next_after(*slot);
                std::iter::successors(schedule.next_after(time(&row[after])), next)
                    .take(5)
                    .map(|slot| slot.to_string())
                    .collect()
            }
        };
        if got != wanted {
            wrong.push(format!("{}: `{}` {}: {got:?}, not {wanted:?}", &row[id], &row[expression], &row[zone]));
        }
    }
    assert!(wrong.is_empty(), "{} of {fires} + {refused} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(fires >= 180 && refused >= 25, "{fires} firing and {refused} refused rows were read");
}
