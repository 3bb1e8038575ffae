//! The operations that make requests and show their outcome. They have a file of their own because `table` is long
//! enough; `requests` answers them.

use super::operation::{Method, Operation, ResponseKind, get};
use super::parameters::{OF_ALERT, OF_TOPIC, REQUEST};
use super::requests;
use crate::model::Role::{Act, Read};
use crate::web::need::Need::{OfAll, OfTopic};

pub(super) const LIST: Operation = Operation {
    refuses: &[404],
    ..get(
        "/api/v1/topics/{topic}/requests",
        OfTopic(Read),
        "listRequests",
        "What was asked of a topic lately, the latest first",
        "The last fifty, for seven days.",
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
    summary: "Asks for a run at once, a pause, or its end",
    told: "Only inside `topicwatch run`, and only with a token. It writes one row; the daemon takes it up within seconds. \
           The same is not asked twice while it waits: the answer is then the one that waits.",
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
        "What became of a request",
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
        "What was asked of an alert lately, the latest first",
        "The last fifty, for seven days.",
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
    summary: "Says that somebody knows what an alert saw, or silences it for a while",
    told: "Only inside `topicwatch run`, and only with a token. It writes one row; the daemon takes it up within seconds. \
           `ack` is about all that the alert saw, or about one `event`; `snooze` needs `for`.",
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
        "What became of a request",
        "",
        &[&OF_ALERT, &REQUEST],
        "OneAlertRequest",
        |call| Box::pin(requests::one_of_alert(call)),
    )
};
