//! Failpoints for tests: the environment can make a debug build die, stop, hang, fail or panic at a named point, so
//! that a test can say "killed here". In a release build every function here is empty and the variables have no effect.

#[cfg(debug_assertions)]
pub(crate) use enabled::{at, at_of, bound, fails, limit};

/// Marks a point.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) const fn at(_point: &str) {}

/// Marks a point for one of several tasks.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) const fn at_of(_point: &str, _whom: &str) {}

/// Returns whether the operation at a point must fail.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) const fn fails(_point: &str) -> bool {
    false
}

/// Returns a timeout, which a test may shorten.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) const fn bound(_point: &str, by_default: std::time::Duration) -> std::time::Duration {
    by_default
}

/// Returns a limit, which a test may lower.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) const fn limit(_point: &str, by_default: i64) -> i64 {
    by_default
}

#[cfg(debug_assertions)]
mod enabled {
    use std::io::Write as _;
    use std::process::Command;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// `ACTION POINT [of=WHOM] [pass=N]`; without `pass` every time.
    const WHAT: &str = "TOPICWATCH_TEST_FAILPOINT";
    /// A file that receives one line for each point passed.
    const TRACE: &str = "TOPICWATCH_TEST_FAILPOINT_TRACE";
    /// `POINT=NUMBER`: a shorter timeout in milliseconds, or a lower limit, so that a test neither waits as long nor
    /// needs as many rows as in production.
    const BOUND: &str = "TOPICWATCH_TEST_BOUND";

    struct Failpoint {
        action: String,
        point: String,
        whom: Option<String>,
        pass: Option<u64>,
        passed: AtomicU64,
    }

    impl Failpoint {
        fn parse(text: &str) -> Option<Self> {
            let mut words = text.split_whitespace();
            let (action, point) = (words.next()?.to_owned(), words.next()?.to_owned());
            let rest: Vec<&str> = words.collect();
            let value = |name: &str| rest.iter().find_map(|word| word.strip_prefix(name));
            let pass = value("pass=").and_then(|pass| pass.parse().ok());
            Some(Self { action, point, whom: value("of=").map(str::to_owned), pass, passed: AtomicU64::new(0) })
        }

        fn hits(&self, point: &str, whom: &str) -> bool {
            self.point == point
                && self.whom.as_ref().is_none_or(|only| only == whom)
                && self.pass.is_none_or(|pass| self.passed.fetch_add(1, Ordering::SeqCst) + 1 == pass)
        }
    }

    fn configured() -> Option<&'static Failpoint> {
        static CONFIGURED: OnceLock<Option<Failpoint>> = OnceLock::new();
        CONFIGURED.get_or_init(|| std::env::var(WHAT).ok().as_deref().and_then(Failpoint::parse)).as_ref()
    }

    pub(crate) fn at(point: &str) {
        at_of(point, "");
    }

    pub(crate) fn at_of(point: &str, whom: &str) {
        if let Some(file) = std::env::var_os(TRACE)
            && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(file)
        {
            let _ = file.write_all(format!("{point}\n").as_bytes());
        }
        let Some(failpoint) = configured().filter(|failpoint| failpoint.hits(point, whom)) else { return };
        match failpoint.action.as_str() {
            "kill" => signal("KILL"),
            "stop" => signal("STOP"),
            // Only the current thread hangs.
            "hang" => loop {
                std::thread::park();
            },
            #[expect(clippy::panic, reason = "this is what a test asked for")]
            "panic" => panic!("a failpoint at {point}"),
            _ => {}
        }
    }

    pub(crate) fn fails(point: &str) -> bool {
        configured().is_some_and(|failpoint| failpoint.action == "fail" && failpoint.hits(point, ""))
    }

    pub(crate) fn bound(point: &str, by_default: std::time::Duration) -> std::time::Duration {
        setting(point).map_or(by_default, std::time::Duration::from_millis)
    }

    pub(crate) fn limit(point: &str, by_default: i64) -> i64 {
        setting(point).unwrap_or(by_default)
    }

    fn setting<N: std::str::FromStr>(point: &str) -> Option<N> {
        let setting = std::env::var(BOUND).ok()?;
        setting.split_once('=').filter(|(of, _)| *of == point)?.1.parse().ok()
    }

    /// Sends this process a signal and waits until it arrives.
    #[expect(clippy::disallowed_methods, reason = "of builds for tests, where the process is meant to stand still")]
    fn signal(name: &str) {
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} $PPID")]).status();
        while name == "KILL" && sent.is_ok() {
            std::thread::park();
        }
        // Another thread may take the signal; this one continues until that one is scheduled. The time also passes
        // while the process is stopped, so this thread continues at once when woken.
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
}
