//! `lib:PATH`: a library with the C ABI is graded like a worker, and its effects on its process end with the case.
//! `--delivery`: the library supports every delivery; other readers support the deliveries that they list.
//!
//! The files of the cases hold orders for [the library](../faux/library.cpp).

mod address;
mod built;
mod deliveries;
mod ends;

use libtest_mimic::Trial;

/// Returns the trials of these modules.
pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [address::trials(), deliveries::trials(), ends::trials()].into_iter().flatten()
}
