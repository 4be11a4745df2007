//! **A copy of the corpus**: whether it is whole, and a part of it to take away.
//!
//! A copy is held against its own manifest, whichever release it is of; [`build`](crate::corpus::build) compares a folder with the
//! case functions of this program.

mod archive;
mod audit;

pub(crate) use archive::archive;
pub(crate) use audit::audit;
