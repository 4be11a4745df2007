//! Fuzz target: the C interface of the mutator. The target contains the mutator, so it also mutates the inputs.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
#[allow(unreachable_pub, reason = "C programs call the functions")]
#[path = "../mutator/c/src/lib.rs"]
mod interface;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| interface::contract::run(bytes));

#[cfg(not(fuzzing))]
fn main() {}
