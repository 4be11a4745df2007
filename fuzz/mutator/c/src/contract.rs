//! The C interface's contract, for a test and for the fuzz target `mutator`.
//!
//! * For any bytes, sizes and seed, a function returns at most the size limit and writes nothing beyond it.
//! * Results without libFuzzer's own mutations depend only on the parameters.
//! * Each rejected input has a finding. The checker accepts each created input.
//! * No function has an internal error.

use std::cell::Cell;
use std::ffi::CStr;

use super::*;

thread_local! {
    /// The panics that the C functions have hidden from this thread.
    pub static PANICS: Cell<u32> = const { Cell::new(0) };
}

/// The bytes after a buffer, which no function may change.
const GUARD: [u8; 32] = [0xa5; 32];

struct Guarded(Vec<u8>);

impl Guarded {
    fn new(size: usize, content: &[u8]) -> Self {
        let mut bytes = content[..content.len().min(size)].to_vec();
        bytes.resize(size, 0);
        bytes.extend_from_slice(&GUARD);
        Self(bytes)
    }

    fn result(mut self, write: impl FnOnce(*mut u8, usize) -> usize) -> Vec<u8> {
        let limit = self.0.len() - GUARD.len();
        let size = write(self.0.as_mut_ptr(), limit);
        assert!(size <= limit, "{size} bytes exceed the limit {limit}");
        assert_eq!(self.0[limit..], GUARD, "a function wrote after its buffer");
        self.0.truncate(size);
        self.0
    }
}

/// Calls each function. The last eight bytes determine the seed and the size limit.
pub fn run(bytes: &[u8]) {
    let (input, last) = bytes.split_last_chunk::<8>().unwrap_or((bytes, &[0; 8]));
    let [low, high] = [last.first_chunk().copied(), last.last_chunk().copied()].map(Option::unwrap_or_default);
    let (seed, limit) = (u32::from_le_bytes(low), u32::from_le_bytes(high) as usize % (2 * input.len() + 64));
    let other: Vec<u8> = input.iter().rev().copied().collect();

    let before = PANICS.get();
    let (mutant, name) = mutated(input, seed, limit, 64);
    let short = mutated(input, seed, limit, seed as usize % 16);
    assert_eq!(mutant, short.0);
    assert!(!name.is_empty() && name.starts_with(&short.1), "{name:?} is cut to {:?}", short.1);
    in_place(input, seed, limit);
    let combined = seed - seed % COMBINED;
    assert_eq!(crossed(input, &other, combined, limit), crossed(input, &other, combined, limit));
    crossed(input, &other, seed, limit);
    crossed(&mutant, input, seed, limit);
    assert_eq!(by_afl(input, seed, limit), by_afl(input, seed, limit));
    for pair in [0, 1] {
        // A few creations are enough, because each takes as long as many mutations.
        if seed % 16 == pair {
            created(seed, pair != 0, limit);
        }
    }
    described(input);
    split(input);
    assert_eq!(PANICS.get(), before, "a function has an internal error");
}

/// Returns the mutant and the name of its mutation, cut to `name_size` bytes.
fn mutated(input: &[u8], seed: u32, limit: usize, name_size: usize) -> (Vec<u8>, Vec<u8>) {
    let mut name = Vec::new();
    let mutant = Guarded::new(limit, &[]).result(|out, limit| {
        let mut size = 0;
        name = Guarded::new(name_size, &[0xff; 64]).result(|name, name_size| {
            // SAFETY: each pointer points to as many bytes as its size says, and the buffers do not overlap.
            size = unsafe {
                torchproof_mutate(input.as_ptr(), input.len(), seed.into(), out, limit, name.cast(), name_size)
            };
            name_size
        });
        size
    });
    let text = name.split(|byte| *byte == 0).next().unwrap_or_default();
    assert!(text.len() < name.len() || name.is_empty(), "the name has no terminator");
    (mutant, text.to_vec())
}

fn in_place(input: &[u8], seed: u32, limit: usize) {
    let size = input.len().min(limit);
    // SAFETY: the pointer points to `limit` bytes.
    Guarded::new(limit, input).result(|data, limit| unsafe { LLVMFuzzerCustomMutator(data, size, limit, seed) });
}

fn crossed(one: &[u8], two: &[u8], seed: u32, limit: usize) -> Vec<u8> {
    let (one, two) = ((one.as_ptr(), one.len()), (two.as_ptr(), two.len()));
    Guarded::new(limit, &[]).result(|out, limit| {
        // SAFETY: each pointer points to as many bytes as its size says, and the buffers do not overlap.
        unsafe { LLVMFuzzerCustomCrossOver(one.0, one.1, two.0, two.1, out, limit, seed) }
    })
}

/// The last result of several calls of the functions for AFL++.
fn by_afl(input: &[u8], seed: u32, limit: usize) -> Vec<u8> {
    let (mut data, mut out) = (input.to_vec(), ptr::null_mut());
    // SAFETY: the state is valid, and each other pointer points to as many bytes as its size says.
    unsafe {
        let state = afl_custom_init(ptr::null_mut(), seed);
        for _ in 0..3 {
            let (at, len) = (data.as_mut_ptr(), data.len());
            let made = afl_custom_fuzz(state, at, len, &raw mut out, at, len, limit);
            assert!(!out.is_null() && made <= limit);
            let repaired = afl_custom_post_process(state, out, made, &raw mut out);
            assert!(!out.is_null() && repaired == made);
            data = super::bytes(out, made).to_vec();
        }
        afl_custom_deinit(state);
    }
    data
}

fn created(seed: u32, pair: bool, limit: usize) {
    let create = || {
        // SAFETY: the pointer points to `limit` bytes.
        let create = |out, limit| unsafe { torchproof_generate(seed.into(), c_int::from(pair), out, limit) };
        Guarded::new(limit, &[]).result(create)
    };
    let input = create();
    assert_eq!(input, create());
    if !input.is_empty() {
        // SAFETY: the pointer points to the bytes of the input.
        assert_eq!(unsafe { torchproof_check(input.as_ptr(), input.len()) }, 1, "the checker rejects a created input");
        assert_eq!(split(&input), pair);
    }
}

fn described(input: &[u8]) {
    /// Counts all findings and, separately, the findings for must-rules.
    unsafe extern "C" fn receive(finding: *const TorchproofFinding, counts: *mut c_void) {
        // SAFETY: the caller passes a finding with strings, and the counts.
        unsafe {
            let (finding, counts) = (&*finding, &mut *counts.cast::<[usize; 2]>());
            let [rule, _, message] = [finding.rule, finding.path, finding.message].map(|text| CStr::from_ptr(text));
            assert!(!rule.is_empty() && !message.is_empty() && finding.in_data & !1 == 0);
            counts[0] += 1;
            counts[1] += usize::try_from(finding.must).expect("0 or 1");
        }
    }
    let mut counts = [0; 2];
    let context: *mut [usize; 2] = &raw mut counts;
    // SAFETY: the pointer points to the bytes of the input, and the context is what `receive` expects.
    let (verdict, counted, received) = unsafe {
        let (at, size) = (input.as_ptr(), input.len());
        let received = torchproof_describe(at, size, Some(receive), context.cast());
        (torchproof_check(at, size), torchproof_describe(at, size, None, ptr::null_mut()), received)
    };
    assert_eq!([counted, received], [counts[0]; 2]);
    assert!(verdict != 0 || counted > 0, "a rejected input has no finding");
    assert!(verdict != 1 || counts[1] == 0, "an accepted input breaks a must-rule");
}

fn split(input: &[u8]) -> bool {
    let (mut program, mut program_size, mut data, mut data_size) = (ptr::null(), 0, ptr::null(), 0);
    let (program_at, data_at) = (&raw mut program, &raw mut data);
    let sizes = [&raw mut program_size, &raw mut data_size];
    // SAFETY: the pointer points to the bytes of the input, and the other pointers point to variables.
    let split = unsafe { torchproof_pair_split(input.as_ptr(), input.len(), program_at, sizes[0], data_at, sizes[1]) };
    if split == 1 {
        // SAFETY: the function returned these pointers and sizes.
        let [program, data] = unsafe { [super::bytes(program, program_size), super::bytes(data, data_size)] };
        assert_eq!([&input[..16], program, data].concat(), input);
    }
    split == 1
}
