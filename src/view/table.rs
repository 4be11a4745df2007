//! Serializes a table of any type as JSON, based on the description of the type.

use core::fmt;

use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::flatbuffer::schema::{Element, Field, FieldType, Kind, Scalar, TableType, TableView};
use crate::flatbuffer::{Fault, Str, Table, Vector};

/// Serializes a table's fields; fails if the table has a fault.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableJson<'a> {
    table: Table<'a>,
    ty: &'static TableType,
}

impl<'a> TableJson<'a> {
    pub(super) fn of<T: TableView<'a>>(view: T) -> Self {
        Self { table: view.table(), ty: T::TYPE }
    }

    fn follow(table: Table<'a>, at: usize, ty: &'static TableType) -> Result<Self, Fault> {
        Ok(Self { table: Table::follow(table.buffer(), at)?, ty })
    }
}

impl Serialize for TableJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for field in self.ty.fields {
            self.entry(&mut map, field)?;
        }
        map.end()
    }
}

impl<'a> TableJson<'a> {
    /// Omits absent strings, vectors and tables.
    #[inline]
    pub(super) fn entry<M: SerializeMap>(self, map: &mut M, field: &'static Field) -> Result<(), M::Error> {
        let Self { table, .. } = self;
        match field.kind {
            Kind::Scalar(scalar) => self.number(map, field, scalar),
            Kind::Enum(ty) => {
                let value: i8 = self.read::<i8, M>(field)?;
                match ty.name_of(value) {
                    Some(name) => map.serialize_entry(field.name, name),
                    None => map.serialize_entry(field.name, &value),
                }
            }
            Kind::Tag(ty) => match self.read::<u8, M>(field)? {
                0 => map.serialize_entry(field.name, "NONE"),
                tag => match ty.member(tag) {
                    Some(member) => map.serialize_entry(field.name, member.name),
                    None => map.serialize_entry(field.name, &tag),
                },
            },
            Kind::Union(ty) => {
                let tag = u8::read(table, field.slot - 1).map_err(M::Error::custom)?;
                match (ty.member(tag), table.field(field.slot)) {
                    (Some(member), Some(at)) => self.table(map, field, at, member),
                    _ => Ok(()),
                }
            }
            Kind::String => self.present(map, field, self.read::<str, M>(field)?.map(Text)),
            Kind::Scalars(scalar, _) => self.numbers(map, field, scalar),
            Kind::Table(ty) => match table.field(field.slot) {
                Some(at) => self.table(map, field, at, ty),
                None => Ok(()),
            },
            Kind::Tables(ty) => {
                let references = self.read::<[u32], M>(field)?;
                self.present(map, field, references.map(|references| Tables { table, references, ty }))
            }
        }
    }

    fn read<T: FieldType<'a> + ?Sized, M: SerializeMap>(self, field: &Field) -> Result<T::View, M::Error> {
        T::read(self.table, field.slot).map_err(M::Error::custom)
    }

    fn table<M: SerializeMap>(
        self,
        map: &mut M,
        field: &Field,
        at: usize,
        ty: &'static TableType,
    ) -> Result<(), M::Error> {
        let value = Self::follow(self.table, at, ty).map_err(M::Error::custom)?;
        map.serialize_entry(field.name, &value)
    }

    fn present<M: SerializeMap, T: Serialize>(
        self,
        map: &mut M,
        field: &Field,
        value: Option<T>,
    ) -> Result<(), M::Error> {
        match value {
            Some(value) => map.serialize_entry(field.name, &value),
            None => Ok(()),
        }
    }

    fn number<M: SerializeMap>(self, map: &mut M, field: &Field, scalar: Scalar) -> Result<(), M::Error> {
        match scalar {
            Scalar::Bool => map.serialize_entry(field.name, &self.read::<bool, M>(field)?),
            Scalar::I8 => map.serialize_entry(field.name, &self.read::<i8, M>(field)?),
            Scalar::U8 => map.serialize_entry(field.name, &self.read::<u8, M>(field)?),
            Scalar::I32 => map.serialize_entry(field.name, &self.read::<i32, M>(field)?),
            Scalar::U32 => map.serialize_entry(field.name, &self.read::<u32, M>(field)?),
            Scalar::I64 => map.serialize_entry(field.name, &self.read::<i64, M>(field)?),
            Scalar::U64 => map.serialize_entry(field.name, &self.read::<u64, M>(field)?),
            Scalar::F64 => map.serialize_entry(field.name, &Double(self.read::<f64, M>(field)?)),
        }
    }

    fn numbers<M: SerializeMap>(self, map: &mut M, field: &Field, scalar: Scalar) -> Result<(), M::Error> {
        match scalar {
            Scalar::Bool => self.present(map, field, self.read::<[bool], M>(field)?.map(Numbers)),
            Scalar::I8 => self.present(map, field, self.read::<[i8], M>(field)?.map(Numbers)),
            Scalar::U8 => self.present(map, field, self.read::<[u8], M>(field)?.map(Numbers)),
            Scalar::I32 => self.present(map, field, self.read::<[i32], M>(field)?.map(Numbers)),
            Scalar::U32 => self.present(map, field, self.read::<[u32], M>(field)?.map(Numbers)),
            Scalar::I64 => self.present(map, field, self.read::<[i64], M>(field)?.map(Numbers)),
            Scalar::U64 => self.present(map, field, self.read::<[u64], M>(field)?.map(Numbers)),
            Scalar::F64 => self.present(map, field, self.read::<[f64], M>(field)?.map(Doubles)),
        }
    }
}

struct Tables<'a> {
    table: Table<'a>,
    references: Vector<'a, u32>,
    ty: &'static TableType,
}

impl Serialize for Tables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.references.len()))?;
        for index in 0..self.references.len() {
            let at = usize::try_from(self.references.element_span(index).offset).unwrap_or(usize::MAX);
            list.serialize_element(&TableJson::follow(self.table, at, self.ty).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

struct Numbers<'a, T>(Vector<'a, T>);

impl<'a, T: Element<'a, Item: Serialize> + 'a> Serialize for Numbers<'a, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

struct Doubles<'a>(Vector<'a, f64>);

impl Serialize for Doubles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Double))
    }
}

/// Infinities and NaN are serialized as strings.
struct Double(f64);

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_nan() => serializer.serialize_str("nan"),
            f64::INFINITY => serializer.serialize_str("inf"),
            f64::NEG_INFINITY => serializer.serialize_str("-inf"),
            value => serializer.serialize_f64(value),
        }
    }
}

/// Serialized as an object with the bytes if they are not UTF-8.
struct Text<'a>(Str<'a>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("hex", &Hex(self.0.as_bytes()))?;
                map.end()
            }
        }
    }
}

/// Bytes in lower-case hex.
pub(super) struct Hex<'a>(pub(super) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
