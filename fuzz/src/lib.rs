//! **Fuzz oracles**: contracts that hold for any bytes; one module per contract.
//!
//! An oracle is `run(bytes)`, which panics if its contract is broken. A libFuzzer target in `fuzz_targets/` calls it,
//! and so does its `smoke` test on stable Rust, with the corpus and thousands of mutants.

pub mod attack;
pub mod check_ptd;
pub mod check_pte;
pub mod differential;
pub mod dump;
pub mod generate;
pub mod read_any;

#[cfg(test)]
mod smoke;
