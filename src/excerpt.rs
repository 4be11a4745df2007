//! Excerpts of untrusted text for messages.

use core::fmt;

/// Messages quote at most this many bytes of a name and truncate longer ones.
const MOST: usize = 128;

/// The beginning of a text from a file, as printable ASCII. The limit keeps messages short: a 64 KB file can refer to
/// the same long name a thousand times.
#[derive(Clone, Copy)]
pub(crate) struct Excerpt<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Excerpt<'_> {
    /// A truncated text ends with `… (N bytes)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get(..MOST) {
            Some(head) if self.0.len() > MOST => write!(f, "{}… ({} bytes)", head.escape_ascii(), self.0.len()),
            _ => self.0.escape_ascii().fmt(f),
        }
    }
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests {
    use std::format;

    use super::{Excerpt, MOST};

    #[test]
    fn long_text_is_truncated_and_states_its_length() {
        assert_eq!(format!("{}", Excerpt(b"a\x1b\"\xff")), r#"a\x1b\"\xff"#);
        let name = [b'a'; MOST + 1];
        assert_eq!(format!("{}", Excerpt(&name[1..])), "a".repeat(MOST));
        assert_eq!(format!("{}", Excerpt(&name)), format!("{}… (129 bytes)", "a".repeat(MOST)));
    }
}
