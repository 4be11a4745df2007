//! **The extension module of the Python package `torchproof`**: the library and the command as Python objects.
//!
//! The package's Python modules open and map files, and this module reads the tables that the library has checked. It
//! has no unsafe code: a file's header and FlatBuffer are copied, so a file that changes on disk cannot change what is
//! read; segments stay in the caller's buffer.
#![allow(missing_docs, reason = "the stubs of the Python package document the module")]
#![allow(clippy::needless_pass_by_value, reason = "Python passes values")]

mod command;
mod data_file;
mod error;
mod file;
mod maker;
mod method;
mod question;
mod table;
mod tensor;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _torchproof {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::command::{command, explain};
    #[pymodule_export]
    use crate::data_file::pack_data;
    #[pymodule_export]
    use crate::file::{File, decode_metadata, kind_of};
    #[pymodule_export]
    use crate::maker::{Attacked, Case, attack, attacks, cases, generate};
    #[pymodule_export]
    use crate::method::{Delegate, Method};
    #[pymodule_export]
    use crate::question::{check, needs};
    #[pymodule_export]
    use crate::table::{Table, Tables};
    #[pymodule_export]
    use crate::tensor::Entry;

    #[pymodule_init]
    fn version(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// A buffer's range as a Python `slice`, because its bounds can be larger than `isize`.
fn slice(py: Python<'_>, start: u64, end: u64) -> PyResult<Bound<'_, PyAny>> {
    py.get_type::<pyo3::types::PySlice>().call1((start, end))
}

/// A file's text as a Python string. Bytes that are not UTF-8 become surrogates, which `os.fsencode` restores.
fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    use pyo3::types::{PyBytes, PyString};
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text).into_any()),
        Err(_) => PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogateescape")),
    }
}
