//! The entries of a specification's `segments`.

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use serde::Deserialize;
use serde_json::Value;

use super::{PackOptions, SpecError, files};
use crate::file::{Data, MOST_ALIGNMENT, Segment, SegmentPlace};

/// What the entries are read with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'o> {
    pub(super) options: &'o PackOptions,
    /// What is said of no place is aligned so.
    pub(super) alignment: u64,
    /// The offsets in the root table's list, which also say where a segment is.
    pub(super) listed: &'o [u64],
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object of offset, alignment, size, sha256 and data")]
struct Entry {
    offset: Option<u64>,
    alignment: Option<u64>,
    size: Option<u64>,
    sha256: Option<String>,
    data: Option<Source>,
}

/// Where an entry says that the bytes are; `offset` and `len` are of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object of file, hex, base64 or fill")]
struct Source {
    file: Option<String>,
    offset: Option<u64>,
    len: Option<u64>,
    hex: Option<String>,
    base64: Option<String>,
    fill: Option<String>,
}

/// Reads all entries.
pub(super) fn all(list: Value, around: Around<'_>) -> Result<Vec<Segment>, SpecError> {
    let Value::Array(entries) = list else { return Err(SpecError::at("segments", "is not an array")) };
    let read = |(index, entry)| {
        let read = serde_json::from_value(entry).map_err(|error| SpecError::at("", error.to_string()));
        read.and_then(|entry| segment(index, entry, around))
            .map_err(|error| error.within(&format!("segments[{index}]")))
    };
    entries.into_iter().enumerate().map(read).collect()
}

fn segment(index: usize, entry: Entry, around: Around<'_>) -> Result<Segment, SpecError> {
    let Around { options, alignment, listed } = around;
    let unaligned = |message| Err(SpecError::at("alignment", message));
    let place = match (entry.offset, entry.alignment) {
        (_, Some(wanted)) if !wanted.is_power_of_two() || wanted > MOST_ALIGNMENT => {
            return unaligned(format!("{wanted} is not a power of two up to {MOST_ALIGNMENT}"));
        }
        (Some(_), Some(_)) => return unaligned("offset says already where the segment is".to_owned()),
        (Some(offset), None) => SegmentPlace::At(offset),
        (None, wanted) => match (listed.get(index), wanted.unwrap_or(1)) {
            (Some(offset), wanted) if !offset.is_multiple_of(wanted) => {
                return unaligned(format!("{wanted} is given, and the root table's list has it at {offset}"));
            }
            (Some(offset), _) => SegmentPlace::At(*offset),
            (None, wanted) => SegmentPlace::Aligned(wanted.max(alignment)),
        },
    };
    let sha256 = entry.sha256.map(|digits| digest(&digits)).transpose()?;
    let data = match (entry.data, entry.size) {
        (Some(data), size) => data.bytes(size, options).map_err(|error| error.within("data"))?,
        (None, Some(0)) => Data::Bytes(Vec::new()),
        (None, _) => return Err(SpecError::at("data", "is missing: a file, hex, base64 or fill")),
    };
    let len = data.len();
    if let Some(size) = entry.size.filter(|size| *size != len) {
        return Err(SpecError::at("size", format!("{size} is given, and the data has {len} bytes")));
    }
    let start = if let SegmentPlace::At(offset) = place { offset } else { 0 };
    if start.saturating_add(len) > options.max_size {
        let (member, given) = if len > options.max_size { ("size", len) } else { ("offset", start) };
        return Err(SpecError::at(member, format!("{given} makes the file larger than {}", options.most())));
    }
    Ok(Segment { data, place, sha256 })
}

fn from_hex(digits: &str) -> Result<Vec<u8>, String> {
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).map_err(|error| format!("is not hexadecimal: {error}"))
}

fn digest(digits: &str) -> Result<[u8; 32], SpecError> {
    let wrong = |message| SpecError::at("sha256", message);
    let digest = from_hex(digits).map_err(wrong)?;
    digest.try_into().map_err(|_| wrong(format!("{} hexadecimal digits, and a SHA-256 has 64", digits.len())))
}

impl Source {
    /// The bytes of a segment of this size.
    fn bytes(self, size: Option<u64>, options: &PackOptions) -> Result<Data, SpecError> {
        let hex = |member: &str, digits: &str| from_hex(digits).map_err(|message| SpecError::at(member, message));
        let is_range = self.offset.or(self.len).is_some();
        match (self.file, self.hex, self.base64, self.fill) {
            (Some(file), None, None, None) => files::find(&file, self.offset.unwrap_or(0), self.len, options),
            (None, Some(digits), None, None) if !is_range => hex("hex", &digits).map(Data::Bytes),
            (None, None, Some(text), None) if !is_range => match BASE64.decode(text.as_bytes()) {
                Ok(bytes) => Ok(Data::Bytes(bytes)),
                Err(_) => Err(SpecError::at("base64", "is not base64 with its padding")),
            },
            (None, None, None, Some(digits)) if !is_range => {
                let len = size.ok_or_else(|| SpecError::at("fill", "needs the segment's size"))?;
                match hex("fill", &digits)? {
                    pattern if pattern.is_empty() && len > 0 => {
                        Err(SpecError::at("fill", format!("is empty, and makes none of {len} bytes")))
                    }
                    pattern => Ok(Data::Fill { pattern, len }),
                }
            }
            _ => Err(SpecError::at("", "is not one of file, with offset and len or without, hex, base64 and fill")),
        }
    }
}
