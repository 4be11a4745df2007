//! Tests `lib:PATH`. The runner grades a C ABI library as it grades a worker. No case affects the process that runs
//! later cases. The tests also cover `--delivery`. The library supports every delivery; other readers support only the
//! deliveries that they list.
//!
//! The first line of each case's file is a command for [the library](../faux/library.cpp).

mod address;
mod built;
mod deliveries;
mod ends;
mod reported;

use libtest_mimic::Trial;

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    [address::trials(), deliveries::trials(), ends::trials(), reported::trials()].into_iter().flatten()
}
