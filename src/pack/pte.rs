//! Packs a program file from its parts in the same way as the official writer.

use std::collections::BTreeMap;
use std::format;
use std::string::ToString;
use std::vec;
use std::vec::Vec;

use super::{PackedFile, SegmentParts};
use crate::FileKind;
use crate::error::OutOfRange;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{FieldValue, TableTree};
use crate::pte::schema::{
    BackendDelegateDataReference, BackendDelegateInlineData, DataLocation, NamedData, Program, SubsegmentOffsets,
};
use crate::pte::{ProgramLayout, plan};
use crate::write::{NamedDataEntry, NamedDataStore, SegmentExtent, WriteCause, WriteError, check_root};

/// The data that [`pack`] adds to a program's tables.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ProgramData<'s> {
    /// The constants. The first constant has the `data_buffer_idx` 1.
    pub constants: Vec<&'s [u8]>,
    /// The initial values of mutable tensors. The first value has the `data_buffer_idx` 1.
    pub mutable: Vec<&'s [u8]>,
    /// The blobs of the delegates. In the tree, each delegate refers to a blob by index, with the location `INLINE`.
    pub delegates: Vec<&'s [u8]>,
    /// Blobs with keys. If `None`, the field `named_data` is omitted.
    pub named_data: Option<NamedDataStore<'s>>,
}

/// Options of [`pack`]. The default matches the official writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PackOptions {
    /// The file's header and alignments. Every constant gets the constant alignment of the layout.
    pub layout: ProgramLayout,
    /// Keeps delegates' blobs in the FlatBuffer, with the layout's alignment, and leaves their indexes unchecked.
    pub inline_delegates: bool,
}

/// Packs a program file.
///
/// The segments come in this order:
/// * one segment for the constants, in which each constant is aligned; this segment is never omitted
/// * one segment for the initial values of mutable tensors, without padding; this segment is omitted if all values are
///   empty
/// * one segment for each blob of a delegate; equal blobs share a segment, and empty blobs stay in the FlatBuffer
/// * one segment for each blob with a key
///
/// The tree must contain all other fields, as an exporter sets them before serialization. `pack` moves constants in
/// `constant_buffer` and blobs in `backend_delegate_data` to segments. If `constant_buffer` is empty, `pack` adds a
/// placeholder to it, because some readers reject a program without a placeholder. The fields that `pack` generates
/// must be absent or empty.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::pte::{ProgramData, PackOptions, pack};
/// use torchproof::pte::schema::Program;
/// use torchproof::write::NamedDataStore;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut named = NamedDataStore::new();
/// named.add("metadata.general.name", b"example", 1, None)?;
/// let mut data = ProgramData::default();
/// data.constants = vec![&[1; 4], &[0; 64]];
/// data.named_data = Some(named);
/// let program = TableTree::new(Program::TYPE).with("execution_plan", Vec::<TableTree>::new());
/// let packed = pack(&program, data, &PackOptions::default())?;
/// assert_eq!(packed.layout().places().len(), 2); // the constants, and the blob
/// let file = packed.to_bytes()?;
/// let open = torchproof::pte::Pte::open(&file)?;
/// let offsets = open.program().constant_segment()?.unwrap().offsets()?.unwrap();
/// assert_eq!(offsets.iter().collect::<Vec<_>>(), [0, 0, 16]); // entry 0 is a placeholder
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Returns [`WriteError`] if the tree sets a generated field, an index refers to no blob, or the file would violate a
/// must-rule. To write an invalid file, use [`write`](crate::pte::write).
pub fn pack<'s>(
    program: &'s TableTree,
    data: ProgramData<'s>,
    options: &PackOptions,
) -> Result<PackedFile<'s>, WriteError> {
    check_root(program, &[Program::TYPE])?;
    if let Some(mistake) = program.mistake() {
        return Err(mistake.clone());
    }
    let mut root = TableTree::new(Program::TYPE);
    for (field, value) in program.fields().filter(|(field, _)| !BLOBS.contains(&field.name)) {
        root.set(field.name, value.clone())?;
    }
    for list in BLOBS {
        root.set(list, Vec::<TableTree>::new())?;
    }
    let mut constants = inline(program, "constant_buffer", "storage");
    let mut delegates = inline(program, "backend_delegate_data", "data");
    let made = ["segments", "constant_segment", "mutable_data_segments", "named_data"];
    if let Some(field) = made.into_iter().find(|field| root.get(field).is_some_and(|value| !is_unused(value))) {
        return Err(generated(field));
    }
    root.remove("segments");
    if !data.constants.is_empty() {
        if constants.len() > 1 || constants.iter().any(|constant| !constant.is_empty()) {
            return Err(generated("constant_buffer"));
        }
        constants = [&[][..]].into_iter().chain(data.constants).collect();
    }
    if delegates.is_empty() {
        delegates = data.delegates;
    } else if !data.delegates.is_empty() {
        return Err(generated("backend_delegate_data"));
    }

    let mut segments = Segments::default();
    if constants.is_empty() {
        constants.push(&[]);
    }
    let constants = SegmentParts::new(constants, options.layout.constant_alignment as u64)?;
    root.set("constant_segment", segments.subsegments(constants))?;
    if !data.mutable.is_empty() {
        let placeholder = [&[][..]];
        let mutable = SegmentParts::new(placeholder.into_iter().chain(data.mutable), 1)?;
        if mutable.len > 0 {
            root.set("mutable_data_segments", [segments.subsegments(mutable)])?;
        }
    }
    let inline = if options.inline_delegates {
        delegates.into_iter().map(inline_data).collect()
    } else {
        segments.extract(&mut root, &delegates)?
    };
    root.set("backend_delegate_data", inline)?;
    if let Some(store) = data.named_data {
        root.set("named_data", segments.named_data(store))?;
    }

    let plan = plan(&root, &segments.extents, &options.layout)?;
    PackedFile::new(root, plan, &segments.parts, FileKind::Pte)
}

fn generated(field: &str) -> WriteError {
    WriteError::new(WriteCause::Tree, field, "is generated by pack; leave it out")
}

/// The fields of a program that are lists of blobs.
const BLOBS: [&str; 2] = ["constant_buffer", "backend_delegate_data"];

/// Returns whether the value is an empty list, or a table with `segment_index` 0 and no `offsets`.
fn is_unused(value: &FieldValue) -> bool {
    let no_offsets = |table: &TableTree| {
        table.get("offsets").and_then(FieldValue::as_bytes).is_none_or(<[u8]>::is_empty)
            && table.int("segment_index") == 0
    };
    value.as_tables().map_or_else(|| value.as_table().is_some_and(no_offsets), <[TableTree]>::is_empty)
}

/// Each entry of the list stores its blob in `field`.
fn inline<'s>(program: &'s TableTree, list: &str, field: &str) -> Vec<&'s [u8]> {
    let entries = program.get(list).and_then(FieldValue::as_tables).unwrap_or_default();
    let bytes = |entry: &'s TableTree| entry.get(field).and_then(FieldValue::as_bytes).unwrap_or_default();
    entries.iter().map(bytes).collect()
}

#[derive(Default)]
struct Segments<'s> {
    extents: Vec<SegmentExtent>,
    parts: Vec<SegmentParts<'s>>,
}

impl<'s> Segments<'s> {
    fn push(&mut self, segment: SegmentParts<'s>, alignment: u64) -> usize {
        self.extents.push(SegmentExtent { len: segment.len, alignment });
        self.parts.push(segment);
        self.parts.len() - 1
    }

    /// The table contains the entries' offsets.
    fn subsegments(&mut self, segment: SegmentParts<'s>) -> TableTree {
        let offsets = segment.offsets();
        let index = self.push(segment, 1);
        let table = TableTree::new(SubsegmentOffsets::TYPE).with("segment_index", index).with("offsets", offsets);
        table.without_defaults()
    }

    /// Moves the delegates' nonempty blobs to segments. Returns what stays in the FlatBuffer: one entry for each empty
    /// blob.
    fn extract(&mut self, root: &mut TableTree, blobs: &[&'s [u8]]) -> Result<Vec<TableTree>, WriteError> {
        let (mut placed, mut inline) = (BTreeMap::new(), Vec::new());
        visit_inline_blobs(root, blobs.len(), &mut |index, processed| {
            let blob = blobs[index];
            let (location, index) = if blob.is_empty() {
                inline.push(inline_data(blob));
                (DataLocation::INLINE, inline.len() - 1)
            } else {
                (DataLocation::SEGMENT, *placed.entry(blob).or_insert_with(|| self.push(blob.into(), 1)))
            };
            let reference = TableTree::new(BackendDelegateDataReference::TYPE);
            *processed = reference.with("location", location).with("index", index).without_defaults();
        })?;
        Ok(inline)
    }

    /// Returns the entries that map keys to segments.
    fn named_data(&mut self, store: NamedDataStore<'s>) -> Vec<TableTree> {
        let first = self.parts.len();
        for blob in store.blobs {
            self.push(blob.bytes.into(), blob.alignment);
        }
        let entry = |entry: &NamedDataEntry| {
            let table = TableTree::new(NamedData::TYPE).with("key", entry.key.as_str());
            table.with("segment_index", first + entry.blob).without_defaults()
        };
        store.entries.iter().map(entry).collect()
    }
}

fn inline_data(bytes: &[u8]) -> TableTree {
    TableTree::new(BackendDelegateInlineData::TYPE).with("data", bytes)
}

/// Rejects delegates without an inline blob, and blobs that no delegate uses. Skips delegates without `processed`,
/// which [`pack`] rejects later.
fn visit_inline_blobs(
    root: &mut TableTree,
    count: usize,
    visit: &mut dyn FnMut(usize, &mut TableTree),
) -> Result<(), WriteError> {
    let mut used = vec![false; count];
    for (plan, plan_tree) in root.tables_mut("execution_plan").into_iter().flatten().enumerate() {
        for (delegate, delegate_tree) in plan_tree.tables_mut("delegates").into_iter().flatten().enumerate() {
            let Some(processed) = delegate_tree.table_mut("processed") else { continue };
            let inline = processed.int("location") == DataLocation::INLINE.0.into();
            let index = u32::try_from(processed.int("index")).ok().filter(|_| inline);
            match index.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < count) {
                Some(index) => {
                    used[index] = true;
                    visit(index, processed);
                }
                None => {
                    let path = format!("execution_plan[{plan}].delegates[{delegate}].processed");
                    let message = match index {
                        Some(index) => OutOfRange::new(index, count).to_string(),
                        None => "the location is not `INLINE`; expected an index into the list of inline blobs".into(),
                    };
                    return Err(WriteError::new(WriteCause::Tree, path, message));
                }
            }
        }
    }
    match used.iter().position(|used| !used) {
        Some(index) => {
            let path = format!("backend_delegate_data[{index}]");
            Err(WriteError::new(WriteCause::Tree, path, "no delegate uses this blob"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
