//! Schemas of alerts, their events, and requests about them.

use serde_json::{Value, json};

use super::parts::{Named, PAGED, SANDBOX, SOURCE, list, one};
use crate::model::{AlertEventKind, AlertRule, Delivery, RequestState};
use crate::web::api::call::form::{SNOOZE, TEXT};
use crate::web::api::document::shape::Shape::{Flag, Former, Integer, List, Maybe, Of, Text, Time, Word};
use crate::web::api::document::shape::{Field, Shape, object};
use crate::web::api::requests::{ALERT_ACTIONS, EVENT_CHARS};

const ACTION: Shape = Word(|| ALERT_ACTIONS.iter().map(|(name, _)| *name).collect());
const ALERT: Field = ("alert", Text, "its name");
const SUBJECT: Field = (
    "subject",
    Text,
    "what it is about: a topic, `TOPIC/SOURCE`, `TOPIC/unrelated`; a budget: `TOPIC/DATE`, `PROVIDER/DATE`, `service/DATE`",
);
const TOPIC: Field = (
    "topic",
    Maybe(&Text),
    "the topic of its subject, judged by the alert's present definition; null for a budget of the service or of a provider, and if the alert of a budget is gone",
);

const DELIVERY: Shape = Maybe(&Word(|| Delivery::ALL.iter().map(|state| state.as_str()).collect()));

const STANDING: &[Field] = &[
    ALERT,
    ("rule", Word(|| AlertRule::ALL.iter().map(|rule| rule.as_str()).collect()), "what it looks for"),
    (
        "topics",
        List(&Text),
        "topics that it checks; if neither topics nor tags are set, all, or of a budget the service and providers",
    ),
    ("tags", List(&Text), "the same by tag"),
    ("words", List(&Text), "at least one of these words must occur"),
    ("sources", List(&SOURCE), "sources that it checks; all if none is set"),
    ("channels", List(&Text), "where it sends messages"),
    ("cooldown_ms", Integer, "minimum milliseconds between two messages"),
    ("quiet", Maybe(&Text), "hours of its zone's day in which nothing is sent"),
    ("timezone", Text, "IANA time zone of `quiet`, and of the hours and weekdays that are compared"),
    (
        "looked_at",
        Maybe(&Time),
        "when a check last stored something: at its creation, then new runs, events or a message",
    ),
    ("sent_at", Maybe(&Time), "when its last message was queued"),
    ("delivery", DELIVERY, "what became of that message; null if there is none"),
    ("cooling_until", Maybe(&Time), "end of its cool-down; null if it may send"),
    ("snoozed_until", Maybe(&Time), "end of its snooze; null if it is not snoozed"),
    ("paused", Flag, "`jobs.toml` pauses it: it checks nothing, and `firing` is what fired before"),
    ("firing", List(&Of("Firing")), "what fires, latest first; 20 at most"),
    ("firing_count", Integer, "total number of firing subjects"),
    ("held_back", List(&Of("Firing")), "what is not judged because of unrelated posts, latest first; 20 at most"),
    ("waiting_count", Integer, "events that wait for a message"),
];

const FIRING: &[Field] = &[
    SUBJECT,
    TOPIC,
    ("since", Time, "since when"),
    ("acked", Flag, "it was acknowledged: no message is sent when it ends"),
];

const EVENT: &[Field] = &[
    ("event", Text, "its id, the same for every process"),
    ALERT,
    SUBJECT,
    TOPIC,
    ("run", Maybe(&Text), "id of the run at which it was seen; null for a budget"),
    ("kind", Word(|| AlertEventKind::ALL.iter().map(|kind| kind.as_str()).collect()), "whether it started or ended"),
    ("at", Time, "when"),
    ("summary", Text, "one line"),
    ("lines", List(&Of("AlertLine")), "what it is based on"),
    ("in_message", Flag, "it is in a message, delivered or not"),
    ("told", Former(&Flag), "former name of in_message, until 1.0"),
    ("delivery", DELIVERY, "what became of that message; null if there is none"),
    ("muted", Maybe(&Text), "why no message is sent"),
    ("acked_at", Maybe(&Time), "when it was acknowledged"),
];

const LINE: &[Field] = &[
    ("text", Text, "one line"),
    ("url", Maybe(&Text), "where it links to"),
    ("key", Maybe(&Text), "key of the item it is about"),
];

const REQUEST: &[Field] = &[
    ("id", Text, "its id"),
    ALERT,
    ("action", ACTION, "what"),
    ("event", Maybe(&Text), "the only event that is acknowledged; null for all"),
    ("for_ms", Maybe(&Integer), "milliseconds of the snooze, from `asked_at`"),
    ("asked_at", Time, "when"),
    ("state", Word(|| RequestState::ALL.iter().map(|state| state.as_str()).collect()), "its outcome"),
    ("answer", Maybe(&Text), "the outcome in words"),
];

pub(super) fn schemas() -> Vec<Named> {
    // One for each action, because each takes other fields.
    let action_schema = |action: &str, needed: &[&str], mut fields: Value| {
        fields["action"] = json!({ "type": "string", "enum": [action] });
        json!({ "type": "object", "properties": fields, "required": needed, "additionalProperties": false })
    };
    let none = json!({ "type": "null" });
    let event = json!({ "type": ["string", "null"], "maxLength": EVENT_CHARS, "pattern": TEXT, "description": "only this event" });
    let length =
        json!({ "type": "string", "pattern": *SNOOZE.pattern, "maxLength": SNOOZE.most, "description": SNOOZE.hint });
    let request_schema = json!({
        "description": "A request",
        "oneOf": [
            action_schema("ack", &["action"], json!({ "event": event, "for": none })),
            action_schema("snooze", &["action", "for"], json!({ "event": none, "for": length })),
            action_schema("unsnooze", &["action"], json!({ "event": none, "for": none })),
        ],
    });
    vec![
        list("Alerts", &Of("Alert"), PAGED),
        one("OneAlert", "Alert"),
        ("Alert", object("An alert and its state", &[STANDING])),
        ("Firing", object("What fires", &[FIRING])),
        list("AlertEvents", &Of("AlertEvent"), PAGED),
        ("AlertEvent", object("What an alert saw", &[EVENT])),
        ("AlertLine", object("What an event is based on", &[LINE])),
        list("AlertRequests", &Of("AlertRequest"), &[SANDBOX]),
        one("OneAlertRequest", "AlertRequest"),
        ("AskOfAlert", request_schema),
        ("AlertRequest", object("A request about an alert", &[REQUEST])),
    ]
}
