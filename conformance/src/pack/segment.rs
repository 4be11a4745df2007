//! The entries of a specification's `segments`.

use std::fs;
use std::io;
use std::path::Path;

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use serde::Deserialize;
use serde_json::Value;
use torchproof::Span;

use super::SpecError;
use crate::edit::{Data, Place, Segment};
use crate::report::plain_name;

/// One entry, as it is written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    offset: Option<u64>,
    alignment: Option<u64>,
    size: Option<u64>,
    sha256: Option<String>,
    data: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRange {
    file: String,
    #[serde(default)]
    offset: u64,
    len: Option<u64>,
}

/// Reads entry `index`; files are found from `folder`, and what is said of no place is aligned as `alignment` says.
pub(super) fn read(index: usize, value: &Value, folder: &Path, alignment: u64) -> Result<Segment, SpecError> {
    let path = format!("segments[{index}]");
    let at = |member: &str| if member.is_empty() { path.clone() } else { format!("{path}.{member}") };
    let entry: Entry =
        serde_json::from_value(value.clone()).map_err(|error| SpecError::at(at(""), error.to_string()))?;
    let place = match (entry.offset, entry.alignment) {
        (Some(offset), None) => Place::At(offset),
        (None, None) => Place::Aligned(alignment),
        (None, Some(wanted)) if wanted.is_power_of_two() => Place::Aligned(wanted.max(alignment)),
        (None, Some(wanted)) => return Err(SpecError::at(at("alignment"), format!("{wanted} is not a power of two"))),
        (Some(_), Some(_)) => return Err(SpecError::at(at("alignment"), "offset says already where the segment is")),
    };
    let sha256 = match entry.sha256.as_deref() {
        None => None,
        Some(digits) => {
            let digest = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok();
            let digest = digest.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
            Some(digest.ok_or_else(|| SpecError::at(at("sha256"), "is not 64 hexadecimal digits"))?)
        }
    };
    let data = match (&entry.data, entry.size) {
        (Some(data), size) => bytes(data, size, folder).map_err(|error| error.within(&at("data")))?,
        (None, Some(0)) => Data::Bytes(Vec::new()),
        (None, _) => return Err(SpecError::at(at("data"), "is missing: a file, hex, base64 or fill")),
    };
    match entry.size {
        Some(size) if size != data.len() => {
            let message = format!("is {size}, and the data has {} bytes", data.len());
            Err(SpecError::at(at("size"), message))
        }
        _ => Ok(Segment { data, place, sha256 }),
    }
}

/// The bytes that a `data` member stands for.
fn bytes(value: &Value, size: Option<u64>, folder: &Path) -> Result<Data, SpecError> {
    let wrong = || SpecError::at("", "is none of {\"file\": PATH}, {\"hex\": …}, {\"base64\": …} and {\"fill\": …}");
    let members = value.as_object().ok_or_else(wrong)?;
    if members.contains_key("file") {
        let range = serde_json::from_value(value.clone()).map_err(|error| SpecError::at("", error.to_string()))?;
        return file(&range, folder);
    }
    let mut all = members.iter();
    let (Some((name, text)), None) = (all.next(), all.next()) else { return Err(wrong()) };
    let text = text.as_str().ok_or_else(|| SpecError::at(name, "is not a string"));
    let hex = |text: &str| {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes());
        bytes.map_err(|_| SpecError::at(name, "is not bytes in hexadecimal digits, two a byte"))
    };
    match name.as_str() {
        "hex" => hex(text?).map(Data::Bytes),
        "base64" => match BASE64.decode(text?.as_bytes()) {
            Ok(bytes) => Ok(Data::Bytes(bytes)),
            Err(_) => Err(SpecError::at(name, "is not base64 with its padding")),
        },
        "fill" => {
            let len = size.ok_or_else(|| SpecError::at("fill", "needs the segment's size"))?;
            Ok(Data::Fill { pattern: hex(text?)?, len })
        }
        _ => Err(wrong()),
    }
}

fn file(range: &FileRange, folder: &Path) -> Result<Data, SpecError> {
    let fail = |why: &str| SpecError::at("file", format!("{}: {why}", plain_name(&range.file)));
    let path = folder.join(&range.file);
    let found = fs::metadata(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => fail("no such file"),
        io::ErrorKind::PermissionDenied => fail("permission denied"),
        _ => fail(&error.to_string()),
    })?;
    if !found.is_file() {
        return Err(fail("not a regular file"));
    }
    let rest = found.len().checked_sub(range.offset);
    let len = range.len.or(rest).unwrap_or(0);
    if rest.is_none_or(|rest| len > rest) {
        let Span { offset, len } = Span::new(range.offset, len);
        return Err(fail(&format!("has {} bytes, and not {len} from {offset} on", found.len())));
    }
    Ok(Data::File { path, span: Span::new(range.offset, len) })
}
