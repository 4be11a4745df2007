//! `lib:PATH`: a library behind the C ABI is judged as a worker is, and whatever it does to its process ends with the case.
//! `--delivery`: it gets its files in every way, as other readers get them in those that they name.
//!
//! The cases are files that tell [a library](../faux/library.cpp) what to do.

mod address;
mod built;
mod deliveries;
mod ends;

use libtest_mimic::Trial;

/// The trials of these modules.
pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [address::trials(), deliveries::trials(), ends::trials()].into_iter().flatten()
}
