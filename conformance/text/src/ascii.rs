//! **JSON output as printable ASCII**, so that text from files and readers controls neither a terminal nor a CI service.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::is_command;

/// Writes a value as indented JSON, ending with a line feed.
pub fn write_pretty(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut out = Ascii(out);
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Writes a value as JSON in one line.
pub fn write_line(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut out = Ascii(out);
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Returns a value as indented JSON, ending with a line feed.
pub fn pretty(value: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::new();
    write_pretty(&mut text, value)?;
    String::from_utf8(text).map_err(io::Error::other)
}

/// Escapes commands to CI services, and everything except printable ASCII, in JSON strings.
struct Ascii<W>(W);

impl<W: Write> Write for Ascii<W> {
    /// Rejects bytes that end inside a UTF-8 character, which serde_json never passes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        while let Some(at) = rest.char_indices().find_map(|(at, char)| {
            let odd = !char.is_ascii() || char == '\x7f' || char == '#' && is_command(&rest[at..]);
            odd.then_some(at)
        }) {
            let (plain, odd) = rest.split_at(at);
            self.0.write_all(plain.as_bytes())?;
            let mut left = odd.chars();
            for unit in left.next().unwrap_or_default().encode_utf16(&mut [0; 2]) {
                write!(self.0, "\\u{unit:04x}")?;
            }
            rest = left.as_str();
        }
        self.0.write_all(rest.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use super::*;

    #[test]
    fn output_is_printable_ascii_and_means_the_same() {
        let value = serde_json::json!({ "ü\u{202e}": "\u{7f}\u{9b}\u{1b}[2J ##vso[a.b]c ##[error] # 𝄞\"" });
        let mut line = Vec::new();
        write_line(&mut line, &value).unwrap();
        for text in [String::from_utf8(line).unwrap(), pretty(&value).unwrap()] {
            assert!(text.chars().all(|char| char == '\n' || char.is_ascii_graphic() || char == ' '), "{text}");
            assert!(!text.contains("##"), "{text}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        }
    }
}
