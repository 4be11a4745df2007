//! Base files.
