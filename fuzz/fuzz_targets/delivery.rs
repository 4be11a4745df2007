//! Fuzz target: the deliveries of a file.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::delivery::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
