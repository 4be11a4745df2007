//! Fuzz target: values of metadata.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::metadata::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
