//! Fuzz target: the output of `dump`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::dump::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
