//! A tensor or a blob: what the file says about it, and its bytes when you ask for them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{IntoPyObjectExt, intern};
use torchproof::flatbuffer::Vector;
use torchproof::flatbuffer::schema::Element;
use torchproof::layout::nbytes;
use torchproof::pte::Pte;
use torchproof::pte::schema::{Tensor, TensorDataLocation, TensorShapeDynamism};
use torchproof::{DataEntry, Error, ScalarType, Span};

use crate::error::{of_format, of_key};
use crate::file::Core;
use crate::text;

/// An element type's name, the same in NumPy, ml_dtypes and PyTorch. Quantized types have the names of their integer types.
pub(crate) fn dtype_of(scalar_type: ScalarType) -> Option<&'static str> {
    Some(match scalar_type {
        ScalarType::BYTE | ScalarType::QUINT8 | ScalarType::QUINT4X2 | ScalarType::QUINT2X4 => "uint8",
        ScalarType::CHAR | ScalarType::QINT8 => "int8",
        ScalarType::SHORT => "int16",
        ScalarType::INT | ScalarType::QINT32 => "int32",
        ScalarType::LONG => "int64",
        ScalarType::HALF => "float16",
        ScalarType::FLOAT => "float32",
        ScalarType::DOUBLE => "float64",
        ScalarType::BOOL => "bool",
        ScalarType::BFLOAT16 => "bfloat16",
        ScalarType::FLOAT8E5M2 => "float8_e5m2",
        ScalarType::FLOAT8E4M3FN => "float8_e4m3fn",
        ScalarType::FLOAT8E5M2FNUZ => "float8_e5m2fnuz",
        ScalarType::FLOAT8E4M3FNUZ => "float8_e4m3fnuz",
        ScalarType::UINT16 | ScalarType::BITS16 => "uint16",
        ScalarType::UINT32 => "uint32",
        ScalarType::UINT64 => "uint64",
        _ => return None,
    })
}

/// A tensor or a blob in a file. A blob has neither type nor shape.
///
/// It can do what a safetensors slice can (`get_dtype`, `get_shape`, and slicing), and supports the array protocols.
#[pyclass(frozen, module = "torchproof")]
pub(crate) struct Entry {
    file: Arc<Core>,
    key: Option<Vec<u8>>,
    scalar_type: Option<ScalarType>,
    shape: Option<Vec<i32>>,
    dim_order: Option<Vec<u8>>,
    nbytes: Option<u64>,
    place: Result<Option<Span>, Error>,
    is_external: bool,
    is_dynamic: bool,
}

impl Entry {
    pub(crate) fn of(file: Arc<Core>, entry: DataEntry<'_>) -> Result<Self, Error> {
        let (key, scalar_type) = (entry.key()?.as_bytes().to_vec(), entry.scalar_type()?);
        let (shape, dim_order) = (entry.sizes()?.map(listed), entry.dim_order()?.map(listed));
        let nbytes = entry.nbytes();
        let place = match nbytes {
            Err(error) => Err(error),
            Ok(Some(_)) => entry.tensor_span(),
            Ok(None) => entry.span().map(Some),
        };
        let (nbytes, is_external, is_dynamic) = (nbytes.ok().flatten(), false, false);
        Ok(Self { file, key: Some(key), scalar_type, shape, dim_order, nbytes, place, is_external, is_dynamic })
    }

    /// Leaves `place` absent unless this file has the bytes.
    pub(crate) fn of_tensor(file: Arc<Core>, program: &Pte<'_>, tensor: Tensor<'_>) -> Self {
        let extra = tensor.extra_tensor_info().ok().flatten();
        let scalar_type = tensor.scalar_type().ok();
        Self {
            file,
            key: extra.and_then(|extra| extra.fully_qualified_name().ok()?).map(|name| name.as_bytes().to_vec()),
            scalar_type,
            shape: tensor.sizes().ok().flatten().map(listed),
            dim_order: tensor.dim_order().ok().flatten().map(listed),
            nbytes: tensor.sizes().ok().flatten().and_then(|sizes| nbytes(scalar_type?, sizes).ok()),
            place: program.tensor_span(tensor),
            is_external: extra.and_then(|extra| extra.location().ok()) == Some(TensorDataLocation::EXTERNAL),
            is_dynamic: tensor.shape_dynamism().is_ok_and(|dynamism| dynamism != TensorShapeDynamism::STATIC),
        }
    }

    pub(crate) fn key_bytes(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }

    /// Calls a function of `torchproof._arrays` with the bytes, the type, the shape and the dim order.
    fn made<'py>(&self, py: Python<'py>, function: &str) -> PyResult<Bound<'py, PyAny>> {
        let (Some(data), Some(shape), Some(scalar_type)) = (self.data(py)?, &self.shape, self.scalar_type) else {
            let reason = match (self.scalar_type, self.is_external) {
                (None, _) => "is a blob without a type; `data` has the bytes",
                (_, true) => "has its bytes in a data file",
                _ => "has no bytes in the file, only memory that the runtime plans",
            };
            return Err(of_key(py, &format!("{}: the entry {reason}", self.shown_key())));
        };
        let name = match dtype_of(scalar_type) {
            Some(name) => name.into_bound_py_any(py)?,
            None => self.scalar_type(py)?.into_bound_py_any(py)?,
        };
        let order = self.dim_order.as_ref().map(|order| PyTuple::new(py, order)).transpose()?;
        let arguments = (data, dtype_of(scalar_type).is_some(), name, PyTuple::new(py, shape)?, order);
        py.import(intern!(py, "torchproof._arrays"))?.getattr(function)?.call1(arguments)
    }

    fn shown_key(&self) -> String {
        self.key.as_ref().map_or_else(|| "tensor".to_owned(), |key| String::from_utf8_lossy(key).into_owned())
    }
}

fn listed<'a, T: Element<'a, Item = T> + 'a>(list: Vector<'a, T>) -> Vec<T> {
    list.iter().collect()
}

#[pymethods]
impl Entry {
    /// The key, or the tensor's name in the exported module.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.key.as_ref().map(|key| text(py, key)).transpose()
    }

    /// The schema's name for the element type, such as `FLOAT`; its number if the schema does not name it.
    #[getter]
    fn scalar_type<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(scalar_type) = self.scalar_type else { return Ok(None) };
        scalar_type.name().map_or(scalar_type.0.into_bound_py_any(py), |name| name.into_bound_py_any(py)).map(Some)
    }

    /// NumPy's name for the element type, such as `float32`.
    #[getter]
    fn dtype(&self) -> Option<&'static str> {
        self.scalar_type.and_then(dtype_of)
    }

    /// The number of elements in each dimension; the maximum if `is_dynamic`.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.shape.as_ref().map(|shape| PyTuple::new(py, shape)).transpose()
    }

    /// The dimensions in memory order.
    #[getter]
    fn dim_order<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.dim_order.as_ref().map(|order| PyTuple::new(py, order)).transpose()
    }

    /// The number of bytes.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let place = self.place.map_err(|error| of_format(py, &error))?;
        Ok(place.map_or(self.nbytes, |span| Some(span.len)))
    }

    /// The bytes, without a copy; `None` for a tensor whose bytes are elsewhere.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let place = self.place.map_err(|error| of_format(py, &error))?;
        place.map(|span| self.file.slice(py, span)).transpose()
    }

    /// `True` if the bytes are in a data file, under `name`.
    #[getter]
    fn is_external(&self) -> bool {
        self.is_external
    }

    /// `True` if the shape can change at run time.
    #[getter]
    fn is_dynamic(&self) -> bool {
        self.is_dynamic
    }

    /// The array, in the framework that the file was opened with.
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.made(py, if self.file.is_torch() { "to_torch" } else { "to_numpy" })
    }

    /// A read-only NumPy array over the file's bytes.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.made(py, "to_numpy")
    }

    /// A PyTorch tensor: no copy if the file was opened with `framework="pt"`, otherwise a copy.
    fn torch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.made(py, "to_torch")
    }

    fn _dtype(&self) -> Option<&'static str> {
        self.dtype()
    }

    fn _shape(&self) -> Vec<i32> {
        self.shape.clone().unwrap_or_default()
    }

    // These two cannot be methods: their names would clash with the names that PyO3 generates for the attributes
    // `dtype` and `shape`.
    #[getter(get_dtype)]
    fn dtype_method<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.getattr("_dtype")
    }

    #[getter(get_shape)]
    fn shape_method<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.getattr("_shape")
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py)?.get_item(index)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(py);
        options.set_item("dtype", dtype)?;
        options.set_item("copy", copy.filter(|copy| *copy))?;
        py.import("numpy")?.call_method("array", (self.numpy(py)?,), Some(&options))
    }

    #[pyo3(signature = (**options))]
    fn __dlpack__<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py)?.call_method("__dlpack__", (), options)
    }

    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py)?.call_method0("__dlpack_device__")
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.name(py)?.into_bound_py_any(py)?.repr()?;
        let Some(scalar_type) = self.scalar_type(py)? else {
            return Ok(format!("<Entry {name}: {} bytes>", self.place.ok().flatten().map_or(0, |span| span.len)));
        };
        let scalar_type = self.dtype().map_or(scalar_type.to_string(), str::to_owned);
        Ok(format!("<Entry {name}: {scalar_type} {:?}>", self.shape.as_deref().unwrap_or_default()))
    }
}
