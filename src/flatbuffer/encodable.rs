//! **What can be written as a table**: a tree or a model, which tells its fields to whoever writes them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::build::BuildError;
use super::schema::{Field, Scalar, TableType};
use super::tree::Number;

/// A table that can be written.
pub(crate) trait Encodable {
    /// Whether it is a table of the type that its field takes, wherever it can stand.
    const TYPED: bool;

    /// The table's type.
    fn ty(&self) -> &'static TableType;

    /// Tells the fields that are set, in slot order.
    fn tell(&self, sink: &mut impl Sink) -> Told;
}

/// What is told the fields of a table.
pub(crate) trait Sink {
    /// A number, little-endian; the bytes past the width are zero.
    fn number(&mut self, field: &'static Field, scalar: Scalar, bytes: [u8; 8]) -> Told;

    /// A string.
    fn string(&mut self, field: &'static Field, bytes: &[u8]) -> Told;

    /// A vector of numbers.
    fn elements(&mut self, field: &'static Field, elements: &impl Elements) -> Told;

    /// A table.
    fn table<S: Encodable>(&mut self, field: &'static Field, table: &S) -> Told;

    /// A vector of tables.
    fn tables<S: Encodable>(&mut self, field: &'static Field, tables: &[S]) -> Told;

    /// What is behind a tag that the schema does not know; an empty table is written.
    fn opaque(&mut self, field: &'static Field) -> Told {
        self.table(field, &Opaque)
    }
}

struct Opaque;

impl Encodable for Opaque {
    const TYPED: bool = true;

    fn ty(&self) -> &'static TableType {
        static TYPE: TableType = TableType { name: "opaque", fields: &[] };
        &TYPE
    }

    fn tell(&self, _: &mut impl Sink) -> Told {
        Ok(())
    }
}

/// Whether to go on.
pub(crate) type Told = Result<(), Stop>;

/// Why a table is not written to its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The FlatBuffer would not stay below 2^31 bytes.
    TooLarge,
    /// A mistake in what was to be written.
    Mistake(Box<BuildError>),
}

/// The elements of a vector of numbers.
pub(crate) trait Elements {
    /// What they are.
    fn scalar(&self) -> Scalar;

    /// How many there are.
    fn count(&self) -> usize;

    /// Puts their bytes behind those of `out`, the last first.
    fn push_reversed(&self, out: &mut Vec<u8>);
}

impl<T: Number> Elements for &[T] {
    fn scalar(&self) -> Scalar {
        T::SCALAR
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn push_reversed(&self, out: &mut Vec<u8>) {
        let width = T::SCALAR.width();
        out.reserve(self.len() * width);
        for number in self.iter().rev() {
            let mut bytes = number.to_le();
            bytes.reverse();
            out.extend_from_slice(&bytes[bytes.len() - width..]);
        }
    }
}

/// Elements as they will stand in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded<'a>(pub(crate) Scalar, pub(crate) &'a [u8]);

impl Elements for Encoded<'_> {
    fn scalar(&self) -> Scalar {
        self.0
    }

    fn count(&self) -> usize {
        self.1.len() / self.0.width()
    }

    fn push_reversed(&self, out: &mut Vec<u8>) {
        out.extend(self.1.iter().rev());
    }
}

/// What stands in a field that is put into a root, in place of what the root has there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Made<'m, S> {
    /// A number.
    Number(Scalar, [u8; 8]),
    /// A vector of tables.
    Tables(&'m [S]),
}

/// A root with fields put into it, which are in slot order.
#[derive(Debug)]
pub(crate) struct Filled<'f, R, S> {
    pub(crate) root: &'f R,
    pub(crate) made: &'f [(&'static Field, Made<'f, S>)],
}

impl<R: Encodable, S: Encodable> Encodable for Filled<'_, R, S> {
    const TYPED: bool = R::TYPED;

    fn ty(&self) -> &'static TableType {
        self.root.ty()
    }

    fn tell(&self, sink: &mut impl Sink) -> Told {
        let mut filling = Filling { sink, left: self.made };
        self.root.tell(&mut filling)?;
        filling.tell_below(u16::MAX)
    }
}

/// Passes fields on, with those that were made among them.
struct Filling<'f, 'm, K, S> {
    sink: &'f mut K,
    left: &'m [(&'static Field, Made<'m, S>)],
}

impl<K: Sink, S: Encodable> Filling<'_, '_, K, S> {
    fn tell_below(&mut self, slot: u16) -> Told {
        while let Some(((field, made), rest)) = self.left.split_first().filter(|((field, _), _)| field.slot < slot) {
            self.left = rest;
            match made {
                Made::Number(scalar, bytes) => self.sink.number(field, *scalar, *bytes)?,
                Made::Tables(tables) => self.sink.tables(field, tables)?,
            }
        }
        Ok(())
    }

    /// The sink, if the root's own field is to be told.
    fn own(&mut self, field: &'static Field) -> Result<Option<&mut K>, Stop> {
        self.tell_below(field.slot)?;
        let replaced = self.left.first().is_some_and(|(made, _)| made.slot == field.slot);
        Ok((!replaced).then_some(&mut *self.sink))
    }
}

impl<K: Sink, S: Encodable> Sink for Filling<'_, '_, K, S> {
    fn number(&mut self, field: &'static Field, scalar: Scalar, bytes: [u8; 8]) -> Told {
        self.own(field)?.map_or(Ok(()), |sink| sink.number(field, scalar, bytes))
    }

    fn string(&mut self, field: &'static Field, bytes: &[u8]) -> Told {
        self.own(field)?.map_or(Ok(()), |sink| sink.string(field, bytes))
    }

    fn elements(&mut self, field: &'static Field, elements: &impl Elements) -> Told {
        self.own(field)?.map_or(Ok(()), |sink| sink.elements(field, elements))
    }

    fn table<T: Encodable>(&mut self, field: &'static Field, table: &T) -> Told {
        self.own(field)?.map_or(Ok(()), |sink| sink.table(field, table))
    }

    fn tables<T: Encodable>(&mut self, field: &'static Field, tables: &[T]) -> Told {
        self.own(field)?.map_or(Ok(()), |sink| sink.tables(field, tables))
    }

    fn opaque(&mut self, field: &'static Field) -> Told {
        self.own(field)?.map_or(Ok(()), |sink| sink.opaque(field))
    }
}
