//! From a program into a data file.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use torchproof::Span;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::ptd;
use torchproof::ptd::schema::{FlatTensor, NamedData};
use torchproof::pte::header::LENGTH_WITH_DATA_SIZE;
use torchproof::pte::write::HeaderKind;
use torchproof::write::WriteError;

use super::names::{Name, Names};
use super::tensors::{bytes_of, is_constant, layout_of, offsets_of, put_external, tensors};
use super::{Left, MoveError, Moved, USUAL_ALIGNMENT};
use crate::edit::alignment;
use crate::edit::layout::MOST_HEADER;
use crate::edit::references::{number, set_index, tables};
use crate::edit::{Base, Data, Document, EditError, Layout, Segment};

impl Document {
    /// Moves every constant tensor of a program into a data file, which it returns.
    ///
    /// A tensor's key is its fully qualified name, or `torchproof.constant.N` with its place among the constants where it has
    /// none; a number is put behind that where another tensor has the name. What shared its bytes shares a segment. Constants
    /// that no tensor has are dropped, which [`Moved::left`] says; initial values of mutable tensors, delegates and named data stay.
    ///
    /// The segments of the data file are in the order of the constants, and aligned as the program's. A program without constant
    /// tensors stays as it is, and the data file has none.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::path::Path;
    /// use torchproof_cli::edit::Document;
    ///
    /// let mut program = Document::open(Path::new("../corpus/real/linear.pte"))?;
    /// let (data, moved) = program.split()?;
    /// assert_eq!(moved.to_string(), "2 tensors with 2 constants of 144 bytes");
    /// assert_eq!(data.named_data().count(), 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the file is no program, or its constants are not where it says.
    pub fn split(&mut self) -> Result<(Document, Moved), EditError> {
        self.expect_program()?;
        let constants = Constants::of(self)?;
        let layout = self.data_layout(&constants);
        if constants.tensors.is_empty() {
            let root = TableTree::new(FlatTensor::TYPE).with("named_data", Vec::<TableTree>::new());
            return Ok((Document::new(root, Vec::new(), layout)?, Moved::default()));
        }
        let mut moved = Moved { left: constants.unused.iter().cloned().collect(), ..Moved::default() };
        let (mut segments, mut homes) = (Vec::new(), BTreeMap::new());
        for (key, (data, _)) in constants.places {
            moved.constants += 1;
            moved.bytes = moved.bytes.saturating_add(key.1);
            let segment = u32::try_from(segments.len()).map_err(|_| WriteError::TooLarge)?;
            segments.push(Segment::new(data, layout.segment_alignment));
            homes.insert(key, segment);
        }
        let mut names = Names::of(&self.root);
        let mut entries = Vec::new();
        for (path, index, len) in constants.tensors {
            let Some(tensor) = self.root.at_mut(&path) else { continue };
            let name = names.name(tensor, index, len);
            if let Name::New(name) = &name {
                let mut entry = TableTree::new(NamedData::TYPE);
                entry.set("key", &name[..])?;
                set_index(&mut entry, "segment_index", homes[&(index, len)]);
                entry.set("tensor_layout", layout_of(tensor)?)?;
                entries.push(entry);
            }
            put_external(tensor, name.bytes())?;
            moved.tensors += 1;
        }
        self.clear_constants()?;
        let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
        let mut data = Document::new(root, segments, layout)?;
        data.lasting = true;
        Ok((data, moved))
    }

    /// The layout of the data file that takes these constants: it tells what the program's was.
    fn data_layout(&self, constants: &Constants) -> Layout {
        let usual = Layout::default();
        let inline = self.layout.inline_alignment as u64;
        let places: Vec<Span> = constants.places.values().filter_map(|(_, place)| *place).collect();
        let own = alignment::told_within(inline, &places).clamp(USUAL_ALIGNMENT, MOST_HEADER.into());
        Layout {
            header_size: u64::from(ptd::header::MIN_LENGTH).next_multiple_of(own),
            base: Base { at: None, alignment: self.layout.base.alignment.max(usual.base.alignment) },
            segment_alignment: self.layout.segment_alignment.max(usual.segment_alignment),
            ..usual
        }
    }

    /// Leaves the placeholder of the constants, and an empty segment, as the official writer does without constants.
    fn clear_constants(&mut self) -> Result<(), EditError> {
        if let HeaderKind::IfNeeded(length) = self.layout.header
            && (length != LENGTH_WITH_DATA_SIZE || self.layout.inline_alignment as u64 != USUAL_ALIGNMENT)
        {
            // It tells what the usual one would not, also when there is no data.
            self.layout.header = HeaderKind::Always(length);
        }
        if let Some(buffers) = self.root.tables_mut("constant_buffer") {
            buffers.truncate(1);
        }
        let Some(home) = self.root.table_mut("constant_segment") else { return Ok(()) };
        home.set("offsets", [0_u64])?;
        let segment: u32 = number(home, "segment_index");
        if self.times_referred_to(segment) == 1
            && let Some(segment) = self.segments.get_mut(segment as usize)
        {
            segment.data = Data::Bytes(Vec::new());
        }
        Ok(())
    }
}

/// The constants that a program's tensors have.
struct Constants {
    /// Path of each constant tensor, place among the constants, length.
    tensors: Vec<(String, u32, u64)>,
    /// The bytes by place among the constants and length, and where they are in their segment if they are in one.
    places: BTreeMap<(u32, u64), (Data, Option<Span>)>,
    /// Those that no tensor has.
    unused: Option<Left>,
}

impl Constants {
    fn of(document: &Document) -> Result<Self, MoveError> {
        let root = &document.root;
        let offsets = root.at("constant_segment").map(offsets_of).filter(|offsets| offsets.len() > 1);
        let segment = root.at("constant_segment").map_or(0, |home| number::<u32>(home, "segment_index"));
        let find = |index: u32, len: u64| {
            let index = usize::try_from(index).ok()?;
            if let Some(offsets) = &offsets {
                let place = Span::new(*offsets.get(index)?, len);
                return Some((document.segments.get(segment as usize)?.data.slice(place), Some(place)));
            }
            let storage = tables(root, "constant_buffer").get(index)?.get("storage").and_then(Value::as_bytes);
            let bytes = storage.unwrap_or_default().get(..usize::try_from(len).ok()?)?;
            Some((Data::Bytes(bytes.to_vec()), None))
        };
        let mut constants = Self { tensors: Vec::new(), places: BTreeMap::new(), unused: None };
        for path in tensors(root) {
            let Some(tensor) = root.at(&path).filter(|tensor| is_constant(tensor)) else { continue };
            let (index, len) = (number(tensor, "data_buffer_idx"), bytes_of(tensor)?);
            if let Entry::Vacant(entry) = constants.places.entry((index, len)) {
                let found = find(index, len).filter(|(data, _)| data.len() == len);
                let found = found.ok_or_else(|| MoveError::OutOfRange { path: path.clone() })?;
                entry.insert(found);
            }
            constants.tensors.push((path, index, len));
        }
        let used = constants.places.keys().map(|(index, _)| *index).collect();
        let lengths = match &offsets {
            Some(offsets) => {
                let end = document.segments.get(segment as usize).map_or(0, |own| own.data.len());
                lengths(offsets, end, &used)
            }
            None => {
                let storage = |buffer: &TableTree| Some(buffer.get("storage")?.as_bytes()?.len() as u64);
                tables(root, "constant_buffer").iter().map(|buffer| storage(buffer).unwrap_or(0)).collect()
            }
        };
        constants.unused = unused(&lengths, &used);
        Ok(constants)
    }
}

/// How far it is from each offset to the next larger one, or to the end. Of equal ones, a
/// used one has the bytes.
fn lengths(offsets: &[u64], end: u64, used: &BTreeSet<u32>) -> Vec<u64> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|index| (offsets[*index], u32::try_from(*index).is_ok_and(|index| used.contains(&index))));
    let mut lengths = vec![0; offsets.len()];
    let ends = order.iter().skip(1).map(|next| offsets[*next]).chain([end]);
    for (index, end) in order.iter().zip(ends) {
        lengths[*index] = end.saturating_sub(offsets[*index]);
    }
    lengths
}

/// Those of the constants with these lengths that are not `used`, behind the placeholder.
fn unused(lengths: &[u64], used: &BTreeSet<u32>) -> Option<Left> {
    let (mut count, mut bytes) = (0_u64, 0_u64);
    for (index, len) in (0_u32..).zip(lengths).skip(1) {
        if !used.contains(&index) {
            count += 1;
            bytes = bytes.saturating_add(*len);
        }
    }
    (count > 0).then_some(Left::Constants { count, bytes })
}
