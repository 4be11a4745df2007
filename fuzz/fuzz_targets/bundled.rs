//! Fuzz target: bundled programs.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::bundled::run(bytes));

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    torchproof_mutator::mutate_in_place(data, size, max_size, seed, Some(libfuzzer_sys::fuzzer_mutate))
});

#[cfg(not(fuzzing))]
fn main() {}
