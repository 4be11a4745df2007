//! Valid data files for property tests, made with the constructors from random parts.

use std::vec::Vec;
use std::{format, vec};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use torchproof::ScalarType;
use torchproof::ptd::model::{FlatTensor, NamedData, OlderFlatTensor, Refusal, TensorLayout, TensorMetadata};
use torchproof::ptd::write::{FileLayout, SegmentData};

/// The root of either layout.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Root {
    Current(FlatTensor),
    Older(OlderFlatTensor),
}

impl Root {
    pub(super) fn write(&self, segments: &[SegmentData<'_>], layout: &FileLayout) -> Result<Vec<u8>, Refusal> {
        match self {
            Root::Current(root) => root.write(segments, layout),
            Root::Older(root) => root.write(segments, layout),
        }
    }

    pub(super) fn layout(&self) -> FileLayout {
        match self {
            Root::Current(_) => FileLayout::CURRENT,
            Root::Older(_) => FileLayout::OLDER,
        }
    }
}

fn dense() -> impl Strategy<Value = (ScalarType, Vec<i32>)> {
    let types: Vec<_> = ScalarType::TYPE.values.iter().map(|(_, number)| ScalarType(*number)).collect();
    (select(types), prop::collection::vec(1..4, 0..4))
}

fn bytes_of((scalar_type, sizes): &(ScalarType, Vec<i32>)) -> usize {
    let elements: i32 = sizes.iter().product();
    usize::try_from(elements).unwrap() * usize::try_from(scalar_type.element_size().unwrap()).unwrap()
}

/// A data file of either layout, and its segments.
pub(super) fn valid() -> impl Strategy<Value = (Root, Vec<Vec<u8>>)> {
    prop_oneof![current(), older()]
}

/// A data file of tensors and blobs, some of which are one segment under two names.
fn current() -> impl Strategy<Value = (Root, Vec<Vec<u8>>)> {
    let entry = prop_oneof![dense().prop_map(Ok), prop::collection::vec(any::<u8>(), 1..40).prop_map(Err)];
    let entries = prop::collection::vec(entry, 1..6);
    (entries, prop::collection::vec(any::<Index>(), 0..3)).prop_map(|(entries, shared)| {
        let (mut named, mut segments) = (Vec::new(), Vec::new());
        for (entry, index) in entries.into_iter().zip(0..) {
            let key = format!("key_{index}");
            let bytes = match entry {
                Ok(tensor) => {
                    named.push(NamedData::tensor(key, index, TensorLayout::contiguous(tensor.0, &tensor.1)));
                    vec![0x5A; bytes_of(&tensor)]
                }
                Err(blob) => {
                    named.push(NamedData::blob(key, index));
                    blob
                }
            };
            segments.push(bytes);
        }
        for (pick, number) in shared.into_iter().zip(0..) {
            let again = NamedData { key: Some(format!("again_{number}").into()), ..pick.get(&named).clone() };
            named.push(again);
        }
        (Root::Current(FlatTensor::new(named)), segments)
    })
}

/// A data file of the older layout: all tensors in one segment, at multiples of what the file says, whatever the writer's
/// layout. An alignment of 0 is none, and no must-rule forbids it.
fn older() -> impl Strategy<Value = (Root, Vec<Vec<u8>>)> {
    let alignment = select(&[0, 1, 2, 3, 8, 16, 64, 4096][..]);
    (prop::collection::vec(dense(), 1..6), alignment).prop_map(|(tensors, alignment)| {
        let mut segment = Vec::new();
        let entries = tensors.iter().zip(0..).map(|(tensor, index)| {
            segment.resize(segment.len().next_multiple_of(alignment.max(1) as usize), 0);
            let offset = segment.len();
            segment.resize(offset + bytes_of(tensor), 0x5A);
            TensorMetadata::contiguous(format!("tensor_{index}"), tensor.0, &tensor.1, 0, offset as u64)
        });
        let root = OlderFlatTensor { tensor_alignment: alignment, ..OlderFlatTensor::new(entries.collect::<Vec<_>>()) };
        (Root::Older(root), vec![segment])
    })
}
