//! **Contracts** that every input must satisfy, one module per contract.
//!
//! Each module has a `run(bytes)` function that panics if the contract is broken. A libFuzzer target in `fuzz_targets/`
//! calls this function. On stable Rust, a test in `smoke` calls it with all seeds and some mutants.
#![allow(missing_docs, reason = "each module states its contract")]

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
pub mod verdict;

#[cfg(test)]
mod smoke;

/// Defines a libFuzzer target that checks a contract. With `mutator`, the target uses the mutator for model files;
/// other inputs, such as JSON, need libFuzzer's own mutations.
#[macro_export]
macro_rules! target {
    ($contract:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::$contract::run(bytes));

        #[cfg(not(fuzzing))]
        fn main() {}
    };
    ($contract:ident, mutator) => {
        $crate::target!($contract);

        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            torchproof_mutator::mutate_in_place(data, size, max_size, seed, Some(libfuzzer_sys::fuzzer_mutate))
        });
    };
}

fn expect_one_line(error: &str) {
    assert!(!error.is_empty() && !error.contains('\n'), "{error:?} is not one line");
}
