//! A program's methods, and a method's delegates.

use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use torchproof::flatbuffer::Vector;
use torchproof::flatbuffer::schema::TableView;
use torchproof::pte::schema::{BackendDelegate, BackendDelegateInlineData, DataLocation, KernelTypesValue, Operator};
use torchproof::pte::{Method as Plan, Pte};
use torchproof::{Error, Span};

use crate::error::{of_argument, of_format};
use crate::file::Core;
use crate::table::Table;
use crate::tensor::Entry;
use crate::text;

/// A method of a program. `table` has all fields of the schema.
#[pyclass(frozen, module = "torchproof")]
pub(crate) struct Method {
    file: Arc<Core>,
    index: usize,
    #[pyo3(get)]
    table: Py<Table>,
}

type Objects = Vec<Py<PyAny>>;

impl Method {
    pub(crate) fn new(py: Python<'_>, file: &Arc<Core>, index: usize, plan: Plan<'_>) -> PyResult<Self> {
        let table = Table::of(file.clone(), plan.plan());
        Ok(Self { file: file.clone(), index, table: Py::new(py, table)? })
    }

    /// Passes the program and the method to a function that can fail.
    fn read<T>(&self, py: Python<'_>, read: impl FnOnce(&Pte<'_>, Plan<'_>) -> Result<T, Error>) -> PyResult<T> {
        let program = self.file.as_program(py)?;
        let plan = program.methods().nth(self.index).ok_or_else(|| of_argument(py, "the method is not in the file"))?;
        plan.and_then(|plan| read(&program, plan)).map_err(|error| of_format(py, &error))
    }

    fn values(&self, py: Python<'_>, is_input: bool) -> PyResult<Objects> {
        self.file.verify(py)?;
        let values = self.read(py, |program, plan| {
            let values: Vec<_> = if is_input { plan.inputs().collect() } else { plan.outputs().collect() };
            let shown = values.into_iter().map(|value| {
                Ok::<_, Error>(match value?.val()? {
                    None | Some(KernelTypesValue::Null(_)) => Ok(py.None()),
                    Some(KernelTypesValue::Tensor(tensor)) => {
                        Entry::of_tensor(self.file.clone(), program, tensor).into_py_any(py)
                    }
                    Some(KernelTypesValue::Int(value)) => value.int_val()?.into_py_any(py),
                    Some(KernelTypesValue::Bool(value)) => value.bool_val()?.into_py_any(py),
                    Some(KernelTypesValue::Double(value)) => value.double_val()?.into_py_any(py),
                    Some(KernelTypesValue::String(value)) => {
                        let string = value.string_val()?.map_or(&[][..], |string| string.as_bytes());
                        text(py, string).map(Bound::unbind)
                    }
                    Some(_) => Table::of(self.file.clone(), value?).into_py_any(py),
                })
            });
            shown.collect::<Result<Vec<_>, _>>()
        })?;
        values.into_iter().collect()
    }
}

#[pymethods]
impl Method {
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        text(py, &self.read(py, |_, plan| Ok(plan.name()?.as_bytes().to_vec()))?)
    }

    /// The tensors, each under the index of its value.
    #[getter]
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.file.verify(py)?;
        let tensors = self.read(py, |program, plan| {
            let entry = |tensor| Entry::of_tensor(self.file.clone(), program, tensor);
            plan.tensors()
                .map(|found| found.map(|(value, tensor)| (value, entry(tensor))))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let by_value = PyDict::new(py);
        tensors.into_iter().try_for_each(|(value, tensor)| by_value.set_item(value, Py::new(py, tensor)?))?;
        Ok(by_value)
    }

    /// The inputs, in the order of the caller's arguments: tensors, numbers and strings; other values are tables.
    #[getter]
    fn inputs(&self, py: Python<'_>) -> PyResult<Objects> {
        self.values(py, true)
    }

    /// The outputs, in the same form as the inputs.
    #[getter]
    fn outputs(&self, py: Python<'_>) -> PyResult<Objects> {
        self.values(py, false)
    }

    /// The operators that the method calls, such as `aten::add.out`.
    #[getter]
    fn operators(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.file.verify(py)?;
        let name = |operator: Result<Operator<'_>, Error>| operator.map(torchproof_model::fields::operators::name);
        self.read(py, |_, plan| plan.operators().map(name).collect())
    }

    #[getter]
    fn delegates(&self, py: Python<'_>) -> PyResult<Vec<Delegate>> {
        self.file.verify(py)?;
        self.read(py, |program, plan| {
            let made = plan.delegates().map(|delegate| Delegate::of(self.file.clone(), program, delegate?));
            made.collect()
        })
    }

    /// The instructions of all chains, in file order.
    #[getter]
    fn instructions(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        self.file.verify(py)?;
        self.read(py, |_, plan| {
            plan.instructions().map(|found| found.map(|table| Table::of(self.file.clone(), table))).collect()
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Method {}>", self.name(py)?.repr()?))
    }
}

/// A part of a method that a backend runs. `table` has all fields of the schema.
#[pyclass(frozen, module = "torchproof")]
pub(crate) struct Delegate {
    file: Arc<Core>,
    id: Vec<u8>,
    place: Result<Option<Span>, Error>,
    settings: Vec<(Vec<u8>, Vec<u8>)>,
    position: usize,
}

impl Delegate {
    fn of(file: Arc<Core>, program: &Pte<'_>, delegate: BackendDelegate<'_>) -> Result<Self, Error> {
        let mut settings = Vec::new();
        for spec in delegate.compile_specs()?.into_iter().flat_map(Vector::iter) {
            let spec = spec?;
            let key = spec.key()?.map_or(&[][..], |key| key.as_bytes()).to_vec();
            settings.push((key, spec.value()?.map_or(&[][..], |value| value.as_bytes()).to_vec()));
        }
        Ok(Self {
            file,
            id: delegate.id()?.map_or(&[][..], |id| id.as_bytes()).to_vec(),
            place: blob(program, delegate),
            settings,
            position: delegate.table().position(),
        })
    }
}

/// Returns where a delegate's blob is; `None` if the file does not say.
fn blob(program: &Pte<'_>, delegate: BackendDelegate<'_>) -> Result<Option<Span>, Error> {
    let Some(place) = delegate.processed()? else { return Ok(None) };
    let index = place.index()?;
    match place.location()? {
        DataLocation::SEGMENT => program.segment(index).map(Some),
        _ => {
            let blobs = program.program().backend_delegate_data()?;
            let found = blobs.and_then(|blobs| blobs.get(usize::try_from(index).ok()?)).transpose()?;
            Ok(found.map(BackendDelegateInlineData::data).transpose()?.flatten().map(Vector::span))
        }
    }
}

#[pymethods]
impl Delegate {
    /// The backend's id.
    #[getter]
    fn backend<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        text(py, &self.id)
    }

    /// The backend's own blob, without a copy; `None` if the file does not have it.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let place = self.place.map_err(|error| of_format(py, &error))?;
        place.map(|span| self.file.slice(py, span)).transpose()
    }

    #[getter]
    fn compile_specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let specs = PyDict::new(py);
        self.settings.iter().try_for_each(|(key, value)| specs.set_item(text(py, key)?, PyBytes::new(py, value)))?;
        Ok(specs)
    }

    #[getter]
    fn table(&self) -> Table {
        Table::new(self.file.clone(), BackendDelegate::TYPE, self.position)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Delegate {}>", self.backend(py)?.repr()?))
    }
}
