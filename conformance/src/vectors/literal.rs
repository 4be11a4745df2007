//! Bytes and texts as source code that folds long runs of zeros.

use std::fmt::Write as _;

use super::language::Language;

/// Shorter runs of zeros are not worth folding.
const SHORTEST_FOLD: usize = 16;

/// The maximum number of bytes per line of source code.
const LINE: usize = 32;

enum Part<'a> {
    Bytes(&'a [u8]),
    Zeros(usize),
}

/// Splits bytes into lines of source code and folded zeros.
fn parts(bytes: &[u8]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let is_fold =
            |at: usize| rest[at..].iter().take(SHORTEST_FOLD).filter(|byte| **byte == 0).count() == SHORTEST_FOLD;
        let (part, end) = if is_fold(0) {
            let zeros = rest.iter().take_while(|byte| **byte == 0).count();
            (Part::Zeros(zeros), zeros)
        } else {
            let line = rest.len().min(LINE);
            let end = (1..line).find(|at| is_fold(*at)).unwrap_or(line);
            (Part::Bytes(&rest[..end]), end)
        };
        parts.push(part);
        rest = &rest[end..];
    }
    parts
}

impl Language {
    /// Returns an expression for the bytes; in C, the items of an initializer.
    pub(super) fn bytes(self, bytes: &[u8], indent: &str) -> String {
        let mut at = 0;
        let part = |part: Part<'_>| match (self, part) {
            (Language::C, Part::Zeros(count)) => {
                at += count;
                None
            }
            (Language::C, Part::Bytes(bytes)) => {
                let mut text = format!("[{at}] = ");
                for byte in bytes {
                    let _ = write!(text, "{byte:#x}, ");
                }
                at += bytes.len();
                Some(text.trim_end().to_owned())
            }
            (Language::Cpp, Part::Zeros(count)) => Some(format!("std::string({count}, '\\0')")),
            (Language::Rust, Part::Zeros(count)) => Some(format!("&[0; {count}]")),
            (Language::Python, Part::Zeros(count)) => Some(format!("bytes({count})")),
            (Language::Hex, Part::Zeros(count)) => Some(format!("00*{count}")),
            (Language::Cpp, Part::Bytes(bytes)) => Some(format!("\"{}\"s", self.escaped(bytes))),
            (Language::Rust | Language::Python, Part::Bytes(bytes)) => Some(format!("b\"{}\"", self.escaped(bytes))),
            (Language::Hex, Part::Bytes(bytes)) => {
                let words = bytes.chunks(4).map(|word| data_encoding::HEXLOWER.encode(word));
                Some(words.collect::<Vec<_>>().join(" "))
            }
        };
        let parts: Vec<String> = parts(bytes).into_iter().filter_map(part).collect();
        let line = format!("\n{indent}");
        match self {
            Language::C | Language::Hex => parts.join(&line),
            Language::Rust => parts.join(&format!(",{line}")),
            Language::Cpp if parts.is_empty() => "\"\"s".to_owned(),
            Language::Python if parts.is_empty() => "b\"\"".to_owned(),
            Language::Cpp | Language::Python => parts.join(&format!(" +{line}")),
        }
    }

    /// Returns a text without control characters as a literal.
    pub(super) fn quoted(self, text: &str) -> String {
        match self {
            Language::Hex => text.to_owned(),
            _ => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }

    /// Returns an edit's bytes.
    pub(super) fn inserted(self, bytes: &[u8]) -> String {
        let text = self.bytes(bytes, "            ");
        if self == Language::Rust { format!("&cat(&[{text}])") } else { text }
    }

    /// Escapes all bytes except printable ASCII. In C, the escapes are octal, because an octal escape ends after three
    /// digits, but `\x` swallows every hex digit that follows.
    fn escaped(self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for (at, byte) in bytes.iter().enumerate() {
            let digit_follows = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            let _ = match byte {
                b'"' | b'\\' => write!(text, "\\{}", char::from(*byte)),
                // `??(` would be a trigraph.
                b'?' if self == Language::Cpp => write!(text, "\\?"),
                b' '..=b'~' => write!(text, "{}", char::from(*byte)),
                0 if !digit_follows => write!(text, "\\0"),
                byte if self == Language::Cpp => write!(text, "\\{byte:03o}"),
                byte => write!(text, "\\x{byte:02x}"),
            };
        }
        text
    }
}

/// Returns a text as an identifier in lower case.
pub(super) fn identifier(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_only_long_runs_of_zeros() {
        let bytes = [&b"a\0\0b"[..], &[0; 15], b"1", &[0; 16], b"\"?\\\xff"].concat();
        assert_eq!(
            Language::Cpp.bytes(&bytes, ""),
            "\"a\\0\\0b\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0001\"s +\nstd::string(16, '\\0') +\n\"\\\"\\?\\\\\\377\"s"
        );
        assert_eq!(Language::Python.bytes(&[0; 16], ""), "bytes(16)");
        assert_eq!(Language::Rust.bytes(&[0, b'1'], ""), "b\"\\x001\"");
        assert_eq!(Language::Hex.bytes(&bytes[19..], " "), "31\n 00*16\n 223f5cff");
        assert_eq!(Language::C.bytes(&bytes[19..], " "), "[0] = 0x31,\n [17] = 0x22, 0x3f, 0x5c, 0xff,");
        assert_eq!(Language::Cpp.bytes(&[], ""), "\"\"s");
    }
}
