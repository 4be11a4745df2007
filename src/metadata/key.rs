//! What a key of the convention looks like.

use core::fmt;

/// What the keys of the convention begin with.
pub const PREFIX: &[u8] = b"metadata.";

/// Why a key is none of the convention's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// It does not begin with [`PREFIX`].
    NoPrefix,
    /// It has no field behind its namespace.
    NoField,
    /// Two dots, or a dot and an end of the key, have nothing between them.
    EmptyPart {
        /// Which byte of the key should begin a word.
        at: usize,
    },
    /// A byte is not a lower-case letter or, inside a word, a digit or an underscore.
    NotPlain {
        /// Which byte of the key.
        at: usize,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::NoPrefix => f.write_str("does not begin with `metadata.`"),
            KeyError::NoField => f.write_str("has no field behind its namespace, as `metadata.<namespace>.<field>`"),
            KeyError::EmptyPart { at } => write!(f, "has nothing where a word should begin, at byte {at}"),
            KeyError::NotPlain { at } => write!(f, "is not lower-case words joined by dots, from byte {at} on"),
        }
    }
}

impl core::error::Error for KeyError {}

/// Holds a key against the form that every key of the drafts has: `metadata.<namespace>.<field>`, of lower-case words.
///
/// # Errors
///
/// The first byte that does not fit, by what it breaks.
///
/// ```
/// use torchproof::metadata::{KeyError, check_key};
/// assert_eq!(check_key(b"metadata.tokenizer.bos_id"), Ok(()));
/// assert_eq!(check_key(b"metadata.tokenizer"), Err(KeyError::NoField));
/// assert_eq!(check_key(b"metadata.Tokenizer.bos_id"), Err(KeyError::NotPlain { at: 9 }));
/// ```
pub fn check_key(key: &[u8]) -> Result<(), KeyError> {
    let name = key.strip_prefix(PREFIX).ok_or(KeyError::NoPrefix)?;
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
