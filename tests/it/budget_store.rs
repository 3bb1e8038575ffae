//! Budgets at the store's interface, on both databases: what is counted before a call, what is settled at the end of a
//! run, and that the counters always equal the sums of the ledger.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::{Connection as _, Executor as _};
use topicwatch::model::{Budget, Micros, ServiceLimits, Source, Time, Topic, TopicLimits, Usage};
use topicwatch::store::{Outcome, Permission, RunRef, SearchResult, Store};

use crate::support::databases::{Database, databases, postgres};
use crate::support::searched::{LEASE, NOW, call, open_store, outcome, start_manual_run, topic};

const DAY: Duration = Duration::from_secs(86_400);

fn limited_topic(id: &str, calls: Option<u32>, micros: Option<i64>) -> Topic {
    Topic { limits: TopicLimits { calls, micros }, ..topic(id) }
}

fn service_limits(calls: u32, micros: i64) -> ServiceLimits {
    ServiceLimits { calls, money: Some(Micros(micros)) }
}

async fn count_call(store: &Store, run: &RunRef, source: Source, at: Time, limits: ServiceLimits) -> Permission {
    store.before_call(run, &call(source), at, limits).await.unwrap()
}

/// The outcome of a run with these sources at these costs.
fn outcome_with_costs(at: Time, costs: &[(Source, i64)]) -> Outcome {
    let whole = outcome(at, vec![]);
    let search = |(source, cost): &(Source, i64)| SearchResult {
        source: *source,
        cost: Micros(*cost),
        ..whole.searches[0].clone()
    };
    Outcome { searches: costs.iter().map(search).collect(), ..whole }
}

async fn spent(store: &Store, at: Time) -> i64 {
    store.usage_on(at.utc_day(), &[]).await.unwrap().0.money.0
}

#[tokio::test]
async fn a_refusal_names_the_budget_and_when_it_clears() {
    let none = ServiceLimits { calls: 100, money: None };
    for database in databases() {
        for (n, (limits, topic, budget, used, limit)) in [
            (ServiceLimits::from(2), limited_topic("a", None, None), Budget::ServiceCalls, 2, 2),
            (service_limits(100, 8_999), limited_topic("b", None, None), Budget::ServiceMoney, 6_000, 8_999),
            (none, limited_topic("c", Some(2), None), Budget::TopicCalls, 2, 2),
            (none, limited_topic("d", None, Some(8_999)), Budget::TopicMoney, 6_000, 8_999),
            (service_limits(100, 6_000), limited_topic("e", Some(2), Some(6_000)), Budget::TopicCalls, 2, 2),
        ]
        .into_iter()
        .enumerate()
        {
            // Each case has its own days, because all cases share the service's counters.
            let at = NOW.plus(DAY * u32::try_from(n).unwrap() * 3);
            let store = open_store(&database).await;
            store.sync_topics(std::slice::from_ref(&topic), at).await.unwrap();
            let run = start_manual_run(&store, &topic, &format!("R{n}"), at).await;
            for source in [Source::Social, Source::Web] {
                assert_eq!(count_call(&store, &run, source, at, limits).await, Permission::Granted, "{budget}");
            }
            for _ in 0..2 {
                let refused = count_call(&store, &run, Source::Ai, at, limits).await;
                let Permission::OverQuota(why) = refused else { panic!("{budget} let a third call through") };
                assert_eq!((why.budget, why.used, why.limit), (budget, used, limit), "{}", database.name);
                assert_eq!(why.clears_at, Some(at.next_utc_day()));
            }
            assert_eq!(store.calls_on(at.utc_day()).await.unwrap(), 2, "a refused call is not counted");
            assert_eq!(
                count_call(&store, &run, Source::Ai, at.next_utc_day(), limits).await,
                Permission::Granted,
                "{budget}"
            );
            store.close().await;
        }
    }
}

#[tokio::test]
async fn the_end_of_a_run_replaces_reserved_prices_with_real_costs() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = limited_topic("acme", None, Some(1_000_000));
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let limits = service_limits(100, 1_000_000);
        for (id, cost, after) in [("R1", 1_000, 1_000), ("R2", 7_500, 8_500), ("R3", 0, 8_500)] {
            let run = start_manual_run(&store, &t, id, NOW).await;
            count_call(&store, &run, Source::Social, NOW, limits).await;
            assert_eq!(spent(&store, NOW).await, after - cost + 3_000, "counted at its price while it is open");
            store.finish(&run, outcome_with_costs(NOW, &[(Source::Social, cost)])).await.unwrap();
            let (service, topics) = store.usage_on(NOW.utc_day(), &["acme".into()]).await.unwrap();
            assert_eq!((service.money.0, topics[0].money.0), (after, after), "{} {id}", database.name);
        }
        // A renamed topic keeps its usage.
        store.rename_topic("acme", "new", NOW).await.unwrap();
        let (_, topics) = store.usage_on(NOW.utc_day(), &["new".into(), "acme".into()]).await.unwrap();
        assert_eq!(topics, [Usage { calls: 3, money: Micros(8_500) }, Usage::default()]);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_budget_set_at_noon_includes_the_cost_of_the_morning() {
    for database in databases() {
        let store = open_store(&database).await;
        let plain = topic("acme");
        store.sync_topics(std::slice::from_ref(&plain), NOW).await.unwrap();
        let (ended, open_run) =
            (start_manual_run(&store, &plain, "R1", NOW).await, start_manual_run(&store, &plain, "R2", NOW).await);
        let unlimited = ServiceLimits::from(100);
        count_call(&store, &ended, Source::Social, NOW, unlimited).await;
        count_call(&store, &open_run, Source::Social, NOW, unlimited).await;
        store.finish(&ended, outcome_with_costs(NOW, &[(Source::Social, 5_000)])).await.unwrap();
        let counted = "SELECT count(*) FROM calls WHERE spent IS NOT NULL";
        assert_eq!(database.number(counted), 0, "without a budget no cost is counted");
        assert_eq!(spent(&store, NOW).await, 8_000, "and the ledger contains it");

        // 5,000 are settled and 3,000 reserved: another 3,000 fit into 11,000, and no more.
        let t = limited_topic("acme", None, Some(11_000));
        let run = start_manual_run(&store, &t, "R3", NOW).await;
        assert_eq!(
            count_call(&store, &run, Source::Social, NOW, service_limits(100, 11_000)).await,
            Permission::Granted
        );
        for limits in [service_limits(100, 11_000), unlimited] {
            let refused = count_call(&store, &run, Source::Web, NOW, limits).await;
            assert!(matches!(refused, Permission::OverQuota(why) if why.used == 11_000), "{refused:?}");
        }
        // The open run turns out to be free, which makes room for one call.
        store.finish(&open_run, outcome_with_costs(NOW, &[(Source::Social, 0)])).await.unwrap();
        assert_eq!(count_call(&store, &run, Source::Web, NOW, service_limits(100, 11_000)).await, Permission::Granted);
        assert_eq!((spent(&store, NOW).await, store.calls_on(NOW.utc_day()).await.unwrap()), (11_000, 4));
        database.close(store).await;
    }
}

#[tokio::test]
async fn concurrent_processes_keep_budget_totals_exact() {
    for database in databases() {
        let store = open_store(&database).await;
        let topics: Vec<Topic> = (0..3).map(|n| limited_topic(&format!("t{n}"), None, Some(18_000))).collect();
        store.sync_topics(&topics, NOW).await.unwrap();
        let mut tasks = Vec::new();
        for n in 0..6_u32 {
            let (other, mut order) = (open_store(&database).await, topics.clone());
            order.rotate_left(n as usize % 3);
            tasks.push(tokio::spawn(async move {
                let mut granted = 0;
                for round in 0..3 {
                    // A process runs its topics concurrently, so that they share transactions.
                    let each = order.iter().map(|topic| async {
                        let run = start_manual_run(&other, topic, &format!("{n}-{round}-{}", topic.id), NOW).await;
                        let through = count_call(&other, &run, Source::Social, NOW, service_limits(100, 51_000)).await;
                        let costs = if through == Permission::Granted { vec![(Source::Social, 3_000)] } else { vec![] };
                        other.finish(&run, outcome_with_costs(NOW, &costs)).await.unwrap();
                        i64::try_from(costs.len()).unwrap()
                    });
                    let [a, b, c]: [_; 3] = each.collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!());
                    let (a, b, c) = tokio::join!(a, b, c);
                    granted += a + b + c;
                }
                other.close().await;
                granted
            }));
        }
        let mut granted = 0;
        for task in tasks {
            granted += task.await.unwrap();
        }
        let ids: Vec<String> = topics.iter().map(|topic| topic.id.clone()).collect();
        let (service, of_topics) = store.usage_on(NOW.utc_day(), &ids).await.unwrap();
        assert_eq!((granted, service), (17, Usage { calls: 17, money: Micros(51_000) }), "{}", database.name);
        let sum = of_topics.iter().fold(0, |sum, used| sum + used.money.0);
        assert_eq!(sum, 51_000, "{of_topics:?}");
        assert!(of_topics.iter().all(|used| used.money.0 <= 18_000), "{of_topics:?}");
        database.close(store).await;
    }
}

#[tokio::test]
async fn limits_set_again_after_removal_count_the_calls_in_between() {
    let unlimited = ServiceLimits::from(100);
    for database in databases() {
        let store = open_store(&database).await;
        let (plain, other) = (topic("acme"), limited_topic("other", Some(50), None));
        let t = limited_topic("acme", Some(8), Some(20_000));
        store.sync_topics(&[t.clone(), other.clone()], NOW).await.unwrap();
        let one = async |topic: &Topic, id: &str| {
            let run = start_manual_run(&store, topic, id, NOW).await;
            let permission = count_call(&store, &run, Source::Social, NOW, unlimited).await;
            let costs = if permission == Permission::Granted { vec![(Source::Social, 500)] } else { vec![] };
            store.finish(&run, outcome_with_costs(NOW, &costs)).await.unwrap();
            permission
        };
        let used = async || {
            let used = store.usage_on(NOW.utc_day(), &["acme".into(), "other".into()]).await.unwrap().1;
            used.iter().map(|used| (used.calls, used.money.0)).collect::<Vec<_>>()
        };
        one(&t, "R1").await;
        one(&t, "R2").await;
        // Some of them share a transaction with a call of a topic that has limits.
        for n in 0..5 {
            let [plain_run, other_run] = ["P", "O"].map(|letter| format!("{letter}{n}"));
            tokio::join!(one(&plain, &plain_run), one(&other, &other_run));
        }
        assert_eq!(used().await, [(7, 3_500), (5, 2_500)], "{}", database.name);
        assert_eq!(one(&t, "R3").await, Permission::Granted);
        let refused = one(&t, "R4").await;
        assert!(matches!(refused, Permission::OverQuota(why) if why.used == 8), "{} {refused:?}", database.name);
        assert_eq!(used().await, [(8, 4_000), (5, 2_500)], "{}", database.name);
        database.close(store).await;
    }
}

/// If the tries of a search passed midnight, each day shows how much of its own money is assumed, until a bill confirms
/// all of it.
#[tokio::test]
async fn a_search_across_midnight_shows_the_assumed_cost_of_each_day() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("acme");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let mut before = NOW.next_utc_day();
        // Without a budget first: the ledger is summed. Then money is counted.
        for limits in [ServiceLimits::from(100), service_limits(100, 1_000_000)] {
            for basis in ["assumed", "billed"] {
                // Days of its own for each case.
                before = before.plus(DAY * 3);
                let (evening, night) = (Time(before.next_utc_day().0 - 1), before.next_utc_day());
                let (first, last) = (evening.utc_day(), night.utc_day());
                let name = format!("{}, {limits:?}, {basis}", database.name);
                let days = async || {
                    let of_topic = store.assumed_of_topic("acme", first, last).await.unwrap();
                    let mut days = Vec::new();
                    for day in [first, last] {
                        let cost = store.usage_by_provider(day).await.unwrap().service.cost;
                        let used = store.usage_by_topics(day, &["acme".into()]).await.unwrap()[0].money;
                        let of_topic = of_topic.get(&day).copied().unwrap_or_default();
                        assert_eq!((used, of_topic), (cost.total, cost.assumed), "{name}: day {day}");
                        days.push((cost.total.0, cost.assumed.0));
                    }
                    days
                };
                let run = start_manual_run(&store, &t, &format!("R{first}"), evening).await;
                for at in [evening, night] {
                    assert_eq!(
                        count_call(&store, &run, Source::Social, at, limits).await,
                        Permission::Granted,
                        "{name}"
                    );
                }
                assert_eq!(days().await, [(3_000, 3_000), (3_000, 3_000)], "{name}: while the call is open");
                let mut ended = outcome_with_costs(night, &[(Source::Social, 7_000)]);
                ended.searches[0].cost_basis = basis;
                store.finish(&run, ended).await.unwrap();
                let assumed = |money: i64| if basis == "assumed" { money } else { 0 };
                assert_eq!(days().await, [(3_000, assumed(3_000)), (4_000, assumed(4_000))], "{name}");
            }
        }
        database.close(store).await;
    }
}

/// A search: its topic, the days of its tries, and its cost when known.
type Search = (String, Vec<i64>, Option<i64>);

/// The expected counters, by run and source.
#[derive(Default)]
struct Model(BTreeMap<(String, Source), Search>);

impl Model {
    fn used(&self, topic: Option<&str>, day: i64) -> Usage {
        let mut used = Usage::default();
        for (_, tries, cost) in self.0.values().filter(|(of, ..)| topic.is_none_or(|topic| topic == of)) {
            let last = *tries.last().unwrap();
            let price = |count: usize| i64::try_from(count).unwrap() * 3_000;
            let made = tries.iter().filter(|of| **of == day).count();
            used.calls += i64::try_from(made).unwrap();
            let earlier = price(tries.iter().filter(|of| **of != last).count());
            let whole = cost.unwrap_or(price(tries.len()));
            used.money.0 += if day == last { (whole - earlier).max(0) } else { price(made) };
        }
        used
    }
}

/// A deterministic pseudo-random generator.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

#[tokio::test]
async fn budget_counters_always_equal_the_sums_of_the_ledger() {
    for database in databases() {
        let store = open_store(&database).await;
        for seed in 0..4 {
            sequence(&database, &store, seed).await;
        }
        database.close(store).await;
    }
}

async fn sequence(database: &Database, store: &Store, seed: u64) {
    let mut draw = Draw(seed);
    let begin = NOW.plus(DAY * u32::try_from(seed).unwrap() * 40);
    let topics = [
        limited_topic(&format!("money-{seed}"), None, Some(40_000)),
        limited_topic(&format!("calls-{seed}"), Some(9), None),
        // Its limits come and go with the file.
        limited_topic(&format!("changing-{seed}"), Some(9), Some(30_000)),
        topic(&format!("plain-{seed}")),
    ];
    store.add_topics(&topics, begin).await.unwrap();
    let limits = service_limits(25, 60_000);
    let (mut now, mut model, mut held) = (begin, Model::default(), Vec::<RunRef>::new());
    for step in 0..80 {
        now = now.plus(Duration::from_secs(draw.below(7_000)));
        let pick = usize::try_from(draw.below(held.len().max(1) as u64)).unwrap();
        match draw.below(10) {
            0..3 => {
                let mut topic = topics[usize::try_from(draw.below(4)).unwrap()].clone();
                if topic.id == topics[2].id && draw.below(3) == 0 {
                    topic.limits = TopicLimits::default();
                }
                let run = store.start_manual(&topic, &format!("{seed}-{step}"), now, LEASE * 200, "t").await.unwrap();
                held.push(run);
            }
            3..7 if !held.is_empty() => {
                let source = Source::SERVICE[usize::try_from(draw.below(3)).unwrap()];
                let run = &held[pick];
                if count_call(store, run, source, now, limits).await == Permission::Granted {
                    let search = model.0.entry((run.public_id.clone(), source)).or_default();
                    search.0.clone_from(&run.topic.id);
                    search.1.push(now.utc_day());
                }
            }
            7 if !held.is_empty() => {
                let run = held.swap_remove(pick);
                let mut costs = Vec::new();
                for (_, search) in model.0.iter_mut().filter(|((id, _), _)| *id == run.public_id) {
                    search.2 = Some(i64::try_from(draw.below(9_000)).unwrap());
                }
                for ((id, source), search) in &model.0 {
                    costs.extend(search.2.filter(|_| *id == run.public_id).map(|cost| (*source, cost)));
                }
                store.finish(&run, outcome_with_costs(now, &costs)).await.unwrap();
            }
            8 if !held.is_empty() => store.release(&held.swap_remove(pick), now, &[]).await.unwrap(),
            9 if draw.below(2) == 0 => {
                // The lease holders are silent for so long that all runs are lost.
                now = now.plus(LEASE * 201);
                store.rescue(now).await.unwrap();
                held.clear();
            }
            _ => {}
        }
        for day in [now.utc_day() - 1, now.utc_day()] {
            // For removed limits, only today's use is exact.
            let exact = if day == now.utc_day() { 3 } else { 2 };
            let ids: Vec<String> = topics[..exact].iter().map(|topic| topic.id.clone()).collect();
            let (service, of_topics) = store.usage_on(day, &ids).await.unwrap();
            let reported = format!("{} seed {seed} step {step} day {day}", database.name);
            assert_eq!(service, model.used(None, day), "{reported}");
            let by_provider = store.usage_by_provider(day).await.unwrap();
            assert_eq!(by_provider.service.usage(), service, "{reported}");
            for (topic, used) in topics.iter().zip(of_topics) {
                assert_eq!(used.money, model.used(Some(&topic.id), day).money, "{reported} {}", topic.id);
            }
        }
    }
    assert!(model.0.len() >= 10, "{} searches", model.0.len());
    // No view shows what was counted on earlier days.
    let sums = "SELECT (SELECT sum(spent) FROM calls) - (SELECT sum(CASE WHEN coalesce(cost, expected_cost) > counted_before \
                THEN coalesce(cost, expected_cost) ELSE counted_before END) FROM search)";
    assert_eq!(database.number(sums), 0, "{} seed {seed}", database.name);
}

/// The counter of a topic is shared by its providers, whose rows of the day are not.
#[tokio::test]
async fn concurrent_runs_with_two_providers_keep_the_topics_limit() {
    let Some(database) = postgres() else { return };
    let (store, second) = (open_store(&database).await, open_store(&database).await);
    let t = limited_topic("acme", Some(2), None);
    let limits = ServiceLimits::from(100);
    let (one, other) = (start_manual_run(&store, &t, "R1", NOW).await, start_manual_run(&second, &t, "R2", NOW).await);
    assert_eq!(count_call(&store, &one, Source::Social, NOW, limits).await, Permission::Granted);
    // Another transaction holds the counter, so that both calls have read it before either writes it.
    let mut holder = sqlx::PgConnection::connect(&database.url).await.unwrap();
    let schema = &database.schema;
    let begin = format!("SET search_path = {schema}; BEGIN; SELECT made FROM topic_calls FOR UPDATE");
    holder.execute(sqlx::AssertSqlSafe(begin)).await.unwrap();
    let news = Source::parse("news").unwrap();
    let calls = [(store.clone(), one, Source::Web), (second.clone(), other, news)]
        .map(|(store, run, source)| tokio::spawn(async move { count_call(&store, &run, source, NOW, limits).await }));
    let waits = "SELECT count(*) FROM pg_stat_activity w WHERE EXISTS (SELECT 1 FROM unnest(pg_blocking_pids(w.pid)) AS b \
                 WHERE b = pg_backend_pid() OR pg_backend_pid() = ANY (pg_blocking_pids(b)))";
    let standing = async {
        while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut holder).await.unwrap() < 2 {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), standing).await.is_ok(), "the sessions never blocked");
    holder.execute("ROLLBACK").await.unwrap();
    let mut granted = 0;
    for call in calls {
        granted += i32::from(call.await.unwrap() == Permission::Granted);
    }
    assert_eq!(granted, 1, "one call was made before, and two are allowed");
    assert_eq!(store.usage_by_topics(NOW.utc_day(), &["acme".into()]).await.unwrap()[0].calls, 2);
    holder.close().await.unwrap();
    second.close().await;
    database.close(store).await;
}
