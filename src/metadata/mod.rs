//! **The `metadata.*` convention for named data**: keys, types of well-known keys, and encodings of values.
//!
//! The convention is a proposal that no release has adopted, and its drafts use different encodings, so the checker
//! never rejects a file because of its metadata.
//!
//! A file does not say how its values are encoded, and an untagged value does not reveal its type. The caller declares
//! the encoding and the type, or the library infers them. A [`DecodedValue`] holds the result:
//!
//! ```
//! use torchproof::metadata::{Encoding, MetadataValue, decode, type_of};
//!
//! let (value, decoded) = decode(b"\0\x20\0\0\0\0\0\0", type_of(b"metadata.context.length"), None)?;
//! assert_eq!((value, decoded.encoding), (MetadataValue::Int(8192), Encoding::Untagged));
//!
//! let (value, decoded) = decode(b"\x03llama", None, None)?;
//! assert_eq!((value, decoded.encoding), (MetadataValue::String("llama"), Encoding::Tagged));
//! # Ok::<(), torchproof::metadata::DecodeError>(())
//! ```

mod decoded_value;
mod encoding;
mod key;
mod registry;
#[cfg(test)]
mod tests;
mod value;

pub use decoded_value::{DecodedValue, decode};
pub use encoding::{DecodeError, EncodeError, Encoding, Problem};
pub use key::{KeyError, PREFIX, check_key};
pub use registry::{WELL_KNOWN, type_of};
pub use value::{IntListView, MetadataValue, ValueType};
