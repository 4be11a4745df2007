//! How long something takes.
#![allow(dead_code, reason = "each bench uses its share")]

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds a call, of the time that this thread has had on the processor.
pub(crate) fn timed<T>(times: usize, mut call: impl FnMut() -> T) -> f64 {
    let begin = processor_time();
    for _ in 0..times {
        black_box(call());
    }
    (processor_time() - begin) / times as f64
}

/// Nanoseconds that this thread has had.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The one in the middle; of an even number, the upper one of the two.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
