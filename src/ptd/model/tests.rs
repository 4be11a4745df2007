#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

mod random;

use std::string::String;
use std::vec;

use proptest::prelude::*;

use super::*;
use crate::corpus::Verdict;
use crate::flatbuffer::build::encode;
use crate::flatbuffer::root;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::random::tree;
use crate::ptd::{self, Layout, Ptd, older_schema, schema};
use crate::seeded::seeded;
use crate::write::tests::broken;
use crate::write::{Source, stream};
use crate::{Limits, cases};
use random::Root;

impl Root {
    fn plan(&self, shapes: &[Shape], layout: &FileLayout) -> Result<Plan, Refusal> {
        match self {
            Root::Current(root) => root.plan(shapes, layout),
            Root::Older(root) => root.plan(shapes, layout),
        }
    }

    /// The should-rules that it breaks: the alignment may be any where the tensors keep it.
    fn breaks(&self) -> Vec<String> {
        match self {
            Root::Older(root) if !root.tensor_alignment.is_power_of_two() => vec!["ptdB-alignment".into()],
            _ => vec![],
        }
    }

    /// The same root, with what the writer makes of its segments left out.
    fn without_places(self) -> Self {
        match self {
            Root::Current(root) => Root::Current(FlatTensor { segments: None, ..root }),
            Root::Older(root) => Root::Older(OlderFlatTensor { segments: None, ..root }),
        }
    }
}

/// The root in a file, and its segments' bytes.
fn read(bytes: &[u8]) -> (Root, Vec<&[u8]>) {
    let open = Ptd::open(bytes).unwrap();
    let root = match open.layout() {
        Layout::Current(root) => Root::Current(FlatTensor::from_view(root, Limits::DEFAULT).unwrap()),
        Layout::Older(root) => Root::Older(OlderFlatTensor::from_view(root, Limits::DEFAULT).unwrap()),
    };
    let count = open.segments().unwrap().map_or(0, crate::flatbuffer::Vector::len);
    let segments = (0..count).map(|index| open.segment_bytes(u32::try_from(index).unwrap()).unwrap());
    (root, segments.collect())
}

fn data<'a>(segments: &[&'a [u8]]) -> Vec<SegmentData<'a>> {
    segments.iter().map(|bytes| SegmentData::new(bytes)).collect()
}

/// Also where the segments go to other places than the model says.
fn comes_back(name: &str, bytes: &[u8]) {
    let (root, segments) = read(bytes);
    for layout in [root.layout(), FileLayout { segment_alignment: 1024, ..root.layout() }] {
        let written = root.write(&data(&segments), &layout).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let (again, same_segments) = read(&written);
        assert_eq!(same_segments, segments, "{name}");
        assert_eq!(again.without_places(), root.clone().without_places(), "{name}");
    }
}

#[test]
fn real_files_are_written_again_with_equal_values() {
    for name in ["linear_external.ptd", "mlp_external.ptd", "legacy_v0.6.0_tensors.ptd"] {
        let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/real")).join(name);
        comes_back(name, &std::fs::read(path).unwrap());
    }
}

#[test]
fn accepted_cases_are_written_again_with_equal_values() {
    let mut count = 0;
    for case in cases::all().filter(|case| case.verdict == Verdict::Accept && case.id.starts_with("ptd")) {
        comes_back(case.id, &case.build().unwrap().bytes);
        count += 1;
    }
    assert!(count > 10, "{count}");
}

/// What a reader finds is what the model has, whatever the layout, 0 too.
#[test]
fn the_alignment_of_an_older_file_is_the_models() {
    for tensor_alignment in [0, 1, 16, 48, 4096] {
        for layout in [FileLayout::OLDER, FileLayout::all(64)] {
            let tensor = TensorMetadata::contiguous("w", ScalarType::FLOAT, &[4], 0, 0);
            let root = OlderFlatTensor { tensor_alignment, ..OlderFlatTensor::new([tensor]) };
            let file = root.write(&[SegmentData::new(&[0; 16])], &layout).unwrap();
            let (Root::Older(again), _) = read(&file) else { panic!("taken for the current layout") };
            assert_eq!(again.tensor_alignment, tensor_alignment);
        }
    }
}

#[test]
fn what_breaks_a_rule_is_refused_and_the_raw_layer_writes_it() {
    let floats = |sizes: &[i32]| TensorLayout::contiguous(ScalarType::FLOAT, sizes);
    let segments = [SegmentData::new(&[1; 16])];
    let current = |entry| Root::Current(FlatTensor::new([entry]));
    let older = |offset| {
        Root::Older(OlderFlatTensor::new([TensorMetadata::contiguous("w", ScalarType::FLOAT, &[4], 0, offset)]))
    };
    for valid in [current(NamedData::tensor("w", 0, floats(&[4]))), older(0)] {
        assert!(valid.write(&segments, &valid.layout()).is_ok());
    }
    let long = NamedData::tensor("w", 0, TensorLayout { dim_order: Some(vec![0, 1]), ..floats(&[4]) });
    let refused = [
        (current(NamedData::tensor("w", 0, floats(&[5]))), "ft-layout-fits-segment", "named_data[0].tensor_layout"),
        (current(NamedData::tensor("w", 1, floats(&[4]))), "ft-seg-index", "named_data[0].segment_index"),
        (current(NamedData { key: None, ..NamedData::blob("w", 0) }), "ft-key-nonnull", "named_data[0].key"),
        (current(long), "ft-layout-rank", "named_data[0].tensor_layout.dim_order"),
        (older(16), "ptdB-offset", "tensors[0].offset"),
    ];
    let mut seen = Vec::new();
    for (root, _, _) in &refused {
        let refusal = root.write(&segments, &root.layout()).unwrap_err();
        let Refusal::Broken { rule, path, .. } = &refusal else { panic!("{refusal}") };
        seen.push((rule.id, path.clone()));
        assert_eq!(root.plan(&[Shape::new(16)], &root.layout()), Err(refusal));
        let tree = match root {
            Root::Current(root) => root.to_tree(),
            Root::Older(root) => root.to_tree(),
        };
        assert!(write::write(&tree, &segments, &root.layout()).is_ok());
    }
    let expected: Vec<_> = refused.iter().map(|(_, id, path)| (*id, String::from(*path))).collect();
    assert_eq!(seen, expected);
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn valid_files_are_written_and_read_back((root, segments) in random::valid()) {
        let segments: Vec<_> = segments.iter().map(Vec::as_slice).collect();
        let file = root.write(&data(&segments), &root.layout()).unwrap();
        let warned: Vec<_> = broken(&file).into_iter().map(|found| String::from(found.split(':').next().unwrap())).collect();
        prop_assert_eq!(warned, root.breaks());
        let (again, same_segments) = read(&file);
        prop_assert_eq!(&same_segments, &segments);
        prop_assert_eq!(&again.without_places(), &root);

        let shapes: Vec<_> = data(&segments).into_iter().map(Shape::from).collect();
        let plan = root.plan(&shapes, &root.layout()).unwrap();
        let mut streamed = Vec::new();
        stream(&plan, segments.iter().map(|bytes| Source::Bytes(bytes)), &mut streamed).unwrap();
        prop_assert!(streamed == file);
    }

    /// Without a panic.
    #[test]
    fn anything_is_written_or_refused(
        current in tree(schema::FlatTensor::TYPE),
        older in tree(older_schema::OlderFlatTensor::TYPE),
        len in 0..300_usize,
    ) {
        let (current, older) = (encode(&current, ptd::IDENTIFIER).unwrap(), encode(&older, ptd::IDENTIFIER).unwrap());
        let current = schema::FlatTensor::from_table(root(&current).unwrap());
        let older = older_schema::OlderFlatTensor::from_table(root(&older).unwrap());
        let segments = vec![0; len];
        for root in [
            Root::Current(FlatTensor::from_view(current, Limits::DEFAULT).unwrap()),
            Root::Older(OlderFlatTensor::from_view(older, Limits::DEFAULT).unwrap()),
        ] {
            if let Err(refusal) = root.write(&[SegmentData::new(&segments)], &root.layout()) {
                prop_assert!(matches!(refusal, Refusal::Broken { .. } | Refusal::Kind { .. }), "{}", refusal);
            }
        }
    }
}
