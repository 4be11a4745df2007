//! The contract of the C interface, for a test and for the fuzz target `mutator`.
//!
//! * For any bytes, any sizes and any seed, a function returns at most the size limit and writes nothing after the limit.
//! * The results without libFuzzer's own mutations depend only on the parameters.
//! * Each rejected input has a finding.

use super::*;

/// The bytes after a buffer that no function may change.
const GUARD: [u8; 32] = [0xa5; 32];

/// A result buffer, followed by the guard.
struct Guarded(Vec<u8>);

impl Guarded {
    fn new(size: usize, content: &[u8]) -> Self {
        let mut bytes = content[..content.len().min(size)].to_vec();
        bytes.resize(size, 0);
        bytes.extend_from_slice(&GUARD);
        Self(bytes)
    }

    /// Calls `write` with the buffer and its size. Returns the bytes of the result.
    fn result(mut self, write: impl FnOnce(*mut u8, usize) -> usize) -> Vec<u8> {
        let limit = self.0.len() - GUARD.len();
        let size = write(self.0.as_mut_ptr(), limit);
        assert!(size <= limit, "{size} bytes exceed the limit {limit}");
        assert_eq!(self.0[limit..], GUARD, "a function wrote after its buffer");
        self.0.truncate(size);
        self.0
    }
}

/// Calls each function with the bytes. The last eight bytes determine the seed and the size limit.
///
/// # Panics
///
/// Panics if the contract of this module is broken.
pub fn run(bytes: &[u8]) {
    let (input, last) = bytes.split_last_chunk::<8>().unwrap_or((bytes, &[0; 8]));
    let [low, high] = [last.first_chunk().copied(), last.last_chunk().copied()].map(Option::unwrap_or_default);
    let (seed, limit) = (u32::from_le_bytes(low), u32::from_le_bytes(high) as usize % (2 * input.len() + 64));
    let size = input.len().min(limit);
    let other: Vec<u8> = input.iter().rev().copied().collect();

    // SAFETY: each pointer points to as many bytes as its size states, and the buffers do not overlap.
    unsafe {
        let mutated = || {
            Guarded::new(limit, &[]).result(|out, limit| {
                torchproof_mutate(input.as_ptr(), input.len(), seed.into(), out, limit, ptr::null_mut(), 0)
            })
        };
        assert_eq!(mutated(), mutated());
        Guarded::new(limit, input).result(|data, limit| LLVMFuzzerCustomMutator(data, size, limit, seed));
        let crossed = |one: &[u8], two: &[u8]| {
            Guarded::new(limit, &[]).result(|out, limit| {
                let (one, two) = ((one.as_ptr(), one.len()), (two.as_ptr(), two.len()));
                LLVMFuzzerCustomCrossOver(one.0, one.1, two.0, two.1, out, limit, seed)
            })
        };
        assert_eq!(crossed(input, &other), crossed(input, &other));
        crossed(&mutated(), input);

        let state = afl_custom_init(ptr::null_mut(), seed);
        let (mut data, mut out) = (input.to_vec(), ptr::null_mut());
        for _ in 0..3 {
            let (at, len) = (data.as_mut_ptr(), data.len());
            let made = afl_custom_fuzz(state, at, len, &raw mut out, at, len, limit);
            assert!(!out.is_null() && made <= limit);
            let made = afl_custom_post_process(state, out, made, &raw mut out);
            assert!(!out.is_null() && made <= limit);
            data = super::bytes(out, made).to_vec();
        }
        afl_custom_deinit(state);

        let rejected = torchproof_check(input.as_ptr(), input.len()) == 0;
        assert!(!rejected || torchproof_describe(input.as_ptr(), input.len(), None, ptr::null_mut()) > 0);
        let (mut program, mut program_size, mut data, mut data_size) = (ptr::null(), 0, ptr::null(), 0);
        let (program_at, data_at) = (&raw mut program, &raw mut data);
        let sizes = [&raw mut program_size, &raw mut data_size];
        if torchproof_pair_split(input.as_ptr(), input.len(), program_at, sizes[0], data_at, sizes[1]) == 1 {
            assert_eq!(program_size + data_size + 16, input.len());
        }
    }
}
