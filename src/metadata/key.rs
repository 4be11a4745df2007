//! The syntax of metadata keys.

use core::fmt;

use crate::names::strip_prefix;

/// The prefix of all keys in the convention.
pub const PREFIX: &[u8] = b"metadata.";

/// Why a key does not follow the convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The key does not begin with [`PREFIX`].
    NoPrefix,
    /// The key has no field after its namespace.
    NoField,
    /// A word is empty: two dots are adjacent, or the key ends with a dot.
    EmptyPart {
        /// The byte index at which a word should begin.
        at: usize,
    },
    /// A byte is not allowed at its position. A word begins with a lower-case letter, and continues with lower-case
    /// letters, digits and underscores.
    NotPlain {
        /// The byte's index.
        at: usize,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::NoPrefix => f.write_str("does not begin with `metadata.`"),
            KeyError::NoField => f.write_str("has no field; expected `metadata.<namespace>.<field>`"),
            KeyError::EmptyPart { at } => write!(f, "has an empty word at byte {at}"),
            KeyError::NotPlain { at } => {
                write!(f, "is malformed at byte {at}; expected lower-case words joined by dots")
            }
        }
    }
}

impl core::error::Error for KeyError {}

/// Checks that a key has the form `metadata.<namespace>.<field>`, in lower-case words.
///
/// # Errors
///
/// Returns the first violation of this form.
///
/// ```
/// use torchproof::metadata::{KeyError, check_key};
/// assert_eq!(check_key(b"metadata.tokenizer.bos_id"), Ok(()));
/// assert_eq!(check_key(b"metadata.tokenizer"), Err(KeyError::NoField));
/// assert_eq!(check_key(b"metadata.Tokenizer.bos_id"), Err(KeyError::NotPlain { at: 9 }));
/// ```
pub fn check_key(key: &[u8]) -> Result<(), KeyError> {
    let name = strip_prefix(key, PREFIX).ok_or(KeyError::NoPrefix)?;
    let mut begins = true;
    for (at, byte) in (PREFIX.len()..).zip(name) {
        match byte {
            b'.' if begins => return Err(KeyError::EmptyPart { at }),
            b'.' => begins = true,
            b'a'..=b'z' => begins = false,
            b'0'..=b'9' | b'_' if !begins => {}
            _ => return Err(KeyError::NotPlain { at }),
        }
    }
    if begins {
        return Err(KeyError::EmptyPart { at: key.len() });
    }
    if name.contains(&b'.') { Ok(()) } else { Err(KeyError::NoField) }
}
