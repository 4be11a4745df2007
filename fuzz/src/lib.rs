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
pub mod plain;
pub mod protocol;
pub mod read_any;
pub mod specification;

#[cfg(test)]
mod smoke;

/// Defines a libFuzzer target that calls an oracle.
///
/// With `mutator`, the target uses the mutator of model files. Other inputs, such as JSON, need the mutations of
/// libFuzzer.
#[macro_export]
macro_rules! target {
    ($oracle:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::$oracle::run(bytes));

        #[cfg(not(fuzzing))]
        fn main() {}
    };
    ($oracle:ident, mutator) => {
        $crate::target!($oracle);

        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            torchproof_mutator::mutate_in_place(data, size, max_size, seed, Some(libfuzzer_sys::fuzzer_mutate))
        });
    };
}

/// Panics if the text of an error is empty or has several lines.
fn expect_one_line(error: &str) {
    assert!(!error.is_empty() && !error.contains('\n'), "{error:?} is not one line");
}
