//! **The own command**: how this program starts itself again, as a reader's launcher or host.

use std::ffi::OsString;
use std::io;
use std::sync::OnceLock;

static OWN: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the words that start this program: a path and the arguments that precede a subcommand.
///
/// An extension module needs this, because the running program is then the interpreter. Only the first call has an
/// effect.
pub fn set_own_command(words: Vec<OsString>) {
    let _ = OWN.set(words);
}

/// Returns the words of [`set_own_command`], or the path of the running program.
///
/// # Errors
/// Fails if the path of the running program is not available.
pub(super) fn own_command() -> io::Result<Vec<OsString>> {
    match OWN.get() {
        Some(words) => Ok(words.clone()),
        None => Ok(vec![std::env::current_exe()?.into()]),
    }
}
