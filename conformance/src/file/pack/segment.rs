//! The entries of a specification's `segments`.

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use serde_json::Value;

use super::members::Members;
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

/// Reads all entries.
pub(super) fn all(list: Value, around: Around<'_>) -> Result<Vec<Segment>, SpecError> {
    let entries = serde_json::from_value::<Vec<Value>>(list);
    let entries = entries.map_err(|error| SpecError::at("segments", error.to_string()))?;
    let read =
        |(index, entry)| segment(index, entry, around).map_err(|error| error.within(&format!("segments[{index}]")));
    entries.into_iter().enumerate().map(read).collect()
}

fn segment(index: usize, entry: Value, around: Around<'_>) -> Result<Segment, SpecError> {
    let Around { options, alignment, listed } = around;
    let mut entry = Members::read(entry, &["offset", "alignment", "size", "sha256", "data"])?;
    let place = place(&mut entry, alignment, listed.get(index).copied())?;
    let sha256 = entry.take::<String>("sha256")?.map(|digits| digest(&digits)).transpose()?;
    let size = entry.take("size")?;
    let data = match (entry.take("data")?, size) {
        (Some(data), size) => bytes(data, size, options).map_err(|error| error.within("data"))?,
        (None, Some(0)) => Data::Bytes(Vec::new()),
        (None, _) => return Err(SpecError::at("data", "is missing: a file, hex, base64 or fill")),
    };
    let len = data.len();
    if let Some(size) = size.filter(|size| *size != len) {
        return Err(SpecError::at("size", format!("{size} is given, and the data has {len} bytes")));
    }
    let start = if let SegmentPlace::At(offset) = place { offset } else { 0 };
    if start.saturating_add(len) > options.max_size {
        let (member, given) = if len > options.max_size { ("size", len) } else { ("offset", start) };
        return Err(SpecError::at(member, format!("{given} makes the file larger than {}", options.most())));
    }
    Ok(Segment { data, place, sha256 })
}

/// Where a segment goes; `listed` is its offset in the root table's list.
fn place(entry: &mut Members, usual: u64, listed: Option<u64>) -> Result<SegmentPlace, SpecError> {
    let offset: Option<u64> = entry.take("offset")?;
    let Some(alignment) = entry.take::<u64>("alignment")? else {
        return Ok(offset.or(listed).map_or(SegmentPlace::Aligned(usual), SegmentPlace::At));
    };
    let unaligned = |message| Err(SpecError::at("alignment", message));
    if !alignment.is_power_of_two() || alignment > MOST_ALIGNMENT {
        return unaligned(format!("{alignment} is not a power of two up to {MOST_ALIGNMENT}"));
    }
    if offset.is_some() {
        return unaligned(format!("{alignment} is given beside an offset, and one of them places the segment"));
    }
    match listed {
        None => Ok(SegmentPlace::Aligned(alignment.max(usual))),
        Some(offset) if offset.is_multiple_of(alignment) => Ok(SegmentPlace::At(offset)),
        Some(offset) => unaligned(format!("{alignment} is given, and the root table's list has it at {offset}")),
    }
}

fn from_hex(digits: &str) -> Result<Vec<u8>, String> {
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).map_err(|error| format!("is not hexadecimal: {error}"))
}

fn digest(digits: &str) -> Result<[u8; 32], SpecError> {
    let wrong = |message| SpecError::at("sha256", message);
    let digest = from_hex(digits).map_err(wrong)?;
    digest.try_into().map_err(|_| wrong(format!("{} hexadecimal digits, and a SHA-256 has 64", digits.len())))
}

/// The bytes of a segment of this size.
fn bytes(data: Value, size: Option<u64>, options: &PackOptions) -> Result<Data, SpecError> {
    let mut data = Members::read(data, &["file", "offset", "len", "hex", "base64", "fill"])?;
    let (offset, len) = (data.take::<u64>("offset")?, data.take::<u64>("len")?);
    let hex = |member: &str, digits: &str| from_hex(digits).map_err(|message| SpecError::at(member, message));
    let mut text = |form| data.take::<String>(form);
    let forms = [text("file")?, text("hex")?, text("base64")?, text("fill")?];
    let count = forms.iter().flatten().count();
    match forms {
        [None, ..] if offset.or(len).is_some() => Err(SpecError::at("", "has offset or len, and no file")),
        [Some(file), None, None, None] => files::find(&file, offset.unwrap_or(0), len, options),
        [None, Some(digits), None, None] => hex("hex", &digits).map(Data::Bytes),
        [None, None, Some(text), None] => match BASE64.decode(text.as_bytes()) {
            Ok(bytes) => Ok(Data::Bytes(bytes)),
            Err(_) => Err(SpecError::at("base64", "is not base64 with its padding")),
        },
        [None, None, None, Some(digits)] => {
            let len = size.ok_or_else(|| SpecError::at("fill", "needs the segment's size"))?;
            let pattern = hex("fill", &digits)?;
            if pattern.is_empty() && len > 0 {
                return Err(SpecError::at("fill", format!("is empty, and makes none of {len} bytes")));
            }
            Ok(Data::Fill { pattern, len })
        }
        _ => Err(SpecError::at("", format!("has {count} of file, hex, base64 and fill, and not one"))),
    }
}
