//! An example: fuzzes a Rust reader with the mutator.
#![cfg_attr(fuzzing, no_main)]

/// The reader to fuzz. Replace the body with a call to your reader.
#[cfg_attr(not(fuzzing), expect(dead_code, reason = "only libFuzzer calls the reader"))]
fn read(bytes: &[u8]) -> Option<usize> {
    let program = torchproof::pte::Pte::open(bytes).ok()?.program();
    let methods = program.execution_plan().ok()??;
    methods.iter().map(|method| method.ok()?.name().ok()?.map(|name| name.as_bytes().len())).sum()
}

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
});

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    torchproof_mutator::mutate_in_place(data, size, max_size, seed, Some(libfuzzer_sys::fuzzer_mutate))
});

#[cfg(not(fuzzing))]
fn main() {}
