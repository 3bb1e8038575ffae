//! Signals: the first asks to stop, the second stops at once; SIGHUP reloads the configuration.

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::cli::terminal::output;

/// Makes a write to a file that may not grow any more (`ulimit -f`) fail with an error instead of ending the process.
/// Called once, inside the runtime.
pub(in crate::cli) fn ignore_sigxfsz() {
    #[cfg(all(any(target_os = "linux", target_os = "macos"), not(any(target_arch = "mips", target_arch = "mips64"))))]
    {
        use tokio::signal::unix::{SignalKind, signal};
        const SIGXFSZ: i32 = 25;
        // The handler stays installed after its listener is dropped.
        let _ = signal(SignalKind::from_raw(SIGXFSZ));
    }
}

/// SIGTERM and Ctrl-C. Listens from its creation on, so that no signal is lost between two waits.
pub(in crate::cli) struct StopSignals {
    #[cfg(unix)]
    listening: Option<(tokio::signal::unix::Signal, tokio::signal::unix::Signal)>,
}

impl StopSignals {
    #[cfg(unix)]
    pub(in crate::cli) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        // Without a handler the default action ends the process, which is safe at any instant.
        let listening = signal(SignalKind::terminate()).and_then(|t| Ok((t, signal(SignalKind::interrupt())?)));
        Self { listening: listening.ok() }
    }

    #[cfg(not(unix))]
    pub(in crate::cli) fn listen() -> Self {
        Self {}
    }

    /// Waits for a signal.
    #[cfg(unix)]
    pub(in crate::cli) async fn next(&mut self) {
        let Some((terminate, interrupt)) = &mut self.listening else { return std::future::pending().await };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(in crate::cli) async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }

    /// Calls `on_stop` at the first signal and ends the process at the second. What was reported as stored is stored,
    /// however the process ends.
    pub(in crate::cli) async fn stop_then_exit(mut self, on_stop: impl FnOnce()) {
        self.next().await;
        on_stop();
        self.exit_at_next().await;
    }

    /// Ends the process at the next signal.
    async fn exit_at_next(mut self) {
        self.next().await;
        #[expect(clippy::disallowed_methods, reason = "the process is asked to end at once; it is crash-only")]
        std::process::exit(130)
    }
}

/// SIGHUP, where it exists.
pub(in crate::cli) struct HangUps {
    #[cfg(unix)]
    listening: Option<tokio::signal::unix::Signal>,
}

impl HangUps {
    #[cfg(unix)]
    pub(in crate::cli) fn listen() -> Self {
        Self { listening: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok() }
    }

    #[cfg(not(unix))]
    pub(in crate::cli) fn listen() -> Self {
        Self {}
    }

    /// Waits for a signal.
    pub(in crate::cli) async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(listening) = &mut self.listening
            && listening.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

/// At Ctrl-C or SIGTERM no new calls start, open calls are abandoned, and the findings so far are stored.
pub(in crate::cli) fn interrupted(cancel: CancellationToken) -> impl Future<Output = ()> + Send {
    StopSignals::listen().stop_then_exit(move || {
        output::print_stderr("stopping: storing the findings so far; press Ctrl-C again to stop at once");
        cancel.cancel();
    })
}

/// From now on, Ctrl-C or SIGTERM ends the process at once. For what follows the runs, such as reports and deliveries:
/// the findings are stored. Without a new listener both would be ignored, because a signal that was listened for once
/// no longer ends the process by itself.
pub(in crate::cli) fn end_at_once_after(interrupt: &JoinHandle<()>) {
    let signals = StopSignals::listen();
    interrupt.abort();
    tokio::spawn(signals.exit_at_next());
}
