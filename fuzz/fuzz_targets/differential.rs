//! Fuzz target: comparison with the `flatbuffers` crate's verifier.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::differential::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
