//! **Paths on the command line**: the files that they stand for, and the data files of a program.

pub(crate) mod pairing;
pub(crate) mod sources;
