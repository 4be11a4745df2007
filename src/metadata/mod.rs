//! **The `metadata.*` convention over named data**: its keys, the types of the well-known ones, and how their values are
//! encoded.
//!
//! It is a proposal that no release has adopted, and its drafts encode values in different ways; so what is said here is
//! advice about a file and never a reason to refuse it.
//!
//! A file says neither which encoding its writer used nor what type a value has. Whoever knows declares it; what is not
//! declared is guessed, and the [`Reading`] that comes with a value names the encoding and says how sure it is:
//!
//! ```
//! use torchproof::metadata::{Certainty, Encoding, Value, decode, type_of};
//!
//! let (value, reading) = decode(b"\0\x20\0\0\0\0\0\0", type_of(b"metadata.context.length"), None)?;
//! assert_eq!(value, Value::Int(8192));
//! assert_eq!((reading.encoding, reading.certainty), (Encoding::Untagged, Certainty::Certain));
//!
//! let (value, reading) = decode(b"\x03llama", None, None)?;
//! assert_eq!(value, Value::String("llama"));
//! assert_eq!((reading.encoding, reading.certainty), (Encoding::Tagged, Certainty::Likely));
//! # Ok::<(), torchproof::metadata::DecodeError>(())
//! ```

mod encoding;
mod guess;
mod key;
mod registry;
#[cfg(test)]
mod tests;
mod value;

pub use encoding::{DecodeError, EncodeError, Encoding, Problem};
pub use guess::{Certainty, Reading, decode};
pub use key::{KeyError, PREFIX, check_key};
pub use registry::{WELL_KNOWN, type_of};
pub use value::{Ints, Value, ValueType};
