//! The segment indexes in a file's tables.

use torchproof::flatbuffer::tree::{TableTree, Value};
use torchproof::pte::schema::DataLocation;

use super::Document;

/// A field that holds the index of a segment.
struct Reference {
    /// The table that has it.
    path: String,
    field: &'static str,
    segment: u32,
}

impl Document {
    /// Whether a table names the segment.
    #[must_use]
    pub fn is_referred_to(&self, segment: u32) -> bool {
        self.times_referred_to(segment) > 0
    }

    /// How many indexes in the tables are the segment's.
    pub(super) fn times_referred_to(&self, segment: u32) -> usize {
        references(&self.root).iter().filter(|reference| reference.segment == segment).count()
    }

    /// Takes a segment out, and counts the indexes of those behind it down, wherever a table has one.
    ///
    /// Nothing happens, and the answer is no, while a table names it or when there is no such segment.
    pub fn remove_segment(&mut self, segment: u32) -> bool {
        let references = references(&self.root);
        let named = references.iter().any(|reference| reference.segment == segment);
        if named || segment as usize >= self.segments.len() {
            return false;
        }
        self.segments.remove(segment as usize);
        for Reference { path, field, segment: own } in references.iter().filter(|other| other.segment > segment) {
            if let Some(table) = self.root.at_mut(path) {
                set_index(table, field, own - 1);
            }
        }
        true
    }
}

/// Sets an index; 0 is left out, as the official writers do.
pub(super) fn set_index(table: &mut TableTree, field: &'static str, index: u32) {
    if index == 0 {
        table.remove(field);
    } else {
        let set = table.set(field, index);
        debug_assert_eq!(set, Ok(()));
    }
}

/// A number that is not below 0, 0 where it is absent.
pub(crate) fn number<N: TryFrom<i128> + Default>(table: &TableTree, field: &str) -> N {
    table.get(field).and_then(Value::as_int).and_then(|number| N::try_from(number).ok()).unwrap_or_default()
}

/// Every segment index in the tables of a program or a data file.
fn references(root: &TableTree) -> Vec<Reference> {
    const FIELD: &str = "segment_index";
    let mut found = Vec::new();
    if let Some(table) = root.at("constant_segment") {
        found.push(Reference { path: "constant_segment".to_owned(), field: FIELD, segment: number(table, FIELD) });
    }
    for list in ["mutable_data_segments", "named_data", "tensors"] {
        for (index, table) in tables(root, list).iter().enumerate() {
            found.push(Reference { path: format!("{list}[{index}]"), field: FIELD, segment: number(table, FIELD) });
        }
    }
    for (plan_index, plan) in tables(root, "execution_plan").iter().enumerate() {
        for (index, delegate) in tables(plan, "delegates").iter().enumerate() {
            let Some(processed) = delegate.at("processed") else { continue };
            if number::<u32>(processed, "location") == u32::from(DataLocation::SEGMENT.0.cast_unsigned()) {
                let path = format!("execution_plan[{plan_index}].delegates[{index}].processed");
                found.push(Reference { path, field: "index", segment: number(processed, "index") });
            }
        }
    }
    found
}

/// The tables of a vector; none when the field is not set.
pub(super) fn tables<'t>(table: &'t TableTree, field: &str) -> &'t [TableTree] {
    table.get(field).and_then(Value::as_tables).unwrap_or_default()
}
