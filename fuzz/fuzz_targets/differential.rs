//! Any bytes: the verification pass and the `flatbuffers` crate's verifier agree, or it is known why not.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::differential::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
