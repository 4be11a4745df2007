#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::boxed::Box;
use std::string::ToString;

use super::*;
use crate::Span;

#[test]
fn blobs_that_are_known_to_be_equal_are_kept_once() {
    let range = |path: &str, offset| Source::File { path: path.into(), span: Span::new(offset, 4) };
    let reader = || Source::Reader { reader: Box::new(&b"abab"[..]), len: 4 };
    let mut store = NamedDataStore::new();
    let mut add = |source| {
        let key = store.entries.len().to_string();
        store.add(&key, source, 1, None).unwrap();
        store.entries.last().unwrap().blob
    };
    assert_eq!([Source::Bytes(b"abab"), Source::Bytes(b"abab"), Source::Bytes(b"ab")].map(&mut add), [0, 0, 1]);
    let ranges = [range("a", 1), range("a", 1), range("a", 2), range("b", 1)];
    assert_eq!(ranges.map(&mut add), [2, 2, 3, 4]);
    assert_eq!([reader(), reader()].map(&mut add), [5, 6]);
}

#[test]
fn errors_name_the_key() {
    let mut store = NamedDataStore::new();
    let zero = store.add("a", Source::Bytes(b"a"), 0, None).unwrap_err();
    assert_eq!(zero.to_string(), "key `a`: has an alignment of 0");
    assert_eq!((store.key_count(), store.blob_count()), (0, 0));
    store.add("a", Source::Bytes(b"a"), 1, None).unwrap();
    let two = store.add("a", Source::Bytes(b"b"), 1, None).unwrap_err();
    assert_eq!(two.to_string(), "key `a`: has two values");
    assert_eq!(store.share("b", "c", None).unwrap_err().to_string(), "key `c`: has no value");
    assert_eq!((store.key_count(), store.blob_count()), (1, 1));
}
