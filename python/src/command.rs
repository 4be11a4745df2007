//! The command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use pyo3::prelude::*;

use crate::error::of_argument;

/// Runs a command line, and returns its exit code. `own` are the words that start this command again to launch readers,
/// because here the running program is the interpreter.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>, own: Vec<OsString>) -> u8 {
    py.detach(|| {
        torchproof_harness::reader::set_own_command(own);
        let words: Vec<_> = [OsString::from("torchproof")].into_iter().chain(arguments).collect();
        let code = torchproof_cli::run_command(&words);
        (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(u8::MAX)
    })
}

/// Explain a rule, a case, a malformed pattern, or an error code of the runtime.
///
/// If you also pass files, an error code is explained for these files: you see only the causes that they can have.
///
/// >>> print(torchproof.explain("eh-length-min").splitlines()[0])
/// eh-length-min  must
#[pyfunction]
#[pyo3(signature = (name, *files))]
pub(crate) fn explain(py: Python<'_>, name: String, files: Vec<PathBuf>) -> PyResult<String> {
    let files = files.into_iter().map(|path| path.to_string_lossy().into_owned());
    let arguments: Vec<_> = [name].into_iter().chain(files).collect();
    let text = py.detach(|| torchproof_cli::explanation(&arguments).map_err(|error| error.to_string()));
    text.map_err(|message| of_argument(py, &message))
}
