//! The interface between the verification pass and its users.

use super::{Path, VisitedTable};
use crate::flatbuffer::schema::{Kind, TableType};
use crate::flatbuffer::{Fault, Str};
use crate::part_kind::PartKind;
use crate::{Limit, Span};

/// Why a pass ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Visitor,
    Limit(Limit),
}

pub(crate) type Flow = Result<(), Stop>;

/// Receives the verification pass's events. A method ends the pass by returning [`Stop`].
pub(crate) trait Visitor<'a> {
    /// Called for each fault. The pass skips the invalid part and its children.
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow;

    /// Returns whether the pass calls [`visits`](Self::visits) and [`part`](Self::part), which takes time for each
    /// field. If the feature `alloc` is disabled, it calls neither.
    fn wants_parts(&self) -> bool {
        false
    }

    /// Returns whether the pass must visit a part: a table, vector or string of the given kind at the given position.
    /// To visit each shared part only once, return `false` for positions already visited.
    fn visits(&mut self, _kind: Kind, _position: usize) -> Result<bool, Stop> {
        Ok(true)
    }

    /// Called for each field outside its table's object.
    fn outside_object(&mut self, _field: &Fault, _object_len: u16, _path: &Path<'_>) -> Flow {
        Ok(())
    }

    /// Called for each table whose own fields are inside the buffer, before the table's children are visited.
    fn enter(&mut self, _ty: &'static TableType, _table: &VisitedTable<'_, 'a>, _path: &Path<'_>) -> Flow {
        Ok(())
    }

    /// Called for each table, after all its children are visited.
    fn table(&mut self, _ty: &'static TableType, _table: &VisitedTable<'_, 'a>, _path: &Path<'_>) -> Flow {
        Ok(())
    }

    /// Called for each string that is inside the buffer and has a NUL terminator.
    fn string(&mut self, _string: Str<'a>, _path: &Path<'_>) -> Flow {
        Ok(())
    }

    /// Called with the byte of a bool field, or with the bytes of a vector of bools.
    fn bools(&mut self, _bytes: &'a [u8], _at: usize, _listed: bool, _path: &Path<'_>) -> Flow {
        Ok(())
    }

    /// Called for a vector whose required alignment is larger than its elements.
    fn aligned(&mut self, _elements: Span, _align: usize, _path: &Path<'_>) -> Flow {
        Ok(())
    }

    /// Called with the span of each part of the buffer. For a table or its vtable, the pass first calls
    /// [`visits`](Self::visits) with the table's type. The tag of a union has the path of the union's value.
    fn part(&mut self, _kind: PartKind, _span: Span, _path: &Path<'_>) {}
}
