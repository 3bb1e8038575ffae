//! A PostgreSQL server for one case, which may crash, fill and restart it. Prints that the case is skipped where no
//! server can be started. `pg_template` and `server_choice` are about the shared server.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::server_choice::print_to_stderr;
use crate::support::service::unused_port;

/// A server that is stopped and removed when dropped.
pub(crate) struct PostgresServer {
    folder: tempfile::TempDir,
    binaries: PathBuf,
    owner: Option<&'static str>,
    port: u16,
    settings: String,
    /// Addresses it listens on besides loopback.
    addresses: String,
}

impl PostgresServer {
    /// Starts a server with these settings added to the usual ones. Returns `None`, with a printed line, where
    /// PostgreSQL is not installed.
    pub(crate) fn start(case: &str, settings: &[&str]) -> Option<Self> {
        if std::env::var("TEST_POSTGRES").is_ok_and(|word| word == "skip") {
            return None;
        }
        let Some(binaries) = binaries() else {
            // A silent skip would pass.
            assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs initdb and pg_ctl: {case}");
            print_to_stderr(&format!("SKIPPED: {case} (no initdb and pg_ctl on PATH or in /usr/lib/postgresql)"));
            return None;
        };
        // PostgreSQL refuses to run as root.
        let root = said(Command::new("id").arg("-u")) == "0";
        let there = |user: &&str| Command::new("id").arg(user).output().is_ok_and(|out| out.status.success());
        let owner = root.then(|| ["postgres", "nobody"].into_iter().find(there)).flatten();
        let folder = tempfile::Builder::new().prefix("topicwatch-test.").tempdir_in("/tmp").unwrap();
        let path = folder.path().to_str().unwrap();
        if let Some(owner) = owner {
            assert!(Command::new("chown").args([owner, path]).status().unwrap().success());
        }
        let port = unused_port();
        let settings: String = settings.iter().map(|setting| format!(" -c {setting}")).collect();
        let cluster = Self { folder, binaries, owner, port, settings, addresses: String::new() };
        let data = cluster.data();
        let made = cluster
            .call("initdb", &["-D", &data, "-U", "topicwatch", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
        assert!(made.status.success(), "{made:?}");
        cluster.bring_up();
        Some(cluster)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://topicwatch@127.0.0.1:{}/postgres", self.port)
    }

    /// Makes it use TLS with a certificate and its key, and listen on further addresses. It then refuses unencrypted
    /// connections except from loopback.
    pub(crate) fn encrypt(&mut self, certificate: &Path, addresses: &[String]) {
        let data = PathBuf::from(self.data());
        let server = data.join("server.pem");
        std::fs::copy(certificate, &server).unwrap();
        let hba = "host all all 127.0.0.1/32 trust\nhostssl all all all trust\n";
        std::fs::write(data.join("pg_hba.conf"), hba).unwrap();
        std::fs::set_permissions(&server, std::fs::Permissions::from_mode(0o600)).unwrap();
        if let Some(owner) = self.owner {
            assert!(Command::new("chown").arg(owner).arg(&server).status().unwrap().success());
        }
        self.settings = " -c ssl=on -c ssl_cert_file=server.pem -c ssl_key_file=server.pem".to_owned();
        self.addresses = addresses.iter().map(|address| format!(",{address}")).collect();
        self.crash_and_restart();
    }

    /// The URL for clients that use another host name.
    pub(crate) fn url_at(&self, host: &str) -> String {
        format!("postgres://topicwatch@{host}:{}/postgres", self.port)
    }

    /// Crashes the server and starts it again.
    pub(crate) fn crash_and_restart(&self) {
        self.restart("immediate");
    }

    /// Stops the server in one of `pg_ctl`'s modes and starts it again.
    pub(crate) fn restart(&self, how: &str) {
        self.restart_with(how, || ());
    }

    /// The same, and does something while the server is down.
    pub(crate) fn restart_with(&self, how: &str, away: impl FnOnce()) {
        let stopped = self.call("pg_ctl", &["-D", &self.data(), "-m", how, "-w", "stop"]);
        assert!(stopped.status.success(), "{stopped:?}");
        away();
        self.bring_up();
    }

    fn bring_up(&self) {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1{} -c unix_socket_directories= -c wal_level=minimal -c max_wal_senders=0{}",
            self.port, self.addresses, self.settings
        );
        let log = self.folder.path().join("log");
        let log = log.to_str().unwrap();
        let started = self.call("pg_ctl", &["-D", &self.data(), "-l", log, "-o", &options, "-w", "-t", "60", "start"]);
        assert!(started.status.success(), "{started:?}");
    }

    fn data(&self) -> String {
        self.folder.path().join("data").to_str().unwrap().to_owned()
    }

    fn call(&self, program: &str, args: &[&str]) -> Output {
        let program = self.binaries.join(program);
        let mut command = match self.owner {
            Some(owner) => {
                let mut command = Command::new("runuser");
                command.args(["-u", owner, "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        // The server inherits these files: with a pipe, reading its output would wait until the server ends.
        let quiet = tempfile::tempfile().unwrap();
        command.args(args).current_dir(self.folder.path()).stdin(std::process::Stdio::null());
        command.stdout(quiet.try_clone().unwrap()).stderr(quiet);
        command.output().unwrap()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.call("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }
}

fn binaries() -> Option<PathBuf> {
    let found = said(Command::new("sh").args(["-c", "readlink -f \"$(command -v initdb)\""]));
    let beside = Path::new(&found).parent().map(Path::to_owned);
    let mut debian: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|all| all.filter_map(|folder| Some(folder.ok()?.path().join("bin"))).collect())
        .unwrap_or_default();
    debian.sort();
    beside
        .into_iter()
        .chain(debian.into_iter().rev())
        .find(|bin| bin.join("initdb").is_file() && bin.join("pg_ctl").is_file())
}

fn said(command: &mut Command) -> String {
    command.output().map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default()
}
