//! Verifies the tables of a file: finds the first fault, and fields that the schema lacks.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::ViewError;
use crate::flatbuffer::Fault;
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::walk::{Flow, Path, Stop, VisitedTable, Visitor, walk};
use crate::{ErrorCode, Limit, Limits, Span, Stage};

/// A field that the schema lacks but a newer schema may define: the name of the table's type, and the slot.
pub(super) type NewerField = (&'static str, u16);

/// Two fields are enough to tell that there is more than one.
const MOST_NEWER: usize = 2;

/// Stops at the first fault. Until then, collects fields that the schema lacks.
pub(super) fn verify<'a, T: TableView<'a>>(
    _root: T,
    region: &'a [u8],
    limits: Limits,
    newer: &mut Vec<NewerField>,
) -> Result<(), ViewError> {
    let apparent_size = limits.apparent_size.min((1 << 20) + 16 * region.len() as u64);
    let mut pass = Pass { fault: None, newer, left: apparent_size };
    let (_, flow) = walk::<T>(region, Limits { apparent_size, ..limits }, &mut pass);
    match (pass.fault, flow) {
        (Some(error), _) => Err(error),
        (None, Err(Stop::Limit(limit))) => {
            let span = Span::of(0, region.len());
            Err(crate::Error::new(ErrorCode::Limit(limit), Stage::Structure, span, "").into())
        }
        (None, _) => Ok(()),
    }
}

struct Pass<'n> {
    fault: Option<ViewError>,
    newer: &'n mut Vec<NewerField>,
    /// How many slots may still be examined: many tables can share a vtable with many slots.
    left: u64,
}

impl<'a> Visitor<'a> for Pass<'_> {
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow {
        self.fault = Some(ViewError::at((*fault).into(), path.to_string()));
        Err(Stop::Visitor)
    }

    fn enter(&mut self, ty: &'static TableType, visited: &VisitedTable<'_, 'a>, _: &Path<'_>) -> Flow {
        let table = visited.table();
        self.left = self.left.checked_sub(table.slots().into()).ok_or(Stop::Limit(Limit::ApparentSize))?;
        for slot in unknown(ty, table.slots()).filter(|slot| table.field(*slot).is_some()) {
            let found = (ty.name, slot);
            if self.newer.len() < MOST_NEWER && !self.newer.contains(&found) {
                self.newer.push(found);
            }
        }
        Ok(())
    }
}

/// The slots below `slots` that have no field in `ty`.
fn unknown(ty: &TableType, slots: u16) -> impl Iterator<Item = u16> {
    let mut known = ty.fields.iter().map(|field| field.slot).peekable();
    (0..slots).filter(move |slot| known.next_if_eq(slot).is_none())
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::flatbuffer::schema::{Field, Kind};
    use crate::pte::schema::Program;

    #[test]
    fn gaps_between_slots_are_unknown_fields() {
        const fn field(slot: u16) -> Field {
            Field { name: "a_name", slot, kind: Kind::String }
        }
        static GAPS: TableType = TableType::new("Gaps", 0, &[field(1), field(2), field(5)]);
        assert_eq!(unknown(&GAPS, 8).collect::<Vec<_>>(), [0, 3, 4, 6, 7]);
        assert_eq!(unknown(&GAPS, 2).collect::<Vec<_>>(), [0]);
        assert_eq!(unknown(Program::TYPE, 9).collect::<Vec<_>>(), [8]);
    }
}
