//! Fields of a newer schema, which a change of anything else would lose.

use torchproof::Limits;
use torchproof::bundled::Bundled;
use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::Fault;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::walk::{Flow, Path, Stop, Visited, Visitor, walk};
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::ptd::schema::FlatTensor;
use torchproof::ptd::{self, Ptd};
use torchproof::pte::Pte;
use torchproof::pte::schema::Program;

use crate::input::Input;

/// The first field of a file that its schema does not know here: the table's name, and the slot.
pub(super) fn newer_field(input: &Input) -> Option<(&'static str, u16)> {
    newer_fields(input, 1).first().copied()
}

/// As [`newer_field`], the first few that differ.
pub(super) fn newer_fields(input: &Input, most: usize) -> Vec<(&'static str, u16)> {
    let image = input.image();
    let mut newer = Newer { found: Vec::new(), most };
    if let Ok(file) = Pte::open_image(image) {
        newer = newer.within::<Program<'_>>(file.region());
    } else if let Ok(file) = Bundled::open_image(image) {
        newer = newer.within::<BundledProgram<'_>>(image.bytes());
        if let Ok(program) = file.program() {
            newer = newer.within::<Program<'_>>(program.region());
        }
    } else if let Ok(file) = Ptd::open_image(image) {
        newer = match file.layout() {
            ptd::Layout::Current(_) => newer.within::<FlatTensor<'_>>(file.region()),
            ptd::Layout::Older(_) => newer.within::<OlderFlatTensor<'_>>(file.region()),
        };
    }
    newer.found
}

/// Looks for fields that a table's type does not have.
struct Newer {
    found: Vec<(&'static str, u16)>,
    most: usize,
}

impl Newer {
    /// With those of a FlatBuffer that has a root of this type.
    fn within<'a, T: TableView<'a>>(self, region: &'a [u8]) -> Self {
        if self.found.len() < self.most { walk::<T, _>(region, Limits::DEFAULT, self).0 } else { self }
    }
}

impl<'a> Visitor<'a> for Newer {
    fn fault(&mut self, _: &Fault, _: Path<'_>) -> Flow {
        Ok(())
    }

    fn enter<T: TableView<'a>>(&mut self, visited: &Visited<'_, 'a, T>, _: Path<'_>) -> Flow {
        let table = visited.table();
        for slot in unknown(T::TYPE, table.slots()).filter(|slot| table.field(*slot).is_some()) {
            if !self.found.contains(&(T::TYPE.name, slot)) {
                self.found.push((T::TYPE.name, slot));
            }
            if self.found.len() >= self.most {
                return Err(Stop::Asked);
            }
        }
        Ok(())
    }
}

/// The slots below `slots` that a type has no field in: those past its last, and any that it leaves free.
fn unknown(ty: &TableType, slots: u16) -> impl Iterator<Item = u16> {
    let mut known = ty.fields.iter().map(|field| field.slot).peekable();
    (0..slots).filter(move |slot| known.next_if_eq(slot).is_none())
}

#[cfg(test)]
mod tests {
    use torchproof::flatbuffer::schema::{Field, Kind};

    use super::*;

    #[test]
    fn a_slot_that_a_type_leaves_free_is_unknown() {
        const fn field(slot: u16) -> Field {
            Field { name: "a_name", slot, kind: Kind::String }
        }
        static GAPS: TableType = TableType { name: "Gaps", fields: &[field(1), field(2), field(5)] };
        assert_eq!(unknown(&GAPS, 8).collect::<Vec<_>>(), [0, 3, 4, 6, 7]);
        assert_eq!(unknown(&GAPS, 2).collect::<Vec<_>>(), [0]);
        assert_eq!(unknown(Program::TYPE, 9).collect::<Vec<_>>(), [8]);
    }
}
