//! Mutates a buffer in place, as libFuzzer requires.

use std::cell::RefCell;
use std::time::Instant;

use torchproof::random::{Random, part};

use crate::create::samples;
use crate::share::Share;
use crate::{Engine, Mutator};

thread_local! {
    static CURRENT: RefCell<(Mutator, Share)> = RefCell::new((Mutator::new(), Share::new()));
}

/// Up to this number of bytes, an input may grow freely in one mutation. A larger input grows by at most a quarter,
/// because small inputs run faster, and most of their bytes matter.
const SMALL: usize = 4096;

/// Mutates the first `size` bytes of `data` in place, and returns the new size, which is at most `max_size`.
///
/// If there is an engine, half of the mutations are at first the engine's own. Later, the share depends on the coverage
/// that the engine and this mutator find, and this mutator takes at most a fifth of the execution time.
///
/// Each thread has one mutator. The parameters are the same as for `libfuzzer_sys::fuzz_mutator!`:
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
    let size = size.min(max_size);
    CURRENT.with_borrow_mut(|(mutator, share)| {
        mutator.engine = engine;
        let Some(engine) = engine.filter(|_| max_size > 0) else {
            return copy(&mutator.mutate(&data[..size], max_size, seed.into()).bytes, data);
        };
        // The first call builds the samples. This time does not count as time for mutations.
        samples();
        let most = max_size.min((size + size / 4).max(SMALL));
        let by_engine = share.draws_engine(&data[..size], &mut Random::new(part(seed.into(), 1)));
        let begin = Instant::now();
        let made = match by_engine {
            true => engine(data, size, most).min(most),
            false => copy(&mutator.mutate(&data[..size], most, seed.into()).bytes, data),
        };
        share.add(by_engine, &data[..made], begin.elapsed());
        made
    })
}

fn copy(from: &[u8], to: &mut [u8]) -> usize {
    to[..from.len()].copy_from_slice(from);
    from.len()
}
