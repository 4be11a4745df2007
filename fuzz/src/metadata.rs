//! **A metadata value survives being written, read, printed and parsed.**
//!
//! * Encoding a decoded value gives the same bytes. If the type is declared, the first bytes of the value decide how it is read.
//! * A printed value parses to the same value.
//! * The checker accepts a data file with a valid key and any value, and the file contains the value under this key.
//!
//! The input is a type's number, an encoding's number, the key's length, the key and the value.

use std::io::Cursor;
use std::path::Path;

use serde_json::json;
use torchproof::metadata::{DecodedValue, Encoding, MetadataValue, ValueType, check_key, decode};
use torchproof::{FileBytes, check};
use torchproof_cli::document::meta::{Metadata, ValueText, parse};
use torchproof_cli::document::pack::{self, PackOptions};

use crate::expect_one_line;

/// The bytes that decide how a value of a declared type is read.
const HEAD: usize = 5;

pub fn run(bytes: &[u8]) {
    let [ty, encoding, len, rest @ ..] = bytes else { return };
    let types = [ValueType::String, ValueType::Int, ValueType::Float, ValueType::Bytes, ValueType::IntList];
    let ty = types.get(usize::from(*ty) % (types.len() + 1)).copied();
    let encoding = Encoding::ALL.get(usize::from(*encoding) % (Encoding::ALL.len() + 1)).copied();
    let (key, value) = rest.split_at(usize::from(*len).min(rest.len()));
    read(value, ty, encoding);
    if check_key(key).is_ok() {
        stored(std::str::from_utf8(key).expect("a valid key is ASCII"), value);
    }
}

/// Checks that encoding and printing keep the value.
fn read(bytes: &[u8], ty: Option<ValueType>, encoding: Option<Encoding>) {
    let decoded = DecodedValue::of(bytes, bytes.len() as u64, ty, encoding);
    if ty.is_some() {
        let head = DecodedValue::of(&bytes[..bytes.len().min(HEAD)], bytes.len() as u64, ty, encoding);
        assert_eq!(decoded, head, "the first bytes give another interpretation");
    }
    let (value, decoded) = match decode(bytes, ty, encoding) {
        Ok(decoded) => decoded,
        Err(error) => {
            assert!(error.at <= bytes.len() as u64, "the error is after the value: {error}");
            expect_one_line(&error.to_string());
            return;
        }
    };
    assert_eq!(value.ty(), decoded.ty);
    assert!(ty.is_none_or(|ty| ty == decoded.ty) && encoding.is_none_or(|encoding| encoding == decoded.encoding));
    let written = if decoded.tagged { Encoding::Strict } else { Encoding::Untagged };
    assert_eq!(written.encode(value).as_deref(), Ok(bytes), "the encoded value has other bytes");
    let text = ValueText(value).to_string();
    let parsed = parse(decoded.ty, text.as_bytes()).expect("a printed value can be parsed");
    let is_nan = |value| matches!(value, MetadataValue::Float(number) if number.is_nan());
    let same = parsed.value() == value || is_nan(parsed.value()) && is_nan(value);
    assert!(same, "{text:?} parses to {parsed:?}, not to {value:?}");
}

fn stored(key: &str, value: &[u8]) {
    let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
    let specification = json!({
        "kind": "ptd",
        "flat_tensor": { "named_data": [{ "key": key, "segment_index": 0 }] },
        "segments": [{ "data": { "hex": hex } }],
    });
    let text = specification.to_string();
    let mut document = pack::read(text.as_bytes(), &PackOptions::new(Path::new(""))).expect("a valid specification");
    let mut file = Cursor::new(Vec::new());
    document.write_unchecked(&mut file).expect("a small file can be written");
    let file = file.into_inner();
    let report = check(&file);
    assert!(report.accepts(), "the checker rejects a value: {:?}", report.findings);
    let metadata = Metadata::open(FileBytes::whole(&file)).expect("accepted");
    let entry = metadata.find(key.as_bytes()).expect("the file has the key");
    let found = FileBytes::whole(&file).slice(entry.place.expect("accepted"), "value");
    assert_eq!(found, Ok(value), "the file has another value");
}
