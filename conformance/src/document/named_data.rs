//! A document's named data.

use torchproof::FileKind;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::{FieldValue, TableTree};
use torchproof::pte::schema::DataLocation;
use torchproof::write::WriteError;
use torchproof::{ptd, pte};

use super::{Data, Document, EditError, Segment};
use super::{number, usual_alignment};

const LIST: &str = "named_data";
const INDEX: &str = "segment_index";

impl Document {
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        tables(&self.root, LIST).iter().map(key_of)
    }

    /// Returns the first of several entries with equal keys, as readers do.
    #[must_use]
    pub fn named_data(&self, key: &[u8]) -> Option<&Data> {
        let entry = tables(&self.root, LIST).iter().find(|entry| key_of(entry) == key)?;
        Some(&self.segments.get(number::<usize>(entry, INDEX))?.data)
    }

    /// Sets the bytes of the entry with this key, or adds an entry. If another field also refers to the entry's
    /// segment, the bytes become a new segment after all others. Fails if there would be too many segments.
    pub fn set_named_data(&mut self, key: &str, bytes: &[u8]) -> Result<(), EditError> {
        let new = Segment::new(Data::Bytes(bytes.to_vec()), usual_alignment(self.kind));
        let position = self.keys().position(|own| own == key.as_bytes());
        let own = position.and_then(|at| tables(&self.root, LIST).get(at)).map(|entry| number(entry, INDEX));
        let index = match own.filter(|own| self.references().iter().filter(|other| other.segment == *own).count() == 1)
        {
            Some(index) => index,
            None => u32::try_from(self.segments.len()).map_err(|_| WriteError::too_large())?,
        };
        match self.segments.get_mut(index as usize) {
            Some(segment) => *segment = new,
            None => self.segments.push(new),
        }
        let ty = if self.kind == FileKind::Pte { pte::schema::NamedData::TYPE } else { ptd::schema::NamedData::TYPE };
        let mut entry = TableTree::new(ty);
        entry.set("key", key)?;
        set_index(&mut entry, INDEX, index);
        if self.root.tables_mut(LIST).is_none() {
            self.root.set(LIST, Vec::<TableTree>::new())?;
        }
        let Some(entries) = self.root.tables_mut(LIST) else { return Ok(()) };
        match position {
            Some(at) => entries[at] = entry,
            None => entries.push(entry),
        }
        Ok(())
    }

    /// Returns whether there was an entry. Its segment is removed as well if nothing else refers to it, because an unreferenced
    /// segment would break a should-rule. A program's empty list is also removed, because the official exporter writes none.
    pub fn remove_named_data(&mut self, key: &[u8]) -> bool {
        let Some(at) = self.keys().position(|own| own == key) else { return false };
        let Some(entries) = self.root.tables_mut(LIST) else { return false };
        let segment = number(&entries.remove(at), INDEX);
        if entries.is_empty() && self.kind == FileKind::Pte {
            self.root.remove(LIST);
        }
        self.remove_segment(segment);
        true
    }

    fn remove_segment(&mut self, segment: u32) {
        let references = self.references();
        if references.iter().any(|own| own.segment == segment) || segment as usize >= self.segments.len() {
            return;
        }
        self.segments.remove(segment as usize);
        for Reference { path, field, segment: own } in references.iter().filter(|own| own.segment > segment) {
            if let Some(table) = self.root.at_mut(path) {
                set_index(table, field, own - 1);
            }
        }
    }

    fn references(&self) -> Vec<Reference> {
        let mut found = Vec::new();
        let mut add = |path: String, field, table| {
            found.push(Reference { path, field, segment: number(table, field) });
        };
        if let Some(table) = self.root.at("constant_segment") {
            add("constant_segment".to_owned(), INDEX, table);
        }
        for list in ["mutable_data_segments", LIST] {
            for (index, table) in tables(&self.root, list).iter().enumerate() {
                add(format!("{list}[{index}]"), INDEX, table);
            }
        }
        for (plan_index, plan) in tables(&self.root, "execution_plan").iter().enumerate() {
            for (index, delegate) in tables(plan, "delegates").iter().enumerate() {
                let Some(processed) = delegate.at("processed") else { continue };
                if number::<u32>(processed, "location") == u32::from(DataLocation::SEGMENT.0.cast_unsigned()) {
                    add(format!("execution_plan[{plan_index}].delegates[{index}].processed"), "index", processed);
                }
            }
        }
        found
    }
}

struct Reference {
    path: String,
    field: &'static str,
    segment: u32,
}

fn key_of(entry: &TableTree) -> &[u8] {
    entry.get("key").and_then(FieldValue::as_bytes).unwrap_or_default()
}

fn tables<'t>(table: &'t TableTree, field: &str) -> &'t [TableTree] {
    table.get(field).and_then(FieldValue::as_tables).unwrap_or_default()
}

/// Index 0 removes the field, because the official writers omit it too.
fn set_index(table: &mut TableTree, field: &'static str, index: u32) {
    if index == 0 {
        table.remove(field);
    } else {
        let set = table.set(field, index);
        debug_assert_eq!(set, Ok(()));
    }
}
