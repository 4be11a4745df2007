//! A lazy table: its attributes are the fields of the schema, each read and checked when it is used.

use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyIndexError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use torchproof::Span;
use torchproof::flatbuffer::schema::{Element, Field, FieldType, Kind, Scalar, TableType, TableView};
use torchproof::flatbuffer::{self, Fault};

use crate::error::of_format;
use crate::file::Core;
use crate::text;

/// A table. The fields of its schema are attributes, each read and checked when you use it.
#[pyclass(frozen, module = "torchproof")]
pub(crate) struct Table {
    file: Arc<Core>,
    ty: &'static TableType,
    position: usize,
}

/// Calls a generic function with the type of a number.
macro_rules! with_type {
    ($scalar:expr, $of:ident($($argument:expr),*)) => {
        match $scalar {
            Scalar::Bool => $of::<bool>($($argument),*),
            Scalar::I8 => $of::<i8>($($argument),*),
            Scalar::U8 => $of::<u8>($($argument),*),
            Scalar::I32 => $of::<i32>($($argument),*),
            Scalar::U32 => $of::<u32>($($argument),*),
            Scalar::I64 => $of::<i64>($($argument),*),
            Scalar::U64 => $of::<u64>($($argument),*),
            Scalar::F64 => $of::<f64>($($argument),*),
        }
    };
}

type Read<'py> = PyResult<Bound<'py, PyAny>>;

impl Table {
    pub(crate) fn new(file: Arc<Core>, ty: &'static TableType, position: usize) -> Self {
        Self { file, ty, position }
    }

    pub(crate) fn of<'t, T: TableView<'t>>(file: Arc<Core>, table: T) -> Self {
        Self::new(file, T::TYPE, table.table().position())
    }

    fn child<'py>(&self, py: Python<'py>, ty: &'static TableType, position: usize) -> Read<'py> {
        Ok(Bound::new(py, Self::new(self.file.clone(), ty, position))?.into_any())
    }

    fn value<'py>(&self, py: Python<'py>, field: &'static Field) -> Read<'py> {
        let region = self.file.region();
        let fail = |fault: Fault| of_format(py, &fault.into());
        let table = flatbuffer::Table::at(region, self.position).map_err(fail)?;
        match field.kind {
            Kind::Scalar(scalar) => with_type!(scalar, number(py, table, field.slot)),
            Kind::Enum(ty) => {
                let value = i8::read(table, field.slot).map_err(fail)?;
                match ty.name_of(value) {
                    Some(name) => name.into_bound_py_any(py),
                    None => value.into_bound_py_any(py),
                }
            }
            Kind::Tag(ty) => match u8::read(table, field.slot).map_err(fail)? {
                0 => Ok(py.None().into_bound(py)),
                tag => match ty.member(tag) {
                    Some(member) => member.name.into_bound_py_any(py),
                    None => tag.into_bound_py_any(py),
                },
            },
            Kind::Union(ty) => {
                let tag = u8::read(table, field.slot - 1).map_err(fail)?;
                match (ty.member(tag), table.field(field.slot)) {
                    (Some(member), Some(at)) => {
                        let target = flatbuffer::Table::follow(region, at).map_err(fail)?;
                        self.child(py, member, target.position())
                    }
                    _ => Ok(py.None().into_bound(py)),
                }
            }
            Kind::String => match <str>::read(table, field.slot).map_err(fail)? {
                Some(string) => text(py, string.as_bytes()),
                None => Ok(py.None().into_bound(py)),
            },
            Kind::Scalars(Scalar::U8, _) => match <[u8]>::read(table, field.slot).map_err(fail)? {
                Some(bytes) => self.file.slice(py, bytes.span()),
                None => Ok(py.None().into_bound(py)),
            },
            Kind::Scalars(scalar, _) => with_type!(scalar, numbers(py, table, field.slot)),
            Kind::Table(ty) => match table.field(field.slot) {
                Some(at) => {
                    let target = flatbuffer::Table::follow(region, at).map_err(fail)?;
                    self.child(py, ty, target.position())
                }
                None => Ok(py.None().into_bound(py)),
            },
            Kind::Tables(ty) => {
                let place = <[u32]>::read(table, field.slot)
                    .map_err(fail)?
                    .map_or(Span::new(0, 0), torchproof::flatbuffer::Vector::span);
                let file = self.file.clone();
                Ok(Bound::new(py, Tables { file, ty, place })?.into_any())
            }
        }
    }
}

fn number<'py, 'a, T>(py: Python<'py>, table: flatbuffer::Table<'a>, slot: u16) -> Read<'py>
where
    T: FieldType<'a, View = T> + IntoPyObject<'py>,
{
    T::read(table, slot).map_err(|fault| of_format(py, &fault.into()))?.into_bound_py_any(py)
}

/// A vector of numbers as a tuple, or `None`.
fn numbers<'py, 'a, T>(py: Python<'py>, table: flatbuffer::Table<'a>, slot: u16) -> Read<'py>
where
    T: Element<'a, Item = T> + IntoPyObject<'py> + 'a,
{
    match <[T]>::read(table, slot).map_err(|fault| of_format(py, &fault.into()))? {
        Some(list) => Ok(PyTuple::new(py, list.iter())?.into_any()),
        None => Ok(py.None().into_bound(py)),
    }
}

#[pymethods]
impl Table {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> Read<'py> {
        match self.ty.field(name) {
            Some(field) => self.value(py, field),
            None => Err(PyAttributeError::new_err(format!("the table {} has no field {name:?}", self.ty.name))),
        }
    }

    fn __dir__(&self) -> Vec<&'static str> {
        self.ty.fields.iter().map(|field| field.name).chain(["table_type"]).collect()
    }

    /// The name of the table in the schema.
    #[getter]
    fn table_type(&self) -> &'static str {
        self.ty.name
    }

    /// Shows numbers and strings as values, and the names of fields that lead to other tables.
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut fields = Vec::new();
        for field in self.ty.fields {
            let shown = match field.kind {
                Kind::Scalar(_) | Kind::Enum(_) | Kind::Tag(_) | Kind::String => {
                    self.value(py, field)?.repr()?.to_string_lossy().into_owned()
                }
                _ => "…".to_owned(),
            };
            fields.push(format!("{}={shown}", field.name));
        }
        Ok(format!("{}({})", self.ty.name, fields.join(", ")))
    }
}

/// A list of tables. An absent list is empty.
#[pyclass(frozen, sequence, module = "torchproof")]
pub(crate) struct Tables {
    file: Arc<Core>,
    ty: &'static TableType,
    /// The bytes of the offsets to the tables.
    place: Span,
}

#[pymethods]
impl Tables {
    fn __len__(&self) -> usize {
        usize::try_from(self.place.len / 4).unwrap_or(0)
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Table> {
        let len = self.__len__();
        let index = if index < 0 { index.checked_add_unsigned(len) } else { Some(index) };
        let index = index.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < len);
        let Some(index) = index else {
            return Err(PyIndexError::new_err(format!("index out of range; the list has {len} tables")));
        };
        let at = usize::try_from(self.place.offset).unwrap_or(usize::MAX).saturating_add(4 * index);
        let table = flatbuffer::Table::follow(self.file.region(), at);
        let position = table.map_err(|fault| of_format(py, &fault.into()))?.position();
        Ok(Table::new(self.file.clone(), self.ty, position))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 3;
        let shown = (0..self.__len__().min(SHOWN)).map(|index| self.__getitem__(py, index.cast_signed()));
        let shown = PyList::new(py, shown.collect::<PyResult<Vec<_>>>()?)?.repr()?.to_string_lossy().into_owned();
        let left = self.__len__().saturating_sub(SHOWN);
        Ok(if left == 0 { shown } else { format!("{}, … {left} more]", shown.trim_end_matches(']')) })
    }
}
