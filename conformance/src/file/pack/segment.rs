//! The entries of a specification's `segments`.

use data_encoding::BASE64;
use serde_json::Value;
use torchproof::view::{from_hex, is_not};

use super::files::FileRange;
use super::members::{Members, ULONG};
use super::{PackOptions, SpecError};
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
    match list {
        Value::Array(entries) => {
            entries.into_iter().enumerate().map(|(index, entry)| read(index, entry, around)).collect()
        }
        other => Err(SpecError::at("segments", is_not(&other, "an array"))),
    }
}

fn read(index: usize, entry: Value, around: Around<'_>) -> Result<Segment, SpecError> {
    let Around { options, alignment, listed } = around;
    let mut entry = Members::of(format!("segments[{index}]"), entry)?;
    let offset = entry.whole::<u64>("offset", ULONG)?;
    let wanted = entry.whole::<u64>("alignment", ULONG)?;
    if let Some(wanted) = wanted.filter(|wanted| !wanted.is_power_of_two() || *wanted > MOST_ALIGNMENT) {
        let message = format!("{wanted} is not a power of two up to {MOST_ALIGNMENT}");
        return Err(SpecError::at(entry.path("alignment"), message));
    }
    let size = entry.whole::<u64>("size", ULONG)?;
    let place = match (offset, wanted) {
        (Some(offset), None) => SegmentPlace::At(offset),
        (None, None) => listed.get(index).map_or(SegmentPlace::Aligned(alignment), |offset| SegmentPlace::At(*offset)),
        (None, Some(wanted)) if index < listed.len() => {
            let offset = listed[index];
            if !offset.is_multiple_of(wanted) {
                let message = format!("{wanted} is given, and the root table's list has it at {offset}");
                return Err(SpecError::at(entry.path("alignment"), message));
            }
            SegmentPlace::At(offset)
        }
        (None, Some(wanted)) => SegmentPlace::Aligned(wanted.max(alignment)),
        (Some(_), Some(_)) => {
            return Err(SpecError::at(entry.path("alignment"), "offset says already where the segment is"));
        }
    };
    let sha256 = match entry.text("sha256")? {
        None => None,
        Some(digits) => {
            let digest = hex(entry.path("sha256"), &digits)?;
            let digest = <[u8; 32]>::try_from(digest).map_err(|found| {
                let message = format!("{} hexadecimal digits, and a SHA-256 has 64", 2 * found.len());
                SpecError::at(entry.path("sha256"), message)
            })?;
            Some(digest)
        }
    };
    let data = match (entry.take("data"), size) {
        (Some(data), size) => bytes(Members::of(entry.path("data"), data)?, size, options)?,
        (None, Some(0)) => Data::Bytes(Vec::new()),
        (None, _) => return Err(SpecError::at(entry.path("data"), "is missing: a file, hex, base64 or fill")),
    };
    if let Some(size) = size.filter(|size| *size != data.len()) {
        let message = format!("{size} is given, and the data has {} bytes", data.len());
        return Err(SpecError::at(entry.path("size"), message));
    }
    let start = if let SegmentPlace::At(offset) = place { offset } else { 0 };
    let end = start.saturating_add(data.len());
    if end > options.max_size {
        let (member, given) = if data.len() > options.max_size { ("size", data.len()) } else { ("offset", start) };
        return Err(options.too_large(&entry.path(member), given));
    }
    entry.finish("offset, alignment, size, sha256 and data")?;
    Ok(Segment { data, place, sha256 })
}

fn hex(path: String, digits: &str) -> Result<Vec<u8>, SpecError> {
    from_hex(digits).map_err(|message| SpecError::at(path, message))
}

/// The bytes that a `data` member stands for.
fn bytes(mut data: Members, size: Option<u64>, options: &PackOptions) -> Result<Data, SpecError> {
    let forms = ["file", "hex", "base64", "fill"].into_iter().filter(|form| data.has(form)).collect::<Vec<_>>();
    let [form] = forms[..] else {
        let message = format!("has {} of file, hex, base64 and fill, and not one", forms.len());
        return Err(SpecError::at(data.at(), message));
    };
    let path = data.path(form);
    let text = data.text(form)?.unwrap_or_default();
    let bytes = match form {
        "file" => {
            let (offset, len) = (data.whole("offset", ULONG)?.unwrap_or(0), data.whole("len", ULONG)?);
            let outer = data.at().to_owned();
            FileRange { file: text, offset, len }.find(options).map_err(|error| error.within(&outer))?
        }
        "hex" => Data::Bytes(hex(path, &text)?),
        "base64" => match BASE64.decode(text.as_bytes()) {
            Ok(bytes) => Data::Bytes(bytes),
            Err(_) => return Err(SpecError::at(path, "is not base64 with its padding")),
        },
        _ => {
            let len = size.ok_or_else(|| SpecError::at(&path, "needs the segment's size"))?;
            let pattern = hex(path.clone(), &text)?;
            if pattern.is_empty() && len > 0 {
                return Err(SpecError::at(path, format!("is empty, and makes none of {len} bytes")));
            }
            Data::Fill { pattern, len }
        }
    };
    data.finish(if form == "file" { "file, offset and len" } else { "one of file, hex, base64 and fill" })?;
    Ok(bytes)
}
