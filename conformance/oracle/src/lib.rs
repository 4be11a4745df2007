//! **The `flatbuffers` crate's verdict on a file**: a second opinion, and a second producer of valid files.
//!
//! This package is internal to `torchproof-cli`; its API may change in any release.
//!
//! [`verify`] runs the crate's verifier over a FlatBuffer region; [`build`] makes large valid files with the crate's builders.
//! Both use code that flatc generates from `conformance/schema`. They share nothing with the reader and the writer of the
//! `torchproof` package, so the two can be compared.
//!
//! The verdict is accept or reject, without a value. **Never call the crate's safe accessors on a file, even on one that the
//! verifier accepted.** The verifier skips the value of a union with an unknown type number. The accessor then follows that
//! offset, even out of the buffer. So the generated accessors are private, and nothing here calls them.
//!
//! When you compare verdicts:
//!
//! * An accept says little. The verifier ignores enum values, unknown union values, `force_align`, and every rule above the
//!   FlatBuffer.
//! * A reject may be a limit. The verifier stops at a depth of 64 tables, at 1,000,000 tables and at 2 GiB of data. It counts
//!   a table once for each offset to it.

pub mod build;
mod generated;

use std::any::Any;
use std::fmt;
use std::panic::{self, UnwindSafe};

use flatbuffers::InvalidFlatbuffer;

/// The schema of a region.
///
/// The two data-file schemas have the same identifier, so the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schema {
    /// A `.pte` program, `conformance/schema/program.fbs`.
    Program,
    /// A `.ptd` data file as written since ExecuTorch 0.7.0, `conformance/schema/flat_tensor.fbs`.
    FlatTensor,
    /// A `.ptd` data file in the legacy layout of ExecuTorch 0.6.0, `conformance/schema/flat_tensor_legacy.fbs`.
    LegacyFlatTensor,
}

impl Schema {
    /// The file identifier that the schema declares: the four bytes at offset 4 of a region.
    pub fn identifier(self) -> &'static str {
        match self {
            Self::Program => generated::pte::PROGRAM_IDENTIFIER,
            Self::FlatTensor => generated::ptd::FLAT_TENSOR_IDENTIFIER,
            Self::LegacyFlatTensor => generated::ptd_legacy::FLAT_TENSOR_IDENTIFIER,
        }
    }
}

/// The error for a region that the verifier did not accept.
///
/// The first two are rejections. The third is a defect of the crate and not a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleError {
    /// The region has another identifier than its schema, or is too short for one.
    Identifier {
        /// The identifier of the schema.
        expected: &'static str,
        /// Bytes 4 to 8, if the region has them.
        found: Option<[u8; 4]>,
    },
    /// The verifier rejected the region. The text comes from the `flatbuffers` crate: the text has several lines and
    /// changes with the crate's version.
    ///
    /// The crate swaps the names of a union's type and value.
    Invalid(String),
    /// The verifier panicked. The text is the panic message.
    Panicked(String),
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identifier { expected, found: Some(found) } => {
                write!(f, "expected identifier \"{expected}\", found \"{}\"", found.escape_ascii())
            }
            Self::Identifier { expected, found: None } => {
                write!(f, "expected identifier \"{expected}\", found fewer than 8 bytes")
            }
            Self::Invalid(why) => write!(f, "rejected by the flatbuffers verifier: {why}"),
            Self::Panicked(message) => write!(f, "the flatbuffers verifier panicked: {message}"),
        }
    }
}

impl std::error::Error for OracleError {}

/// Runs the `flatbuffers` crate's verifier over a FlatBuffer region.
///
/// `region` is the program or FlatBuffer of a file, with the size in the header. It begins at byte 0 and includes the header.
/// For a file without a header it is the whole file. Its address does not matter: the verifier computes alignment from
/// the offset in the region. The identifier is checked first, because the crate's verifier ignores it.
///
/// A panic is caught after the process's panic hook ran. If the hook aborts, as under libFuzzer, or panics are compiled to
/// abort, a panic ends the process.
///
/// # Errors
///
/// [`OracleError::Identifier`] and [`OracleError::Invalid`] are rejections, [`OracleError::Panicked`] is a defect of the crate.
///
/// # Examples
///
/// ```
/// use torchproof_oracle::{OracleError, Schema, build, verify};
///
/// let program = build::program(3, 5);
/// assert_eq!(verify(&program, Schema::Program), Ok(()));
/// assert!(matches!(verify(&program, Schema::FlatTensor), Err(OracleError::Identifier { .. })));
/// assert!(matches!(verify(&program[..100], Schema::Program), Err(OracleError::Invalid(_))));
/// ```
pub fn verify(region: &[u8], schema: Schema) -> Result<(), OracleError> {
    let expected = schema.identifier();
    let found = region.get(4..8).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    if found.as_ref().map(<[u8; 4]>::as_slice) != Some(expected.as_bytes()) {
        return Err(OracleError::Identifier { expected, found });
    }
    guarded(|| match schema {
        Schema::Program => flatbuffers::root::<generated::pte::Program<'_>>(region).map(drop),
        Schema::FlatTensor => flatbuffers::root::<generated::ptd::FlatTensor<'_>>(region).map(drop),
        Schema::LegacyFlatTensor => flatbuffers::root::<generated::ptd_legacy::FlatTensor<'_>>(region).map(drop),
    })
}

/// Runs a verifier and catches its panic.
fn guarded(verifier: impl FnOnce() -> Result<(), InvalidFlatbuffer> + UnwindSafe) -> Result<(), OracleError> {
    match panic::catch_unwind(verifier) {
        Ok(verdict) => verdict.map_err(|why| OracleError::Invalid(why.to_string())),
        Err(payload) => Err(OracleError::Panicked(panic_text(payload.as_ref()))),
    }
}

/// The text of a panic whose payload is a `&str` or a `String`.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests;
