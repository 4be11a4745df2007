//! Segments that would have bytes of the file in common.

use std::fs;

use serde_json::{Value, json};

use super::{folder, packed, run, scratch, segment_of};

/// A data file of these segments, each with a key.
fn keyed(segments: &[Value]) -> Value {
    let key = |index: usize| json!({ "key": format!("k{index}"), "segment_index": index });
    let keys: Vec<_> = (0..segments.len()).map(key).collect();
    json!({ "kind": "ptd", "flat_tensor": { "named_data": keys }, "segments": segments })
}

/// A segment of these bytes there.
fn at(offset: u64, hex: &str) -> Value {
    json!({ "offset": offset, "data": { "hex": hex } })
}

/// To read a byte of each page of these files would take hours.
#[test]
fn segments_that_overlap_are_refused_before_they_are_read() {
    let folder = folder("overlap");
    fs::File::create(folder.join("data.bin")).unwrap().set_len(1 << 40).unwrap();
    let whole = json!({ "offset": 0, "data": { "file": "data.bin" } });
    let spec = keyed(&[whole.clone(), json!({ "offset": 128, "data": { "file": "data.bin" } })]);
    fs::write(folder.join("spec.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    let outcome = run(&["pack", "overlap/spec.json", "-o", "overlap/out.ptd", "--max-size", "4TiB"]);
    let line = "torchproof: overlap/spec.json: segments[1].offset: segment begins at 128, before segments[0] ends at \
                1099511627776 (breaks ft-seg-no-overlap)\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), line));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    // What is to be read is no more than the file may have, whatever the specification says.
    let spec = keyed(&vec![whole; 12]);
    fs::write(folder.join("spec.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    let outcome = run(&["pack", "overlap/spec.json", "-o", "overlap/out.ptd", "--max-size", "4TiB", "--raw"]);
    let line = "torchproof: overlap/spec.json: segments: have 12.0 TiB (13194139533312) to be read, and the file may \
                have 4 TiB; --max-size allows more\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), line));
    fs::remove_dir_all(folder).unwrap();
}

/// The one that is named is the one that has a place of its own, also where it lies first.
#[test]
fn the_segment_that_was_put_over_another_is_named() {
    for (name, segments, message) in [
        (
            "under",
            [at(2, "0102"), at(0, "010203")],
            "segments[1].offset: segment begins at 0, before segments[0] ends at 4",
        ),
        (
            "inside",
            [at(0, "01020304"), at(1, "02")],
            "segments[1].offset: segment begins at 1, before segments[0] ends at 4",
        ),
        (
            "aligned",
            [json!({ "alignment": 16, "data": { "hex": "0102" } }), at(0, "01")],
            "segments[1].offset: segment begins at 0, before segments[0] ends at 2",
        ),
    ] {
        let outcome = packed(name, &keyed(&segments), &[]);
        let line = format!("torchproof: {name}: {message} (breaks ft-seg-no-overlap)\n");
        assert_eq!((outcome.code, outcome.stderr), (Some(2), line));
    }
    // One without bytes is disjoint from all.
    assert_eq!(packed("nothing", &keyed(&[at(0, "01020304"), at(1, "")]), &[]).code, Some(0));
}

#[test]
fn raw_segments_may_overlap_where_their_bytes_are_the_same() {
    let same = [at(0, "01020304"), at(2, "03040506"), at(4, "0506"), at(3, "")];
    let outcome = packed("raw-same", &keyed(&same), &["--raw"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert!(fs::read(scratch().join("raw-same.out")).unwrap().ends_with(&[1, 2, 3, 4, 5, 6]));
    for (name, segments, message) in [
        (
            "first",
            [at(0, "01020304"), at(2, "07040506"), at(8, "00")],
            "segments[1]: byte 0 is 0x07, and that of segments[0] in the same place is 0x03",
        ),
        (
            "last",
            [at(0, "01020304"), at(2, "03070506"), at(8, "00")],
            "segments[1]: byte 1 is 0x07, and that of segments[0] in the same place is 0x04",
        ),
        // The place is compared with what reaches furthest, and that with what lies before it.
        (
            "third",
            [at(0, "0102"), at(0, "01020304"), at(3, "07")],
            "segments[2]: byte 0 is 0x07, and that of segments[1] in the same place is 0x04",
        ),
        ("hidden", [at(1, "0202"), at(0, "0102"), at(2, "02")], ""),
    ] {
        let outcome = packed(name, &keyed(&segments), &["--raw"]);
        if message.is_empty() {
            assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{name}");
            assert_eq!(segment_of(name, 0), [2, 2]);
            continue;
        }
        assert_eq!((outcome.code, outcome.stderr), (Some(2), format!("torchproof: {name}: {message}\n")));
        assert!(!scratch().join(format!("{name}.out")).exists(), "{name}");
    }
    // Differences behind the first piece that is read are found too.
    let long = |pattern: &str| json!({ "offset": 0, "size": 200_001, "data": { "fill": pattern } });
    let (even, odd) = (long("0707"), json!({ "offset": 200_000, "data": { "hex": "08" } }));
    let outcome = packed("long", &keyed(&[even.clone(), long("07")]), &["--raw"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let outcome = packed("far", &keyed(&[even, odd]), &["--raw"]);
    assert!(outcome.stderr.contains("segments[1]: byte 0 is 0x08, and that of segments[0]"), "{}", outcome.stderr);
}

/// Also of a segment of which nothing is left to be written.
#[test]
fn a_digest_is_of_all_the_bytes_wherever_they_lie() {
    let right = "ee9040f65c341855e070ff438eb0ea9d5b831b2a2c270fb7ef592d750408e3b3";
    let mut inner = at(1, "0203");
    inner["sha256"] = json!(right);
    assert_eq!(packed("digested", &keyed(&[at(0, "01020304"), inner.clone()]), &["--raw"]).code, Some(0));
    inner["sha256"] = json!(right.replace('9', "8"));
    let outcome = packed("digested", &keyed(&[at(0, "01020304"), inner]), &["--raw"]);
    assert!(
        outcome.stderr.contains(&format!("segments[1]: sha256 of the data is {right}, not ")),
        "{}",
        outcome.stderr
    );
    assert!(!scratch().join("digested.out").exists());
}
