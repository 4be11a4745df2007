//! Data files in the current layout.

use super::super::Options;
use super::super::scratch::Scratch;
use super::super::source::Bytes;
use super::names::{NameHashes, hash_of, words_for};
use super::object::{Visit, VtableShape};
use super::segments::{SegmentRole, Segments, data_place, padding};
use super::tensor::bytes_of;
use super::{Plain, blobs, require};
use crate::Image;
use crate::flatbuffer::{Vector, identifier};
use crate::ptd::FlatTensorHeader;
use crate::ptd::schema::{FlatTensor, NamedData, TensorLayout};
use crate::segment::SegmentRegion;

/// Answers whether a data file is plainly good; see [the module](super).
pub(in crate::check) fn data_file<'a>(
    image: Image<'a>,
    bytes: Bytes<'_>,
    options: &Options,
    scratch: &mut dyn Scratch,
) -> Option<Plain<'a>> {
    require!(identifier(image.bytes()) == Some(crate::ptd::IDENTIFIER));
    let header = FlatTensorHeader::find(image.bytes()).ok()?;
    let FlatTensorHeader { flatbuffer_offset: offset, segment_base_offset: base, segment_data_size: size, .. } = header;
    require!(header.length == FlatTensorHeader::MIN_LENGTH);
    require!(offset >= u64::from(FlatTensorHeader::MIN_LENGTH));
    require!(offset.is_multiple_of(8));
    let end = header.flatbuffer_end()?;
    let data = SegmentRegion { base, size: Some(size), file_len: image.len() };
    data_place(data, end, options)?;

    let mut visit = Visit::new(image, end)?;
    let mut shape = [VtableShape::<FlatTensor<'_>, 3>::NONE];
    let root = visit.root(&mut shape)?;
    // A field in the next slot may belong to the legacy layout.
    require!(root.table().field(3).is_none());
    require!(root.version() == 0);
    let (list, entries) = (visit.list(root.segments())?, visit.list(root.named_data())?);
    require!(!entries.is_empty());
    let words = 2 * list.len();
    let (words, hashes) = scratch.words(words + words_for(entries.len())).ok()?.split_at_mut_checked(words)?;
    let mut segments =
        Segments::visit(&mut visit, Some(list), |segment| [segment.offset(), segment.size()], (data, bytes), words)?;
    named_data(&mut visit, &mut segments, entries, NameHashes::new(hashes), bytes)?;
    segments.finish(end)?;

    let tally = visit.finish(options)?;
    let header_end = FlatTensorHeader::OFFSET + u64::from(FlatTensorHeader::MIN_LENGTH);
    padding(bytes, header_end, tally.used, base.max(end))?;
    Some(Plain { tally, external: 0, xnnpack: None })
}

fn named_data<'a>(
    visit: &mut Visit<'a>,
    segments: &mut Segments<'_>,
    entries: Vector<'a, NamedData<'a>>,
    mut keys: NameHashes<'_>,
    bytes: Bytes<'_>,
) -> Option<()> {
    let mut shapes = [VtableShape::<NamedData<'_>, 3>::NONE; 2];
    let mut layouts = [VtableShape::<TensorLayout<'_>, 3>::NONE; 2];
    let mut text = bytes.head.len() as u64;
    for position in visit.positions(entries) {
        let entry = visit.table(position?, &mut shapes)?;
        let key = visit.any_text(entry.key())?;
        require!(!key.is_empty());
        keys.add(hash_of(key)?)?;
        let range = segments.refer(entry.segment_index(), SegmentRole::Named)?;
        if let Some(at) = entry.tensor_layout().offset_position() {
            require!(layout_bytes(visit, at, &mut layouts)? == range[1]);
        }
        if key.starts_with(crate::metadata::PREFIX) {
            blobs::metadata(key, segments.place(range), bytes, &mut text)?;
        }
    }
    keys.finish()
}

/// Visits the layout to which the offset at position `at` refers, and returns the number of bytes of the tensor.
#[inline(never)]
fn layout_bytes<'a>(
    visit: &mut Visit<'a>,
    at: usize,
    shapes: &mut [VtableShape<TensorLayout<'a>, 3>; 2],
) -> Option<u64> {
    let layout = visit.follow(at, shapes)?;
    let (sizes, order) = (visit.list(layout.sizes())?, visit.list(layout.dim_order())?);
    bytes_of(layout.scalar_type(), sizes, order)
}
