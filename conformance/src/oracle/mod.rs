//! **What the `flatbuffers` crate makes of a file**: a second opinion, and a second producer of valid files.
//!
//! [`verify`] asks the crate's verifier about a FlatBuffer region; [`build`] makes large valid files through the
//! crate's builders. Both go through code that flatc generates from `conformance/schema`, and share nothing with the
//! reader and the writer of the `torchproof` package: that is what makes them worth comparing with.
//!
//! The answer is accept or reject, and never a value. **The crate's safe accessors must not be called on a file, not
//! even on one that the verifier passed.** The verifier skips the value of a union whose type number it does not know;
//! the accessor then follows that value wherever it points, out of the buffer too. Without the verifier, every accessor
//! follows whatever it finds. So the generated accessors are private to this module, and nothing here calls them.
//!
//! Two consequences for whoever compares verdicts:
//!
//! * An accept says little. Enum values, unknown union values, `force_align`, and every rule above the FlatBuffer go
//!   unlooked at.
//! * A reject may be a limit. The verifier gives up 64 tables deep, and at 1,000,000 tables or 2 GiB of data, counting
//!   a table again each time something refers to it.

pub mod build;
mod generated;

use std::any::Any;
use std::fmt;
use std::panic::{self, UnwindSafe};

use flatbuffers::InvalidFlatbuffer;

/// The schema that a region is held against.
///
/// The two data-file schemas have the same identifier, so the caller has to know which of them is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schema {
    /// A `.pte` program, `conformance/schema/program.fbs`.
    Program,
    /// A `.ptd` data file as written since ExecuTorch 0.7.0, `conformance/schema/flat_tensor.fbs`.
    FlatTensor,
    /// A `.ptd` data file as ExecuTorch 0.6.0 wrote it, `conformance/schema/flat_tensor_older.fbs`.
    OlderFlatTensor,
}

impl Schema {
    /// The four bytes that a region of this schema carries at offset 4.
    ///
    /// They are what the schema file declares.
    pub fn identifier(self) -> &'static str {
        match self {
            Self::Program => generated::pte::PROGRAM_IDENTIFIER,
            Self::FlatTensor => generated::ptd::FLAT_TENSOR_IDENTIFIER,
            Self::OlderFlatTensor => generated::ptd_older::FLAT_TENSOR_IDENTIFIER,
        }
    }
}

/// Why the oracle did not accept a region.
///
/// The first two are rejections. The third is a fault of the crate, not of the region: count it as no opinion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleError {
    /// The region carries another identifier than its schema declares, or is too short to carry one.
    Identifier {
        /// What the schema declares.
        expected: &'static str,
        /// Bytes 4 to 8, where there are that many.
        found: Option<[u8; 4]>,
    },
    /// The verifier rejected the region. The text is the crate's, over several lines, and changes with its version.
    ///
    /// It names the two halves of a union the wrong way round.
    Invalid(String),
    /// The verifier panicked. The text is the panic's.
    Panicked(String),
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identifier { expected, found: Some(found) } => {
                write!(f, "identifier \"{}\" where \"{expected}\" belongs", found.escape_ascii())
            }
            Self::Identifier { expected, found: None } => {
                write!(f, "too short for the identifier \"{expected}\"")
            }
            Self::Invalid(why) => write!(f, "rejected by the flatbuffers verifier: {why}"),
            Self::Panicked(message) => write!(f, "the flatbuffers verifier panicked: {message}"),
        }
    }
}

impl std::error::Error for OracleError {}

/// What the `flatbuffers` crate's verifier says of a FlatBuffer region.
///
/// `region` is the part of a file that its header calls the program or the FlatBuffer, from byte 0 and with the header
/// in it; the whole file where there is no header. Its place in memory does not matter: alignment is judged by offset
/// in the region. The identifier is checked first, because the crate's verifier does not look at it.
///
/// A panic is caught, but the process's panic hook runs before that. Where the hook aborts, as under libFuzzer, or
/// panics are compiled to abort, a panic still ends the process.
///
/// # Errors
///
/// [`OracleError::Identifier`] and [`OracleError::Invalid`] are the crate's rejection, [`OracleError::Panicked`] its
/// failure.
///
/// # Examples
///
/// ```
/// use torchproof_cli::oracle::{OracleError, Schema, build, verify};
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
        Schema::OlderFlatTensor => flatbuffers::root::<generated::ptd_older::FlatTensor<'_>>(region).map(drop),
    })
}

/// Runs a verifier and tells its three ends apart.
fn guarded(verifier: impl FnOnce() -> Result<(), InvalidFlatbuffer> + UnwindSafe) -> Result<(), OracleError> {
    match panic::catch_unwind(verifier) {
        Ok(verdict) => verdict.map_err(|why| OracleError::Invalid(why.to_string())),
        Err(payload) => Err(OracleError::Panicked(panic_text(payload.as_ref()))),
    }
}

/// The text of a panic, which is a `&str` or a `String` unless somebody panicked with something else.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests;
