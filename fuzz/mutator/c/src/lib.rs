//! **The C interface of the mutator**: the functions that libFuzzer and AFL++ call, and functions for other programs.
//!
//! `include/torchproof_mutator.h` declares the functions; cbindgen writes this file with the comments of the functions.
//! All of the mutator's unsafe code is here. No function unwinds into its caller: a panic is an internal error, and the
//! header says what each function then returns.
#![allow(unsafe_code, reason = "the callers are C programs")]
#![allow(clippy::missing_safety_doc, reason = "the C header has no such headings; the comments state the requirements")]

#[cfg(any(test, fuzzing))]
pub mod contract;
#[cfg(test)]
mod tests;

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use torchproof::check::Report;
use torchproof::rules::Strength;
use torchproof_mutator::{Engine, Mutator, Pair, describe, mutate_in_place, repair};

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod engine {
    //! The address of `LLVMFuzzerMutate`, or null if the program is not linked with libFuzzer.

    // Only an assembler can declare a weak symbol. A strong symbol would make AFL++ fail to load the shared library,
    // because libFuzzer is missing.
    std::arch::global_asm!(
        ".weak LLVMFuzzerMutate",
        ".pushsection .data.rel.ro.torchproof_engine, \"aw\", @progbits",
        ".balign 8",
        ".hidden torchproof_engine",
        ".globl torchproof_engine",
        "torchproof_engine: .8byte LLVMFuzzerMutate",
        ".popsection",
    );

    unsafe extern "C" {
        #[link_name = "torchproof_engine"]
        static ENGINE: Option<unsafe extern "C" fn(*mut u8, usize, usize) -> usize>;
    }

    pub(crate) fn mutate(data: &mut [u8], size: usize, max_size: usize) -> usize {
        // SAFETY: the assembler code defines the static, and the loader has set its value. The function changes at most `max_size`
        // bytes, and the slice has room for them.
        let made = unsafe { ENGINE }.map(|engine| unsafe { engine(data.as_mut_ptr(), size, max_size.min(data.len())) });
        made.unwrap_or(size)
    }

    pub(crate) fn exists() -> bool {
        // SAFETY: see `mutate`.
        unsafe { ENGINE }.is_some()
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod engine {
    //! On other systems, the mutator does not use the engine's own mutation.

    pub(crate) fn mutate(_: &mut [u8], size: usize, _: usize) -> usize {
        size
    }

    pub(crate) fn exists() -> bool {
        false
    }
}

fn engine_of_program() -> Option<Engine> {
    engine::exists().then_some(engine::mutate)
}

/// Runs a function; returns `otherwise` if it panics.
fn guarded<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    let result = catch_unwind(AssertUnwindSafe(run));
    #[cfg(any(test, fuzzing))]
    contract::PANICS.set(contract::PANICS.get() + u32::from(result.is_err()));
    result.unwrap_or(otherwise)
}

/// Returns the bytes at a pointer. A null pointer has no bytes.
///
/// # Safety
///
/// A pointer that is not null must point to `size` readable bytes that stay unchanged during `'a`.
unsafe fn bytes<'a>(pointer: *const u8, size: usize) -> &'a [u8] {
    if pointer.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller guarantees it.
    unsafe { slice::from_raw_parts(pointer, size) }
}

/// Returns the buffer at a pointer, as `bytes` does.
///
/// # Safety
///
/// A pointer that is not null must point to `size` bytes that only the result uses during `'a`.
unsafe fn buffer<'a>(pointer: *mut u8, size: usize) -> &'a mut [u8] {
    if pointer.is_null() || size == 0 {
        return &mut [];
    }
    // SAFETY: the caller guarantees it.
    unsafe { slice::from_raw_parts_mut(pointer, size) }
}

/// Copies as many bytes as fit, and returns their number.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let size = from.len().min(to.len());
    to[..size].copy_from_slice(&from[..size]);
    size
}

/// libFuzzer calls this function instead of its own mutation.
///
/// Mutates the first `size` bytes of `data` in place, and returns the new size, which is at most `max_size`. If the program is linked
/// with libFuzzer, a share of the mutations is libFuzzer's own. libFuzzer allows such a call only from its own thread.
///
/// `data` must be null or point to `max_size` bytes that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerCustomMutator(data: *mut u8, size: usize, max_size: usize, seed: c_uint) -> usize {
    let size = if data.is_null() { 0 } else { size.min(max_size) };
    guarded(size, || {
        // SAFETY: the caller guarantees it.
        let data = unsafe { buffer(data, max_size) };
        mutate_in_place(data, size, max_size, seed, engine_of_program())
    })
}

/// Among this many calls of the next function, one combines the inputs: libFuzzer calls it for every second mutation.
const COMBINED: c_uint = 4;

/// Among this many calls of the next function, one combines the inputs: libFuzzer calls it for every second mutation.
///
/// Writes the first input with part of the second one to `out`, and returns how many bytes it wrote, at most
/// `max_size`. If the program is linked with libFuzzer, most calls only mutate the first input, as
/// `LLVMFuzzerCustomMutator` does.
///
/// Each pointer must be null or point to as many bytes as the next parameter says. `out` must not overlap the inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerCustomCrossOver(
    data1: *const u8,
    size1: usize,
    data2: *const u8,
    size2: usize,
    out: *mut u8,
    max_size: usize,
    seed: c_uint,
) -> usize {
    // SAFETY: the caller guarantees it.
    let (one, two, out) = unsafe { (bytes(data1, size1), bytes(data2, size2), buffer(out, max_size)) };
    if let Some(engine) = engine_of_program().filter(|_| !seed.is_multiple_of(COMBINED)) {
        let size = copy(one, out);
        return guarded(size, || mutate_in_place(out, size, max_size, seed, Some(engine)));
    }
    let made = guarded(None, || Some(Mutator::cross(one, two, max_size, seed.into()).bytes));
    copy(made.as_deref().unwrap_or(one), out)
}

/// The mutator of one AFL++ instance.
struct AflState {
    mutator: Mutator,
    seed: u64,
    mutated: Spare,
    repaired: Spare,
}

/// AFL++ passes the last result of a function to the same function as an input, so there are two buffers.
#[derive(Default)]
struct Spare([Vec<u8>; 2]);

impl Spare {
    /// Returns the buffer that does not contain the input.
    fn buffer(&mut self, input: &[u8]) -> &mut Vec<u8> {
        let first = self.0[0].as_ptr().addr();
        let contains = (first..first + self.0[0].capacity()).contains(&input.as_ptr().addr());
        &mut self.0[usize::from(contains)]
    }
}

/// Of this many AFL++ mutations with a second input, one combines the inputs. Two change the second input instead,
/// because it is random, but AFL++ spends thousands of mutations on each first input.
const SECOND_INPUT: u64 = 8;

/// AFL++ calls this function once, and passes the result to the other functions for AFL++.
///
/// The mutator does not use `afl`, the state of AFL++. Returns null after an internal error. Only one thread at a time may use a
/// result. `afl_custom_deinit` frees the result.
#[unsafe(no_mangle)]
pub extern "C" fn afl_custom_init(afl: *mut c_void, seed: c_uint) -> *mut c_void {
    let _ = afl;
    guarded(ptr::null_mut(), || {
        let (mutated, repaired) = Default::default();
        let state = AflState { mutator: Mutator::new(), seed: u64::from(seed) << 32, mutated, repaired };
        Box::into_raw(Box::new(state)).cast()
    })
}

/// AFL++ calls this function to mutate an input.
///
/// Sets `*out` to the mutated input, and returns its size, which is at most `max_size`. `*out` is never null; the size 0 means that
/// AFL++ skips the input. `*out` is valid until the next call of this function or of `afl_custom_deinit` with the same state. If
/// `state` is null, and after an internal error, `*out` is `data`, and is only valid as long as `data` is.
///
/// `state` must be null or a result of `afl_custom_init`. `data` and `add` must be null or point to as many bytes as the next parameter
/// says. `out` must be null or point to a pointer. `data` may be a result of a function for AFL++; `add` must not be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_fuzz(
    state: *mut c_void,
    data: *mut u8,
    size: usize,
    out: *mut *mut u8,
    add: *mut u8,
    add_size: usize,
    max_size: usize,
) -> usize {
    // SAFETY: the caller guarantees it.
    let (input, other) = unsafe { (bytes(data, size), bytes(add, add_size)) };
    // SAFETY: the caller guarantees it.
    let Some(state) = (unsafe { state.cast::<AflState>().as_mut() }) else {
        // SAFETY: the caller guarantees it.
        return unsafe { give(out, input.as_ptr(), input.len().min(max_size)) };
    };
    let mutated = guarded(None, || {
        state.seed = state.seed.wrapping_add(1);
        let mutated = state.mutated.buffer(input);
        *mutated = match state.seed % SECOND_INPUT {
            0 if !other.is_empty() => Mutator::cross(input, other, max_size, state.seed).bytes,
            1 | 2 if !other.is_empty() => state.mutator.mutate(other, max_size, state.seed).bytes,
            _ => state.mutator.mutate(input, max_size, state.seed).bytes,
        };
        Some(&mutated[..])
    });
    let result = mutated.unwrap_or(input);
    // SAFETY: the caller guarantees it.
    unsafe { give(out, result.as_ptr(), result.len().min(max_size)) }
}

/// AFL++ calls this function before it runs an input.
///
/// Repairs sizes in the header that exceed the input, for about half of all such inputs; the content of an input decides. Sets `*out`
/// to the repaired input, or to `data` if nothing was repaired. Returns the size of the input, which a repair does not change. `*out`
/// is never null. A repaired input is valid until the next call of this function or of `afl_custom_deinit` with the same state.
///
/// The parameters must satisfy the requirements of `afl_custom_fuzz`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_post_process(
    state: *mut c_void,
    data: *mut u8,
    size: usize,
    out: *mut *mut u8,
) -> usize {
    // SAFETY: the caller guarantees it.
    let (input, state) = unsafe { (bytes(data, size), state.cast::<AflState>().as_mut()) };
    let repaired = guarded(None, || {
        let state = state.filter(|_| input.iter().fold(0, |sum: u8, byte| sum.wrapping_mul(3) ^ byte) % 2 == 0)?;
        let repaired = state.repaired.buffer(input);
        repaired.clear();
        repaired.extend_from_slice(input);
        repair(repaired).then_some(&repaired[..])
    });
    let result = repaired.unwrap_or(input);
    // SAFETY: the caller guarantees it.
    unsafe { give(out, result.as_ptr(), result.len()) }
}

/// AFL++ calls this function at its end, to free the state.
///
/// `state` must be null or a result of `afl_custom_init`. After the call, the state and all its results are invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_deinit(state: *mut c_void) {
    if !state.is_null() {
        // SAFETY: the caller guarantees it.
        guarded((), || drop(unsafe { Box::from_raw(state.cast::<AflState>()) }));
    }
}

/// Stores a pointer to a result in `*out`, and returns the result's size.
///
/// # Safety
///
/// `out` must be null or point to a pointer.
unsafe fn give(out: *mut *mut u8, result: *const u8, size: usize) -> usize {
    if out.is_null() {
        return 0;
    }
    // SAFETY: the caller guarantees it.
    unsafe { *out = result.cast_mut() };
    size
}

/// Mutates an input, without libFuzzer's own mutations.
///
/// Writes the mutated input to `out`, and returns its size, which is at most `max_size`. The result depends only on the input, the
/// seed and `max_size`. If `name` is not null, writes the name of the mutation, such as `edit/offset`, and a NUL terminator to
/// `name`; a name that exceeds `name_size` is cut. After an internal error, the result is the start of the input, and the name is
/// empty.
///
/// `data`, `out` and `name` must be null or point to `size`, `max_size` and `name_size` bytes. The buffers must not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_mutate(
    data: *const u8,
    size: usize,
    seed: u64,
    out: *mut u8,
    max_size: usize,
    name: *mut c_char,
    name_size: usize,
) -> usize {
    // SAFETY: the caller guarantees it.
    let (input, out, name) = unsafe { (bytes(data, size), buffer(out, max_size), buffer(name.cast(), name_size)) };
    let made = guarded(None, || Some(Mutator::new().mutate(input, max_size, seed)));
    if let Some((end, text)) = name.split_last_mut() {
        *end = 0;
        let copied = copy(made.as_ref().map_or("", |made| made.name).as_bytes(), text);
        text[copied..].fill(0);
    }
    copy(made.as_ref().map_or(input, |made| &made.bytes), out)
}

/// Creates a program, a data file or a bundled program, or a pair if `pair` is not 0.
///
/// Writes a whole file or a whole pair that `torchproof_check` accepts to `out`, and returns its size, which is at most `max_size`.
/// Returns 0 if no file or pair of this seed fits, and after an internal error. A `max_size` of at least 16,384 is recommended: all
/// files and almost all pairs fit. The result depends only on the parameters.
///
/// `out` must be null or point to `max_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_generate(seed: u64, pair: c_int, out: *mut u8, max_size: usize) -> usize {
    let made = guarded(Vec::new(), || {
        let generate = if pair == 0 { Mutator::generate } else { Mutator::generate_pair };
        generate(max_size, seed)
    });
    // SAFETY: the caller guarantees it.
    copy(&made, unsafe { buffer(out, max_size) })
}

/// Checks an input: a file, or a pair.
///
/// Returns 1 if the input breaks no must-rule, and 0 if the input breaks a must-rule. Returns -1 if the check is incomplete because
/// the input exceeds a limit, and after an internal error.
///
/// `data` must be null or point to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_check(data: *const u8, size: usize) -> c_int {
    // SAFETY: the caller guarantees it.
    let input = unsafe { bytes(data, size) };
    guarded(-1, || {
        let report = describe(input);
        let rejects = report.file.rejects() || report.data.as_ref().is_some_and(|data| data.rejects());
        if report.accepts() {
            1
        } else if rejects {
            0
        } else {
            -1
        }
    })
}

/// One violation of a rule. The strings are valid only until the function that receives the finding returns.
#[repr(C)]
#[derive(Debug)]
pub struct TorchproofFinding {
    /// The rule's id, such as `eh-length-min`.
    pub rule: *const c_char,
    /// The field's path, such as `execution_plan[0].name`; empty for the whole file.
    pub path: *const c_char,
    /// A sentence that says what was found and what was expected.
    pub message: *const c_char,
    /// The position of the first wrong byte in its file.
    pub offset: u64,
    /// The number of wrong bytes.
    pub size: u64,
    /// 1 if the rule is a must-rule, otherwise 0.
    pub must: c_int,
    /// 1 if the finding is in the data file of a pair, otherwise 0.
    pub in_data: c_int,
}

/// Describes what is wrong with an input: calls `receive` for each violation of a rule, and passes `context` to it.
///
/// The function passes the first 1,000 violations in each input file. Returns their number, or `SIZE_MAX` after an
/// internal error. If `receive` is null, the violations are only counted.
///
/// `data` must be null or point to `size` bytes. `receive` runs on the thread of the caller. It must return, so it must
/// neither throw an exception nor call `longjmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_describe(
    data: *const u8,
    size: usize,
    receive: Option<unsafe extern "C" fn(finding: *const TorchproofFinding, context: *mut c_void)>,
    context: *mut c_void,
) -> usize {
    // SAFETY: the caller guarantees it.
    let input = unsafe { bytes(data, size) };
    guarded(usize::MAX, || {
        let report = describe(input);
        let mut count = 0;
        let mut pass = |report: &Report, in_data| {
            count += report.findings.len();
            for finding in &report.findings {
                // No rule, path or message contains a NUL byte: messages escape it.
                let text = |text: &str| CString::new(text).unwrap_or_default();
                let [rule, path, message] = [finding.rule.id, &finding.path, &finding.message].map(text);
                let passed = TorchproofFinding {
                    rule: rule.as_ptr(),
                    path: path.as_ptr(),
                    message: message.as_ptr(),
                    offset: finding.span.offset,
                    size: finding.span.len,
                    must: c_int::from(finding.rule.strength == Strength::Must),
                    in_data,
                };
                if let Some(receive) = receive {
                    // SAFETY: the finding and its strings live until the end of the call.
                    unsafe { receive(&raw const passed, context) };
                }
            }
        };
        pass(&report.file, 0);
        if let Some(data) = &report.data {
            pass(data, 1);
        }
        count
    })
}

/// Splits a pair into its program and its data file, without a copy.
///
/// A pair begins with the eight bytes `TPPAIR01`, followed by the length of the program as a little-endian 64-bit number, the
/// program, and the data file. Returns 1 and sets the four results if the input is a pair, otherwise 0. Copy each file to its own
/// buffer before you read it: the copy detects reads past the end, and has the alignment that readers require.
///
/// `input` must be null or point to `size` bytes. Each other pointer must be null or point to a variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_pair_split(
    input: *const u8,
    size: usize,
    program: *mut *const u8,
    program_size: *mut usize,
    data: *mut *const u8,
    data_size: *mut usize,
) -> c_int {
    // SAFETY: the caller guarantees it.
    let Some(pair) = Pair::split(unsafe { bytes(input, size) }) else { return 0 };
    for (file, at, size) in [(pair.program, program, program_size), (pair.data, data, data_size)] {
        // SAFETY: the caller guarantees it.
        unsafe {
            if let Some(at) = at.as_mut() {
                *at = file.as_ptr();
            }
            if let Some(size) = size.as_mut() {
                *size = file.len();
            }
        }
    }
    1
}
