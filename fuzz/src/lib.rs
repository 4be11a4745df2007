//! **Fuzz oracles**: contracts that every input must satisfy, one module per contract.
//!
//! An oracle is a function `run(bytes)` that panics if its contract is broken. A libFuzzer target in `fuzz_targets/`
//! calls the oracle. A `smoke` test also calls the oracle on stable Rust, with all seeds and thousands of mutants.

pub mod allow_list;
pub mod attack;
pub mod bundled;
pub mod check_ptd;
pub mod check_pte;
pub mod delivery;
pub mod differential;
pub mod dump;
pub mod dump_then_pack;
pub mod generate;
pub mod metadata;
pub mod protocol;
pub mod read_any;
pub mod specification;

#[cfg(test)]
mod smoke;

/// Panics if the text of an error is empty or has several lines.
fn expect_one_line(error: &str) {
    assert!(!error.is_empty() && !error.contains('\n'), "{error:?} is not one line");
}
