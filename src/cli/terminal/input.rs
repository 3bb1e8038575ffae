//! Reads a small text file given to a command, or stdin. The size is limited, and text that is not UTF-8 is an error.

use std::io::Read as _;
use std::path::Path;

use super::failure::Failure;
use super::text;

/// Reads a file, or stdin for `-`. `which` is the hint about the expected file.
pub(in crate::cli) fn read(file: &Path, longest: u64, which: &str) -> Result<String, Failure> {
    let display_path = text::escape_control(&file.display().to_string());
    let unread = |error: std::io::Error| Failure::usage(format!("{display_path} could not be read: {error}"), which);
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().take(longest + 1).read_to_end(&mut bytes).map_err(unread)?;
    } else {
        std::fs::File::open(file).map_err(unread)?.take(longest + 1).read_to_end(&mut bytes).map_err(unread)?;
    }
    if bytes.len() as u64 > longest {
        let text = format!("{display_path} is longer than {}", text::bytes(longest.cast_signed()));
        return Err(Failure::usage(text, "is it the right file? if so, split it"));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::usage(format!("{display_path} is not UTF-8 text"), "export it again as UTF-8"))
}
