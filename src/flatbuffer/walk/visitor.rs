//! What the verification pass tells, and to whom.

use super::{Flow, Path, Stop, Visited};
use crate::Span;
use crate::flatbuffer::schema::{Kind, TableView};
use crate::flatbuffer::{Fault, Str};
use crate::part_kind::PartKind;

/// What the verification pass tells.
///
/// Every method but [`Visitor::fault`] has a body that does nothing and costs nothing.
pub trait Visitor<'a> {
    /// Something breaks the format; what it leads to is left out.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass, here and in every other method.
    fn fault(&mut self, fault: &Fault, path: Path<'_>) -> Flow;

    /// Whether to visit what a reference leads to: the table, vector or string of this kind at this position.
    ///
    /// A visitor that says no to what it has seen before sees each once, however often the file shares it.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn visits(&mut self, _kind: Kind, _position: usize) -> Result<bool, Stop> {
        Ok(true)
    }

    /// A vtable's field lies outside its object.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn outside_object(&mut self, _field: &Fault, _object_len: u16, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A table whose own fields are inside the buffer is about to be visited; what it leads to has not been looked at.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn enter<T: TableView<'a>>(&mut self, _table: &Visited<'_, 'a, T>, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A table and all that it leads to have been visited.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn table<T: TableView<'a>>(&mut self, _table: &Visited<'_, 'a, T>, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A string that is inside the buffer and ends with a zero byte.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn string(&mut self, _string: Str<'a>, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// Bytes that are bools: a field's one, or those of a list.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn bools(&mut self, _bytes: &'a [u8], _at: usize, _listed: bool, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// Elements that the schema aligns further than their size asks.
    ///
    /// # Errors
    ///
    /// [`Stop`](super::Stop) ends the pass.
    fn aligned(&mut self, _elements: Span, _align: usize, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// Bytes that belong to something.
    ///
    /// Before a table or a vtable comes [`visits`](Self::visits) with its type. A union's tag has the path of its value.
    fn part(&mut self, _kind: PartKind, _span: Span, _path: Path<'_>) {}
}
