//! Reads the entries of a specification's `segments`.

use data_encoding::BASE64;
use serde_json::Value;
use torchproof_harness::text::json::json_fault;

use super::members::Members;
use super::{PackOptions, SpecError, files};
use crate::document::hex::from_hex;
use crate::document::{Data, MAX_ALIGNMENT, Segment, SegmentPlace};

#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentContext<'o> {
    pub(super) options: &'o PackOptions,
    pub(super) alignment: u64,
    /// The offsets in the root table, which are the defaults.
    pub(super) listed: &'o [u64],
}

pub(super) fn all(list: Value, context: SegmentContext<'_>) -> Result<Vec<Segment>, SpecError> {
    let entries = serde_json::from_value::<Vec<Value>>(list);
    let entries = entries.map_err(|error| SpecError::at("segments", json_fault(&error, "an array")))?;
    let read =
        |(index, entry)| segment(index, entry, context).map_err(|error| error.within(&format!("segments[{index}]")));
    entries.into_iter().enumerate().map(read).collect()
}

fn segment(index: usize, entry: Value, context: SegmentContext<'_>) -> Result<Segment, SpecError> {
    let SegmentContext { options, alignment, listed } = context;
    let mut entry = Members::read(entry, &["offset", "alignment", "size", "sha256", "data"])?;
    let place = place(&mut entry, alignment, listed.get(index).copied())?;
    let sha256 = entry.take::<String>("sha256")?.map(|digits| digest(&digits)).transpose()?;
    let size = entry.take("size")?;
    let data = match (entry.take("data")?, size) {
        (Some(data), size) => bytes(data, size, options).map_err(|error| error.within("data"))?,
        (None, Some(0)) => Data::Bytes(Vec::new()),
        (None, _) => return Err(SpecError::at("data", "missing; expected `file`, `hex`, `base64` or `fill`")),
    };
    let len = data.len();
    if let Some(size) = size.filter(|size| *size != len) {
        return Err(SpecError::at("size", format!("found {size}, expected {len}, the size of the data")));
    }
    let start = if let SegmentPlace::At(offset) = place { offset } else { 0 };
    if start.saturating_add(len) > options.max_size {
        let (member, given) = if len > options.max_size { ("size", len) } else { ("offset", start) };
        return Err(SpecError::at(member, format!("found {given}, expected a file of {}", options.limit())));
    }
    Ok(Segment { data, place, sha256 })
}

fn place(entry: &mut Members, usual: u64, listed: Option<u64>) -> Result<SegmentPlace, SpecError> {
    let offset: Option<u64> = entry.take("offset")?;
    let Some(alignment) = entry.take::<u64>("alignment")? else {
        return Ok(offset.or(listed).map_or(SegmentPlace::Aligned(usual), SegmentPlace::At));
    };
    let unaligned = |message| Err(SpecError::at("alignment", message));
    if !alignment.is_power_of_two() || alignment > MAX_ALIGNMENT {
        return unaligned(format!("found {alignment}, expected a power of two from 1 to {MAX_ALIGNMENT}"));
    }
    if offset.is_some() {
        return unaligned("found both `alignment` and `offset`; expected one of them".to_owned());
    }
    match listed {
        None => Ok(SegmentPlace::Aligned(alignment.max(usual))),
        Some(offset) if offset.is_multiple_of(alignment) => Ok(SegmentPlace::At(offset)),
        Some(offset) => {
            unaligned(format!("found {alignment}, expected a divisor of the offset {offset} in the root table"))
        }
    }
}

fn digest(digits: &str) -> Result<[u8; 32], SpecError> {
    let wrong = |message| SpecError::at("sha256", message);
    let digest = from_hex(digits).map_err(wrong)?;
    digest.try_into().map_err(|_| wrong(format!("found {} hex digits, expected 64", digits.len())))
}

fn bytes(data: Value, size: Option<u64>, options: &PackOptions) -> Result<Data, SpecError> {
    let mut data = Members::read(data, &["file", "offset", "len", "hex", "base64", "fill"])?;
    let (offset, len) = (data.take::<u64>("offset")?, data.take::<u64>("len")?);
    let hex = |member: &str, digits: &str| from_hex(digits).map_err(|message| SpecError::at(member, message));
    let mut text = |form| data.take::<String>(form);
    let forms = [text("file")?, text("hex")?, text("base64")?, text("fill")?];
    let count = forms.iter().flatten().count();
    match forms {
        [None, ..] if offset.or(len).is_some() => {
            Err(SpecError::at("", "found `offset` or `len` without `file`; expected `file`"))
        }
        [Some(file), None, None, None] => files::find(&file, offset.unwrap_or(0), len, options),
        [None, Some(digits), None, None] => hex("hex", &digits).map(Data::Bytes),
        [None, None, Some(text), None] => match BASE64.decode(text.as_bytes()) {
            Ok(bytes) => Ok(Data::Bytes(bytes)),
            Err(error) => {
                let message = format!("found invalid base64 at byte {}, expected base64 with padding", error.position);
                Err(SpecError::at("base64", message))
            }
        },
        [None, None, None, Some(digits)] => {
            let len = size
                .ok_or_else(|| SpecError::at("fill", "found no `size` of the segment; expected one beside `data`"))?;
            let pattern = hex("fill", &digits)?;
            if pattern.is_empty() && len > 0 {
                return Err(SpecError::at("fill", format!("found no digits, expected a pattern for {len} bytes")));
            }
            Ok(Data::Fill { pattern, len })
        }
        _ => Err(SpecError::at("", format!("found {count} of `file`, `hex`, `base64` and `fill`, expected one"))),
    }
}
