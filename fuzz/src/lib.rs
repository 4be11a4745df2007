//! **Fuzz oracles**: what must hold of any bytes, or of whatever is made of them; one module a contract.
//!
//! An oracle is `run(bytes)`, which panics when its contract is broken. The libFuzzer targets under `fuzz_targets/` do
//! nothing but call one; so does its `smoke` test, on stable, with the corpus and some thousand mutants of it.

pub mod attack;
pub mod check_ptd;
pub mod check_pte;
pub mod differential;
pub mod dump;
pub mod generate;
pub mod read_any;

#[cfg(test)]
mod smoke;
