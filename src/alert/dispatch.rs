//! Decides when an alert may send a message, and writes it: one message for all waiting events, after the cool-down,
//! outside the quiet hours, and not while the alert is snoozed. Pure.

use crate::model::{AlertEvent, AlertEventKind, AlertLine, AlertRule, AlertSpec, AlertState, JobKind, Message, Time};

/// Events that a message holds; `topicwatch alerts` lists the others.
const SPELT_OUT: usize = 50;

/// Longest address in a message, in bytes. A longer one would fill a chat message, and a cut one would lead elsewhere.
const LONGEST_URL: usize = 500;

/// Why events seen now are never sent; `None` means they may be sent.
pub(super) fn mute_reason(spec: &AlertSpec, state: &AlertState, now: Time) -> Option<&'static str> {
    if spec.channels.is_empty() {
        return Some("no channels");
    }
    state.snoozed_until.is_some_and(|until| now < until).then_some("snoozed")
}

/// Whether a message may go out now. If not, the events keep waiting.
pub(super) fn may_send(spec: &AlertSpec, state: &AlertState, now: Time) -> bool {
    let cool = spec.cooling_until(state.sent_at, now).is_none();
    let loud = spec.quiet_until(now).is_none();
    cool && loud && mute_reason(spec, state, now).is_none()
}

/// The message about some events, once for each channel. `in_all` also counts waiting events that are not in
/// `events`. Messages from the sandbox are marked as such.
pub(super) fn messages(spec: &AlertSpec, events: &[AlertEvent], in_all: usize, sandbox: bool) -> Vec<Message> {
    let Some(last) = events.last() else { return Vec::new() };
    let subject = format!("{}{}", if sandbox { "[SANDBOX] " } else { "" }, subject(spec, events, in_all));
    let text = text(events, in_all);
    let listed: Vec<&AlertEvent> = events.iter().take(SPELT_OUT).collect();
    let data = serde_json::json!({ "alert": spec.name, "rule": spec.rule, "events": listed, "events_in_all": in_all, "sandbox": sandbox });
    let of = |channel: &String| Message {
        event: format!("{}/{channel}", last.event),
        channel: channel.clone(),
        kind: JobKind::Alert.as_str().to_owned(),
        subject: subject.clone(),
        text: text.clone(),
        html: None,
        data: Some(data.to_string()),
    };
    spec.channels.iter().map(of).collect()
}

fn subject(spec: &AlertSpec, events: &[AlertEvent], in_all: usize) -> String {
    match events {
        [one] if in_all <= 1 => format!("[{}] {}", spec.name, one.summary_line()),
        [one, ..] => format!("[{}] {} and {} more", spec.name, one.summary_line(), in_all.max(events.len()) - 1),
        [] => format!("[{}]", spec.name),
    }
}

fn text(events: &[AlertEvent], in_all: usize) -> String {
    let mut text = String::new();
    for event in events.iter().take(SPELT_OUT) {
        text.push_str(&format!("{} {}\n", event.at.whole_seconds(), event.summary_line()));
        for AlertLine { text: line, url, .. } in &event.lines {
            text.push_str(&format!("  - {line}\n"));
            match url.as_deref() {
                Some(url) if url.len() > LONGEST_URL => text.push_str("    (its address is too long to show)\n"),
                Some(url) => text.push_str(&format!("    {url}\n")),
                None => {}
            }
        }
    }
    let spelt_out = events.len().min(SPELT_OUT);
    if in_all > spelt_out {
        text.push_str(&format!("and {} more: topicwatch alerts\n", in_all - spelt_out));
    }
    text
}

/// A test message, once for each channel.
#[must_use]
pub fn test_messages(spec: &AlertSpec, id: &str, now: Time, sandbox: bool) -> Vec<Message> {
    let what = match spec.rule {
        AlertRule::Items => "3 new items",
        AlertRule::Volume => "more new items than usual",
        AlertRule::Negative => "more negative posts than usual",
        AlertRule::Source => "a failing source",
        AlertRule::Missed => "a missed slot",
        AlertRule::Budget => "most of the day's budget",
    };
    let event = AlertEvent {
        event: format!("{}/test-{id}", spec.job()),
        alert: spec.name.clone(),
        subject: "test".to_owned(),
        kind: AlertEventKind::Fired,
        at: now,
        summary: format!("Test message: an alert about {what} looks like this."),
        lines: Vec::new(),
        message: None,
        delivery: None,
        muted: None,
        acked_at: None,
    };
    messages(spec, &[event], 1, sandbox)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::rules::samples::spec;
    use crate::model::QuietHours;

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap_or_default()
    }

    #[test]
    fn no_message_may_be_sent_in_quiet_hours_of_the_timezone() {
        let quiet = Some(QuietHours { from: 22 * 60, until: 7 * 60 });
        let spec = AlertSpec { quiet, timezone: "Europe/Berlin".to_owned(), ..spec() };
        for (instant, expected) in [("2026-11-22T05:59:59Z", false), ("2026-11-22T06:00:00Z", true)] {
            assert_eq!(may_send(&spec, &AlertState::default(), at(instant)), expected, "{instant}");
        }
    }

    #[test]
    fn a_message_may_be_sent_after_the_cool_down_and_not_while_snoozed() {
        let sent = |ago: i64| AlertState { sent_at: Some(Time(10_000_000 - ago)), ..AlertState::default() };
        assert!(!may_send(&spec(), &sent(3_599_999), Time(10_000_000)));
        assert!(may_send(&spec(), &sent(3_600_000), Time(10_000_000)));
        assert!(!may_send(&spec(), &sent(-60_000), Time(10_000_000)), "two hosts do not agree to the second");
        assert!(may_send(&spec(), &sent(-60_001), Time(10_000_000)), "sent by a clock that was ahead");
        let snoozed = AlertState { snoozed_until: Some(Time(5)), ..AlertState::default() };
        assert!(!may_send(&spec(), &snoozed, Time(4)) && may_send(&spec(), &snoozed, Time(5)));
        let of = |now| mute_reason(&spec(), &snoozed, Time(now));
        assert_eq!((of(4), of(5)), (Some("snoozed"), None));
        let alone = AlertSpec { channels: Vec::new(), ..spec() };
        assert_eq!(mute_reason(&alone, &snoozed, Time(5)), Some("no channels"));
    }

    fn event(id: &str, kind: AlertEventKind, url: &str) -> AlertEvent {
        AlertEvent {
            event: id.to_owned(),
            summary: format!("{id} happened"),
            kind,
            lines: vec![AlertLine { text: "words".into(), url: Some(url.to_owned()), key: None }],
            at: at("2026-11-21T22:00:00.123Z"),
            alert: String::new(),
            subject: String::new(),
            message: None,
            delivery: None,
            muted: None,
            acked_at: None,
        }
    }

    #[test]
    fn a_message_lists_all_waiting_events_and_has_the_id_of_the_last() {
        let url = "https://example.com/";
        let events = [event("a", AlertEventKind::Fired, url), event("b", AlertEventKind::Recovered, url)];
        let spec = AlertSpec { channels: vec!["mail".into(), "hook".into()], ..spec() };
        let queued = messages(&spec, &events, 5, false);
        assert_eq!(queued.iter().map(|m| m.event.as_str()).collect::<Vec<_>>(), ["b/mail", "b/hook"]);
        assert_eq!(queued[0].subject, "[recalls] a happened and 4 more");
        let expected = "2026-11-21T22:00:00Z a happened\n  - words\n    https://example.com/\n\
                        2026-11-21T22:00:00Z over: b happened\n  - words\n    https://example.com/\nand 3 more: topicwatch alerts\n";
        assert_eq!(queued[0].text, expected);
        assert!(messages(&spec, &[], 0, false).is_empty());
        let subject = |many: usize| messages(&spec, &events[1..], many, false)[0].subject.clone();
        assert_eq!([subject(1), subject(2)], ["[recalls] over: b happened", "[recalls] over: b happened and 1 more"]);
    }

    #[test]
    fn a_url_in_a_message_is_whole_or_left_out() {
        let url = |length: usize| format!("https://example.com/{}", "a".repeat(length - 20));
        for (length, expected) in [(500, url(500)), (501, "(its address is too long to show)".to_owned())] {
            let event = event("a", AlertEventKind::Fired, &url(length));
            assert_eq!(text(&[event], 1), format!("2026-11-21T22:00:00Z a happened\n  - words\n    {expected}\n"));
        }
    }
}
