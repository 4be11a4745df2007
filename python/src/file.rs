//! An open file: its header and FlatBuffer, and the bytes of its segments in the caller's buffer.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3::{IntoPyObjectExt, intern};
use torchproof::bundled::Bundled;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::metadata::{self, MetadataValue};
use torchproof::ptd::{Layout, Ptd};
use torchproof::pte::Pte;
use torchproof::view::{self, ViewError};
use torchproof::{DataEntry, Error, FileBytes, FileKind, Span};

use crate::error::{of_closed, of_format, of_value, of_view};
use crate::method::Method;
use crate::table::Table;
use crate::tensor::Entry;

/// Copies the first bytes of a memoryview.
fn first_bytes(data: &Bound<'_, PyAny>, len: u64) -> PyResult<PyBackedBytes> {
    Ok(data.get_item(crate::slice(data.py(), 0, len)?)?.call_method0(intern!(data.py(), "tobytes"))?.extract()?)
}

/// Returns the kind that the first bytes of a memoryview suggest.
#[pyfunction]
pub(crate) fn kind_of(data: Bound<'_, PyAny>) -> PyResult<&'static str> {
    Ok(FileKind::of_head(&first_bytes(&data, 48)?).name())
}

/// Decodes a value of the `metadata.*` convention. A well-known key decides the type.
#[pyfunction]
pub(crate) fn decode_metadata<'py>(py: Python<'py>, key: &[u8], value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let decoded = metadata::decode(value, metadata::type_of(key), None);
    match decoded.map_err(|error| of_value(py, &error.to_string(), &String::from_utf8_lossy(key)))?.0 {
        MetadataValue::String(text) => text.into_bound_py_any(py),
        MetadataValue::Int(number) => number.into_bound_py_any(py),
        MetadataValue::Float(number) => number.into_bound_py_any(py),
        MetadataValue::Bytes(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        MetadataValue::IntList(list) => Ok(PyList::new(py, list.iter())?.into_any()),
    }
}

/// What a file, its tables and its tensors share: the header and the tables in memory, and the caller's buffer. This is
/// not a Python object, so that no reference cycle keeps a map alive.
pub(crate) struct Core {
    head: PyBackedBytes,
    len: u64,
    /// A memoryview of the whole file, until the file is closed.
    data: Mutex<Option<Py<PyAny>>>,
    is_torch: bool,
    kind: FileKind,
    root: (&'static TableType, usize),
    /// The number of bytes of the FlatBuffer, from the start of the file.
    region: usize,
    is_verified: OnceLock<Result<(), ViewError>>,
}

/// The base class of all files.
#[pyclass(frozen, subclass, module = "torchproof._torchproof")]
pub(crate) struct File(Arc<Core>, Py<PyAny>);

enum Opened<'a> {
    Program(Pte<'a>),
    Data(Ptd<'a>),
    Bundle(Bundled<'a>),
}

impl<'a> Opened<'a> {
    fn new(file: FileBytes<'a>) -> Result<Self, Error> {
        match FileKind::of_head(file.bytes()) {
            FileKind::Ptd => Ptd::open_file_bytes(file).map(Self::Data),
            FileKind::Bpte => Bundled::open_file_bytes(file).map(Self::Bundle),
            _ => Pte::open_file_bytes(file).map(Self::Program),
        }
    }

    fn kind(&self) -> FileKind {
        match self {
            Self::Program(_) => FileKind::Pte,
            Self::Data(file) => file.kind(),
            Self::Bundle(_) => FileKind::Bpte,
        }
    }

    fn root(&self) -> (&'static TableType, usize) {
        fn of<'t, T: TableView<'t>>(table: T) -> (&'static TableType, usize) {
            (T::TYPE, table.table().position())
        }
        match self {
            Self::Program(file) => of(file.program()),
            Self::Bundle(file) => of(file.root()),
            Self::Data(file) => match file.layout() {
                Layout::Current(root) => of(root),
                Layout::Legacy(root) => of(root),
            },
        }
    }

    fn segments(&self) -> Result<Vec<Span>, Error> {
        match self {
            Self::Program(file) => {
                let count = file.program().segments()?.map_or(0, torchproof::flatbuffer::Vector::len);
                (0..count).map(|index| file.segment(u32::try_from(index).unwrap_or(u32::MAX))).collect()
            }
            Self::Data(file) => {
                let count = file.segments()?.map_or(0, torchproof::flatbuffer::Vector::len);
                (0..count).map(|index| file.segment(u32::try_from(index).unwrap_or(u32::MAX))).collect()
            }
            Self::Bundle(_) => Ok(Vec::new()),
        }
    }

    fn entries(&self) -> Box<dyn Iterator<Item = Result<DataEntry<'a>, Error>> + 'a> {
        match self {
            Self::Program(file) => Box::new(file.named_data()),
            Self::Data(file) => Box::new(file.entries()),
            Self::Bundle(_) => Box::new(std::iter::empty()),
        }
    }

    fn find(&self, key: &[u8]) -> Result<Option<DataEntry<'a>>, Error> {
        match self {
            Self::Program(file) => file.find(key),
            Self::Data(file) => file.find(key),
            Self::Bundle(_) => Ok(None),
        }
    }
}

impl Core {
    fn bytes(&self) -> FileBytes<'_> {
        FileBytes::head(&self.head, self.len).unwrap_or(FileBytes::whole(&self.head))
    }

    fn opened(&self) -> Result<Opened<'_>, Error> {
        Opened::new(self.bytes())
    }

    /// The bytes of the FlatBuffer.
    pub(crate) fn region(&self) -> &[u8] {
        self.head.get(..self.region).unwrap_or(&self.head)
    }

    pub(crate) fn is_torch(&self) -> bool {
        self.is_torch
    }

    fn view(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let data = self.data.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        data.as_ref().map(|data| data.clone_ref(py)).ok_or_else(|| of_closed(py))
    }

    /// A memoryview of some of the file's bytes, without a copy.
    pub(crate) fn slice<'py>(&self, py: Python<'py>, span: Span) -> PyResult<Bound<'py, PyAny>> {
        self.view(py)?.bind(py).get_item(crate::slice(py, span.offset, span.end())?)
    }

    pub(crate) fn as_program(&self, py: Python<'_>) -> PyResult<Pte<'_>> {
        Pte::open_file_bytes(self.bytes()).map_err(|error| of_format(py, &error))
    }

    /// Verifies all tables once. The limits apply, because shared tables can make lists of entries much larger than the file.
    pub(crate) fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let verify = || self.is_verified.get_or_init(|| view::File::open(self.bytes()).map(drop));
        py.detach(verify).as_ref().map_err(|error| of_view(py, error)).copied()
    }
}

#[pymethods]
impl File {
    /// `data` is a memoryview of the whole file; `path` is where it came from, or `None`.
    #[new]
    fn new(py: Python<'_>, data: Bound<'_, PyAny>, path: Py<PyAny>, is_torch: bool) -> PyResult<Self> {
        let len = data.len()? as u64;
        let head = first_bytes(&data, FileBytes::needed(&first_bytes(&data, 64)?, len))?;
        let file = FileBytes::head(&head, len).unwrap_or(FileBytes::whole(&head));
        let opened = Opened::new(file).map_err(|error| of_format(py, &error))?;
        // If the file is truncated, fail here instead of when its last tensor is read.
        opened.segments().map_err(|error| of_format(py, &error))?;
        let (kind, root) = (opened.kind(), opened.root());
        let region = match opened {
            Opened::Program(file) => file.region().len(),
            Opened::Data(file) => file.region().len(),
            Opened::Bundle(_) => head.len(),
        };
        let data = Mutex::new(Some(data.unbind()));
        let is_verified = OnceLock::new();
        Ok(Self(Arc::new(Core { head, len, data, is_torch, kind, root, region, is_verified }), path))
    }

    /// The file's path, or `None` for bytes in memory.
    #[getter]
    fn path(&self, py: Python<'_>) -> Py<PyAny> {
        self.1.clone_ref(py)
    }

    /// Release the map. It stays mapped until the last array over it is gone.
    fn close(&self, py: Python<'_>) {
        self.0.data.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The file's size.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.0.len
    }

    /// `pte`, `ptd`, `ptd-legacy` or `bpte`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    /// The root table; the fields of its schema are attributes.
    #[getter]
    fn root(&self) -> Table {
        let (ty, position) = self.0.root;
        Table::new(self.0.clone(), ty, position)
    }

    /// The fields of the header by name, or `None`.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let fields = PyDict::new(py);
        match self.0.opened().map_err(|error| of_format(py, &error))? {
            Opened::Program(file) => {
                let Some(header) = file.header() else { return Ok(None) };
                fields.set_item("length", header.length)?;
                fields.set_item("program_size", header.program_size)?;
                fields.set_item("segment_base_offset", header.segment_base_offset)?;
                if let Some(size) = header.segment_data_size {
                    fields.set_item("segment_data_size", size)?;
                }
            }
            Opened::Data(file) => {
                let header = file.header();
                fields.set_item("length", header.length)?;
                fields.set_item("flatbuffer_offset", header.flatbuffer_offset)?;
                fields.set_item("flatbuffer_size", header.flatbuffer_size)?;
                fields.set_item("segment_base_offset", header.segment_base_offset)?;
                fields.set_item("segment_data_size", header.segment_data_size)?;
            }
            Opened::Bundle(_) => return Ok(None),
        }
        Ok(Some(fields))
    }

    /// The bytes of each segment, without a copy.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let spans = self.0.opened().and_then(|file| file.segments()).map_err(|error| of_format(py, &error))?;
        spans.into_iter().map(|span| self.0.slice(py, span)).collect()
    }

    /// All entries with a key, by key. If keys are equal, the first entry wins.
    fn _entries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let file = &self.0;
        file.view(py)?;
        file.verify(py)?;
        let entry = |entry: Result<_, Error>| Entry::of(file.clone(), entry?);
        let read = || file.opened()?.entries().map(entry).collect::<Result<Vec<_>, Error>>();
        let by_key = PyDict::new(py);
        for entry in read().map_err(|error| of_format(py, &error))? {
            let key = crate::text(py, entry.key_bytes().unwrap_or_default())?;
            if !by_key.contains(&key)? {
                by_key.set_item(key, Py::new(py, entry)?)?;
            }
        }
        Ok(by_key)
    }

    /// The first entry with this key, or `None`. Takes time linear in the number of entries.
    fn _find(&self, py: Python<'_>, key: &[u8]) -> PyResult<Option<Entry>> {
        let file = &self.0;
        file.view(py)?;
        let read = || file.opened()?.find(key)?.map(|entry| Entry::of(file.clone(), entry)).transpose();
        read().map_err(|error: Error| of_format(py, &error))
    }

    /// The methods of a program, by name.
    fn _methods<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let file = &self.0;
        file.view(py)?;
        file.verify(py)?;
        let by_name = PyDict::new(py);
        for (index, plan) in file.as_program(py)?.methods().enumerate() {
            let plan = plan.map_err(|error| of_format(py, &error))?;
            let method = Py::new(py, Method::new(py, file, index, plan)?)?;
            by_name.set_item(method.getattr(py, "name")?, method)?;
        }
        Ok(by_name)
    }

    /// All tables as dictionaries and lists: the JSON that `torchproof dump` prints, without digests.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let file = py.detach(|| view::File::open_within(self.0.bytes(), view::File::VALUE_LIMITS));
        Ok(pythonize::pythonize(py, &file.map_err(|error| of_view(py, &error))?)?)
    }

    /// A memoryview of the program in a bundled program.
    fn _program<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let read = || match self.0.opened()? {
            Opened::Bundle(bundle) => {
                let len = bundle.program_bytes()?.len() as u64;
                Ok(Span::new(bundle.root().program()?.map_or(0, |bytes| bytes.span().offset), len))
            }
            _ => Ok(Span::new(0, self.0.len)),
        };
        self.0.slice(py, read().map_err(|error: Error| of_format(py, &error))?)
    }

    #[getter]
    fn _is_torch(&self) -> bool {
        self.0.is_torch
    }
}
