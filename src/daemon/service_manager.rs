//! Tells the service manager over systemd's protocol: ready, reloading, stopping, alive. Does nothing without a
//! manager. The loop itself decides whether it is alive.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The service manager, if there is one.
#[derive(Debug, Clone, Default)]
pub struct Manager {
    #[cfg(unix)]
    socket: Option<std::ffi::OsString>,
    watchdog: Option<Duration>,
    status: Arc<Mutex<String>>,
}

#[cfg(unix)]
impl Manager {
    /// Returns the manager that the environment names (`NOTIFY_SOCKET`, `WATCHDOG_USEC`).
    #[must_use]
    pub fn from_environment() -> Self {
        Self {
            socket: std::env::var_os("NOTIFY_SOCKET").filter(|socket| !socket.is_empty()),
            watchdog: sd_notify::watchdog_enabled().filter(|limit| !limit.is_zero()),
            status: Arc::default(),
        }
    }

    fn notify(&self, states: &[sd_notify::NotifyState<'_>]) {
        // A manager that no longer listens is no reason to stop.
        if let Some(socket) = &self.socket
            && let Err(error) = send(socket, states)
        {
            tracing::debug!("the service manager was not notified: {error}");
        }
    }

    /// Reports that everything is up, or that a reload is over.
    pub fn ready(&self) {
        self.notify(&[sd_notify::NotifyState::Ready]);
    }

    /// Reports that a reload starts; [`Self::ready`] ends it.
    pub fn reloading(&self) {
        match sd_notify::NotifyState::monotonic_usec_now() {
            Ok(now) => self.notify(&[sd_notify::NotifyState::Reloading, now]),
            Err(error) => tracing::debug!("the monotonic clock cannot be read: {error}"),
        }
    }

    /// Reports that no new run starts any more.
    pub fn stopping(&self) {
        self.notify(&[sd_notify::NotifyState::Stopping]);
    }

    /// Reports that the loop is alive.
    pub fn alive(&self) {
        if self.watchdog.is_some() {
            self.notify(&[sd_notify::NotifyState::Watchdog]);
        }
    }

    /// Sets the line for `systemctl status`. Sent only if it changed.
    pub fn status(&self, line: &str) {
        let mut last_status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        if *last_status != line {
            line.clone_into(&mut last_status);
            self.notify(&[sd_notify::NotifyState::Status(line)]);
        }
    }
}

/// Sends one datagram, as the protocol requires.
#[cfg(unix)]
fn send(socket: &std::ffi::OsStr, states: &[sd_notify::NotifyState<'_>]) -> std::io::Result<()> {
    let message: String = states.iter().map(|state| format!("{state}\n")).collect();
    let from = std::os::unix::net::UnixDatagram::unbound()?;
    from.send_to_addr(message.as_bytes(), &address(socket)?).map(|_| ())
}

/// Returns the socket's address: a file, or after `@` a name in Linux's abstract namespace, as containers use.
#[cfg(unix)]
fn address(socket: &std::ffi::OsStr) -> std::io::Result<std::os::unix::net::SocketAddr> {
    #[cfg(target_os = "linux")]
    {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::ffi::OsStrExt as _;
        if let Some(name) = socket.as_bytes().strip_prefix(b"@") {
            return std::os::unix::net::SocketAddr::from_abstract_name(name);
        }
    }
    std::os::unix::net::SocketAddr::from_pathname(socket)
}

#[cfg(not(unix))]
impl Manager {
    /// There is no manager on this platform.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::default()
    }

    pub fn ready(&self) {}

    pub fn reloading(&self) {}

    pub fn stopping(&self) {}

    pub fn alive(&self) {}

    pub fn status(&self, _line: &str) {}
}

impl Manager {
    /// How often the loop must report that it is alive: half the time after which the manager would end it.
    #[must_use]
    pub fn beat(&self) -> Option<Duration> {
        self.watchdog.map(|limit| limit / 2)
    }
}
