//! Fuzz target: a dump that is packed again.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| torchproof_fuzz::dump_then_pack::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
