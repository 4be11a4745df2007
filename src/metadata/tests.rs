use std::format;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Owned {
    String(std::string::String),
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    IntList(Vec<i64>),
}

impl Owned {
    fn value(&self) -> MetadataValue<'_> {
        match self {
            Owned::String(text) => MetadataValue::String(text),
            Owned::Int(number) => MetadataValue::Int(*number),
            Owned::Float(number) => MetadataValue::Float(*number),
            Owned::Bytes(bytes) => MetadataValue::Bytes(bytes),
            Owned::IntList(list) => MetadataValue::IntList(IntListView::from(&list[..])),
        }
    }
}

fn any_value() -> impl Strategy<Value = Owned> {
    prop_oneof![
        any::<std::string::String>().prop_map(|text| Owned::String(text.replace('\0', ""))),
        any::<i64>().prop_map(Owned::Int),
        prop::num::f64::ANY.prop_filter("a NaN is not equal to itself", |float| !float.is_nan()).prop_map(Owned::Float),
        any::<Vec<u8>>().prop_map(Owned::Bytes),
        any::<Vec<i64>>().prop_map(Owned::IntList),
    ]
}

fn any_type() -> impl Strategy<Value = Option<ValueType>> {
    prop::option::of(prop::sample::select(&ValueType::ALL[..]))
}

fn any_encoding() -> impl Strategy<Value = Encoding> {
    prop::sample::select(&Encoding::ALL[..])
}

/// Arbitrary bytes, mostly after a tag, or after a tag and a count.
fn near_values() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<Vec<u8>>(),
        (0_u8..7, any::<Vec<u8>>()).prop_map(|(tag, bytes)| [&[tag], &bytes[..]].concat()),
        (0_u8..7, any::<[u8; 8]>()).prop_map(|(tag, bytes)| [&[tag], &bytes[..]].concat()),
        (0_u32..4, any::<Vec<u8>>()).prop_map(|(count, bytes)| [&[4], &count.to_le_bytes()[..], &bytes].concat()),
    ]
}

proptest! {

    #[test]
    fn encoded_values_decode_in_every_encoding(owned in any_value(), encoding in any_encoding()) {
        let value = owned.value();
        let bytes = match encoding.encode(value) {
            Ok(bytes) => bytes,
            Err(error) => {
                prop_assert_eq!((encoding, value.ty()), (Encoding::Untagged, ValueType::IntList));
                prop_assert_eq!(error, EncodeError::NoLists);
                return Ok(());
            }
        };
        let (back, decoded) = decode(&bytes, Some(value.ty()), Some(encoding)).unwrap();
        prop_assert_eq!(back, value);
        let tagged = encoding != Encoding::Untagged;
        prop_assert_eq!(decoded, DecodedValue { ty: value.ty(), encoding, tagged });
    }

    /// Untagged text and bytes may begin with a tag byte.
    #[test]
    fn infers_the_encoding_except_for_text_and_bytes(owned in any_value(), encoding in any_encoding()) {
        let value = owned.value();
        let Ok(bytes) = encoding.encode(value) else { return Ok(()) };
        let decoded = DecodedValue::of(&bytes, bytes.len() as u64, Some(value.ty()), None).unwrap();
        if encoding != Encoding::Untagged || !matches!(value, MetadataValue::String(_) | MetadataValue::Bytes(_)) {
            prop_assert_eq!(decoded.value(&bytes), Ok(value));
            prop_assert_eq!(decoded.tagged, encoding != Encoding::Untagged);
        }
    }

    #[test]
    fn five_bytes_determine_the_reading_of_a_known_type(
        bytes in near_values(),
        ty in prop::sample::select(&ValueType::ALL[..]),
        encoding in prop::option::of(any_encoding()),
    ) {
        let head = &bytes[..bytes.len().min(5)];
        let len = bytes.len() as u64;
        prop_assert_eq!(DecodedValue::of(head, len, Some(ty), encoding), DecodedValue::of(&bytes, len, Some(ty), encoding));
    }

    #[test]
    fn decoding_and_encoding_restores_the_bytes(
        bytes in near_values(),
        ty in any_type(),
        encoding in prop::option::of(any_encoding()),
    ) {
        match decode(&bytes, ty, encoding) {
            Ok((value, decoded)) => {
                prop_assert_eq!(value.ty(), decoded.ty);
                prop_assert!(ty.is_none_or(|ty| ty == decoded.ty));
                prop_assert!(encoding.is_none_or(|encoding| encoding == decoded.encoding));
                let written = if decoded.tagged { Encoding::Strict } else { Encoding::Untagged };
                prop_assert_eq!(written.encode(value).unwrap(), bytes);
            }
            Err(error) => {
                prop_assert!(error.at <= bytes.len() as u64, "{error}");
                prop_assert!(ty.is_some() || encoding.is_some(), "a value without declarations fits some interpretation");
            }
        }
    }

    #[test]
    fn a_key_of_the_form_passes_and_a_change_of_case_does_not(
        key in "metadata(\\.[a-z][a-z0-9_]{0,4}){2,4}",
        at in any::<prop::sample::Index>(),
    ) {
        prop_assert_eq!(check_key(key.as_bytes()), Ok(()));
        let mut bytes = key.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = b'A';
        let error = if at < PREFIX.len() { KeyError::NoPrefix } else { KeyError::NotPlain { at } };
        prop_assert_eq!(check_key(&bytes), Err(error));
    }
}

#[test]
fn encodings_match_the_drafts() {
    let list = [1, -2];
    for (value, untagged, tagged) in [
        (MetadataValue::String("llama"), Some(&b"llama"[..]), &b"\x03llama"[..]),
        (MetadataValue::Int(258), Some(b"\x02\x01\0\0\0\0\0\0"), b"\x01\x02\x01\0\0\0\0\0\0"),
        (MetadataValue::Float(1.0), Some(b"\0\0\0\0\0\0\xf0\x3f"), b"\x02\0\0\0\0\0\0\xf0\x3f"),
        (MetadataValue::Bytes(b"\0\xff"), Some(b"\0\xff"), b"\x05\0\xff"),
        (
            MetadataValue::IntList(IntListView::from(&list[..])),
            None,
            b"\x04\x02\0\0\0\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff",
        ),
    ] {
        assert_eq!(Encoding::Untagged.encode(value).ok().as_deref(), untagged, "{value:?}");
        assert_eq!(Encoding::Tagged.encode(value).unwrap(), tagged, "{value:?}");
        assert_eq!(Encoding::Strict.encode(value).unwrap(), tagged, "{value:?}");
        assert_eq!(ValueType::of_tag(tagged[0]), Some(value.ty()));
    }
}

#[test]
fn infers_undeclared_types_and_encodings() {
    use ValueType::{Bytes, Float, Int, IntList, String};
    let list = b"\x04\x01\0\0\0\x07\0\0\0\0\0\0\0";
    for (bytes, declared, ty, tagged) in [
        (&b"llama"[..], Some(String), String, false),
        (b"\x03llama", Some(String), String, true),
        (b"\x05\0", Some(Bytes), Bytes, true),
        (b"\x06\0", Some(Bytes), Bytes, false),
        (list, Some(IntList), IntList, true),
        (b"Tiny-Emb", None, String, false),
        (b"\x03Tiny", None, String, true),
        (b"", None, String, false),
        (b"\0\xf5\x01\0\0\0\0\0", None, Int, false),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff", None, Int, false),
        (b"\x01\xff\xff\xff\xff\xff\xff\xff\xff", None, Int, true),
        (&0.5_f64.to_le_bytes(), None, Float, false),
        (&1e300_f64.to_le_bytes(), None, Bytes, false),
        (list, None, IntList, true),
        (&list[..12], None, Bytes, false),
        (b"\x05\0\0", None, Bytes, true),
        (b"\x05\0\0\0\0\0\0\0", None, Int, false),
        (b"\x05\0\0\0\0\0\0\xff", None, Bytes, true),
        (b"\x03\xff", None, Bytes, false),
        (b"\x00\xff", None, Bytes, false),
    ] {
        let encoding = if tagged { Encoding::Tagged } else { Encoding::Untagged };
        let decoded = DecodedValue::of(bytes, bytes.len() as u64, declared, None);
        assert_eq!(decoded, Ok(DecodedValue { ty, encoding, tagged }), "{}", bytes.escape_ascii());
    }
}

/// A reader could cut off such text at the NUL, or mistake the text for a number.
#[test]
fn rejects_text_with_a_nul() {
    for encoding in Encoding::ALL {
        assert_eq!(encoding.encode(MetadataValue::String("a\0")), Err(EncodeError::Nul));
    }
}

/// The bytes fit several encodings.
#[test]
fn uses_a_declared_encoding() {
    let read = |bytes: &'static [u8], encoding| decode(bytes, None, Some(encoding)).map(|(value, _)| value);
    assert_eq!(read(b"\x05\0", Encoding::Untagged), Ok(MetadataValue::Bytes(b"\x05\0")));
    let untagged = DecodedValue::of(b"\x05\0", 2, None, Some(Encoding::Untagged)).unwrap();
    assert!(!untagged.tagged);
    assert_eq!(read(b"\x05\0", Encoding::Tagged), Ok(MetadataValue::Bytes(b"\0")));
    assert_eq!(read(b"\x05\0", Encoding::Strict), Ok(MetadataValue::Bytes(b"\0")));
    assert_eq!(read(b"llama", Encoding::Tagged), Ok(MetadataValue::String("llama")));
    let unknown = DecodeError { at: 0, problem: Problem::UnknownTag(b'l') };
    assert_eq!(read(b"llama", Encoding::Strict), Err(unknown));
}

/// If the last character is incomplete, more bytes must follow.
#[test]
fn infers_long_text_from_its_start() {
    let text = "Grüße ".repeat(100);
    let cut = &text.as_bytes()[..3];
    assert_eq!(cut.last(), Some(&0xc3));
    let ty = |len| DecodedValue::of(cut, len, None, None).unwrap().ty;
    assert_eq!(ty(700), ValueType::String);
    assert_eq!(ty(3), ValueType::Bytes);
}

#[test]
fn errors_name_the_byte() {
    use Encoding::{Strict, Tagged, Untagged};
    use ValueType::{Float, Int, IntList, String};
    let said = [
        (&b"1234567"[..], Int, Untagged),
        (b"123456789", Float, Untagged),
        (b"\x01234567", Int, Strict),
        (b"\x01234567", Int, Tagged),
        (b"", Int, Strict),
        (b"\x0212345678", Int, Strict),
        (b"", Int, Tagged),
        (b"ab\xffd", String, Untagged),
        (b"\x03ab\xffd", String, Strict),
        (b"\x07\0\0\0\0\0\0\0", String, Untagged),
        (b"\x03ab\0", String, Strict),
        (b"\x04\x01\0\0", IntList, Strict),
        (b"\x04\xff\xff\xff\xff12345678", IntList, Tagged),
        // The count is too large by 2^29. In 32-bit arithmetic, eight times the count overflows and matches the length.
        (b"\x04\x01\0\0\x2012345678", IntList, Strict),
        (b"12345678", IntList, Tagged),
        (b"12345678", IntList, Untagged),
    ]
    .map(|(bytes, ty, encoding)| {
        let error = decode(bytes, Some(ty), Some(encoding)).unwrap_err();
        format!("{encoding} {ty}: {error}")
    });
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn checks_the_form_of_keys() {
    for (key, error) in [
        ("metadata.general.name", None),
        ("metadata.a.b.c", None),
        ("metadata.n_layers2_.x_9", None),
        ("metadata", Some(KeyError::NoPrefix)),
        ("Metadata.general.name", Some(KeyError::NoPrefix)),
        ("metadata.", Some(KeyError::EmptyPart { at: 9 })),
        ("metadata.name", Some(KeyError::NoField)),
        ("metadata.general.", Some(KeyError::EmptyPart { at: 17 })),
        ("metadata..name", Some(KeyError::EmptyPart { at: 9 })),
        ("metadata.Ab.c", Some(KeyError::NotPlain { at: 9 })),
        ("metadata.a.bC", Some(KeyError::NotPlain { at: 12 })),
        ("metadata.a.b-c", Some(KeyError::NotPlain { at: 12 })),
        ("metadata.a._b", Some(KeyError::NotPlain { at: 11 })),
        ("metadata.general.2nd", Some(KeyError::NotPlain { at: 17 })),
        ("metadata.general.näme", Some(KeyError::NotPlain { at: 18 })),
        ("metadata.general.a\0", Some(KeyError::NotPlain { at: 18 })),
    ] {
        assert_eq!(check_key(key.as_bytes()).err(), error, "{key}");
    }
}

#[test]
fn well_known_keys_are_valid_and_unique() {
    for (index, (name, ty)) in WELL_KNOWN.iter().enumerate() {
        let key = ["metadata.", name].concat();
        assert_eq!(check_key(key.as_bytes()), Ok(()));
        assert_eq!(type_of(key.as_bytes()), Some(*ty));
        assert!(WELL_KNOWN[..index].iter().all(|(other, _)| other != name), "{name}");
    }
}
