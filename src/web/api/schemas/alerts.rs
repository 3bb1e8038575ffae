//! Schemas of alerts, their events, and requests about them.

use serde_json::{Value, json};

use super::parts::{Named, PAGED, SANDBOX, SOURCE, list, one};
use crate::model::{AlertEventKind, AlertRule, RequestState};
use crate::web::api::form::{SNOOZE, TEXT};
use crate::web::api::requests::{ALERT_ACTIONS, EVENT_CHARS};
use crate::web::api::shape::Shape::{Flag, Integer, List, Maybe, Of, Text, Time, Word};
use crate::web::api::shape::{Field, Shape, object};

const ACTION: Shape = Word(|| ALERT_ACTIONS.iter().map(|(name, _)| *name).collect());
const ALERT: Field = ("alert", Text, "its name");
const SUBJECT: Field = ("subject", Text, "what it is about: a topic, a topic's source or day, `service/DATE`");
const TOPIC: Field = ("topic", Maybe(&Text), "id of the topic that the subject names");

const STANDING: &[Field] = &[
    ALERT,
    ("rule", Word(|| AlertRule::ALL.iter().map(|rule| rule.as_str()).collect()), "what it looks for"),
    ("topics", List(&Text), "topics that it looks at; all when neither these nor tags are named"),
    ("tags", List(&Text), "the same by tag"),
    ("words", List(&Text), "words of which one must occur"),
    ("sources", List(&SOURCE), "sources that it looks at; all when none is named"),
    ("channels", List(&Text), "whom it tells"),
    ("cooldown_ms", Integer, "least milliseconds between two messages"),
    ("quiet", Maybe(&Text), "hours of its zone's day in which nothing is sent"),
    ("timezone", Text, "IANA zone of these, and of hours and weekdays that are compared"),
    ("looked_at", Maybe(&Time), "when it looked last"),
    ("sent_at", Maybe(&Time), "when it sent something last"),
    ("cooling_until", Maybe(&Time), "until when it sends nothing because it did; null when it may"),
    ("snoozed_until", Maybe(&Time), "until when it tells nobody because somebody said so; null when it does"),
    ("firing", List(&Of("Firing")), "what fires, what began last first; 20 at most"),
    ("firing_count", Integer, "how much fires in all"),
    ("waiting_count", Integer, "events of which nobody was told yet"),
];

const FIRING: &[Field] = &[
    SUBJECT,
    TOPIC,
    ("since", Time, "since when"),
    ("acked", Flag, "somebody said that they know: its end is not told"),
];

const EVENT: &[Field] = &[
    ("event", Text, "its id: the same whoever saw it"),
    ALERT,
    SUBJECT,
    TOPIC,
    ("run", Maybe(&Text), "id of the run it was seen at; null for a budget"),
    ("kind", Word(|| AlertEventKind::ALL.iter().map(|kind| kind.as_str()).collect()), "whether it began or ended"),
    ("at", Time, "when"),
    ("summary", Text, "one line"),
    ("lines", List(&Of("AlertLine")), "what it rests on"),
    ("told", Flag, "a message tells of it"),
    ("muted", Maybe(&Text), "why nobody is told"),
    ("acked_at", Maybe(&Time), "when somebody said that they know"),
];

const LINE: &[Field] = &[
    ("text", Text, "one line"),
    ("url", Maybe(&Text), "where it leads"),
    ("key", Maybe(&Text), "key of the item it is about"),
];

const REQUEST: &[Field] = &[
    ("id", Text, "its id"),
    ALERT,
    ("action", ACTION, "what"),
    ("event", Maybe(&Text), "the one event that is known; null for all"),
    ("for_ms", Maybe(&Integer), "milliseconds from `asked_at` on in which nobody is to be told"),
    ("asked_at", Time, "when"),
    ("state", Word(|| RequestState::ALL.iter().map(|state| state.as_str()).collect()), "what became of it"),
    ("answer", Maybe(&Text), "in words"),
];

pub(super) fn schemas() -> Vec<Named> {
    // One for each action, because each takes other fields.
    let asked = |action: &str, needed: &[&str], mut fields: Value| {
        fields["action"] = json!({ "type": "string", "enum": [action] });
        json!({ "type": "object", "properties": fields, "required": needed, "additionalProperties": false })
    };
    let none = json!({ "type": "null" });
    let event = json!({ "type": ["string", "null"], "maxLength": EVENT_CHARS, "pattern": TEXT, "description": "only this event" });
    let length =
        json!({ "type": "string", "pattern": *SNOOZE.pattern, "maxLength": SNOOZE.most, "description": SNOOZE.hint });
    let asked = json!({
        "description": "What is asked for",
        "oneOf": [
            asked("ack", &["action"], json!({ "event": event, "for": none })),
            asked("snooze", &["action", "for"], json!({ "event": none, "for": length })),
            asked("unsnooze", &["action"], json!({ "event": none, "for": none })),
        ],
    });
    vec![
        list("Alerts", &Of("Alert"), PAGED),
        one("OneAlert", "Alert"),
        ("Alert", object("An alert and how it stands", &[STANDING])),
        ("Firing", object("What fires", &[FIRING])),
        list("AlertEvents", &Of("AlertEvent"), PAGED),
        ("AlertEvent", object("What an alert saw", &[EVENT])),
        ("AlertLine", object("What an event rests on", &[LINE])),
        list("AlertRequests", &Of("AlertRequest"), &[SANDBOX]),
        one("OneAlertRequest", "AlertRequest"),
        ("AskOfAlert", asked),
        ("AlertRequest", object("What was asked of an alert", &[REQUEST])),
    ]
}
