//! What of a data file no tensor of a program is made of.

use std::collections::{BTreeMap, BTreeSet};

use torchproof::FileKind;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::pte::schema::NamedData;
use torchproof::write::WriteError;

use super::{Left, MoveError};
use crate::edit::references::{number, set_index, tables};
use crate::edit::{Document, EditError, Place};

/// What is carried from data files into a program's named data, and what has no place there.
#[derive(Default)]
pub(super) struct Carried {
    /// Key, file, and segment in it, in the files' order.
    blobs: Vec<(Vec<u8>, usize, u32)>,
    pub(super) left: Vec<Left>,
}

impl Carried {
    /// Goes through the entries of `data` that are not `moved`, by file and key, but for files that the program `needs` still.
    ///
    /// Blobs are carried; tensors are left, as a program's named data have no layouts.
    pub(super) fn of(
        program: &Document,
        data: &[Document],
        moved: &BTreeSet<(usize, &[u8])>,
        needs: &BTreeSet<usize>,
    ) -> Result<Self, MoveError> {
        let mut carried = Self::default();
        let mut taken: BTreeSet<&[u8]> = program.named_data().map(|(key, _)| key).collect();
        for (file, document) in data.iter().enumerate().filter(|(file, _)| !needs.contains(file)) {
            let (list, name) = names_of(document)?;
            // Of equal names, readers find the first.
            let mut seen = BTreeSet::new();
            let (mut count, mut first) = (0, None);
            for entry in tables(&document.root, list) {
                let Some(key) = entry.get(name).and_then(Value::as_bytes) else { continue };
                if moved.contains(&(file, key)) || !seen.insert(key) {
                    continue;
                }
                if document.kind == FileKind::PtdLegacy || entry.get("tensor_layout").is_some() {
                    count += 1;
                    first.get_or_insert_with(|| text_of(key));
                } else if taken.insert(key) {
                    carried.blobs.push((key.to_vec(), file, number(entry, "segment_index")));
                } else {
                    return Err(MoveError::KeyTaken { key: text_of(key) });
                }
            }
            carried.left.extend(first.map(|first| Left::Tensors { file, count, first }));
        }
        Ok(carried)
    }

    /// How many entries are carried.
    pub(super) fn blobs(&self) -> u64 {
        self.blobs.len() as u64
    }

    /// Puts the blobs behind the program's own, each aligned as it was. Those that share a segment share one again.
    pub(super) fn put(self, program: &mut Document, data: &[Document]) -> Result<(), EditError> {
        if self.blobs.is_empty() {
            return Ok(());
        }
        let mut homes = BTreeMap::new();
        let mut entries = Vec::new();
        for (key, file, segment) in self.blobs {
            let home = match homes.get(&(file, segment)) {
                Some(home) => *home,
                None => {
                    let own = data[file].segments.get(segment as usize);
                    let own = own.ok_or_else(|| MoveError::OutOfRange { path: text_of(&key) })?;
                    let alignment = if let Place::Aligned(alignment) = own.place { alignment } else { 1 };
                    let home = u32::try_from(program.segments.len()).map_err(|_| WriteError::TooLarge)?;
                    program.push_segment(own.data.clone(), alignment);
                    homes.insert((file, segment), home);
                    home
                }
            };
            let mut entry = TableTree::new(NamedData::TYPE);
            entry.set("key", &key[..])?;
            set_index(&mut entry, "segment_index", home);
            entries.push(entry);
        }
        match program.root.tables_mut("named_data") {
            Some(own) => own.extend(entries),
            None => program.root.set("named_data", entries)?,
        }
        Ok(())
    }
}

fn text_of(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}

/// The list of a data file's entries, and the field with the name of each.
pub(super) fn names_of(document: &Document) -> Result<(&'static str, &'static str), MoveError> {
    match document.kind {
        FileKind::Ptd => Ok(("named_data", "key")),
        FileKind::PtdLegacy => Ok(("tensors", "fully_qualified_name")),
        _ => Err(MoveError::NotData),
    }
}

/// The names of a data file's entries; of a program, none.
pub(super) fn keys(document: &Document) -> BTreeSet<&[u8]> {
    let Ok((list, name)) = names_of(document) else { return BTreeSet::new() };
    tables(&document.root, list).iter().filter_map(|entry| entry.get(name)?.as_bytes()).collect()
}
