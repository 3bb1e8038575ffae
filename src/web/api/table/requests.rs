//! The operations that make requests and show their outcome. They have a file of their own because `table` is long
//! enough; `api::requests` answers them.

use super::operation::{Method, Operation, ResponseKind, get};
use super::parameters::{OF_ALERT, OF_TOPIC, REQUEST};
use crate::model::Role::{Act, Read};
use crate::web::access::access_rule::AccessRule::{OfAll, OfTopic};
use crate::web::api::requests;

pub(in crate::web::api) const LIST: Operation = Operation {
    refuses: &[404],
    ..get(
        "/api/v1/topics/{topic}/requests",
        OfTopic(Read),
        "listRequests",
        "Recent requests for a topic, the latest first",
        "The last fifty; those that were handled are kept for at least seven days.",
        &[&OF_TOPIC],
        "Requests",
        |call| Box::pin(requests::list(call)),
    )
};

pub(super) const ASK: Operation = Operation {
    method: Method::Post,
    path: "/api/v1/topics/{topic}/requests",
    need: OfTopic(Act),
    id: "ask",
    summary: "Requests a run, a pause or a resume",
    description: "Only inside `topicwatch run`, and only with a token, or without any where pages may edit the file. It writes one row; the daemon handles it within \
           seconds. If the same request is already waiting, that one is returned.",
    parameters: &[&OF_TOPIC],
    body: Some(("Ask", "run-now")),
    answered: ResponseKind::Json(202, "OneRequest"),
    refuses: &[404, 413, 415],
    handler: |call| Box::pin(requests::ask(call)),
};

pub(super) const ONE: Operation = Operation {
    refuses: &[404],
    ..get(
        "/api/v1/topics/{topic}/requests/{request}",
        OfTopic(Read),
        "getRequest",
        "The outcome of a request",
        "",
        &[&OF_TOPIC, &REQUEST],
        "OneRequest",
        |call| Box::pin(requests::one(call)),
    )
};

pub(super) const LIST_OF_ALERT: Operation = Operation {
    refuses: &[404],
    ..get(
        "/api/v1/alerts/{alert}/requests",
        OfAll(Read),
        "listAlertRequests",
        "Recent requests for an alert, the latest first",
        "The last fifty; those that were handled are kept for at least seven days.",
        &[&OF_ALERT],
        "AlertRequests",
        |call| Box::pin(requests::list_of_alert(call)),
    )
};

pub(super) const ASK_OF_ALERT: Operation = Operation {
    method: Method::Post,
    path: "/api/v1/alerts/{alert}/requests",
    need: OfAll(Act),
    id: "askOfAlert",
    summary: "Acknowledges an alert's events, or snoozes the alert",
    description: "Only inside `topicwatch run`, and only with a token, or without any where pages may edit the file. It writes one row; the daemon handles it within seconds. \
           `ack` applies to all events of the alert, or to one `event`; `snooze` needs `for`.",
    parameters: &[&OF_ALERT],
    body: Some(("AskOfAlert", "ack")),
    answered: ResponseKind::Json(202, "OneAlertRequest"),
    refuses: &[404, 413, 415],
    handler: |call| Box::pin(requests::ask_of_alert(call)),
};

pub(super) const ONE_OF_ALERT: Operation = Operation {
    refuses: &[404],
    ..get(
        "/api/v1/alerts/{alert}/requests/{request}",
        OfAll(Read),
        "getAlertRequest",
        "The outcome of a request",
        "",
        &[&OF_ALERT, &REQUEST],
        "OneAlertRequest",
        |call| Box::pin(requests::one_of_alert(call)),
    )
};
