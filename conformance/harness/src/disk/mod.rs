//! **Files on disk**: opening, range reads, atomic writes, scratch folders, paths that a file names, and messages for I/O errors.

mod abandoned;
mod atomic;
pub mod input;
pub mod io_error;
pub mod named;
pub mod open;
pub(crate) mod scratch_dir;
pub(crate) mod system;

pub use atomic::{AtomicFile, OverwritePolicy, same_place, write_sparse};
pub use system::make_executable;
