//! The outbox and its channels, through the store and the courier on both databases: at-least-once delivery, never two
//! senders at a time, growing pauses, dead in the end; signed, with private addresses blocked and no secrets in error
//! texts. The clock is set by hand.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use secrecy::SecretString;
use topicwatch::http::is_public;
use topicwatch::model::{
    CatchUp, Clock, ControlRequest, Job, Message, OutboxState, Overlap, Period, ReportFormat, ReportSpec, ReportWindow,
    RequestKind, RunState, SchedulePolicy, SmtpTls, Time, WebhookFormat,
};
use topicwatch::notify::{Channel, Delivery, DeliveryWorker, Endpoint, check_address, retry_delay, signature, verify};
use topicwatch::store::{Cursor, DefinitionSet, JobEnd, JobRun, ReportRecord, SendResult, Store};

use crate::support::databases::{Database, databases, sqlite};
use crate::support::receivers::{self, Answer, MailServer, WebhookServer};
use crate::support::searched::{LEASE, NOW, open_store};

const SECRET: &str = "s3cret of the webhook";

fn hourly() -> SchedulePolicy {
    SchedulePolicy {
        period: Period::Every(3_600_000),
        timezone: "UTC".into(),
        catch_up: CatchUp::Latest,
        catch_up_window_ms: 86_400_000,
        max_catch_up_runs: 10,
        overlap: Overlap::Skip,
        jitter_ms: 0,
        timeout_ms: 60_000,
        max_attempts: 3,
        paused: false,
    }
}

pub fn report(channels: &[&str]) -> Job {
    Job::of_report(&ReportSpec {
        name: "daily".into(),
        title: "Daily".into(),
        topics: Vec::new(),
        tags: Vec::new(),
        schedule: Some(hourly()),
        timezone: "UTC".into(),
        window: ReportWindow::SinceLast,
        formats: vec![ReportFormat::Html],
        path: "daily-{date}".into(),
        group: None,
        channels: channels.iter().map(|name| (*name).to_owned()).collect(),
    })
    .unwrap()
}

/// Plans and claims the report's first slot after `NOW`.
async fn claim_report(store: &Store, job: &Job) -> (JobRun, Time) {
    let now = NOW.plus(Duration::from_secs(3_600));
    store.activate(DefinitionSet { topics: &[], jobs: std::slice::from_ref(job) }, None, NOW).await.unwrap();
    topicwatch::daemon::Planner::default().plan(store, now, false).await.unwrap();
    let mut runs = store.claim_jobs(now, 5, LEASE, Duration::ZERO, "token").await.unwrap();
    assert_eq!(runs.len(), 1);
    (runs.remove(0), now)
}

fn message(event: &str, channel: &str) -> Message {
    Message {
        event: event.into(),
        channel: channel.into(),
        kind: "report".into(),
        subject: "A day\r\nBcc: everybody@example.com".into(),
        text: "# A day\n\nnothing happened, café ☕\n.\nend".into(),
        html: Some("<p>nothing happened</p>".into()),
        data: Some("{\"found\":3}".into()),
    }
}

fn job_end(at: Time, channels: &[&str]) -> JobEnd {
    let report =
        ReportRecord { from: NOW, until: at, seq: 7, subject: "A day".into(), files: vec!["/r/daily.html".into()] };
    let messages = channels.iter().map(|channel| message(&format!("report:daily@x/{channel}"), channel)).collect();
    JobEnd { at, state: RunState::Ok, reason: None, error: None, report: Some(report), messages }
}

fn webhook_channel(name: &str, hook: &WebhookServer) -> Channel {
    let endpoint = Endpoint::Webhook {
        url: hook.url().into(),
        secret: Some(SecretString::from(SECRET)),
        form: WebhookFormat::Own,
        allow_private: true,
    };
    Channel { name: name.into(), endpoint, timeout: Duration::from_secs(20), max_tries: 8 }
}

fn mail_channel(name: &str, post: &MailServer) -> Channel {
    let endpoint = Endpoint::Email {
        host: "127.0.0.1".into(),
        port: post.port(),
        tls: SmtpTls::None,
        from: "Topicwatch <watch@example.com>".into(),
        to: vec!["a@example.com".into(), "B <b@example.com>".into()],
        login: None,
    };
    Channel { name: name.into(), endpoint, timeout: Duration::from_secs(20), max_tries: 8 }
}

struct ManualClock {
    clock: Clock,
    at: Arc<AtomicI64>,
}

impl ManualClock {
    fn starting_at(now: Time) -> Self {
        let at = Arc::new(AtomicI64::new(now.0));
        let read = Arc::clone(&at);
        Self { clock: Arc::new(move || Time(read.load(Ordering::SeqCst))), at }
    }

    fn advance(&self, span: Duration) {
        self.at.fetch_add(span.as_millis() as i64, Ordering::SeqCst);
    }
}

fn delivery_worker(store: &Store, turned: &ManualClock) -> DeliveryWorker {
    let n = AtomicI64::new(0);
    let token = Arc::new(move || format!("courier {}", n.fetch_add(1, Ordering::SeqCst)));
    DeliveryWorker::new(store.clone(), Arc::clone(&turned.clock), token, Arc::new(|_: &Delivery| {}))
}

/// A store with a report made for these channels an hour after `NOW`.
async fn store_with_report(database: &Database, channels: &[&str]) -> (Store, ManualClock) {
    let store = open_store(database).await;
    let (run, now) = claim_report(&store, &report(channels)).await;
    store.end_job(&run, &job_end(now, channels)).await.unwrap();
    (store, ManualClock::starting_at(now))
}

#[tokio::test]
async fn the_cursor_of_a_report_moves_only_after_the_last_channel_received_it() {
    for database in databases() {
        let (hooks, posts) = (WebhookServer::accepting(), MailServer::answering(|n| (n == 0).then_some("451 not now")));
        let (store, turned) = store_with_report(&database, &["hook", "mail"]).await;
        let courier = delivery_worker(&store, &turned);
        assert_eq!(store.cursor("report:daily").await.unwrap(), None, "{}", database.name);
        let channels = [webhook_channel("hook", &hooks), mail_channel("mail", &posts)];
        let tries = courier.deliver_due(&channels).await.unwrap();
        assert_eq!(tries.len(), 2, "{tries:?}");
        assert_eq!(tries[0].settled, SendResult::Sent);
        assert!(matches!(&tries[1].settled, SendResult::Again(_, why) if why.contains("451")), "{tries:?}");
        assert_eq!(store.cursor("report:daily").await.unwrap(), None, "the mail is not there yet");
        assert!(courier.deliver_due(&channels).await.unwrap().is_empty(), "not due yet");
        turned.advance(Duration::from_secs(70));
        let tries = courier.deliver_due(&channels).await.unwrap();
        assert_eq!((tries.len(), &tries[0].settled, tries[0].attempt), (1, &SendResult::Sent, 2));
        let until = NOW.plus(Duration::from_secs(3_600));
        assert_eq!(store.cursor("report:daily").await.unwrap(), Some(Cursor { seq: 7, at: until }));
        assert_eq!((hooks.received().len(), posts.received().len()), (1, 2));
        assert_eq!(posts.received()[0].data, posts.received()[1].data, "the same bytes at every attempt");
        store.close().await;
    }
}

#[tokio::test]
async fn an_older_report_that_is_delivered_late_does_not_move_the_cursor_back() {
    for database in databases() {
        let hooks = WebhookServer::answering(|nth| Answer::Say(if nth == 0 { "503 Not now" } else { "200 OK" }));
        let (store, turned) = store_with_report(&database, &["hook"]).await;
        turned.advance(Duration::from_secs(3_600));
        let later = (turned.clock)();
        topicwatch::daemon::Planner::default().plan(&store, later, false).await.unwrap();
        let newer = store.claim_jobs(later, 5, LEASE, Duration::ZERO, "later").await.unwrap().remove(0);
        let mut newer_end = job_end(later, &[]);
        newer_end.report.as_mut().unwrap().seq = 8;
        newer_end.messages = vec![message("report:daily@y/hook", "hook")];
        store.end_job(&newer, &newer_end).await.unwrap();
        let (courier, channels) = (delivery_worker(&store, &turned), [webhook_channel("hook", &hooks)]);
        let tries = courier.deliver_due(&channels).await.unwrap();
        assert!(matches!(tries[0].settled, SendResult::Again(..)) && tries[1].settled == SendResult::Sent, "{tries:?}");
        let newest = Some(Cursor { seq: 8, at: later });
        assert_eq!(store.cursor("report:daily").await.unwrap(), newest, "{}", database.name);
        turned.advance(Duration::from_secs(3_600));
        let late = courier.deliver_due(&channels).await.unwrap();
        assert_eq!((late.len(), &late[0].settled), (1, &SendResult::Sent), "{late:?}");
        assert_eq!(store.cursor("report:daily").await.unwrap(), newest, "{}: the cursor went back", database.name);
        assert_eq!(database.number("SELECT count(*) FROM report WHERE delivered_at IS NULL"), 0);
        store.close().await;
    }
}

#[tokio::test]
async fn a_report_without_channels_moves_its_cursor_and_a_second_end_is_fenced() {
    for database in databases() {
        let store = open_store(&database).await;
        let (run, now) = claim_report(&store, &report(&[])).await;
        store.end_job(&run, &job_end(now, &[])).await.unwrap();
        assert_eq!(store.cursor("report:daily").await.unwrap().map(|cursor| cursor.at), Some(now));
        let again = store.end_job(&run, &job_end(now, &["hook"])).await.unwrap_err();
        assert_eq!(again.kind, topicwatch::store::StoreErrorKind::Fenced, "{}", database.name);
        assert!(store.outbox(None, 10).await.unwrap().is_empty(), "the end of a fenced run writes nothing");
        store.close().await;
    }
}

#[tokio::test]
async fn a_lost_lease_costs_a_job_an_attempt_and_after_three_the_job_fails() {
    for database in databases() {
        let store = open_store(&database).await;
        let (mut run, mut now) = claim_report(&store, &report(&[])).await;
        for attempt in 1..=3 {
            assert_eq!(run.attempt, attempt);
            now = now.plus(LEASE).plus(Duration::from_secs(1));
            assert_eq!(store.rescue(now).await.unwrap(), 1, "{}", database.name);
            match store.claim_jobs(now, 5, LEASE, Duration::ZERO, "again").await.unwrap().pop() {
                Some(next) => run = next,
                None => assert_eq!(attempt, 3),
            }
        }
        let runs = database.ledger_runs();
        let runs: Vec<_> = runs.iter().map(|run| (run.state.as_str(), run.error_class.as_str(), run.attempt)).collect();
        assert_eq!(runs, [("failed", "lease_lost", 3)]);
        // It does not delay the next slot, and a slot that passed meanwhile is recorded.
        let later = NOW.plus(Duration::from_secs(3 * 3_600));
        topicwatch::daemon::Planner::default().plan(&store, later, false).await.unwrap();
        let states = || database.ledger_slots().into_iter().map(|run| run.state).collect::<Vec<_>>();
        assert_eq!(states(), ["failed", "missed", "queued"]);
        let removed = store.activate(DefinitionSet::default(), None, later).await.unwrap();
        assert_eq!(removed.synced.removed, 1);
        assert_eq!(states(), ["failed", "missed", "cancelled"]);
        assert_eq!(database.all_runs(), 3, "all of slots");
        store.close().await;
    }
}

#[tokio::test]
async fn an_undeliverable_message_is_retried_with_growing_pauses_and_dead_after_eight_tries() {
    for database in databases() {
        let hooks = WebhookServer::answering(|_| Answer::Say("503 Service Unavailable\r\nretry-after: 3"));
        let (store, turned) = store_with_report(&database, &["hook"]).await;
        let (courier, channels) = (delivery_worker(&store, &turned), [webhook_channel("hook", &hooks)]);
        let begun = (turned.clock)();
        let mut pauses = Vec::new();
        loop {
            let tries = courier.deliver_due(&channels).await.unwrap();
            assert_eq!(tries.len(), 1);
            match &tries[0].settled {
                SendResult::Again(at, why) => {
                    assert!(why.contains("503"), "{why}");
                    pauses.push(at.since((turned.clock)()));
                    turned.advance(at.since((turned.clock)()));
                }
                SendResult::Dead(_) => break,
                SendResult::Sent => panic!("{tries:?}"),
            }
        }
        assert_eq!(pauses.len(), 7, "eight tries: {pauses:?}");
        assert!(pauses.windows(2).all(|two| two[0] < two[1] || two[1] >= Duration::from_secs(8 * 3_600)), "{pauses:?}");
        let whole = (turned.clock)().since(begun);
        assert!(whole > Duration::from_secs(18 * 3_600) && whole < Duration::from_secs(30 * 3_600), "{whole:?}");
        assert_eq!(store.cursor("report:daily").await.unwrap(), None);
        let dead = store.outbox(Some(OutboxState::Dead), 10).await.unwrap();
        assert_eq!((dead.len(), dead[0].attempt, dead[0].next_at), (1, 8, None));
        assert_eq!(store.outbox_counts().await.unwrap(), [(OutboxState::Dead, 1)]);
        // The cause was fixed: all tries start again.
        assert_eq!(store.retry_messages(None, (turned.clock)()).await.unwrap(), 1);
        assert_eq!(courier.deliver_due(&channels).await.unwrap()[0].attempt, 1);
        store.close().await;
    }
}

#[tokio::test]
async fn a_channel_delays_a_message_by_at_most_eight_hours_at_a_time() {
    for database in databases() {
        let hooks = WebhookServer::answering(|_| Answer::Say("429 Slow down\r\nretry-after: 4000000000"));
        let store = open_store(&database).await;
        let (run, now) = claim_report(&store, &report(&["hook"])).await;
        store.end_job(&run, &job_end(now, &["hook"])).await.unwrap();
        delivery_worker(&store, &ManualClock::starting_at(now))
            .deliver_due(&[webhook_channel("hook", &hooks)])
            .await
            .unwrap();
        let waiting = store.outbox(Some(OutboxState::Queued), 10).await.unwrap();
        let next = waiting[0].next_at.unwrap();
        let hours = |many: u64| now.plus(Duration::from_secs(many * 3_600));
        assert!(next >= hours(8) && next < hours(9), "{}: {waiting:?}", database.name);
        store.close().await;
    }
}

#[tokio::test]
async fn a_channel_that_asks_for_a_pause_gets_no_message_until_its_end() {
    for database in databases() {
        let hooks = WebhookServer::answering(|nth| {
            Answer::Say(if nth == 0 { "429 Slow down\r\nretry-after: 7200" } else { "200 OK" })
        });
        let others = WebhookServer::accepting();
        let store = open_store(&database).await;
        let (run, now) = claim_report(&store, &report(&["hook", "other"])).await;
        let mut ended = job_end(now, &["other"]);
        ended.messages.extend((0..3).map(|n| message(&format!("report:daily@x/hook/{n}"), "hook")));
        store.end_job(&run, &ended).await.unwrap();
        let turned = ManualClock::starting_at(now);
        let (courier, channels) =
            (delivery_worker(&store, &turned), [webhook_channel("hook", &hooks), webhook_channel("other", &others)]);
        courier.deliver_due(&channels).await.unwrap();
        assert_eq!(
            (hooks.received().len(), others.received().len()),
            (1, 1),
            "{}: the others wait with the first",
            database.name
        );
        // A new message waits too, whichever process delivers.
        turned.advance(Duration::from_secs(3_600));
        let later = (turned.clock)();
        topicwatch::daemon::Planner::default().plan(&store, later, false).await.unwrap();
        let next = store.claim_jobs(later, 5, LEASE, Duration::ZERO, "later").await.unwrap().remove(0);
        let messages = vec![message("report:daily@y/hook", "hook"), message("report:daily@y/other", "other")];
        store.end_job(&next, &JobEnd { messages, ..job_end(later, &[]) }).await.unwrap();
        let another = delivery_worker(&store, &turned);
        assert_eq!(another.deliver_due(&channels).await.unwrap().len(), 1, "{}", database.name);
        assert_eq!((hooks.received().len(), others.received().len()), (1, 2), "{}", database.name);
        let waiting = store.outbox(Some(OutboxState::Queued), 10).await.unwrap();
        let until = now.plus(Duration::from_secs(7_200));
        assert!(waiting.iter().all(|one| one.next_at.is_some_and(|at| at >= until)), "{waiting:?}");
        turned.advance(Duration::from_secs(3_601));
        assert_eq!(courier.deliver_due(&channels).await.unwrap().len(), 4, "{}", database.name);
        assert_eq!(store.outbox_counts().await.unwrap(), [(OutboxState::Sent, 6)]);
        // The pause is over: new messages go at once.
        assert_eq!(database.number("SELECT count(*) FROM store_info WHERE name LIKE 'channel_held%'"), 0);
        store.pause_channel("hook", until.plus(Duration::from_secs(9_000))).await.unwrap();
        let (first, again) = ("report:daily@x/hook/0".to_owned(), (turned.clock)());
        assert_eq!(store.retry_messages(Some(std::slice::from_ref(&first)), again).await.unwrap(), 1);
        assert_eq!(courier.deliver_due(&channels).await.unwrap().len(), 1, "a requested attempt is made");
        store.close().await;
    }
}

#[tokio::test]
async fn a_webhook_retry_after_may_be_a_date() {
    // All three forms of a date that clients must read (RFC 9110, section 5.6.7), two hours ahead.
    for date in ["Wed, 11 Mar 2026 12:00:00 GMT", "Wednesday, 11-Mar-26 12:00:00 GMT", "Wed Mar 11 12:00:00 2026"] {
        let said: &'static str = format!("503 Not now\r\nretry-after: {date}").leak();
        let hooks = WebhookServer::answering(move |_| Answer::Say(said));
        let database = sqlite();
        let (store, turned) = store_with_report(&database, &["hook"]).await;
        let now = (turned.clock)();
        delivery_worker(&store, &turned).deliver_due(&[webhook_channel("hook", &hooks)]).await.unwrap();
        let next = store.outbox(None, 10).await.unwrap()[0].next_at;
        assert_eq!((now.to_string().as_str(), next), ("2026-03-11T10:00:00Z", Some(Time(now.0 + 7_200_000))), "{date}");
        store.close().await;
    }
}

/// The clock of three processes was a year ahead: one was asked to wait, one got no answer, one died while it was
/// sending.
#[tokio::test]
async fn messages_delayed_by_a_clock_a_year_ahead_are_sent_when_it_is_right() {
    for database in databases() {
        let says = ["429 Slow down\r\nretry-after: 7200", "503 Not now"];
        let hooks = WebhookServer::answering(move |nth| Answer::Say(says.get(nth).copied().unwrap_or("200 OK")));
        let (store, turned) = store_with_report(&database, &["held", "failed", "lost"]).await;
        let now = (turned.clock)();
        let year = Duration::from_secs(365 * 86_400);
        turned.advance(year);
        let courier = delivery_worker(&store, &turned);
        for name in ["held", "failed"] {
            assert_eq!(
                courier.deliver_due(&[webhook_channel(name, &hooks)]).await.unwrap().len(),
                1,
                "{}",
                database.name
            );
        }
        assert!(store.claim_message("lost", now.plus(year), LEASE, 8, "dies").await.unwrap().message.is_some());
        turned.at.store(now.0, Ordering::SeqCst);
        let tries =
            courier.deliver_due(&["held", "failed", "lost"].map(|name| webhook_channel(name, &hooks))).await.unwrap();
        let sent: Vec<_> =
            tries.iter().map(|one| (one.channel.as_str(), one.attempt, one.settled == SendResult::Sent)).collect();
        assert_eq!(sent, ["failed", "held", "lost"].map(|name| (name, 2, true)), "{}", database.name);
        store.close().await;
    }
}

#[tokio::test]
async fn a_manual_run_and_a_due_slot_of_one_report_never_run_together() {
    for database in databases() {
        let store = open_store(&database).await;
        let job = report(&[]);
        store.activate(DefinitionSet { topics: &[], jobs: std::slice::from_ref(&job) }, None, NOW).await.unwrap();
        let now = NOW.plus(Duration::from_secs(3_600));
        topicwatch::daemon::Planner::default().plan(&store, now, false).await.unwrap();
        let wish = ControlRequest::plain(RequestKind::RunNow, "report:daily");
        assert!(store.request("press", &wish, now).await.unwrap());
        let request = store.open_requests().await.unwrap().remove(0);
        assert!(store.execute_request(&request, now).await.unwrap());
        let runs = database.ledger_runs();
        let queued = runs.iter().filter(|run| run.job == "report:daily" && run.state == "queued");
        assert_eq!(queued.count(), 2, "{}: {runs:?}", database.name);
        let claim = || store.claim_jobs(now, 5, LEASE, Duration::ZERO, "token");
        let first = claim().await.unwrap();
        assert_eq!(first.iter().map(JobRun::public_id).collect::<Vec<_>>(), ["press"], "{}", database.name);
        assert_eq!(claim().await.unwrap().len(), 0, "{}: it runs", database.name);
        store.end_job(&first[0], &job_end(now, &[])).await.unwrap();
        let second = claim().await.unwrap();
        assert_eq!((second.len(), second[0].slot), (1, Some(now)), "{}", database.name);
        store.close().await;
    }
}

#[tokio::test]
async fn a_permanent_refusal_is_not_retried() {
    let database = sqlite();
    let redirect = "302 Found\r\nlocation: http://127.0.0.1:1/elsewhere";
    for (status, says) in [(redirect, "redirects are not followed"), ("404 Not Found", "404"), ("410 Gone", "410")] {
        let (hooks, events) = (WebhookServer::answering(move |_| Answer::Say(status)), format!("{status:.3}"));
        let store = open_store(&database).await;
        let channel = Channel { name: events.clone(), ..webhook_channel("hook", &hooks) };
        let sent = channel.send(&message("e", &events), NOW, 1, NOW).await.unwrap_err();
        assert!(sent.for_good && sent.text.contains(says), "{sent:?}");
        assert_eq!(hooks.received().len(), 1);
        store.close().await;
    }
    for status in ["408 Request Timeout", "425 Too Early", "429 Too Many Requests\r\nretry-after: 120", "500 Oh"] {
        let hooks = WebhookServer::answering(move |_| Answer::Say(status));
        let sent = webhook_channel("hook", &hooks).send(&message("e", "hook"), NOW, 1, NOW).await.unwrap_err();
        assert!(!sent.for_good, "{sent:?}");
        assert_eq!(sent.wait, status.contains("retry").then_some(Duration::from_secs(120)));
    }
    let posts = MailServer::answering(|_| Some("550 no such mailbox"));
    let sent = mail_channel("mail", &posts).send(&message("e", "mail"), NOW, 1, NOW).await.unwrap_err();
    assert!(sent.for_good && sent.text.contains("550"), "{sent:?}");
}

#[tokio::test]
async fn a_mail_servers_answer_counts_without_a_reply_to_quit() {
    const PATIENT: Duration = Duration::from_secs(20);
    for database in databases() {
        let posts = MailServer::scripted(|word| (word == "QUIT").then_some(""));
        let (store, turned) = store_with_report(&database, &["mail"]).await;
        let courier = delivery_worker(&store, &turned);
        let channel = Channel { timeout: PATIENT, ..mail_channel("mail", &posts) };
        let tries = courier.deliver_due(std::slice::from_ref(&channel)).await.unwrap();
        assert_eq!((tries.len(), &tries[0].settled), (1, &SendResult::Sent), "{}", database.name);
        turned.advance(Duration::from_secs(3_600));
        assert!(courier.deliver_due(&[channel]).await.unwrap().is_empty(), "it is not sent again");
        assert_eq!(posts.received().len(), 1);
        store.close().await;
    }
    let scripts: [(&str, receivers::Script); 4] = [
        ("550", |word| [("RCPT", "550 5.1.1 nobody of that name"), ("QUIT", "")].into_iter().find_map(answer_to(word))),
        ("552", |word| [("MAIL", "552 too much"), ("QUIT", "")].into_iter().find_map(answer_to(word))),
        ("535", |word| [("AUTH", "535 not you"), ("QUIT", "")].into_iter().find_map(answer_to(word))),
        ("554", |word| [("DATA", "554 not this"), ("QUIT", "")].into_iter().find_map(answer_to(word))),
    ];
    for (code, script) in scripts {
        let posts = MailServer::scripted(script);
        let mut channel = Channel { timeout: PATIENT, ..mail_channel("mail", &posts) };
        if let Endpoint::Email { login, .. } = &mut channel.endpoint {
            *login = Some(("somebody".into(), SecretString::from("pa55word of mail")));
        }
        let refused = channel.send(&message("e", "mail"), NOW, 1, NOW).await.unwrap_err();
        assert!(refused.for_good && refused.text.contains(code), "{code}: {refused:?}");
    }
}

/// A mail counts as delivered only if the server took it, and its lines are not sent to a server that waits for commands.
#[tokio::test]
async fn a_mail_is_not_delivered_if_an_smtp_answer_does_not_fit_its_command() {
    let scripts: [(&str, receivers::Script); 4] = [
        ("AUTH", |word| (word == "AUTH").then_some("354 go on")),
        ("MAIL", |word| (word == "MAIL").then_some("354 go on")),
        ("RCPT", |word| (word == "RCPT").then_some("354 go on")),
        ("DATA", |word| (word == "DATA").then_some("250 yes")),
    ];
    for (case, script) in scripts {
        let posts = MailServer::scripted(script);
        let mut channel = mail_channel("mail", &posts);
        if let Endpoint::Email { login, .. } = &mut channel.endpoint {
            *login = Some(("somebody".into(), SecretString::from("pa55word of mail")));
        }
        let refused = channel.send(&message("e", "mail"), NOW, 1, NOW).await.unwrap_err();
        assert!(!refused.for_good && refused.text.contains("an answer of the wrong kind: "), "{case}: {refused:?}");
        assert!(posts.received().is_empty(), "{case}");
        assert!(
            !posts.unencrypted_lines().iter().any(|line| line.contains("Message-ID")),
            "{case}: {:?}",
            posts.unencrypted_lines()
        );
    }
    let posts = MailServer::answering(|_| Some("354 go on"));
    let refused = mail_channel("mail", &posts).send(&message("e", "mail"), NOW, 1, NOW).await.unwrap_err();
    assert!(!refused.for_good && refused.text.contains("354 go on"), "{refused:?}");
}

/// RFC 5321: a reply needs no words (section 4.2), names of extensions have no case (section 2.4), and a server that does
/// not know EHLO may know HELO (section 3.2).
#[tokio::test]
async fn unusual_smtp_replies_are_read() {
    let scripts: [(&str, receivers::Script); 5] = [
        ("a code alone", |word| matches!(word, "EHLO" | "AUTH" | "MAIL" | "RCPT").then_some("250")),
        ("a line of blanks", |word| (word == "EHLO").then_some("250-here\r\n250-  \r\n250 8BITMIME")),
        ("lines without words", |word| (word == "EHLO").then_some("250-\r\n250-\r\n250")),
        ("small letters", |word| (word == "EHLO").then_some("250-here\r\n250-auth login plain\r\n250 8bitmime")),
        ("no EHLO", |word| (word == "EHLO").then_some("502 what")),
    ];
    for (case, script) in scripts {
        let posts = MailServer::scripted(script);
        let mut channel = mail_channel("mail", &posts);
        if let ("small letters", Endpoint::Email { login, .. }) = (case, &mut channel.endpoint) {
            *login = Some(("somebody".into(), SecretString::from("pa55word of mail")));
        }
        let sent = channel.send(&message("e", "mail"), NOW, 1, NOW).await;
        assert_eq!((sent, posts.received().len()), (Ok(()), 1), "{case}");
    }
    let posts = MailServer::answering(|_| Some("250"));
    mail_channel("mail", &posts).send(&message("e", "mail"), NOW, 1, NOW).await.unwrap();
}

/// Words in another encoding do not hide that the server refuses.
#[tokio::test]
async fn a_mail_refusal_that_is_not_utf8_is_a_refusal() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        stream.write_all(b"220 here\r\n").unwrap();
        while let Some(Ok(line)) = lines.next() {
            let is_recipient = line.starts_with("RCPT");
            let reply: &[u8] = if is_recipient { b"550 Empf\xe4nger unbekannt\r\n" } else { b"250 yes\r\n" };
            stream.write_all(reply).unwrap();
        }
    });
    let mut channel = mail_channel("mail", &MailServer::accepting());
    if let Endpoint::Email { port: of, .. } = &mut channel.endpoint {
        *of = port;
    }
    let refused = channel.send(&message("e", "mail"), NOW, 1, NOW).await.unwrap_err();
    assert!(refused.for_good && refused.text.contains("permanent error (550): Empf"), "{refused:?}");
    drop(channel);
    server.join().unwrap();
}

/// A script with one answer to one command.
fn answer_to(word: &str) -> impl FnMut((&str, &'static str)) -> Option<&'static str> {
    move |(to, reply)| (to == word).then_some(reply)
}

#[tokio::test]
async fn mail_works_with_every_address_that_check_accepts() {
    let written = [
        ("Acme News <w@example.com>", "From: \"Acme News\" <w@example.com>"),
        // Any other name is encoded as base64.
        ("Acme, Inc. <w@example.com>", "From: =?utf-8?b?QWNtZSwgSW5jLg==?= <w@example.com>"),
        ("\"Acme, \\\"Inc.\\\"\" <w@example.com>", "From: =?utf-8?b?QWNtZSwgIkluYy4i?= <w@example.com>"),
        ("Team (Berlin) <w@example.com>", "From: =?utf-8?b?VGVhbSAoQmVybGluKQ==?= <w@example.com>"),
        ("A. B. Corp.: [news] <w@example.com>", "From: =?utf-8?b?QS4gQi4gQ29ycC46IFtuZXdzXQ==?= <w@example.com>"),
        ("a@b <w@example.com>", "From: =?utf-8?b?YUBi?= <w@example.com>"),
        ("Größe, Jürgen <w@example.com>", "From: =?utf-8?b?R3LDtsOfZSwgSsO8cmdlbg==?= <w@example.com>"),
        ("<w@example.com>", "From: w@example.com"),
        ("w+tag@example.com", "From: w+tag@example.com"),
        ("watch@localhost", "From: watch@localhost"),
        // The test server accepts only ASCII addresses, as many do.
        ("watch@exämple.com", "From: watch@xn--exmple-cua.com"),
    ];
    for (from, header) in written {
        assert_eq!(check_address(from), Ok(()), "{from}");
        let posts = MailServer::accepting();
        let mut channel = mail_channel("mail", &posts);
        if let Endpoint::Email { from: sender, to, .. } = &mut channel.endpoint {
            *sender = from.into();
            *to = vec![from.into()];
        }
        channel.send(&message("e", "mail"), NOW, 1, NOW).await.unwrap();
        let mail = posts.received().remove(0);
        let unfolded = mail.data.replace("\r\n ", " ");
        assert!(unfolded.contains(header), "{from}: {}", mail.data);
        let domain = mail.from.rsplit_once('@').unwrap().1.split('>').next().unwrap();
        assert!(domain.is_ascii() && unfolded.contains(&format!(".topicwatch@{domain}>")), "{from}: {}", mail.data);
        assert_eq!(mail.from.replace("MAIL FROM", "RCPT TO"), mail.to[0]);
    }
}

#[tokio::test]
async fn a_webhook_is_signed_and_a_mail_has_both_parts_and_an_id_that_stays() {
    let (hooks, posts) = (WebhookServer::accepting(), MailServer::accepting());
    let message = message("report:daily@2026-11-21T06:00:00Z/team", "hook");
    webhook_channel("hook", &hooks).send(&message, NOW, 3, Time(NOW.0 + 5_000)).await.unwrap();
    let got = hooks.received().remove(0);
    assert_eq!(got.header("X-Topicwatch-Event"), Some("report:daily@2026-11-21T06:00:00Z/team"));
    assert_eq!(got.header("X-Topicwatch-Attempt"), Some("3"));
    let signed = got.header("X-Topicwatch-Signature").unwrap();
    assert!(signed.starts_with(&format!("t={},v1=", (NOW.0 + 5_000) / 1_000)), "{signed}");
    assert!(verify(SECRET.as_bytes(), signed, &got.body), "{signed}");
    assert!(!verify(b"another", signed, &got.body) && !verify(SECRET.as_bytes(), signed, b"another"));
    let body = got.json();
    assert_eq!((body["event"].as_str(), body["data"]["found"].as_i64()), (Some(message.event.as_str()), Some(3)));
    assert_eq!(body["text"].as_str(), Some(message.text.as_str()));
    // Computed once with another implementation (Python's hmac), not only with our own.
    assert_eq!(
        signature(b"key", 1_773_219_600, b"{}"),
        "t=1773219600,v1=61f3f9a876f3a9b02d68fb29a6ec26a822b5006c238ecb46ade578bac4e69151"
    );

    mail_channel("mail", &posts).send(&message, NOW, 1, NOW).await.unwrap();
    mail_channel("mail", &posts).send(&message, NOW, 2, NOW.plus(Duration::from_secs(900))).await.unwrap();
    let [first, second] = &posts.received()[..] else { panic!("two mails") };
    assert_eq!(first.data, second.data);
    assert_eq!((first.from.contains("watch@example.com"), first.to.len()), (true, 2));
    for part in ["multipart/alternative", "text/plain", "text/html", "Message-ID: <", "@example.com>", "Date: "] {
        assert!(first.data.contains(part), "{part}: {}", first.data);
    }
    assert!(first.data.contains("Subject: A day  Bcc: everybody@example.com"), "{}", first.data);
    assert!(!first.data.contains("\nBcc:"), "{}", first.data);
    assert!(first.data.contains("Auto-Submitted: auto-generated"));
}

#[tokio::test]
async fn private_addresses_are_refused_unless_allowed() {
    let hooks = WebhookServer::accepting();
    let inner = webhook_channel("hook", &hooks);
    let Endpoint::Webhook { url, secret, .. } = inner.endpoint.clone() else { panic!() };
    let guarded = Channel {
        endpoint: Endpoint::Webhook { url, secret, form: WebhookFormat::Own, allow_private: false },
        ..inner
    };
    let refused = guarded.send(&message("e", "hook"), NOW, 1, NOW).await.unwrap_err();
    assert!(refused.for_good && refused.text.contains("allow_private"), "{refused:?}");
    assert!(!refused.text.contains("127.0.0.1 is 127.0.0.1"), "{refused:?}");
    let port = hooks.url().rsplit_once(':').unwrap().1.to_owned();
    for host in ["localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "0"] {
        let endpoint = Endpoint::Webhook {
            url: format!("http://{host}:{port}").into(),
            secret: None,
            form: WebhookFormat::Own,
            allow_private: false,
        };
        let refused =
            Channel { endpoint, ..guarded.clone() }.send(&message("e", "hook"), NOW, 1, NOW).await.unwrap_err();
        assert!(refused.for_good && refused.text.contains("private network"), "{host}: {refused:?}");
    }
    assert!(hooks.received().is_empty(), "no connection was made");
}

#[test]
fn public_addresses_are_distinguished_from_private_ones() {
    let inner = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:a00:1::",
        "3fff::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];
    let outer = [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.167.1.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2001:4860::8888",
    ];
    for (addresses, public) in [(&inner[..], false), (&outer[..], true)] {
        for address in addresses {
            assert_eq!(is_public(address.parse::<IpAddr>().unwrap()), public, "{address}");
        }
    }
}

#[tokio::test]
async fn a_hanging_channel_delays_no_other_and_no_message_has_two_senders() {
    for database in databases() {
        let (slow, good) = (WebhookServer::answering(|_| Answer::Hang), WebhookServer::accepting());
        let (store, turned) = store_with_report(&database, &["slow", "good"]).await;
        let channels = [
            Channel { timeout: Duration::from_secs(2), ..webhook_channel("slow", &slow) },
            webhook_channel("good", &good),
        ];
        let sent: Arc<Mutex<Vec<(String, Instant)>>> = Arc::default();
        let reported = Arc::clone(&sent);
        let tell = Arc::new(move |d: &Delivery| reported.lock().unwrap().push((d.channel.clone(), Instant::now())));
        let two = [0, 1].map(|n| {
            let token = Arc::new(move || format!("of {n}"));
            DeliveryWorker::new(store.clone(), Arc::clone(&turned.clock), token, tell.clone())
        });
        let (one, other) = tokio::join!(two[0].deliver_due(&channels), two[1].deliver_due(&channels));
        assert_eq!(one.unwrap().len() + other.unwrap().len(), 2, "each message once: {}", database.name);
        assert_eq!((slow.received().len(), good.received().len()), (1, 1));
        let order: Vec<String> = sent.lock().unwrap().iter().map(|(channel, _)| channel.clone()).collect();
        assert_eq!(order, ["good", "slow"]);
        let waiting = store.outbox(Some(OutboxState::Queued), 5).await.unwrap();
        assert!(waiting[0].error.as_deref().unwrap().contains("no answer within 2 s"), "{waiting:?}");
        store.close().await;
    }
}

#[tokio::test]
async fn one_delivery_call_tries_each_message_once_even_on_a_slow_channel() {
    for database in databases() {
        let store = open_store(&database).await;
        let (run, now) = claim_report(&store, &report(&["slow"])).await;
        let messages = ["a", "b"].map(|name| message(&format!("report:daily@x/slow/{name}"), "slow")).to_vec();
        store.end_job(&run, &JobEnd { messages, ..job_end(now, &["slow"]) }).await.unwrap();
        let turned = ManualClock::starting_at(now);
        // Each answer takes longer than the pause before the next try, so one message is due again when the other has
        // been tried.
        let at = Arc::clone(&turned.at);
        let slow = WebhookServer::answering(move |_| {
            at.fetch_add(86_400_000, Ordering::SeqCst);
            Answer::Say("503 Service Unavailable")
        });
        let channels = [webhook_channel("slow", &slow)];
        for call in 1..=3 {
            let tries = delivery_worker(&store, &turned).deliver_due(&channels).await.unwrap();
            let reported: Vec<i64> = tries.iter().map(|delivery| delivery.attempt).collect();
            assert_eq!((reported, slow.received().len() as i64), (vec![call, call], 2 * call), "{}", database.name);
            assert!(matches!(&tries[1].settled, SendResult::Again(at, _) if *at > (turned.clock)()), "{tries:?}");
            turned.advance(Duration::from_secs(86_400));
        }
        store.close().await;
    }
}

#[tokio::test]
async fn a_message_of_a_dead_process_is_taken_over_and_dead_after_its_last_try() {
    for database in databases() {
        let (store, turned) = store_with_report(&database, &["hook"]).await;
        let mut now = (turned.clock)();
        for attempt in 1..=3 {
            let out = store.claim_message("hook", now, LEASE, 3, "dies").await.unwrap().message.unwrap();
            assert_eq!((out.attempt, out.message.event.as_str()), (attempt, "report:daily@x/hook"));
            assert!(
                store.claim_message("hook", now, LEASE, 3, "other").await.unwrap().message.is_none(),
                "in somebody's hands"
            );
            now = now.plus(LEASE).plus(Duration::from_secs(1));
        }
        // The process that finds it dead reports it: no other will.
        let reported: Arc<Mutex<Vec<Delivery>>> = Arc::default();
        let heard = Arc::clone(&reported);
        let clock: Clock = Arc::new(move || now);
        let tell = Arc::new(move |delivery: &Delivery| heard.lock().unwrap().push(delivery.clone()));
        let courier = DeliveryWorker::new(store.clone(), clock, Arc::new(|| "other".into()), tell);
        let hooks = WebhookServer::accepting();
        let channel = Channel { max_tries: 3, ..webhook_channel("hook", &hooks) };
        let tries = courier.deliver_due(std::slice::from_ref(&channel)).await.unwrap();
        assert_eq!((tries.len(), tries[0].attempt, &*tries[0].channel), (1, 3, "hook"), "{}", database.name);
        assert!(matches!(&tries[0].settled, SendResult::Dead(why) if why.contains("stopped or hung")), "{tries:?}");
        assert_eq!((reported.lock().unwrap().len(), hooks.received().len()), (1, 0));
        assert!(courier.deliver_due(&[channel]).await.unwrap().is_empty(), "reported once");
        let dead = store.outbox(None, 5).await.unwrap();
        assert_eq!((dead[0].state, dead[0].attempt), (OutboxState::Dead, 3));
        store.close().await;
    }
}

#[tokio::test]
async fn a_delivery_failure_shows_no_secret() {
    let hooks = WebhookServer::answering(|_| {
        Answer::Say(
            "400 Bad\r\ncontent-length: 72\r\n\r\nT0KEN /T0KEN-in-the-path key=QUERYKEY s3cret of the webhook \u{1b}[31mred pad pad",
        )
    });
    let refused = webhook_channel("hook", &hooks).send(&message("e", "hook"), NOW, 1, NOW).await.unwrap_err();
    for secret in ["T0KEN-in-the-path", "QUERYKEY", SECRET, "\u{1b}"] {
        assert!(!refused.text.contains(secret), "{refused:?}");
    }
    assert!(!format!("{:?}", webhook_channel("hook", &hooks)).contains("QUERYKEY"));
}

#[tokio::test]
async fn messages_sent_long_ago_lose_their_body_and_are_not_sent_again() {
    for database in databases() {
        let (hooks, dead) = (WebhookServer::accepting(), WebhookServer::answering(|_| Answer::Say("404 Not Found")));
        let (store, turned) = store_with_report(&database, &["hook", "dead"]).await;
        let (courier, channels) =
            (delivery_worker(&store, &turned), [webhook_channel("hook", &hooks), webhook_channel("dead", &dead)]);
        let sent = "report:daily@x/hook";
        courier.deliver_due(&channels).await.unwrap();
        turned.advance(Duration::from_secs(30 * 86_400));
        courier.deliver_due(&channels).await.unwrap();
        assert!(store.outbox_message(sent).await.unwrap().unwrap().message.html.is_some(), "{}", database.name);
        // After a retry the time counts from then on.
        assert_eq!(store.retry_messages(Some(&[sent.into()]), (turned.clock)()).await.unwrap(), 1);
        courier.deliver_due(&channels).await.unwrap();
        assert_eq!(hooks.received()[0].body, hooks.received()[1].body);
        turned.advance(Duration::from_secs(30 * 86_400 + 1));
        // A long-running process does it, too.
        let (channel_tx, channel_rx) = tokio::sync::watch::channel(Arc::from([]));
        let stop = tokio_util::sync::CancellationToken::new();
        let running = tokio::spawn({
            let (courier, stop) = (courier.clone(), stop.clone());
            async move { courier.run(channel_rx, stop).await }
        });
        let emptied = async {
            while !store.outbox_message(sent).await.unwrap().unwrap().is_body_deleted() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), emptied).await.unwrap();
        stop.cancel();
        running.await.unwrap();
        drop(channel_tx);
        let kept = store.outbox_message(sent).await.unwrap().unwrap();
        assert_eq!((&*kept.message.subject, kept.attempt), ("A day\r\nBcc: everybody@example.com", 1));
        assert!(kept.delivered_at.is_some());
        let other = store.outbox_message("report:daily@x/dead").await.unwrap().unwrap();
        assert!(other.state == OutboxState::Dead && other.message.html.is_some(), "it was never sent");
        assert_eq!(store.retry_messages(Some(&[sent.into()]), (turned.clock)()).await.unwrap(), 0);
        assert_eq!(store.empty_sent_messages((turned.clock)()).await.unwrap(), 0, "once");
        store.close().await;
    }
}

#[test]
fn pauses_grow_and_differ_between_events() {
    assert_eq!(retry_delay(1, "a"), retry_delay(1, "a"));
    assert_ne!(retry_delay(3, "a"), retry_delay(3, "b"));
    for (attempt, least) in [(1, 60), (2, 240), (3, 960), (4, 3_840), (5, 15_360), (6, 28_800), (60, 28_800)] {
        let (pause, least) = (retry_delay(attempt, "event"), Duration::from_secs(least));
        assert!(pause >= least && pause <= least.mul_f64(1.1), "{attempt}: {pause:?}");
    }
}

#[tokio::test]
async fn a_report_follows_a_renamed_topic() {
    for database in databases() {
        let store = open_store(&database).await;
        let mut job = report(&[]);
        job.spec["topics"] = serde_json::json!(["old", "other"]);
        let topics = [crate::support::searched::topic("old"), crate::support::searched::topic("other")];
        store.activate(DefinitionSet { topics: &topics, jobs: &[job] }, None, NOW).await.unwrap();
        store.rename_topic("old", "new", NOW).await.unwrap();
        let definition = database.texts("SELECT definition FROM job WHERE topic IS NULL").remove(0);
        let job: Job = serde_json::from_str(&definition).unwrap();
        assert_eq!(job.report().unwrap().topics, ["new", "other"], "{}", database.name);
        store.close().await;
    }
}
