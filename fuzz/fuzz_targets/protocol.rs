//! Fuzz target: the output of a worker.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::protocol::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
