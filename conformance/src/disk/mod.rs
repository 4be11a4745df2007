//! **Files on disk**: reading by range, writing atomically, scratch folders, and errors of the system in words.

mod atomic;
pub mod input;
pub mod io_error;
pub(crate) mod scratch_dir;

pub use atomic::{AtomicFile, Existing, same_place, write_sparse};
