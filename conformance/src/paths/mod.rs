//! **Paths on the command line**: the files that they stand for, and a program's data files.

pub(crate) mod pairing;
pub(crate) mod sources;
