//! Hexadecimal digits.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Fails if there are characters other than digits (in upper or lower case), or an odd number of digits.
pub(super) fn from_hex(digits: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    let mut high = None;
    for (at, found) in digits.chars().enumerate() {
        let digit = found.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let digit = digit.ok_or_else(|| format!("character {at} is {found:?}, expected a hexadecimal digit"))?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    if high.is_some() {
        return Err(format!("found {} hexadecimal digits, expected an even number", digits.len()));
    }
    Ok(bytes)
}
