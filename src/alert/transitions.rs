//! Turns a rule's verdicts at one run into changes: a condition starts, continues, or ends. Pure.

use std::collections::BTreeMap;

use crate::model::{AlertEvent, AlertEventKind, AlertLine, AlertSpec, Firing, Time};

/// The state of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    /// Something happened, and is over.
    Happened,
    /// The subject is not as it should be.
    Bad,
    /// The subject is as it should be.
    Well,
    /// The subject looks bad, but for a reason that is not news. Stored, but notifies no one.
    HeldBack(&'static str),
    /// A held-back condition has ended. Sends no message.
    Over,
    /// There is too little to judge. Ends what began by this time, but notifies no one, because nothing shows that the
    /// subject is well.
    TooLittle(Time),
}

/// A rule's verdict on a subject. Rules return none for subjects they cannot judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Evaluation {
    /// A topic, a topic's source, or the service.
    pub(super) subject: String,
    pub(super) status: Status,
    /// Text of one line.
    pub(super) summary: String,
    pub(super) lines: Vec<AlertLine>,
}

/// The firing subjects, and the changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Transitions {
    pub(super) firing: BTreeMap<String, Firing>,
    pub(super) events: Vec<AlertEvent>,
    /// Conditions that started and have not ended since.
    pub(super) begun: BTreeMap<String, Firing>,
    pub(super) ended: Vec<String>,
}

impl Transitions {
    pub(super) fn of(firing: &[Firing]) -> Self {
        let firing = firing.iter().map(|one| (one.subject.clone(), one.clone())).collect();
        Self { firing, ..Self::default() }
    }

    /// Ends what fires for a subject, without an event. Returns it if it fired.
    pub(super) fn end(&mut self, subject: &str) -> Option<Firing> {
        let was = self.firing.remove(subject)?;
        self.begun.remove(subject);
        self.ended.push(subject.to_owned());
        Some(was)
    }

    /// Applies the evaluations of `origin`, a run or a day. `muted` is why their events notify no one.
    pub(super) fn take(
        &mut self,
        spec: &AlertSpec,
        origin: &str,
        at: Time,
        evaluations: Vec<Evaluation>,
        muted: Option<&str>,
    ) {
        for Evaluation { subject, status, summary, lines } in evaluations {
            let mut muted = if let Status::HeldBack(why) = status { Some(why) } else { muted }.map(str::to_owned);
            let kind = match status {
                Status::Happened => Some(AlertEventKind::Fired),
                Status::Bad | Status::HeldBack(_) if !self.firing.contains_key(&subject) => {
                    let firing = Firing { subject: subject.clone(), since: at, acked: false, muted: muted.clone() };
                    self.firing.insert(subject.clone(), firing.clone());
                    self.begun.insert(subject.clone(), firing);
                    Some(AlertEventKind::Fired)
                }
                Status::Bad | Status::HeldBack(_) => None,
                Status::TooLittle(by) => {
                    if self.firing.get(&subject).is_some_and(|was| was.since <= by) {
                        self.end(&subject);
                    }
                    None
                }
                Status::Well | Status::Over => self.end(&subject).and_then(|was| {
                    // No message was sent at the start, so none is sent at the end.
                    muted = was.muted.or(muted.take());
                    (status == Status::Well && spec.recovery && !was.acked).then_some(AlertEventKind::Recovered)
                }),
            };
            let Some(kind) = kind else { continue };
            self.events.push(AlertEvent {
                event: event_id(spec, origin, &subject, kind),
                alert: spec.name.clone(),
                subject,
                kind,
                at,
                summary,
                lines,
                message: None,
                delivery: None,
                muted,
                acked_at: None,
            });
        }
    }
}

/// The id of an event. Depends only on the alert, the run or day, the subject and the kind, so repeats get the same
/// id.
fn event_id(spec: &AlertSpec, origin: &str, subject: &str, kind: AlertEventKind) -> String {
    format!("{}/{origin}/{subject}/{kind}", spec.job())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::rules::samples::spec;

    fn evaluations(subject: &str, status: Status) -> Vec<Evaluation> {
        vec![Evaluation { subject: subject.to_owned(), status, summary: String::new(), lines: Vec::new() }]
    }

    #[test]
    fn an_event_that_began_while_snoozed_ends_without_a_message() {
        use Status::{Bad, Well};
        let spec = AlertSpec { recovery: true, ..spec() };
        let mut seen = Transitions::default();
        seen.take(&spec, "r1", Time(1), evaluations("acme", Bad), Some("snoozed"));
        // The next check reads what fires from the store.
        let mut seen = Transitions::of(&seen.firing.into_values().collect::<Vec<_>>());
        seen.take(&spec, "r2", Time(2), evaluations("acme", Well), None);
        assert_eq!(
            (seen.events[0].kind, seen.events[0].muted.as_deref()),
            (AlertEventKind::Recovered, Some("snoozed"))
        );
        // Begun before the snooze, ended in it.
        seen.take(&spec, "r3", Time(3), evaluations("acme", Bad), None);
        seen.take(&spec, "r4", Time(4), evaluations("acme", Well), Some("snoozed"));
        let muted: Vec<_> = seen.events[1..].iter().map(|event| event.muted.as_deref()).collect();
        assert_eq!(muted, [None, Some("snoozed")]);
    }

    #[test]
    fn a_lasting_condition_makes_one_event_at_its_start_and_one_at_its_end() {
        use Status::{Bad, Happened, Well};
        let spec = AlertSpec { name: "ill".to_owned(), ..spec() };
        let mut seen = Transitions::of(&[]);
        for (run, status) in [("r1", Well), ("r2", Bad), ("r3", Bad), ("r4", Well), ("r5", Well), ("r6", Bad)] {
            seen.take(&spec, run, Time(1), evaluations("acme/web", status), None);
        }
        seen.take(&spec, "r7", Time(1), evaluations("acme", Happened), Some("snoozed"));
        seen.take(&spec, "r8", Time(1), evaluations("acme", Happened), None);
        let events: Vec<&str> = seen.events.iter().map(|event| event.event.as_str()).collect();
        assert_eq!(
            events,
            [
                "alert:ill/r2/acme/web/fired",
                "alert:ill/r4/acme/web/recovered",
                "alert:ill/r6/acme/web/fired",
                "alert:ill/r7/acme/fired",
                "alert:ill/r8/acme/fired"
            ]
        );
        assert_eq!(seen.events.iter().filter(|event| event.muted.is_some()).count(), 1);
        assert_eq!(seen.firing.keys().collect::<Vec<_>>(), ["acme/web"]);
    }

    #[test]
    fn the_end_of_an_acknowledged_event_is_not_reported() {
        let mut seen =
            Transitions::of(&[Firing { subject: "acme".to_owned(), since: Time(0), acked: true, muted: None }]);
        seen.take(&spec(), "r1", Time(1), evaluations("acme", Status::Well), None);
        assert_eq!((seen.events.len(), seen.ended.len(), seen.firing.len()), (0, 1, 0));
    }

    #[test]
    fn a_held_back_condition_makes_one_muted_event_and_no_end() {
        let mut seen = Transitions::of(&[]);
        for status in [Status::HeldBack("unrelated"), Status::HeldBack("unrelated"), Status::Over] {
            seen.take(&spec(), "r1", Time(1), evaluations("acme", status), None);
        }
        let muted: Vec<Option<&str>> = seen.events.iter().map(|event| event.muted.as_deref()).collect();
        assert_eq!((muted.as_slice(), seen.firing.len()), ([Some("unrelated")].as_slice(), 0));
    }

    #[test]
    fn too_few_items_end_only_a_firing_that_began_before_the_window() {
        let begun = |since: i64| Firing { subject: "acme".to_owned(), since: Time(since), acked: false, muted: None };
        for (since, left) in [(5, 0), (6, 1)] {
            let mut seen = Transitions::of(&[begun(since)]);
            seen.take(&spec(), "r1", Time(9), evaluations("acme", Status::TooLittle(Time(5))), None);
            assert_eq!((seen.firing.len(), seen.events.len(), seen.ended.len()), (left, 0, 1 - left), "{since}");
        }
    }

    #[test]
    fn an_alert_without_recovery_ends_without_an_event() {
        let mut seen =
            Transitions::of(&[Firing { subject: "acme".to_owned(), since: Time(0), acked: false, muted: None }]);
        let quiet = AlertSpec { recovery: false, ..spec() };
        seen.take(&quiet, "r1", Time(1), evaluations("acme", Status::Well), None);
        assert_eq!((seen.events.len(), seen.ended.len()), (0, 1));
    }
}
