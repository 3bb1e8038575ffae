//! Splits the bytes of a stream into payloads: server-sent events (with or without blank lines between them), JSON
//! values one after the other, or one value per line. The payloads are the same however the bytes are cut into pieces;
//! at most [`MAX_FRAME_BYTES`] are held. What a payload means is decided elsewhere.

/// The maximum size of an event; a longer one counts as broken. The client's default cap on a whole body is below it.
const MAX_FRAME_BYTES: usize = 16 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, PartialEq)]
pub(in crate::search::decode) enum Payload<'a> {
    /// The `data:` lines of one event, joined by line feeds, or one JSON value. `last`: the stream ended without a sign
    /// that this payload is complete. `failed`: the event is named `error`.
    Event { bytes: &'a [u8], last: bool, failed: bool },
    /// A payload that is broken or too long.
    Broken { last: bool },
}

/// Splits a stream into payloads, piece by piece.
#[derive(Debug)]
pub(in crate::search::decode) struct Framing {
    mode: Mode,
    buffer: Vec<u8>,
    /// The event being collected. Used only in mode `Lines`.
    event: Vec<u8>,
    /// Whether the event already has a line, even an empty one.
    begun: bool,
    /// Whether the event is named `error`.
    failed: bool,
    too_long: bool,
}

#[derive(Debug)]
enum Mode {
    /// Only white space and a byte order mark so far.
    Start,
    /// Events made of lines. `after_cr`: the last line ended in CR, so that a line feed next belongs to it.
    Lines {
        after_cr: bool,
    },
    Values {
        depth: usize,
        in_string: bool,
        escaped: bool,
    },
}

impl Framing {
    pub(in crate::search::decode) fn new() -> Self {
        Self { mode: Mode::Start, buffer: Vec::new(), event: Vec::new(), begun: false, failed: false, too_long: false }
    }

    /// Takes the next bytes and passes on every payload that they complete.
    pub(in crate::search::decode) fn push(&mut self, bytes: &[u8], out: &mut impl FnMut(Payload<'_>)) {
        let mut rest = bytes;
        while let Mode::Start = self.mode {
            let Some((&byte, after)) = rest.split_first() else { return };
            rest = after;
            self.start(byte, out);
        }
        match self.mode {
            Mode::Lines { .. } => self.lines(rest, out),
            _ => self.values(rest, out),
        }
    }

    /// Passes on what is left when the stream has ended.
    pub(in crate::search::decode) fn finish(mut self, out: &mut impl FnMut(Payload<'_>)) {
        match self.mode {
            Mode::Start => {}
            Mode::Lines { .. } => {
                self.line_end(out);
                self.event_end(true, out);
            }
            Mode::Values { .. } if self.buffer.is_empty() => {}
            Mode::Values { .. } => out(Payload::Broken { last: true }),
        }
    }

    fn start(&mut self, byte: u8, out: &mut impl FnMut(Payload<'_>)) {
        self.buffer.push(byte);
        if self.buffer == BOM || (self.buffer.len() == 1 && byte.is_ascii_whitespace()) {
            self.buffer.clear();
        } else if !BOM.starts_with(&self.buffer) {
            let head = std::mem::take(&mut self.buffer);
            self.mode = match head.first() {
                Some(b'{' | b'[' | b'"') => Mode::Values { depth: 0, in_string: false, escaped: false },
                _ => Mode::Lines { after_cr: false },
            };
            self.push(&head, out);
        }
    }

    fn lines(&mut self, mut rest: &[u8], out: &mut impl FnMut(Payload<'_>)) {
        while let Some(&first) = rest.first() {
            if std::mem::replace(&mut self.mode, Mode::Lines { after_cr: false }).after_cr() && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            match rest.iter().position(|b| matches!(b, b'\n' | b'\r')) {
                Some(end) => {
                    self.hold(&rest[..end]);
                    self.line_end(out);
                    self.mode = Mode::Lines { after_cr: rest[end] == b'\r' };
                    rest = &rest[end + 1..];
                }
                None => {
                    self.hold(rest);
                    return;
                }
            }
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = MAX_FRAME_BYTES.saturating_sub(self.buffer.len() + self.event.len());
        self.too_long |= bytes.len() > room;
        self.buffer.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Handles a complete line. A blank line ends the event; a `data:` line or bare JSON is added to it. The event name
    /// `error` is noted, other lines are skipped.
    fn line_end(&mut self, out: &mut impl FnMut(Payload<'_>)) {
        let line = std::mem::take(&mut self.buffer);
        let text = line.trim_ascii_start();
        if text.is_empty() {
            self.event_end(false, out);
        } else if let Some(data) = text.strip_prefix(b"data:") {
            self.event_line(data.strip_prefix(b" ").unwrap_or(data));
        } else if matches!(text.first(), Some(b'{' | b'[' | b'"')) {
            self.event_line(text);
        } else if let Some(name) = text.strip_prefix(b"event:") {
            self.failed = name.trim_ascii() == b"error";
        }
        self.buffer = line;
        self.buffer.clear();
    }

    fn event_line(&mut self, data: &[u8]) {
        if std::mem::replace(&mut self.begun, true) {
            self.event.push(b'\n');
        }
        self.event.extend_from_slice(data);
    }

    fn event_end(&mut self, last: bool, out: &mut impl FnMut(Payload<'_>)) {
        if std::mem::take(&mut self.too_long) {
            out(Payload::Broken { last });
        } else if !self.event.is_empty() {
            out(Payload::Event { bytes: &self.event, last, failed: self.failed });
        }
        self.event.clear();
        (self.begun, self.failed) = (false, false);
    }

    fn values(&mut self, bytes: &[u8], out: &mut impl FnMut(Payload<'_>)) {
        let Mode::Values { mut depth, mut in_string, mut escaped } = self.mode else { return };
        for &byte in bytes {
            // Between values, skip whatever does not open one: white space, commas, a stray `data:`.
            if self.buffer.is_empty() && !self.too_long && !matches!(byte, b'{' | b'[' | b'"') {
                continue;
            }
            let mut complete = false;
            match byte {
                // A string holds no raw line end: the value broke off, and the next line starts a new one.
                b'\n' | b'\r' if in_string => {
                    self.too_long = true;
                    complete = true;
                }
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => {
                    in_string = !in_string;
                    complete = !in_string && depth == 0;
                }
                _ if in_string => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    complete = depth == 0;
                }
                _ => {}
            }
            if self.buffer.len() < MAX_FRAME_BYTES {
                self.buffer.push(byte);
            } else {
                self.too_long = true;
            }
            if complete {
                if std::mem::take(&mut self.too_long) {
                    out(Payload::Broken { last: false });
                } else {
                    out(Payload::Event { bytes: &self.buffer, last: false, failed: false });
                }
                self.buffer.clear();
                (depth, in_string, escaped) = (0, false, false);
            }
        }
        self.mode = Mode::Values { depth, in_string, escaped };
    }
}

impl Mode {
    fn after_cr(&self) -> bool {
        matches!(self, Self::Lines { after_cr: true })
    }
}

/// Whether a text is a stream of server-sent events: only fields and comments up to a `data:` line with JSON in it. If
/// all `data:` lines are plain words, the text must also be labelled as such a stream, have another field or a second
/// such line, or end as an event does. Prose may also start with `data:`, but does not continue like that.
pub(in crate::search::decode) fn is_event_stream(text: &str, labelled: bool) -> bool {
    let ended = ["\n\n", "\r\r", "\r\n\r\n"].iter().any(|end| text.ends_with(end));
    let (text, labelled) = (text.trim(), labelled || ended);
    if !text.starts_with(['d', 'e', 'i', 'r', ':']) {
        return false;
    }
    let (mut fields, mut words) = (0_usize, 0_usize);
    for line in text.split(['\n', '\r']).map(str::trim_start).filter(|line| !line.is_empty()) {
        if let Some(data) = line.strip_prefix("data:") {
            match data.trim_start().chars().next() {
                Some('{' | '[' | '"') => return true,
                Some(_) => words += 1,
                None => fields += 1,
            }
        } else if line.starts_with(':') || ["event:", "id:", "retry:"].iter().any(|field| line.starts_with(field)) {
            fields += 1;
        } else {
            // The last line may be a field that was cut.
            let cut = text.ends_with(line) && "data:".starts_with(line);
            return (labelled || cut) && fields + words > 0;
        }
    }
    fields > 0 || words > 1 || (labelled && words > 0)
}
