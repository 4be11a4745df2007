//! Errors from reading a file.

use core::fmt;

use crate::flatbuffer::{Code, Fault};
use crate::layout::SizeError;
use crate::{Limit, Span, Stage};

/// Why a read failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The file violates the rule with this id.
    Broken(&'static str),
    /// The file's magic bytes violate the rule with this id. As little-endian numbers, [`Error::have`] holds the four
    /// bytes in the file and [`Error::bound`] holds the expected ones.
    Magic(&'static str),
    /// The FlatBuffer has a structural fault with this code.
    Fault(Code),
    /// An index in the file is past the end of its list.
    IndexOutOfRange,
    /// A range in the file ends past the end of the range around it, or its end does not fit in 64 bits.
    RangeOutOfBounds,
    /// A tensor's size cannot be computed.
    Uncountable(SizeError),
    /// The field itself, or another field that the read depends on, is absent.
    Missing,
    /// The read needs bytes that are not in memory.
    NotInMemory,
    /// The file exceeds this limit.
    Limit(Limit),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadRule(pub(crate) &'static str, pub(crate) Stage);

macro_rules! broken {
    ($($name:ident = $id:literal, $stage:ident;)*) => {
        /// A test compares these rules with the catalogue.
        #[allow(dead_code, reason = "only the feature `json` uses some of them")]
        pub(crate) mod broken {
            use super::{ReadRule, Stage};

            $(pub(crate) const $name: ReadRule = ReadRule($id, Stage::$stage);)*

            #[cfg(test)]
            pub(crate) const ALL: &[ReadRule] = &[$($name),*];
        }
    };
}

broken! {
    EH_MAGIC_EXACT = "eh-magic-exact", Header;
    EH_TRUNCATED = "eh-truncated", Header;
    EH_HEADERLESS_NO_DATA = "eh-headerless-no-data", Data;
    EH_BASE_ZERO_IFF_NONE = "eh-base-zero-iff-none", Data;
    SEG_END_NO_OVERFLOW = "seg-end-no-overflow", Data;
    SEG_ABS_NO_OVERFLOW = "seg-abs-no-overflow", Data;
    SEG_WITHIN_DATA = "seg-within-data", Data;
    EH_LENGTH_MIN = "eh-length-min", Header;
    EH_PROGRAM_SIZE_RANGE = "eh-program-size-range", Header;
    EH_PROGRAM_SIZE_INCLUDES_HEADER = "eh-program-size-includes-header", Header;
    FH_TRUNCATED = "fh-truncated", Header;
    FH_REQUIRED = "fh-required", Header;
    FH_MAGIC_EXACT = "fh-magic-exact", Header;
    FT_SEG_END_NO_OVERFLOW = "ft-seg-end-no-overflow", Data;
    FT_SEG_ABS_NO_OVERFLOW = "ft-seg-abs-no-overflow", Data;
    FT_SEG_BOUND = "ft-seg-bound", Data;
    FH_LENGTH = "fh-length", Header;
    FH_FB_SUM = "fh-fb-sum", Header;
    FB_MIN_SIZE = "fb-min-size", Open;
    BP_IDENTIFIER = "bp-identifier", Open;
    FB_IDENTIFIER_EXACT = "fb-identifier-exact", Header;
    FB_MAX_SIZE = "fb-max-size", Header;
    SEG_NO_OVERLAP = "seg-no-overlap", Data;
    FT_SEG_NO_OVERLAP = "ft-seg-no-overlap", Data;
}

/// A failed read: the cause, the stage, the bytes and the field.
///
/// `have` is the value in the file. If `have` is less than `bound`, then `bound` is the minimum; otherwise, it is the
/// maximum.
///
/// ```
/// use torchproof::pte::Pte;
/// let error = Pte::open(b"\x08\0\0\0ET13\0\0\0\0").unwrap_err();
/// assert_eq!(error.rule().unwrap(), "fb-identifier-exact");
/// assert_eq!(error.span.offset, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// Why the read failed.
    pub code: ErrorCode,
    /// The stage at which the read failed.
    pub stage: Stage,
    /// Where in the file the wrong value is.
    pub span: Span,
    /// The table or header and the field in it, such as `Tensor.sizes`; empty if the error is not about a field.
    pub field: &'static str,
    /// The value found in the file.
    pub have: u64,
    /// The minimum or maximum that `have` violates.
    pub bound: u64,
}

impl Error {
    #[cold]
    pub(crate) const fn broken(rule: ReadRule, span: Span, field: &'static str, have: u64, bound: u64) -> Self {
        Self { code: ErrorCode::Broken(rule.0), stage: rule.1, span, field, have, bound }
    }

    #[cold]
    pub(crate) const fn magic(rule: ReadRule, span: Span, field: &'static str, have: [u8; 4], bound: [u8; 4]) -> Self {
        let (have, bound) = (u32::from_le_bytes(have) as u64, u32::from_le_bytes(bound) as u64);
        Self { code: ErrorCode::Magic(rule.0), stage: rule.1, span, field, have, bound }
    }

    #[cold]
    pub(crate) const fn new(code: ErrorCode, stage: Stage, span: Span, field: &'static str) -> Self {
        Self { code, stage, span, field, have: 0, bound: 0 }
    }

    #[cold]
    pub(crate) const fn measured(self, have: u64, bound: u64) -> Self {
        Self { have, bound, ..self }
    }

    /// Creates the error for a FlatBuffer of `len` bytes that exceeds a limit.
    #[must_use]
    pub fn limit(limit: Limit, len: usize) -> Self {
        Self::new(ErrorCode::Limit(limit), Stage::Structure, Span::of(0, len), "")
    }

    /// Returns the id of the violated rule, if there is one.
    #[must_use]
    pub const fn rule(&self) -> Option<&'static str> {
        match self.code {
            ErrorCode::Broken(rule) | ErrorCode::Magic(rule) => Some(rule),
            ErrorCode::Fault(code) => Some(crate::rules::of_fault(code).id),
            _ => None,
        }
    }
}

impl From<Fault> for Error {
    #[cold]
    fn from(fault: Fault) -> Self {
        let Fault { code, span, have, bound, field } = fault;
        let stage = match code {
            Code::UnionWithoutType | Code::UnionWithoutValue => Stage::Method,
            _ => Stage::Structure,
        };
        Self { code: ErrorCode::Fault(code), stage, span, field, have, bound }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { have, bound, .. } = self;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        match self.code {
            ErrorCode::Broken(rule) => {
                let relation = match (have < bound, rule) {
                    (true, _) => "at least ",
                    (false, "fb-max-size") => "less than ",
                    (false, _) if *bound == 0 => "",
                    (false, _) => "at most ",
                };
                write!(f, "violates {rule}: found {have}, expected {relation}{bound}")?;
            }
            ErrorCode::Magic(rule) => {
                let (have, bound) = (have.to_le_bytes(), bound.to_le_bytes());
                write!(
                    f,
                    "violates {rule}: found \"{}\", expected \"{}\"",
                    have[..4].escape_ascii(),
                    bound[..4].escape_ascii()
                )?;
            }
            ErrorCode::Fault(code) => {
                let fault = Fault { code, span: self.span, have: *have, bound: *bound, field: "" };
                write!(f, "violates {}: {}", crate::rules::of_fault(code), fault.sentence())?;
            }
            ErrorCode::IndexOutOfRange => OutOfRange::new(have, *bound).fmt(f)?,
            ErrorCode::RangeOutOfBounds => write!(f, "ends at {have}, past the end at {bound}")?,
            ErrorCode::Uncountable(why) => why.fmt(f)?,
            ErrorCode::Missing => f.write_str("is absent")?,
            ErrorCode::NotInMemory => write!(f, "need the first {have} bytes, only {bound} in memory")?,
            ErrorCode::Limit(limit) => limit.fmt(f)?,
        }
        write!(f, " (stage {}, at offset {:#x})", self.stage, self.span.offset)
    }
}

impl core::error::Error for Error {}

/// The message, such as `index 7, but the list has 3 entries`.
pub(crate) struct OutOfRange<I, L> {
    index: I,
    len: L,
}

impl<I, L> OutOfRange<I, L> {
    pub(crate) const fn new(index: I, len: L) -> Self {
        Self { index, len }
    }
}

impl<I: fmt::Display, L: fmt::Display + Copy + TryInto<u64>> fmt::Display for OutOfRange<I, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if matches!(self.len.try_into(), Ok(1)) { "entry" } else { "entries" };
        write!(f, "index {}, but the list has {} {noun}", self.index, self.len)
    }
}
