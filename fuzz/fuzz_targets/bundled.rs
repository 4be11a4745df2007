//! Fuzz target: bundled programs.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::bundled::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
