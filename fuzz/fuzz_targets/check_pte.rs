//! Fuzz target: the check of programs.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::check_pte::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
