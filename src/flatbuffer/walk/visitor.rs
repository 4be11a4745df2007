//! The interface between the verification pass and its users.

use super::{Flow, Path, Stop, Visited};
use crate::Span;
use crate::flatbuffer::schema::{Kind, TableView};
use crate::flatbuffer::{Fault, Str};
use crate::part_kind::PartKind;

/// Receives the events of the verification pass.
///
/// Every method except [`Visitor::fault`] has an empty default body.
pub trait Visitor<'a> {
    /// A fault. The pass skips the part at fault and everything below it.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass, here and in every other method.
    fn fault(&mut self, fault: &Fault, path: Path<'_>) -> Flow;

    /// Whether to visit the table, vector or string of this kind at this position.
    ///
    /// A visitor that rejects seen positions visits each shared part once.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn visits(&mut self, _kind: Kind, _position: usize) -> Result<bool, Stop> {
        Ok(true)
    }

    /// A field that its vtable places outside the object.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn outside_object(&mut self, _field: &Fault, _object_len: u16, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A table whose own fields are inside the buffer. Its children are not visited yet.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn enter<T: TableView<'a>>(&mut self, _table: &Visited<'_, 'a, T>, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A table whose children are all visited.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn table<T: TableView<'a>>(&mut self, _table: &Visited<'_, 'a, T>, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A string that is inside the buffer and has a NUL terminator.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn string(&mut self, _string: Str<'a>, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// The byte of a bool field, or the bytes of a list of bools.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn bools(&mut self, _bytes: &'a [u8], _at: usize, _listed: bool, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// Elements that the schema aligns to more than their size.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn aligned(&mut self, _elements: Span, _align: usize, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// The span of one part of the buffer.
    ///
    /// [`visits`](Self::visits) with the type comes before a table or a vtable. A union's tag has the path of its
    /// value.
    fn part(&mut self, _kind: PartKind, _span: Span, _path: Path<'_>) {}
}
