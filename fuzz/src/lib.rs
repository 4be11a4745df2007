//! **Fuzz oracles**: contracts that every input must satisfy, one module per contract.
//!
//! An oracle is a function `run(bytes)` that panics if its contract is broken. A libFuzzer target in `fuzz_targets/`
//! calls the oracle. A `smoke` test also calls the oracle on stable Rust, with the corpus and thousands of mutants.

pub mod attack;
pub mod check_ptd;
pub mod check_pte;
pub mod differential;
pub mod dump;
pub mod generate;
pub mod read_any;

#[cfg(test)]
mod smoke;
