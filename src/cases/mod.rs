//! **The case registry.**
