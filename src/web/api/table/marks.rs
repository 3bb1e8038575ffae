//! The operations that mark items. They have a file of their own because `table` is long enough; `items::marks` answers
//! them.

use super::operation::{Method, Operation, ResponseKind};
use super::parameters::{KEY, OF_TOPIC};
use crate::model::Role::Act;
use crate::web::access::access_rule::AccessRule::OfTopic;
use crate::web::api::items::marks;

pub(in crate::web::api) const MARK: Operation = Operation {
    method: Method::Post,
    path: "/api/v1/topics/{topic}/marks",
    need: OfTopic(Act),
    id: "mark",
    summary: "Marks an item good or noise for a topic",
    description: "Only inside `topicwatch run`, and only with a token, or without any where pages may edit the file. An item has \
           one mark per topic; a new one replaces it. `key` is any key of the item. `suggested` is true for items that `order=suggested` listed.",
    parameters: &[&OF_TOPIC],
    body: Some(("Mark", "{\"key\": \"post:x:2031610711893905509\", \"mark\": \"noise\"}")),
    answered: ResponseKind::Json(200, "OneMark"),
    refuses: &[404, 413, 415],
    handler: |call| Box::pin(marks::set(call)),
};

pub(super) const UNMARK: Operation = Operation {
    method: Method::Delete,
    path: "/api/v1/topics/{topic}/marks",
    need: OfTopic(Act),
    id: "unmark",
    summary: "Removes an item's mark",
    description: "Only inside `topicwatch run`, and only with a token, or without any where pages may edit the file. Removing a mark \
           that is not there is not an error.",
    parameters: &[&OF_TOPIC, &KEY],
    body: None,
    answered: ResponseKind::Json(200, "OneMark"),
    refuses: &[404],
    handler: |call| Box::pin(marks::delete(call)),
};
