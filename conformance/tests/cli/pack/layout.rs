//! Tests the header numbers, offsets and alignments in specifications for `pack`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::check::Checker;
use torchproof_cli::document::pack::PackOptions;

use super::{linear, pack_bytes, packed, real, scratch, with_data};

#[test]
fn given_numbers_are_written_verbatim_or_rejected() {
    let pair = ["linear.pte", "linear_external.ptd", "legacy_v0.6.0_tensors.ptd", "add.pte", "align4096.pte"];
    let (mut written, mut rejected) = (0, 0);
    for name in pair {
        let spec = with_data(&fs::read(real(name)).unwrap()).unwrap();
        let header = spec["header"].as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value));
        for (member, value) in header {
            let right = value.as_u64().unwrap();
            for number in
                [0, 1, 23, 24, 31, 48, right - 1, right + 1, right + 128, 4096, 1 << 31, 1 << 32, 1 << 62, u64::MAX]
            {
                let mut spec = spec.clone();
                spec["header"][&member] = number.into();
                match header_of(&spec) {
                    Ok(header) => {
                        assert_eq!(header[&member], json!(number), "{name}: {member}");
                        written += 1;
                    }
                    Err(_) => rejected += 1,
                }
            }
        }
        let entries = spec["segments"].as_array().unwrap().len();
        for (index, number) in (0..entries).flat_map(|index| [1, 64, 4096, 1_u64 << 33].map(|number| (index, number))) {
            let mut spec = spec.clone();
            spec["segments"][index]["offset"] = number.into();
            let root = if name.ends_with("pte") { "program" } else { "flat_tensor" };
            spec[root].as_object_mut().unwrap().remove("segments");
            if let Ok(bytes) = bytes_of(&spec) {
                assert_eq!(with_data(&bytes).unwrap()["segments"][index]["offset"], json!(number), "{name}");
                written += 1;
            }
        }
    }
    assert!(written > 30 && rejected > 60, "{written} written, {rejected} rejected");
}

fn bytes_of(spec: &Value) -> Result<Vec<u8>, String> {
    pack_bytes(spec, &PackOptions { max_size: 1 << 20, ..PackOptions::new(Path::new("")) })
}

fn header_of(spec: &Value) -> Result<Value, String> {
    use torchproof::{ptd, pte};
    let bytes = bytes_of(spec)?;
    Ok(match (pte::ExtendedHeader::find(&bytes), ptd::FlatTensorHeader::find(&bytes)) {
        (Ok(Some(header)), _) => json!({
            "length": header.length, "program_size": header.program_size,
            "segment_base_offset": header.segment_base_offset,
            // A header shorter than 32 bytes does not contain this number.
            "segment_data_size": header.segment_data_size.map_or(spec["header"]["segment_data_size"].clone(), Value::from),
        }),
        (_, Ok(header)) => json!({
            "length": header.length, "flatbuffer_offset": header.flatbuffer_offset,
            "flatbuffer_size": header.flatbuffer_size, "segment_base_offset": header.segment_base_offset,
            "segment_data_size": header.segment_data_size,
        }),
        _ => Value::Null,
    })
}

#[test]
fn derives_omitted_header_numbers() {
    let mut spec = linear();
    for (header, length, size) in [(json!({}), 32, json!(144)), (json!({ "length": 24 }), 24, Value::Null)] {
        spec["header"] = header;
        let dumped = with_data(&bytes_of(&spec).unwrap()).unwrap();
        let header = &dumped["header"];
        assert_eq!((&header["length"], &header["segment_data_size"]), (&json!(length), &size));
        assert!(header["segment_base_offset"].as_u64().unwrap().is_multiple_of(128));
        assert_eq!(dumped["segments"], spec["segments"]);
    }
    // A program without segments has a header only if the specification asks for one with `{}`.
    let bare = json!({ "kind": "pte", "program": spec["program"], "segments": [] });
    let program = |header: Option<Value>| {
        let mut bare = bare.clone();
        for member in ["segments", "constant_segment"] {
            bare["program"].as_object_mut().unwrap().remove(member);
        }
        bare["program"]["execution_plan"] = json!([]);
        header.into_iter().for_each(|header| bare["header"] = header);
        with_data(&bytes_of(&bare).unwrap()).unwrap()["header"]["length"].clone()
    };
    assert_eq!(
        [program(None), program(Some(Value::Null)), program(Some(json!({})))],
        [Value::Null, Value::Null, json!(32)]
    );
}

/// The options apply only to data for which the specification gives no alignment.
#[test]
fn options_set_the_alignments_of_segments_and_inline_data() {
    let bare = json!({ "kind": "pte", "program": {
        "version": 0,
        "execution_plan": [],
        "constant_buffer": [{ "storage": [] }, { "storage": [1, 2, 3, 4] }],
        "backend_delegate_data": [{ "data": [5, 6, 7] }],
        "named_data": [{ "key": "a", "segment_index": 0 }, { "key": "b", "segment_index": 1 }],
    }, "segments": [{ "data": { "hex": "01" } }, { "data": { "hex": "02" } }] });
    for (segment, inline) in [(1_u64, 16), (64, 32), (4096, 1024), (65536, 65536)] {
        let args = ["--segment-alignment", &segment.to_string(), "--inline-alignment", &inline.to_string()];
        let outcome = packed("aligned", &bare, &args);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let bytes = fs::read(scratch().join("aligned.out")).unwrap();
        let file = torchproof::pte::Pte::open(&bytes).unwrap();
        let base = file.header().unwrap().segment_base_offset;
        let multiple = segment.max(16);
        assert!(base.is_multiple_of(multiple) && base < file.header().unwrap().program_size + multiple);
        assert!(!outcome.stderr.contains("base-aligned"), "{}", outcome.stderr);
        assert_eq!(file.segment(1).unwrap().offset - base, segment);
        let storage = file.program().constant_buffer().unwrap().unwrap().get(1).unwrap().unwrap().storage().unwrap();
        assert!(storage.unwrap().element_span(0).offset.is_multiple_of(inline));
        let blob = file.program().backend_delegate_data().unwrap().unwrap().get(0).unwrap().unwrap().data().unwrap();
        assert!(blob.unwrap().element_span(0).offset.is_multiple_of(inline));
    }
}

/// The default depends on neither the alignment of the segment nor the offsets of the tensors.
#[test]
fn a_handwritten_legacy_file_gets_a_tensor_alignment_of_16() {
    let tensor = |name: &str, offset: u64| {
        let mut tensor = json!({ "scalar_type": "FLOAT", "sizes": [2], "dim_order": [0] });
        tensor["fully_qualified_name"] = name.into();
        tensor["offset"] = offset.into();
        tensor
    };
    let mut spec = json!({ "kind": "ptd-legacy", "flat_tensor": { "tensors": [tensor("a", 0), tensor("b", 16)] },
        "segments": [{ "size": 24, "alignment": 4096, "data": { "fill": "01" } }] });
    let dumped = |spec: &Value| with_data(&bytes_of(spec).unwrap()).unwrap();
    let file = dumped(&spec);
    assert_eq!(file["flat_tensor"]["tensor_alignment"], 16);
    assert_eq!(file["header"]["segment_base_offset"], 4096);
    // If the specification has no header, `pack` replaces the alignment 0 with 16; otherwise, it keeps 0.
    for (given, expected) in [(json!(0), 16), (json!(8), 8)] {
        spec["flat_tensor"]["tensor_alignment"] = given;
        assert_eq!(dumped(&spec)["flat_tensor"]["tensor_alignment"], expected);
    }
    let mut file = file;
    for any in [0, 3] {
        // The offset 15 is a multiple of the alignment 3. For the alignment 0, `pack` accepts the offset 16.
        file["flat_tensor"]["tensors"][1]["offset"] = json!(if any == 3 { 15 } else { 16 });
        file["flat_tensor"]["tensor_alignment"] = json!(any);
        assert_eq!(dumped(&file)["flat_tensor"]["tensor_alignment"], any);
    }
}

/// The base must still have the alignment that readers need to map the file into memory.
#[test]
fn no_segment_alignment_option_breaks_base_aligned() {
    let entry = |name: &str| json!([{ "key": name, "segment_index": 0 }]);
    let tensor =
        |name: &str| json!([{ "fully_qualified_name": name, "scalar_type": "FLOAT", "sizes": [2], "dim_order": [0] }]);
    // The length of a name changes where the FlatBuffer ends.
    for (len, alignment) in (1..=16).zip([1, 2, 4, 8].into_iter().cycle()) {
        let name = "a".repeat(len);
        for (kind, member, root) in [
            ("pte", "program", json!({ "execution_plan": [], "named_data": entry(&name) })),
            ("ptd", "flat_tensor", json!({ "named_data": entry(&name) })),
            ("ptd-legacy", "flat_tensor", json!({ "tensors": tensor(&name) })),
        ] {
            let mut spec = json!({ "kind": kind, "segments": [{ "size": 8, "data": { "fill": "01" } }] });
            spec[member] = root;
            let options = PackOptions { segment_alignment: Some(alignment), ..PackOptions::new(Path::new("")) };
            let report = Checker::new().check(&pack_bytes(&spec, &options).unwrap());
            let warned = report.findings.iter().any(|found| found.rule.id.ends_with("base-aligned"));
            assert!(!warned, "{kind} {len} {alignment}");
        }
    }
}

/// This applies unless the specification sets `segment_base_offset`.
#[test]
fn the_base_has_the_largest_alignment_of_the_segments() {
    let mut spec = json!({ "kind": "ptd", "flat_tensor": { "named_data": [
        { "key": "a", "segment_index": 0 }, { "key": "b", "segment_index": 1 }
    ] }, "segments": [{ "data": { "hex": "01" } }, { "alignment": 4096, "data": { "hex": "02" } }] });
    let offsets = |spec: &Value| {
        let dumped = with_data(&bytes_of(spec).unwrap()).unwrap();
        [&dumped["header"]["segment_base_offset"], &dumped["segments"][1]["offset"]].map(|at| at.as_u64().unwrap())
    };
    assert_eq!(offsets(&spec), [4096, 4096]);
    spec["segments"][1]["alignment"] = json!(32);
    assert_eq!(offsets(&spec), [256, 128]);
    spec["segments"][1]["alignment"] = json!(65536);
    spec["header"] = json!({ "segment_base_offset": 1152 });
    assert_eq!(offsets(&spec), [1152, 65536]);
}
