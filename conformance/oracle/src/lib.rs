//! **The verdict of the `flatbuffers` crate on a file**, and builders of valid files that use this crate.
//!
//! This package is internal to `torchproof-cli`; its API may change in any release.
//!
//! [`verify`] runs the crate's verifier on a FlatBuffer region, and [`build`] builds large valid files with its
//! builders. Both use code that flatc generates from `conformance/schema`, and share none with the reader and the
//! writer of the `torchproof` package, so a comparison of the two implementations can find defects.
//!
//! The verdict is accept or reject, without a value. **Never call the crate's safe accessors on a file, even if the
//! verifier accepted it.** For a union with an unknown type number, the verifier skips the value, but an accessor
//! follows its offset, even out of the buffer. The generated accessors are therefore private, and this package does not
//! call them.
//!
//! When you compare verdicts:
//!
//! * An accepted file can still be invalid, because the verifier ignores enum values, values of unknown union types,
//!   `force_align`, and all rules that do not concern the FlatBuffer encoding.
//! * A rejected file can be valid but exceed a limit: a depth of 64 tables, 1,000,000 tables or 2 GiB of data. A table
//!   counts once for each offset to it.

pub mod build;
mod generated;

use std::any::Any;
use std::fmt;
use std::panic::{self, UnwindSafe};

use flatbuffers::InvalidFlatbuffer;

/// The schema of a FlatBuffer region. The caller selects it, because the two of data files have the same identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schema {
    /// A `.pte` program, `conformance/schema/program.fbs`.
    Program,
    /// A `.ptd` data file in the current layout, which ExecuTorch has written since 0.7.0:
    /// `conformance/schema/flat_tensor.fbs`.
    FlatTensor,
    /// A `.ptd` data file in the legacy layout of ExecuTorch 0.6.0, `conformance/schema/flat_tensor_legacy.fbs`.
    LegacyFlatTensor,
}

impl Schema {
    /// Returns the file identifier that the schema declares, which a region contains at offset 4.
    pub fn identifier(self) -> &'static str {
        match self {
            Self::Program => generated::pte::PROGRAM_IDENTIFIER,
            Self::FlatTensor => generated::ptd::FLAT_TENSOR_IDENTIFIER,
            Self::LegacyFlatTensor => generated::ptd_legacy::FLAT_TENSOR_IDENTIFIER,
        }
    }
}

/// The error for a region that the verifier did not accept: a rejection, or a defect of the `flatbuffers` crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleError {
    /// The region has another identifier, or is too short for one.
    Identifier {
        /// The identifier that the schema declares.
        expected: &'static str,
        /// Bytes 4 to 7 of the region, if it has them.
        found: Option<[u8; 4]>,
    },
    /// The verifier rejected the region. The text comes from the `flatbuffers` crate: it has several lines, changes
    /// with the crate's version, and swaps the names of a union's type and value.
    Invalid(String),
    /// The verifier panicked, which is a defect and not a verdict. The text is the panic message.
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

/// Runs the `flatbuffers` crate's verifier on a FlatBuffer region: from the start of a file to the end that the header
/// gives, or the whole file if there is no header.
///
/// The region can be at any address, because the verifier computes alignments from offsets. This function checks the
/// identifier first, which the verifier ignores.
///
/// If the verifier panics, the process's panic hook runs, and then this function catches the panic. A panic ends the
/// process if the hook aborts, as under libFuzzer, or if panics are compiled to abort.
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

fn guarded(verifier: impl FnOnce() -> Result<(), InvalidFlatbuffer> + UnwindSafe) -> Result<(), OracleError> {
    match panic::catch_unwind(verifier) {
        Ok(verdict) => verdict.map_err(|why| OracleError::Invalid(why.to_string())),
        Err(payload) => Err(OracleError::Panicked(panic_text(payload.as_ref()))),
    }
}

/// The text of a panic with a `&str` or a `String`.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests;
