//! The mutation of a buffer in place, as libFuzzer requires.

use std::cell::RefCell;

use crate::{Engine, Mutator};

thread_local! {
    static CURRENT: RefCell<Mutator> = RefCell::new(Mutator::new());
}

/// Mutates the first `size` bytes of `data` in place, and returns the new size, which is at most `max_size`.
///
/// Each thread has one mutator. The parameters are those of `libfuzzer_sys::fuzz_mutator!`:
///
/// ```ignore
/// libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
///     torchproof_mutator::mutate_in_place(data, size, max_size, seed, Some(libfuzzer_sys::fuzzer_mutate))
/// });
/// ```
///
/// If `max_size` exceeds the length of `data`, the length of `data` is the limit.
pub fn mutate_in_place(data: &mut [u8], size: usize, max_size: usize, seed: u32, engine: Option<Engine>) -> usize {
    let max_size = max_size.min(data.len());
    CURRENT.with_borrow_mut(|mutator| {
        mutator.engine = engine;
        let mutant = mutator.mutate(&data[..size.min(max_size)], max_size, seed.into()).bytes;
        data[..mutant.len()].copy_from_slice(&mutant);
        mutant.len()
    })
}
