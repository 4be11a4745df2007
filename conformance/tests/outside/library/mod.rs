//! Tests `lib:PATH` and `--delivery`. The runner grades a C ABI library like a worker, and no case affects the process
//! that runs later cases. The library supports every delivery; other readers list what they support.
//!
//! The first line of each case's file is an order for [the library](../faux/library.cpp).

mod address;
mod built;
mod deliveries;
mod ends;
mod reported;

use libtest_mimic::Trial;

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [address::trials(), deliveries::trials(), ends::trials(), reported::trials()].into_iter().flatten()
}
