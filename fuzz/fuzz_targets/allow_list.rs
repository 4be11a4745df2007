//! Fuzz target: lists of allowed findings and known failures.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::allow_list::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
