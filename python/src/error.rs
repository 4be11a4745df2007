//! **Errors**: the library's errors as exceptions of `torchproof.errors`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use torchproof::view::ViewError;
use torchproof::write::WriteError;
use torchproof::{Error, ErrorCode};

/// Creates an exception of the class with this name. The tuple has its code, offset, path and stage.
fn exception(
    py: Python<'_>,
    class: &str,
    message: &str,
    (code, offset, path, stage): (Option<&str>, Option<u64>, &str, Option<&str>),
) -> PyErr {
    let made = || {
        let fields = PyDict::new(py);
        fields.set_item("code", code)?;
        fields.set_item("offset", offset)?;
        fields.set_item("path", path)?;
        fields.set_item("stage", stage)?;
        py.import("torchproof.errors")?.getattr(class)?.call((message,), Some(&fields))
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

fn at_path(py: Python<'_>, error: &Error, message: &str, path: &str) -> PyErr {
    let (class, code) = match error.code {
        ErrorCode::Limit(_) => ("LimitError", "limit"),
        ErrorCode::IndexOutOfRange => ("FormatError", "index-out-of-range"),
        ErrorCode::RangeOutOfBounds => ("FormatError", "range-out-of-bounds"),
        ErrorCode::Uncountable(_) => ("FormatError", "uncountable"),
        ErrorCode::Missing => ("FormatError", "missing"),
        ErrorCode::NotInMemory => ("FormatError", "not-in-memory"),
        _ => ("FormatError", error.rule().unwrap_or("format")),
    };
    exception(py, class, message, (Some(code), Some(error.span.offset), path, Some(error.stage.name())))
}

pub(crate) fn of_format(py: Python<'_>, error: &Error) -> PyErr {
    at_path(py, error, &error.to_string(), error.field)
}

pub(crate) fn of_view(py: Python<'_>, error: &ViewError) -> PyErr {
    at_path(py, &error.error(), &error.to_string(), error.path())
}

pub(crate) fn of_write(py: Python<'_>, error: &WriteError) -> PyErr {
    exception(py, "WriteError", &error.to_string(), (None, None, error.path(), None))
}

pub(crate) fn of_read(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "ReadError", message, (None, None, "", None))
}

pub(crate) fn of_key(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "MissingKeyError", message, (Some("missing"), None, "", None))
}

pub(crate) fn of_closed(py: Python<'_>) -> PyErr {
    exception(py, "ClosedError", "the file is closed; open it again", (None, None, "", None))
}

pub(crate) fn of_dtype(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "DtypeError", message, (None, None, "", None))
}

pub(crate) fn of_argument(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "ArgumentError", message, (None, None, "", None))
}

/// Creates an error about one entry's value.
pub(crate) fn of_value(py: Python<'_>, message: &str, key: &str) -> PyErr {
    exception(py, "FormatError", &format!("{key}: {message}"), (Some("metadata"), None, key, Some("data")))
}
