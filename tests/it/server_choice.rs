//! PostgreSQL for the tests: where the server is, and a schema of its own for each test. Starting the server is up to
//! `scripts/test`.

use crate::support::server_choice::*;

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};

#[test]
fn a_required_but_missing_postgresql_fails_the_tests() {
    for (test_postgres, ci) in [(Some("required"), None), (None, Some("true")), (Some("required"), Some("false"))] {
        let wanted = Wanted::from(test_postgres, ci);
        assert_eq!(wanted, Wanted::Required, "{test_postgres:?} {ci:?}");
        std::panic::catch_unwind(|| decide(None, wanted)).expect_err("it must not pass in silence");
        assert_eq!(decide(Some("here".to_owned()), wanted).as_deref(), Ok("here"));
    }
}

#[test]
fn a_requested_skip_of_postgresql_overrides_everything() {
    assert_eq!(Wanted::from(Some("skip"), Some("true")), Wanted::Skip);
    assert_eq!(decide(Some("here".to_owned()), Wanted::Skip), Err("TEST_POSTGRES=skip"));
    assert_eq!(Wanted::from(None, None), Wanted::IfThere);
    std::panic::catch_unwind(|| Wanted::from(Some("no"), None)).expect_err("a misspelt value must not mean anything");
}

#[test]
fn each_test_gets_a_new_scratch_schema_of_its_own() {
    let (Some(one), Some(two), Some(unmade)) =
        (ScratchSchema::new(), ScratchSchema::new(), ScratchSchema::without_schema())
    else {
        return;
    };
    assert_ne!(one.schema(), two.schema());
    assert_eq!(one.url(), two.url());
    assert!(one.exists() && two.exists() && !unmade.exists());
}

#[test]
fn a_scratch_schema_is_dropped_when_its_test_panics_in_a_transaction() {
    let Some(scratch) = ScratchSchema::new() else { return };
    let (url, schema) = (scratch.url().to_owned(), scratch.schema().to_owned());
    scratch.execute(format!("CREATE TABLE {schema}.t (id bigint)")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut open = runtime.block_on(PgConnection::connect(&url)).unwrap();
    runtime.block_on(open.execute(AssertSqlSafe(format!("BEGIN; INSERT INTO {schema}.t VALUES (1)")))).unwrap();

    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _scratch = scratch;
        panic!("the test failed");
    }));

    assert!(panicked.is_err());
    assert!(!exists(&url, &schema));
}
