//! From data files into a program.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use torchproof::FileKind;
use torchproof::Span;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::pte::schema::SubsegmentOffsets;
use torchproof::write::WriteError;

use super::carry::{Carried, names_of};
use super::names::{inside_names, is_invented};
use super::tensors::{bytes_of, is_external, key_of, offsets_of, plan_of, put_inside, tensors};
use super::{MoveError, Moved, USUAL_ALIGNMENT};
use crate::edit::alignment::largest_power;
use crate::edit::references::{number, set_index, tables};
use crate::edit::{Data, Document, EditError, Place, usual_alignment};

impl Document {
    /// Moves the constant tensors that a program has in these data files into the program.
    ///
    /// They are put behind the constants that it has, in a segment and in the data files' order, each at a multiple of what the
    /// data file's header and its place there tell; those that share a segment of a data file share a constant.
    /// Where tensors of a method share a name, the first keeps it; a name that [`Document::split`] made up goes.
    /// Tensors in planned memory whose initial values are in a data file keep them there.
    ///
    /// Blobs of the data files, as metadata, become named data of the program. Tensors that the program does not have are left,
    /// which [`Moved::left`] says. A file with initial values is still to be loaded, and keeps what is not moved.
    ///
    /// A program without data of its own is aligned as the data files are. One without such tensors only gets the blobs.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::path::Path;
    /// use torchproof_cli::edit::Document;
    ///
    /// let mut program = Document::open(Path::new("../corpus/real/linear_external.pte"))?;
    /// let data = Document::open(Path::new("../corpus/real/linear_external.ptd"))?;
    /// let moved = program.merge(&[data])?;
    /// assert_eq!((moved.tensors, moved.left), (2, vec![]));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When a file is not what it should be, no data file has a tensor, there is no room for other constants, or a blob's key is
    /// another's already.
    pub fn merge(&mut self, data: &[Document]) -> Result<Moved, EditError> {
        self.expect_program()?;
        let externals = Externals::of(self, data)?;
        let carried = externals.carried;
        let mut moved = Moved { blobs: carried.blobs(), left: carried.left.clone(), ..Moved::default() };
        if moved.blobs > 0 || !externals.tensors.is_empty() {
            self.align_as(data);
        }
        if externals.tensors.is_empty() {
            carried.put(self, data)?;
            return Ok(moved);
        }
        let (segment, mut offsets) = self.constant_home()?;
        let mut parts = vec![self.segments[segment as usize].data.clone()];
        let (mut end, mut most) = (parts[0].len(), 1);
        let mut homes: BTreeMap<Home, u32> = BTreeMap::new();
        for (home, bytes) in externals.places {
            let own = data[home.file].own_alignment(home.segment);
            let alignment = data[home.file].constant_alignment().max(own);
            let place = end.checked_next_multiple_of(alignment).ok_or(WriteError::TooLarge)?;
            parts.push(Data::zeros(place - end));
            end = place.checked_add(bytes.len()).ok_or(WriteError::TooLarge)?;
            moved.constants += 1;
            moved.bytes = moved.bytes.saturating_add(bytes.len());
            parts.push(bytes);
            most = most.max(own);
            homes.insert(home, u32::try_from(offsets.len()).map_err(|_| WriteError::TooLarge)?);
            offsets.push(place);
        }
        // A look-up by name finds the first tensor of a method that has it, so no other is to have it.
        let mut names = inside_names(&self.root);
        for (path, home) in externals.tensors {
            let Some(tensor) = self.root.at_mut(&path) else { continue };
            let key = key_of(tensor).unwrap_or_default();
            let named = !is_invented(key) && names.insert((plan_of(&path).to_owned(), key.to_vec()));
            tensor.set("data_buffer_idx", homes[&home])?;
            put_inside(tensor, named);
            moved.tensors += 1;
        }
        let home = &mut self.segments[segment as usize];
        home.data = Data::Joined(parts);
        if let Place::Aligned(own) = &mut home.place {
            *own = most.max(*own);
        }
        self.align_base(most);
        if let Some(buffers) = self.root.tables_mut("constant_buffer") {
            // Constants have one home; what was here is its placeholder.
            buffers.clear();
        }
        if self.root.table_mut("constant_segment").is_none() {
            self.root.set("constant_segment", TableTree::new(SubsegmentOffsets::TYPE))?;
        }
        if let Some(home) = self.root.table_mut("constant_segment") {
            home.set("offsets", offsets)?;
            set_index(home, "segment_index", segment);
        }
        carried.put(self, data)?;
        Ok(moved)
    }

    /// Takes over the alignment of these files, if there is no data that tells another.
    fn align_as(&mut self, data: &[Document]) {
        if self.segments.iter().any(|segment| !segment.data.is_empty()) {
            return;
        }
        let most =
            |alignment: fn(&Document) -> u64| data.iter().map(alignment).fold(usual_alignment(FileKind::Pte), u64::max);
        self.layout.segment_alignment = most(|data| data.layout.segment_alignment);
        self.layout.base.alignment = most(|data| data.layout.base.alignment);
        for segment in &mut self.segments {
            segment.place = Place::Aligned(self.layout.segment_alignment);
        }
    }

    /// What the constants in this data file are aligned to among themselves, wherever their segment is.
    fn constant_alignment(&self) -> u64 {
        largest_power(self.layout.header_size).max(USUAL_ALIGNMENT)
    }

    /// What a segment of this data file is aligned to, if that is more than all of them are; else 1.
    fn own_alignment(&self, segment: u32) -> u64 {
        let expected = self.layout.segment_alignment.max(usual_alignment(self.kind));
        match self.segments.get(segment as usize).map(|segment| segment.place) {
            Some(Place::Aligned(own)) if own > expected => own,
            _ => 1,
        }
    }

    /// The segment that takes constants, a new one if need be, and the offsets of those in it.
    fn constant_home(&mut self) -> Result<(u32, Vec<u64>), EditError> {
        let (segment, offsets) = match self.root.at("constant_segment") {
            Some(home) => (Some(number(home, "segment_index")), offsets_of(home)),
            None => (None, Vec::new()),
        };
        if offsets.len() <= 1 && tables(&self.root, "constant_buffer").len() > 1 {
            return Err(MoveError::Inline.into());
        }
        let own = segment
            .filter(|segment| (*segment as usize) < self.segments.len() && self.times_referred_to(*segment) == 1);
        match own {
            Some(segment) if offsets.is_empty() => Ok((segment, vec![0])),
            Some(segment) => Ok((segment, offsets)),
            None if offsets.len() > 1 => Err(MoveError::SharedSegment.into()),
            None => {
                let segment = u32::try_from(self.segments.len()).map_err(|_| WriteError::TooLarge)?;
                self.push_segment(Data::Bytes(Vec::new()), 1);
                Ok((segment, vec![0]))
            }
        }
    }
}

/// Where a constant is in data files. They are ordered as they lie there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Home {
    file: usize,
    segment: u32,
    offset: u64,
    len: u64,
}

/// The constants that a program's tensors have in data files.
struct Externals {
    /// The path of each tensor.
    tensors: Vec<(String, Home)>,
    places: BTreeMap<Home, Data>,
    /// What of the files is not moved.
    carried: Carried,
}

impl Externals {
    fn of(program: &Document, data: &[Document]) -> Result<Self, MoveError> {
        let found = Found::of(data)?;
        let mut externals = Self { tensors: Vec::new(), places: BTreeMap::new(), carried: Carried::default() };
        let (mut moved, mut needs) = (BTreeSet::new(), BTreeSet::new());
        for path in tensors(&program.root) {
            let Some(tensor) = program.root.at(&path).filter(|tensor| is_external(tensor)) else { continue };
            let key = key_of(tensor).unwrap_or_default();
            if tensor.get("allocation_info").is_some() {
                needs.extend(found.0.get(key).map(|(file, ..)| *file));
                continue;
            }
            let len = bytes_of(tensor)?;
            let text = || String::from_utf8_lossy(key).into_owned();
            let (file, segment, offset) = *found.0.get(key).ok_or_else(|| MoveError::NotFound { key: text() })?;
            let home = Home { file, segment, offset, len };
            moved.insert((file, key));
            if let Entry::Vacant(entry) = externals.places.entry(home) {
                let bytes = data[file].segments.get(segment as usize);
                let bytes = bytes.map(|segment| segment.data.slice(Span::new(offset, len)));
                let bytes = bytes.filter(|data| data.len() == len);
                let bytes = bytes.ok_or_else(|| MoveError::OutOfRange { path: path.clone() })?;
                entry.insert(bytes);
            }
            externals.tensors.push((path, home));
        }
        externals.carried = Carried::of(program, data, &moved, &needs)?;
        Ok(externals)
    }
}

/// The tensors of data files: file, segment, and offset in it, by name.
struct Found(BTreeMap<Vec<u8>, (usize, u32, u64)>);

impl Found {
    fn of(data: &[Document]) -> Result<Self, MoveError> {
        let mut found = BTreeMap::new();
        for (file, document) in data.iter().enumerate() {
            let (list, name) = names_of(document)?;
            for entry in tables(&document.root, list) {
                let Some(key) = entry.get(name).and_then(Value::as_bytes) else { continue };
                // Of equal names, readers find the first.
                found.entry(key.to_vec()).or_insert((file, number(entry, "segment_index"), number(entry, "offset")));
            }
        }
        Ok(Self(found))
    }
}
