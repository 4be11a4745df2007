//! The blobs that a file has under keys.

use torchproof::FileKind;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::ptd;
use torchproof::pte;

use super::references::{number, set_index, tables};
use super::{Data, Document, EditError, Segment, usual_alignment};

impl Document {
    /// The keys, as bytes, and the index of the segment of each, in the file's order.
    pub fn named_data(&self) -> impl Iterator<Item = (&[u8], u32)> {
        tables(&self.root, "named_data").iter().map(|entry| (key_of(entry), segment_of(entry)))
    }

    /// The index of the segment under a key; of equal keys, as readers take it, the first one's.
    #[must_use]
    pub fn named_segment(&self, key: &[u8]) -> Option<u32> {
        self.named_data().find(|(own, _)| *own == key).map(|(_, segment)| segment)
    }

    /// Puts bytes under a key, in a segment of their own behind all others: in place of what was under it, or as a new entry
    /// behind the others.
    ///
    /// A segment that is then no longer referred to is taken out. What the old bytes were as a tensor is forgotten;
    /// [`Document::set_tensor`] says what the new ones are. The segment's place is a multiple of `alignment`, a power of two,
    /// and of what the segments of such a file are aligned to.
    ///
    /// # Errors
    ///
    /// When the alignment is no power of two, there are too many segments, or the file's layout is the older one, whose
    /// official readers look up tensors only.
    pub fn set_named_data(&mut self, key: &str, data: Data, alignment: u64) -> Result<(), EditError> {
        self.put(key, data, alignment, None)
    }

    /// As [`Document::set_named_data`] in a data file, of bytes that are a tensor of this layout (`TensorLayout`).
    ///
    /// # Errors
    ///
    /// As [`Document::set_named_data`], and when the layout is another table or the file is a program.
    pub fn set_tensor(&mut self, key: &str, data: Data, alignment: u64, layout: TableTree) -> Result<(), EditError> {
        self.put(key, data, alignment, Some(layout))
    }

    fn put(&mut self, key: &str, data: Data, alignment: u64, layout: Option<TableTree>) -> Result<(), EditError> {
        let ty = match self.kind {
            FileKind::Pte => pte::schema::NamedData::TYPE,
            FileKind::Ptd => ptd::schema::NamedData::TYPE,
            _ => return Err(EditError::OlderLayout),
        };
        if !alignment.is_power_of_two() {
            return Err(EditError::Alignment { given: alignment });
        }
        let segment = u32::try_from(self.segments.len()).map_err(|_| torchproof::write::WriteError::TooLarge)?;
        let mut entry = TableTree::new(ty);
        entry.set("key", key)?;
        set_index(&mut entry, "segment_index", segment);
        if let Some(layout) = layout {
            entry.set("tensor_layout", layout)?;
        }
        self.push_segment(data, alignment);
        if self.root.tables_mut("named_data").is_none() {
            self.root.set("named_data", Vec::<TableTree>::new())?;
        }
        let Some(entries) = self.root.tables_mut("named_data") else { return Ok(()) };
        match entries.iter_mut().find(|own| key_of(own) == key.as_bytes()) {
            Some(own) => {
                let old = segment_of(&std::mem::replace(own, entry));
                self.remove_segment(old);
            }
            None => entries.push(entry),
        }
        Ok(())
    }

    /// Puts a segment behind all others, at a multiple of `alignment` and of what is usual in the file and elsewhere.
    pub(super) fn push_segment(&mut self, data: Data, alignment: u64) {
        let alignment = alignment.max(self.layout.segment_alignment).max(usual_alignment(self.kind));
        self.segments.push(Segment::new(data, alignment));
        self.align_base(alignment);
    }

    /// Takes a key out, and its segment when nothing else refers to that; of equal keys, the first. Whether there was one.
    pub fn remove_named_data(&mut self, key: &[u8]) -> bool {
        let Some(entries) = self.root.tables_mut("named_data") else { return false };
        let Some(index) = entries.iter().position(|entry| key_of(entry) == key) else { return false };
        let segment = segment_of(&entries.remove(index));
        self.remove_segment(segment);
        true
    }
}

fn key_of(entry: &TableTree) -> &[u8] {
    entry.get("key").and_then(Value::as_bytes).unwrap_or_default()
}

fn segment_of(entry: &TableTree) -> u32 {
    number(entry, "segment_index")
}
