//! MCP over standard input and output, one message per line. Nothing else is written to standard output. Ends with
//! standard input.

use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RoleServer, ServerInitializeError, serve_server_with_ct};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdin};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::message::{Parsed, read, refusal_json, too_long};
use super::server::Server;

/// Maximum number of bytes of a message.
const LONGEST: usize = 256 * 1024;
/// Answers that may wait to be written; while as many wait, nothing is read.
const WAITING: usize = 16;
/// How long closing waits for the last answers to be written.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why serving ended, if the client did not end it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StdioError(String);

/// Serves one client until it closes standard input, or until `stop` is cancelled.
///
/// # Errors
/// If the client does not begin as MCP requires.
pub async fn serve(server: Server, stop: CancellationToken) -> Result<(), StdioError> {
    match serve_server_with_ct(server, Stdio::open(), stop).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| StdioError(error.to_string())),
        Err(ServerInitializeError::Cancelled | ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            Err(StdioError("the client did not start with `initialize`".to_owned()))
        }
        Err(error) => Err(StdioError(error.to_string())),
    }
}

struct Stdio {
    lines: Lines,
    /// The queue of the writer; `None` after the end.
    out: Option<mpsc::Sender<String>>,
    writer: Option<JoinHandle<()>>,
}

impl Stdio {
    fn open() -> Self {
        let (out, mut waiting) = mpsc::channel::<String>(WAITING);
        // One task writes, so that no message is cut when a future that waits for it is dropped.
        let writer = tokio::spawn(async move {
            let mut stdout = tokio::io::stdout();
            while let Some(line) = waiting.recv().await {
                if stdout.write_all(line.as_bytes()).await.is_err() || stdout.flush().await.is_err() {
                    return;
                }
            }
        });
        let lines = Lines { from: BufReader::new(tokio::io::stdin()), line: Vec::new(), too_long: false };
        Self { lines, out: Some(out), writer: Some(writer) }
    }
}

fn line(message: &ServerJsonRpcMessage) -> std::io::Result<String> {
    Ok(serde_json::to_string(message)? + "\n")
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let out = self.out.clone();
        async move {
            let closed = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
            out.ok_or_else(closed)?.send(line(&message)?).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Reserves room for a refusal first: a client that does not read its answers is not read from.
            let place = self.out.as_ref()?.reserve().await.ok()?;
            let refusal = match self.lines.next().await? {
                Line::TooLong => too_long(LONGEST),
                Line::Whole(bytes) if bytes.trim_ascii().is_empty() => continue,
                Line::Whole(bytes) => match read(&bytes) {
                    Parsed::Message(message) => return Some(*message),
                    Parsed::Ignored => continue,
                    Parsed::Wrong(refusal) => *refusal,
                },
            };
            place.send(refusal_json(&refusal)? + "\n");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        drop(self.out.take());
        if let Some(writer) = self.writer.take() {
            let _ = tokio::time::timeout(PATIENCE, writer).await;
        }
        Ok(())
    }
}

/// Lines of limited length. A partly read line stays here if the future is dropped.
struct Lines {
    from: BufReader<Stdin>,
    line: Vec<u8>,
    too_long: bool,
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

impl Lines {
    /// The next line; `None` at the end.
    async fn next(&mut self) -> Option<Line> {
        loop {
            let ready = self.from.fill_buf().await.ok()?;
            let is_end = ready.is_empty();
            let part = ready.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let is_complete = part.len() < ready.len();
            self.too_long |= self.line.len() + part.len() > LONGEST;
            if self.too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(is_complete);
            self.from.consume(used);
            if is_end && self.line.is_empty() && !self.too_long {
                return None;
            }
            if is_complete || is_end {
                let line = std::mem::take(&mut self.line);
                return Some(if std::mem::take(&mut self.too_long) { Line::TooLong } else { Line::Whole(line) });
            }
        }
    }
}
