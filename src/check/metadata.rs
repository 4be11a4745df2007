//! The `metadata.*` convention: the format of keys, and the values of well-known keys.

use crate::Span;
use crate::flatbuffer::Str;
use crate::flatbuffer::walk::{Flow, Path};
use crate::metadata::{PREFIX, ValueType, check_key, type_of};
use crate::names::strip_prefix;
use crate::rules::metadata as rules;

use super::finding::Reporter;
use super::source::Bytes;

/// The maximum length in bytes of a text that is validated as UTF-8.
const LONGEST_TEXT: u64 = 64 << 10;

/// The maximum number of text bytes that are validated in one file. Without a limit, many entries that share a segment
/// would make the check slow.
const MOST_TEXT: u64 = 16 << 20;

const PIECE: usize = 256;

#[inline]
pub(super) fn covers(key: Str<'_>) -> bool {
    key.as_bytes().starts_with(PREFIX)
}

/// How many bytes of text may still be read from a file.
pub(super) struct TextBudget(u64);

impl TextBudget {
    pub(super) const FULL: TextBudget = TextBudget(MOST_TEXT);

    /// Subtracts `bytes` from the budget and returns `true`, or `false` if that would exceed a limit.
    fn spend(&mut self, bytes: u64) -> bool {
        let read = bytes <= LONGEST_TEXT && bytes <= self.0;
        if read {
            self.0 -= bytes;
        }
        read
    }
}

/// Checks one entry. `value` is the span of its value; `None` if that is invalid.
pub(super) fn check(
    key: Str<'_>,
    value: Option<Span>,
    budget: &mut TextBudget,
    bytes: Bytes<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let path = &path.field("key");
    let name = strip_prefix(key.as_bytes(), PREFIX).unwrap_or_default();
    if !name.contains(&b'.') {
        let message = format_args!("key is \"{key}\", expected `metadata.<namespace>.<field>`");
        return reporter.report(&rules::MD_KEY_PREFIX, path, key.span(), message);
    }
    if check_key(key.as_bytes()).is_err() {
        let message = format_args!("key is \"{key}\", expected lower-case words joined by dots");
        return reporter.report(&rules::MD_KEY_GRAMMAR, path, key.span(), message);
    }
    match (type_of(key.as_bytes()), value) {
        (Some(ty), Some(value)) => check_value(ty, value, budget, bytes, path, reporter),
        _ => Ok(()),
    }
}

fn check_value(
    ty: ValueType,
    value: Span,
    budget: &mut TextBudget,
    bytes: Bytes<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let Some(head) = first_bytes(value, bytes) else { return Ok(()) };
    let (len, tagged) = (value.len, value.len > 0 && head[0] == ty.tag());
    match ty {
        // No well-known key has a value of type float or bytes, so there is nothing to check.
        ValueType::Float | ValueType::Bytes => Ok(()),
        ValueType::Int => {
            if len == 8 || len == 9 && tagged {
                return Ok(());
            }
            let message = format_args!("the number has {len} bytes, expected 8, or 9 with a tag");
            reporter.report(&rules::MD_INT_SIZE, path, value, message)
        }
        ValueType::IntList => {
            let count = u64::from(u32::from_le_bytes([head[1], head[2], head[3], head[4]]));
            if tagged && len == 5 + 8 * count {
                return Ok(());
            }
            let message =
                format_args!("the tagged list of {count} numbers has {len} bytes, expected 5 plus 8 for each number");
            reporter.report(&rules::MD_LIST_COUNT, path, value, message)
        }
        ValueType::String => {
            if tagged {
                let message =
                    format_args!("the first byte is {}, which some drafts read as a tag and others as text", ty.tag());
                reporter.report(&rules::MD_ENC_V1_TAG, path, Span::new(value.offset, 1), message)?;
            }
            if !budget.spend(len) {
                return Ok(());
            }
            match first_ill_formed(value, bytes) {
                Some(at) => {
                    let message = format_args!("the text is not UTF-8 at byte {}", at - value.offset);
                    reporter.report(&rules::MD_STRING_UTF8, path, Span::new(at, 1), message)
                }
                None => Ok(()),
            }
        }
    }
}

/// The first 5 bytes of a metadata value, padded with zeros if the value is shorter; `None` if it cannot be read.
fn first_bytes(value: Span, bytes: Bytes<'_>) -> Option<[u8; 5]> {
    let mut head = [0; 5];
    let len = usize::try_from(value.len).unwrap_or(usize::MAX).min(head.len());
    bytes.read(value.offset, head.get_mut(..len)?).then_some(head)
}

/// The position in the file of the first byte of `text` that is not UTF-8; `None` if the text is valid or unreadable.
fn first_ill_formed(text: Span, bytes: Bytes<'_>) -> Option<u64> {
    let mut piece = [0; PIECE];
    let (mut at, mut carried) = (text.offset, 0);
    while at < text.end() {
        let more = usize::try_from(text.end() - at).unwrap_or(usize::MAX).min(PIECE - carried);
        if !bytes.read(at, piece.get_mut(carried..carried + more)?) {
            return None;
        }
        let start = at - carried as u64;
        at += more as u64;
        let bytes_so_far = piece.get(..carried + more)?;
        let Err(error) = core::str::from_utf8(bytes_so_far) else {
            carried = 0;
            continue;
        };
        let valid = error.valid_up_to();
        if error.error_len().is_some() || at >= text.end() {
            return Some(start + valid as u64);
        }
        // The piece ends inside a character, so move that character's first bytes to the start of the next piece.
        carried = bytes_so_far.len() - valid;
        let (to, from) = piece.split_at_mut_checked(valid)?;
        to.iter_mut().zip(from).take(carried).for_each(|(to, from)| *to = *from);
    }
    None
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
