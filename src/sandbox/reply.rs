//! Builds replies and their headers: JSON bodies, error bodies, billing.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

/// The price of one AI search, in micro-dollars. The prices are those of the deployed service.
pub(crate) const AI_MICROS: u64 = 4_000;
/// The price of every started twenty posts, in micro-dollars.
pub(crate) const POSTS_MICROS: u64 = 3_000;
/// The price of one web search, in micro-dollars.
pub(crate) const WEB_MICROS: u64 = 1_000;

/// How a call is billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bill {
    /// Name of the billed service.
    pub(crate) service: &'static str,
    pub(crate) units: u64,
    /// Price in micro-dollars.
    pub(crate) micros: u64,
}

impl Bill {
    /// An AI search.
    pub(crate) fn ai() -> Self {
        Self { service: "ai_search", units: 1, micros: AI_MICROS }
    }

    /// A search that found `count` posts, billed per started twenty, at least once.
    pub(crate) fn posts(count: usize) -> Self {
        let count = count as u64;
        Self { service: "x_search", units: count, micros: count.div_ceil(20).max(1) * POSTS_MICROS }
    }

    /// A search of the contract that found `count` posts, billed once: the configured price must cover it.
    pub(crate) fn search(count: usize) -> Self {
        Self { service: "x_search", units: count as u64, micros: POSTS_MICROS }
    }

    /// A web search.
    pub(crate) fn web() -> Self {
        Self { service: "web_search", units: 1, micros: WEB_MICROS }
    }

    /// Formats the price in dollars for the header, without using a float.
    pub(crate) fn dollars(self) -> String {
        let text = format!("{}.{:06}", self.micros / 1_000_000, self.micros % 1_000_000);
        text.trim_end_matches('0').to_owned()
    }

    /// Sets the billing headers.
    pub(crate) fn set_headers(self, response: &mut Response) {
        let headers = response.headers_mut();
        for (name, value) in [
            ("x-desearch-cost-usd", self.dollars()),
            ("x-desearch-usage-count", self.units.to_string()),
            ("x-desearch-service", self.service.to_owned()),
            ("x-desearch-currency", "USD".to_owned()),
        ] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
    }
}

/// A JSON reply.
pub(crate) fn json(status: StatusCode, body: &Value) -> Response {
    bytes(status, "application/json", body.to_string())
}

/// Returns a reply with this content type and body.
pub(crate) fn bytes(status: StatusCode, content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Returns an error with a sentence as `detail`.
pub(crate) fn error(status: StatusCode, detail: &str) -> Response {
    json(status, &json!({ "detail": detail }))
}

/// A billed JSON reply.
pub(crate) fn billed(status: StatusCode, body: &Value, bill: Bill) -> Response {
    let mut response = json(status, body);
    bill.set_headers(&mut response);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_written_as_dollars() {
        for (bill, dollars) in [
            (Bill::ai(), "0.004"),
            (Bill::web(), "0.001"),
            (Bill::posts(0), "0.003"),
            (Bill::posts(20), "0.003"),
            (Bill::posts(21), "0.006"),
            (Bill::search(25), "0.003"),
        ] {
            assert_eq!(bill.dollars(), dollars);
        }
    }
}
