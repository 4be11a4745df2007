//! Bytes in hexadecimal digits.

use alloc::vec::Vec;
use core::fmt;

/// Why a text is not bytes in hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HexError {
    /// A character is no digit.
    NotADigit {
        /// Which, counted in characters from 0.
        at: usize,
        /// The character.
        found: char,
    },
    /// The last byte has half of its digits.
    Odd {
        /// How many there are.
        digits: usize,
    },
}

impl fmt::Display for HexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HexError::NotADigit { at, found } => write!(f, "character {at}, {found:?}, is no hexadecimal digit"),
            HexError::Odd { digits } => write!(f, "an odd number of hexadecimal digits, {digits}; a byte has two"),
        }
    }
}

impl core::error::Error for HexError {}

/// The bytes that hexadecimal digits are, two a byte, in either case.
///
/// ```
/// use torchproof::view::{HexError, from_hex};
/// assert_eq!(from_hex("00aF"), Ok(vec![0, 0xaf]));
/// assert_eq!(from_hex("abc"), Err(HexError::Odd { digits: 3 }));
/// assert_eq!(from_hex("0x1").unwrap_err().to_string(), "character 1, 'x', is no hexadecimal digit");
/// ```
///
/// # Errors
///
/// [`HexError`]: the first character that is no digit, or that one is missing.
pub fn from_hex(digits: &str) -> Result<Vec<u8>, HexError> {
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    let mut high = None;
    for (at, found) in digits.chars().enumerate() {
        let digit = found.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let digit = digit.ok_or(HexError::NotADigit { at, found })?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    if high.is_some() { Err(HexError::Odd { digits: digits.len() }) } else { Ok(bytes) }
}
