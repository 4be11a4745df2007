//! Fuzz target: reading and checking any bytes.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::read_any::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
