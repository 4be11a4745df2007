//! Fuzz target: labels of attacks on generated files.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::attack::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
