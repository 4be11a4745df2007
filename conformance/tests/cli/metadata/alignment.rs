//! What is kept stays as aligned as it was, and files do not grow for that.
//!
//! Nothing here asks the code under test what an alignment is: files are made with known ones, and positions are read back.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::check::Checker;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::pte::pack::{self, Data};
use torchproof::pte::schema::Program;
use torchproof::write::{NamedDataStore, Source};
use torchproof::{ptd, pte, view};
use torchproof_cli::edit::{Document, Existing};
use torchproof_cli::findings;
use torchproof_cli::meta::edit;

use super::command::{real, scratch};
use super::sequences::Numbers;

/// Where things are in a file.
struct Places {
    /// Where the FlatBuffer ends, and where the segments begin, from the file's start.
    end: u64,
    base: u64,
    /// Size, digest, and offset from the base, of each segment that has bytes.
    segments: Vec<(Value, u64)>,
}

impl Places {
    fn of(bytes: &[u8]) -> Self {
        let value = view::to_value(bytes).unwrap();
        let header = &value["header"];
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let end = number(&header["program_size"])
            .max(number(&header["flatbuffer_offset"]) + number(&header["flatbuffer_size"]));
        let all = value["segments"].as_array().unwrap().iter().filter(|segment| segment["size"] != 0);
        let segments =
            all.map(|segment| (json!([segment["size"], segment["sha256"]]), number(&segment["offset"]))).collect();
        Self { end, base: number(&header["segment_base_offset"]), segments }
    }

    /// The padding before the base, then that before each segment.
    fn padding(&self) -> Vec<u64> {
        let mut padding = vec![self.base.saturating_sub(self.end)];
        for (_, offset) in &self.segments {
            let ends = self.segments.iter().map(|(size, at)| at + size[0].as_u64().unwrap());
            padding.push(offset - ends.filter(|end| end <= offset).max().unwrap_or(0));
        }
        padding
    }

    /// The greatest power of two, up to 64 KiB, that divides the base and all offsets.
    fn common(&self) -> u64 {
        let mut common = 1;
        while common < 1 << 16 && self.are_multiples_of(2 * common) {
            common *= 2;
        }
        common
    }

    fn are_multiples_of(&self, alignment: u64) -> bool {
        self.base.is_multiple_of(alignment) && self.segments.iter().all(|(_, offset)| offset.is_multiple_of(alignment))
    }
}

/// Each segment of `before` is in `after`, in the same order, with the alignment that all of `before` have in common; of that,
/// only the usual 128 where no padding is so long that another alignment must be the reason.
pub(super) fn expect_kept(before: &[u8], after: &[u8], what: &str) {
    let (before, after) = (Places::of(before), Places::of(after));
    let alignment = match before.padding().iter().any(|padding| *padding >= 128) {
        true => before.common(),
        false => before.common().min(128),
    };
    let mut rest = after.segments.iter();
    for (segment, was) in &before.segments {
        let found = rest.find(|(other, _)| other == segment);
        let (_, now) = found.unwrap_or_else(|| panic!("{what}: {segment} is lost, or not in its order"));
        assert_eq!(now % alignment, 0, "{what}: {segment} was at {was:#x} and is at {now:#x} from the base");
        assert_eq!(
            (after.base + now) % alignment,
            0,
            "{what}: the base was at {} and is at {}",
            before.base,
            after.base
        );
    }
}

/// A blob that is put into a file.
#[derive(Debug)]
struct Blob {
    bytes: Vec<u8>,
    alignment: u64,
}

/// A file with these blobs under `blob.0`, `blob.1`, …, made by the packers.
fn packed(program: bool, alignment: u64, blobs: &[Blob], filler: usize) -> Vec<u8> {
    let mut store = NamedDataStore::new();
    for (index, blob) in blobs.iter().enumerate() {
        // The names make tables of many lengths.
        let key = format!("blob.{index}.{}", "x".repeat(filler));
        store.add(&key, Source::Bytes(&blob.bytes), blob.alignment, None).unwrap();
    }
    if program {
        let root = TableTree::new(Program::TYPE).with("execution_plan", Vec::<TableTree>::new());
        let layout = pte::write::FileLayout { segment_alignment: alignment, ..Default::default() };
        let data = Data { named_data: Some(store), ..Data::default() };
        pack::pack(&root, data, &pack::Options { layout, ..Default::default() }).unwrap().into_bytes().unwrap()
    } else {
        let layout = ptd::write::FileLayout { segment_alignment: alignment, ..ptd::write::FileLayout::CURRENT };
        ptd::pack::pack(store, &layout).unwrap().into_bytes().unwrap()
    }
}

/// Opens a file, changes a few of its metadata, sometimes takes a blob out, and puts it back.
fn change(path: &Path, numbers: &mut Numbers) {
    let mut document = edit::open(path).unwrap();
    for _ in 0..=numbers.below(2) {
        let key = format!("metadata.example.{}", "y".repeat(1 + numbers.below(60)));
        if numbers.below(3) == 0 {
            edit::unset(&mut document, &key);
        } else {
            edit::set(&mut document, &key, &vec![b'v'; [0, 1, 100, 700, 5000][numbers.below(5)]]).unwrap();
        }
    }
    if numbers.below(4) == 0 {
        let blobs: Vec<Vec<u8>> = document.named_data().map(|(key, _)| key.to_vec()).collect();
        let blobs: Vec<_> = blobs.into_iter().filter(|key| key.starts_with(b"blob.")).collect();
        if blobs.len() > 1 {
            document.remove_named_data(&blobs[numbers.below(blobs.len())]);
        }
    }
    document.save(path, Existing::Replace).unwrap();
}

/// With a file's places before any edit, what has to hold of them after all.
#[test]
fn what_a_layout_tells_is_kept_through_any_number_of_edits() {
    let path = scratch().join("layouts");
    let mut numbers = Numbers(0x616c_6967_6e21);
    let (mut told, mut own) = (0, 0);
    for round in 0..90 {
        let alignment = 1_u64 << numbers.below(17);
        let blobs: Vec<_> = (0..=numbers.below(4))
            .map(|index| {
                let most = [40, 400, 9000][numbers.below(3)];
                let len = 1 + numbers.below(most);
                let mut bytes = vec![u8::try_from(index).unwrap(); len];
                bytes[0] = 0xff;
                let alignment = if numbers.below(3) == 0 { 1 << numbers.below(15) } else { 1 };
                Blob { bytes, alignment }
            })
            .collect();
        let bytes = packed(round % 2 == 0, alignment, &blobs, numbers.below(500));
        fs::write(&path, &bytes).unwrap();
        let before = Places::of(&bytes);
        assert!(before.are_multiples_of(alignment), "{round}");
        let padding = before.padding();
        let tells = alignment <= 128 || padding.iter().any(|padding| *padding >= 128);
        told += u32::from(tells);
        let kept = if tells { alignment } else { 128 };
        for count in 0..8 {
            change(&path, &mut numbers);
            let after = Places::of(&fs::read(&path).unwrap());
            let mut found = 0;
            for (index, (segment, _)) in before.segments.iter().enumerate() {
                let Some((_, offset)) = after.segments.iter().find(|(other, _)| other == segment) else { continue };
                found += 1;
                let what =
                    format!("{round}.{count}: {alignment}, {blobs:?}: {segment} at {offset} from {}", after.base);
                assert_eq!(offset % kept, 0, "{what}");
                assert_eq!((after.base + offset) % kept, 0, "{what}");
                // More padding than the file's alignment asks for, whichever that is, is the blob's own.
                if padding[1 + index] >= before.common().max(128) {
                    own += 1;
                    assert_eq!(offset % blobs[index].alignment, 0, "{what}");
                }
            }
            assert!(found > 0, "{round}.{count}");
        }
        let (_, examined) = findings::examine(&path, &[], &Checker::new()).unwrap();
        assert!(examined.accepts(false), "{round}: {:?}", examined.report.findings);
    }
    assert!(told > 75 && own > 40, "{told} {own}");
}

/// A base that comes to stand right behind the tables by chance would tell nothing to the next edit.
#[test]
fn a_base_stays_aligned_while_the_tables_grow_up_to_it() {
    let path = scratch().join("growing");
    for alignment in [256, 1024, 4096] {
        let blob = [Blob { bytes: vec![7; 40], alignment: 1 }];
        let mut files = (0..400).map(|filler| packed(true, alignment, &blob, filler));
        fs::write(&path, files.find(|bytes| Places::of(bytes).padding()[0] >= 128).unwrap()).unwrap();
        for count in 0..70 {
            let mut document = edit::open(&path).unwrap();
            // No bytes in the segments, which would tell the alignment too.
            edit::set(&mut document, &format!("metadata.example.{}", "y".repeat(count + 1)), b"").unwrap();
            document.save(&path, Existing::Replace).unwrap();
            let after = Places::of(&fs::read(&path).unwrap());
            assert_eq!(after.base % alignment, 0, "{alignment}: {} after {count}", after.base);
        }
    }
}

/// The same of a blob that has an alignment of its own.
#[test]
fn a_blob_stays_aligned_while_what_is_before_it_changes() {
    let path = scratch().join("shrinking");
    let lengths = [64, 5096, 3960, 10];
    let blob =
        |(index, len): (u8, usize)| Blob { bytes: vec![index; len], alignment: if len == 10 { 4096 } else { 1 } };
    let bytes = packed(false, 128, &(1..).zip(lengths).map(blob).collect::<Vec<_>>(), 0);
    fs::write(&path, &bytes).unwrap();
    for gone in [1, 0] {
        let mut document = edit::open(&path).unwrap();
        assert!(document.remove_named_data(format!("blob.{gone}.").as_bytes()));
        document.save(&path, Existing::Replace).unwrap();
        let after = Places::of(&fs::read(&path).unwrap());
        assert_eq!(after.segments.last().unwrap().1 % 4096, 0, "{gone}");
    }
}

/// The file has the length that it has when the same is done to the first one at once.
#[test]
fn fifty_edits_leave_a_file_as_long_as_one() {
    for name in ["linear.pte", "conv.pte", "multi_method.pte", "linear_external.ptd", "mlp_external.ptd"] {
        let (path, once) = (scratch().join(format!("fifty-{name}")), scratch().join(format!("once-{name}")));
        fs::copy(real(name), &path).unwrap();
        let mut numbers = Numbers(0x66_6966_7479);
        let mut wanted: Vec<(String, Vec<u8>)> = Vec::new();
        for count in 0..50 {
            let mut document = edit::open(&path).unwrap();
            let key = format!("metadata.example.{}", "y".repeat(1 + 70 * numbers.below(5)));
            match wanted.iter().position(|(own, _)| *own == key) {
                Some(at) => {
                    assert!(edit::unset(&mut document, &key));
                    wanted.remove(at);
                }
                None => {
                    let value = vec![b'a' + u8::try_from(count).unwrap(); [0, 0, 0, 100, 300][numbers.below(5)]];
                    edit::set(&mut document, &key, &value).unwrap();
                    wanted.push((key, value));
                }
            }
            document.save(&path, Existing::Replace).unwrap();
            let mut document = Document::open(&real(name)).unwrap();
            for (key, value) in &wanted {
                edit::set(&mut document, key, value).unwrap();
            }
            document.save(&once, Existing::Replace).unwrap();
            // Where an empty segment is depends on what had its bytes first, so what counts is the last byte of any other.
            let len = |path: &Path| {
                let places = Places::of(&fs::read(path).unwrap());
                let ends = places.segments.iter().map(|(size, at)| at + size[0].as_u64().unwrap());
                places.base + ends.max().unwrap_or(0)
            };
            assert_eq!(len(&path), len(&once), "{name} after {count}");
        }
    }
}
