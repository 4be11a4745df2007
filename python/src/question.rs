//! The functions `check` and `needs`, which return the command's JSON as Python objects.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pythonize::pythonize;
use torchproof::Limits;
use torchproof::check::{ReadAt, ReadError};
use torchproof::prediction::Release;
use torchproof_harness::disk::input::Input;
use torchproof_model::check::CheckOptions;
use torchproof_model::{ModelFile, check as check_model, needs as needs_of};

use crate::error::{of_argument, of_read};

/// A path, or bytes in memory. Python code passes a memoryview for every buffer that is not `bytes`.
#[derive(FromPyObject)]
pub(crate) enum Given {
    Path(PathBuf),
    Bytes(PyBackedBytes),
    View(Py<PyAny>),
}

/// A name for reports, and the file.
pub(crate) type NamedFile = (String, Given);

/// A memoryview, read by ranges: safe Rust cannot have a slice of a buffer that other code can write.
struct View {
    view: Py<PyAny>,
    len: u64,
}

impl ReadAt for View {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let end = offset.checked_add(buffer.len() as u64).ok_or(ReadError)?;
        Python::attach(|py| {
            let range = crate::slice(py, offset, end)?;
            let bytes = self.view.bind(py).get_item(range)?.call_method0("tobytes")?;
            let bytes: PyBackedBytes = bytes.extract()?;
            if bytes.len() != buffer.len() {
                return Ok(false);
            }
            buffer.copy_from_slice(&bytes);
            Ok::<_, PyErr>(true)
        })
        .ok()
        .filter(|is_whole| *is_whole)
        .map(drop)
        .ok_or(ReadError)
    }
}

fn source(py: Python<'_>, given: Given) -> PyResult<Box<dyn ReadAt + Send + Sync>> {
    Ok(match given {
        Given::Path(path) => Box::new(Input::open(&path).map_err(|error| of_read(py, &error.to_string()))?),
        Given::Bytes(bytes) => Box::new(InMemory(bytes)),
        Given::View(view) => {
            let len = view.bind(py).len()? as u64;
            Box::new(View { view, len })
        }
    })
}

struct InMemory(PyBackedBytes);

impl ReadAt for InMemory {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        (&*self.0).read_at(offset, buffer)
    }

    fn head(&self) -> &[u8] {
        &self.0
    }
}

/// Opens the files, and passes them to the function with the interpreter released.
fn with<T: Send>(
    py: Python<'_>,
    file: NamedFile,
    data: Vec<NamedFile>,
    answer: impl Send + FnOnce(&ModelFile<'_>, &[ModelFile<'_>]) -> T,
) -> PyResult<T> {
    let mut sources = Vec::new();
    for (name, given) in std::iter::once(file).chain(data) {
        sources.push((name, source(py, given)?));
    }
    let answered = py.detach(|| {
        let mut files = Vec::new();
        for (name, source) in &sources {
            files.push(ModelFile::open(name, &**source).map_err(|ReadError| format!("{name}: cannot read the file"))?);
        }
        let (file, data) = files.split_first().ok_or("found no file")?;
        Ok::<_, String>(answer(file, data))
    });
    answered.map_err(|message| of_read(py, &message))
}

/// Checks a file with its data files. `limits` are pairs of a name and a value.
#[pyfunction]
pub(crate) fn check<'py>(
    py: Python<'py>,
    file: NamedFile,
    data: Vec<NamedFile>,
    runtime: Vec<String>,
    build: Vec<String>,
    limits: Vec<(String, u64)>,
) -> PyResult<Bound<'py, PyAny>> {
    let releases = runtime
        .iter()
        .map(|name| name.parse::<Release>().map_err(|error| of_argument(py, &format!("runtime {name:?}: {error}"))));
    let builds = build.iter().map(|name| {
        torchproof_cli::build_profile(name).map_err(|error| of_argument(py, &format!("build {name:?}: {error}")))
    });
    let options = CheckOptions {
        releases: releases.collect::<PyResult<_>>()?,
        builds: builds.collect::<PyResult<_>>()?,
        limits: limits_of(&limits).map_err(|message| of_argument(py, &message))?,
        ..CheckOptions::default()
    };
    let report = with(py, file, data, |file, data| check_model(file, data, &options))?;
    Ok(pythonize(py, &report)?)
}

/// Returns what a program needs: the command's JSON and text.
#[pyfunction]
pub(crate) fn needs<'py>(
    py: Python<'py>,
    file: NamedFile,
    data: Vec<NamedFile>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let needs = with(py, file, data, needs_of)?;
    Ok((pythonize(py, &needs)?, needs.text()))
}

fn limits_of(given: &[(String, u64)]) -> Result<Limits, String> {
    given.iter().try_fold(Limits::DEFAULT, |limits, (name, value)| {
        let small = u32::try_from(*value).unwrap_or(u32::MAX);
        Ok(match name.as_str() {
            "depth" => limits.depth(small),
            "tables" => limits.tables(small),
            "apparent_size" => limits.apparent_size(*value),
            "amplification" => limits.amplification(*value),
            "planned_memory" => limits.planned_memory(*value),
            _ => {
                let known = "depth, tables, apparent_size, amplification or planned_memory";
                return Err(format!("found limit {name:?}, expected {known}"));
            }
        })
    })
}
