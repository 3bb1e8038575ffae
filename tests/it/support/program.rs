//! Runs the binary as a person or a service manager does: in a folder of its own, with only the environment that the
//! case sets, on a database of its own. It also checks every run: the key does not appear in the output, nothing
//! panics, and no control sequence reaches the terminal.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::support::databases::Database;

/// The API key of every run. Output must never show it.
pub const KEY: &str = "e2e-k$y-0123456789";
/// The current time in most cases; a Wednesday.
pub const NINE: &str = "2026-03-11T09:00:00Z";
/// The longest time a case waits for anything, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A folder with `jobs.toml`, and the database that it names.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub database: Database,
}

impl Place {
    /// Writes the file: `service` are lines of `[service]`, `rest` follows `[database]`.
    #[track_caller]
    pub fn new(database: Database, service: &str, rest: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), database };
        place.configure(service, rest);
        place
    }

    /// Writes a file without `[service]`: `rest` follows `[database]`.
    #[track_caller]
    pub fn without_service(database: Database, rest: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), database };
        let Database { url, schema, .. } = &place.database;
        let head = format!("[database]\nurl = \"{url}\"\nschema = \"{schema}\"\n\n[retention]\nprune = \"never\"\n\n");
        std::fs::write(place.path("jobs.toml"), format!("{head}{rest}\n")).unwrap();
        place
    }

    /// The same file and all rows on another, empty database. These rows are in a SQLite file, and no process uses it.
    /// A history is made there once and continued in many places, which costs less than making it in each. What followers
    /// have counted is copied, too: leave the last runs to each database.
    #[track_caller]
    pub fn copy_to(&self, database: Database) -> Self {
        let head = |of: &Database| format!("url = \"{}\"\nschema = \"{}\"", of.url, of.schema);
        let file = std::fs::read_to_string(self.path("jobs.toml")).unwrap();
        assert!(file.contains(&head(&self.database)), "{file}");
        let place = Self { folder: tempfile::tempdir().unwrap(), database };
        std::fs::write(place.path("jobs.toml"), file.replace(&head(&self.database), &head(&place.database))).unwrap();
        let file = |of: &Self| of.database.url.strip_prefix("sqlite:").map(str::to_owned);
        let rows = file(self).unwrap();
        if let Some(to) = file(&place) {
            // All rows are in the one file once its last process has ended.
            let used = std::fs::metadata(format!("{rows}-wal")).is_ok_and(|log| log.len() > 0);
            assert!(!used, "a process uses {rows}");
            std::fs::copy(rows, to).unwrap();
        } else {
            let moved = self.program(&["db", "move", "--to", &place.database.url]);
            let moved = moved.env("TOPICWATCH_DATABASE_SCHEMA", &place.database.schema).run();
            assert_eq!(moved.code, Some(0), "{moved}");
        }
        place
    }

    /// Replaces `jobs.toml` in one step: a daemon that reads it meanwhile must not see half of it.
    #[track_caller]
    pub fn configure(&self, service: &str, rest: &str) {
        let Database { url, schema, .. } = &self.database;
        // Cases count runs: an automatic prune run would add one, depending on the time of day.
        let house = if rest.contains("[retention]") { "" } else { "[retention]\nprune = \"never\"\n\n" };
        let text =
            format!("[service]\n{service}\n\n[database]\nurl = \"{url}\"\nschema = \"{schema}\"\n\n{house}{rest}\n");
        let (file, aside) = (self.path("jobs.toml"), self.path("jobs.toml.aside"));
        std::fs::write(&aside, text).unwrap();
        if let Ok(before) = std::fs::metadata(&file) {
            std::fs::set_permissions(&aside, before.permissions()).unwrap();
        }
        std::fs::rename(aside, file).unwrap();
    }

    #[track_caller]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with these arguments.
    #[track_caller]
    pub fn program(&self, args: &[&str]) -> Program {
        Program::at(self.folder.path(), args)
    }

    /// Runs it until it ends.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> ProgramOutput {
        self.program(args).run()
    }

    /// Runs it; asserts exit code 0 and returns its stdout.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.code, Some(0), "{} {args:?}\n{ended}", self.database.name);
        ended.out
    }

    /// The same, parsed as JSON.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let text = self.ok(args);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}\n{text}"))
    }

    /// The names of the files next to `jobs.toml`.
    #[track_caller]
    pub fn other_files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.folder.path()).unwrap().map(|e| e.unwrap().file_name());
        names.map(|n| n.into_string().unwrap()).filter(|n| n != "jobs.toml").collect()
    }
}

/// Waits until a condition holds.
#[track_caller]
pub fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    loop {
        let asked = Instant::now();
        if holds() {
            return;
        }
        assert!(begun.elapsed() < DEADLINE, "timed out waiting for {what}");
        pause_before_next_check(begun, asked);
    }
}

/// Pauses before a condition is checked again: slow conditions are checked less often, because other tests need the
/// processors.
pub fn pause_before_next_check(begun: Instant, checked: Instant) {
    let (shortest, longest) = (Duration::from_millis(5), Duration::from_millis(40));
    let of_check = (checked.elapsed() * 8).clamp(shortest, longest);
    let of_wait = (begun.elapsed() / 100).min(Duration::from_millis(500));
    std::thread::park_timeout(of_check.max(of_wait));
}

/// A program not yet started.
pub struct Program(Command);

impl Program {
    /// In this folder, with a clean environment.
    #[track_caller]
    pub fn at(folder: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_topicwatch"));
        command.args(args).current_dir(folder).env_clear();
        command.env("HOME", folder).env("TOPICWATCH_API_KEY", KEY).env("COLUMNS", "120").env("TZ", "Pacific/Apia");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command)
    }

    /// The same under a shell that first does something else; `script` ends with `exec "$@"`.
    #[track_caller]
    pub fn under_shell(folder: &Path, script: &str, args: &[&str]) -> Self {
        let program = Self::at(folder, args).0;
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(program.get_program()).args(program.get_args()).current_dir(folder);
        command.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command)
    }

    /// The program with its environment as a command line, to start it by other means.
    #[track_caller]
    pub fn command_line(&self) -> Vec<String> {
        let text = |word: &std::ffi::OsStr| word.to_str().unwrap().to_owned();
        let folder = text(self.0.get_current_dir().unwrap().as_os_str());
        let mut line: Vec<String> = ["env", "-i", "-C", &folder, "TERM=xterm"].map(str::to_owned).to_vec();
        let set = self.0.get_envs().filter_map(|(name, value)| Some((name, value?)));
        line.extend(set.map(|(name, value)| format!("{}={}", text(name), text(value))));
        line.push(text(self.0.get_program()));
        line.extend(self.0.get_args().map(text));
        line
    }

    #[track_caller]
    pub fn env(mut self, name: &str, value: &(impl AsRef<std::ffi::OsStr> + ?Sized)) -> Self {
        self.0.env(name, value);
        self
    }

    #[track_caller]
    pub fn without_env(mut self, name: &str) -> Self {
        self.0.env_remove(name);
        self
    }

    #[track_caller]
    pub fn stdin(mut self, from: std::fs::File) -> Self {
        self.0.stdin(from);
        self
    }

    #[track_caller]
    pub fn stdout(mut self, to: std::fs::File) -> Self {
        self.0.stdout(to);
        self
    }

    /// Starts it.
    #[track_caller]
    pub fn start(mut self) -> RunningProgram {
        let mut child = self.0.spawn().unwrap();
        let out = child.stdout.take().map(collect);
        let err = child.stderr.take().map(collect);
        RunningProgram { child, out, err }
    }

    /// Starts it and waits for its end.
    #[track_caller]
    pub fn run(self) -> ProgramOutput {
        self.start().wait()
    }
}

/// The output of a program so far, and whether it is complete.
struct Collected {
    text: Arc<Mutex<Vec<u8>>>,
    is_all: Arc<AtomicBool>,
    reader: JoinHandle<()>,
}

impl Collected {
    fn so_far(&self) -> String {
        lossy(&self.text.lock().unwrap())
    }

    fn is_all(&self) -> bool {
        self.is_all.load(Ordering::SeqCst)
    }
}

fn collect(mut from: impl Read + Send + 'static) -> Collected {
    let (text, is_all): (Arc<Mutex<Vec<u8>>>, Arc<AtomicBool>) = Default::default();
    let (into, at_end, starter) = (Arc::clone(&text), Arc::clone(&is_all), std::thread::current());
    let reader = std::thread::spawn(move || {
        let mut chunk = [0; 16 * 1024];
        while let Ok(n @ 1..) = from.read(&mut chunk) {
            into.lock().unwrap().extend_from_slice(&chunk[..n]);
        }
        at_end.store(true, Ordering::SeqCst);
        // It may be waiting for the program's end.
        starter.unpark();
    });
    Collected { text, is_all, reader }
}

/// A running program, killed when dropped.
pub struct RunningProgram {
    child: Child,
    out: Option<Collected>,
    err: Option<Collected>,
}

impl RunningProgram {
    /// Waits until a condition holds for its stderr so far.
    #[track_caller]
    pub fn wait_until(&mut self, what: &str, holds: impl Fn(&str) -> bool) {
        let said = |going: &Self| going.err.as_ref().map_or_else(String::new, Collected::so_far);
        let begun = Instant::now();
        loop {
            let checked = Instant::now();
            // Asked first: it may say the words and end in between.
            let has_ended = self.child.try_wait().unwrap().is_some() && self.err.as_ref().is_none_or(Collected::is_all);
            if holds(&said(self)) {
                return;
            }
            assert!(!has_ended, "ended before {what}:\n{}", said(self));
            assert!(begun.elapsed() < DEADLINE, "timed out waiting for {what}:\n{}", said(self));
            pause_before_next_check(begun, checked);
        }
    }

    /// Passes its stdout and stderr so far to `at`.
    #[track_caller]
    pub fn with_output(&self, mut at: impl FnMut(&str, &str)) {
        let said = |all: &Option<Collected>| all.as_ref().map_or_else(String::new, Collected::so_far);
        at(&said(&self.out), &said(&self.err));
    }

    /// Sends a signal by its name.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.child.id())]).status().unwrap();
        assert!(sent.success());
        if name == "STOP" {
            self.wait_until_stopped();
        }
    }

    /// Waits until a SIGSTOP, sent by a test or by a failpoint, has taken effect. A SIGCONT that comes before is lost.
    #[track_caller]
    pub fn wait_until_stopped(&self) {
        let stat = format!("/proc/{}/stat", self.child.id());
        let stopped = || std::fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T "));
        wait_until("it is stopped", || cfg!(not(target_os = "linux")) || stopped());
    }

    /// Kills it with SIGKILL; returns whether it was still running.
    #[track_caller]
    pub fn kill(mut self) -> bool {
        let running = self.child.try_wait().unwrap().is_none();
        self.child.kill().ok();
        self.child.wait().unwrap();
        running
    }

    /// Kills it after this time; returns whether it was still running.
    #[track_caller]
    pub fn kill_after(mut self, after: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < after && self.child.try_wait().unwrap().is_none() {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        self.kill()
    }

    /// Waits until it ends.
    #[track_caller]
    pub fn wait(self) -> ProgramOutput {
        let ended = self.end();
        ended.check();
        ended
    }

    /// The same; also returns its peak memory in KiB.
    #[track_caller]
    pub fn wait_and_measure(self) -> (ProgramOutput, u64) {
        let mut peak = 0;
        let ended = self.watch(Duration::from_millis(2), |process| peak = peak.max(peak_kib(process)));
        ended.check();
        (ended, peak)
    }

    /// The same with a time limit: the case fails when the program takes longer.
    #[track_caller]
    pub fn wait_within(mut self, longest: Duration) -> ProgramOutput {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < longest, "it did not end within {longest:?}");
            std::thread::park_timeout(Duration::from_millis(5));
        }
        self.wait()
    }

    /// The same for a program that a failpoint made panic.
    #[track_caller]
    pub fn wait_after_a_panic(self) -> ProgramOutput {
        let ended = self.end();
        assert!(ended.err.contains("a failpoint at"), "{ended}");
        ended
    }

    fn end(self) -> ProgramOutput {
        self.watch(Duration::from_millis(50), |_| ())
    }

    /// Waits until it ends, and looks at it this often. The readers of what it prints wake this thread at the end.
    fn watch(mut self, often: Duration, mut look: impl FnMut(u32)) -> ProgramOutput {
        let begun = Instant::now();
        let code = loop {
            look(self.child.id());
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            if begun.elapsed() > DEADLINE {
                self.child.kill().ok();
            }
            let is_read = |collected: &Option<Collected>| collected.as_ref().is_none_or(Collected::is_all);
            let prints = !(is_read(&self.out) && is_read(&self.err));
            std::thread::park_timeout(if prints { often } else { Duration::from_millis(1) });
        };
        let text = |collected: Option<Collected>| {
            collected.map_or_else(String::new, |collected| {
                collected.reader.join().unwrap();
                let bytes = std::mem::take(&mut *collected.text.lock().unwrap());
                String::from_utf8(bytes).expect("what it prints is UTF-8")
            })
        };
        ProgramOutput { code, out: text(self.out.take()), err: text(self.err.take()) }
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The peak memory of the process in KiB as Linux reports it; 0 on other systems or when it has ended.
fn peak_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// How a program ended.
#[derive(Debug)]
pub struct ProgramOutput {
    /// `None` after a signal.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl std::fmt::Display for ProgramOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.out, self.err)
    }
}

impl ProgramOutput {
    fn check(&self) {
        for text in [&self.out, &self.err] {
            assert!(!text.contains(KEY), "the key is shown:\n{self}");
            assert!(!text.contains("panicked at"), "{self}");
        }
        assert!(!self.err.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{self}");
    }

    /// Asserts the exit code and that stderr contains each part.
    #[track_caller]
    pub fn assert_stderr(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self}");
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not on stderr:\n{self}");
        }
    }

    /// Asserts the exit code and that stdout contains each part.
    #[track_caller]
    pub fn assert_stdout(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self}");
        for part in parts {
            assert!(self.out.contains(part), "`{part}` is not on stdout:\n{self}");
        }
        // Output may contain tabs and line ends, but no other control characters.
        let commands = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert!(!self.out.contains(commands), "{self}");
    }
}
