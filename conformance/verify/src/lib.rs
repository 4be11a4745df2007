//! **Verification of ExecuTorch files for C**: two functions that a program calls before it loads a file.
//!
//! `include/torchproof_verify.h` declares the functions; cbindgen writes this file. The functions run the first of the two passes
//! of the checker, which answers "good" or "look closer". They need no operating system, allocate nothing and do not call back.
#![no_std]
#![allow(unsafe_code, reason = "the callers are C programs")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the comments are for C, and state the requirements without this heading"
)]

#[cfg(not(target_os = "none"))]
extern crate std;

#[cfg(test)]
mod tests;

use core::slice;

use torchproof::check::passes::{Undecided, plain_data_file, plain_program};
use torchproof::check::{Options, ReadAt, Summary, Target, Unread};
use torchproof::{Limits, Span};

/// The answer of a verification. Only `TORCHPROOF_VERDICT_GOOD` means that a program may load the file.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorchproofVerdict {
    /// The file breaks no rule.
    Good = 0,
    /// The file breaks a rule, or uses a feature that this library does not know. Run `torchproof check` to learn which.
    LookCloser = 1,
    /// The file needs more scratch memory than the caller provides. The number of words that always suffices is the number of
    /// bytes of the file.
    MoreScratch = 2,
}

/// Options of a verification. All members may be zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TorchproofVerifyOptions {
    /// Memory for `scratch_words` numbers. If null, the functions use 1 KiB of the stack. This is enough for 36 names and 36 segments.
    /// A list of inputs or outputs needs three words for each item.
    pub scratch: *mut u64,
    /// The number of 64-bit words at `scratch`.
    pub scratch_words: usize,
    /// The number of bytes that the device has for the planned memory of one method; 0 for 2^40 bytes. On a 32-bit processor, the
    /// limit is at most 2^32 - 1 bytes.
    pub planned_memory: u64,
}

/// A file whose bytes are all in memory.
struct Memory<'a>(&'a [u8]);

impl ReadAt for Memory<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn head(&self) -> &[u8] {
        self.0
    }

    // The pass reads ranges only outside the head, and the default implementation of `first_nonzero` needs 4 KiB of the stack.
    fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), Unread> {
        Err(Unread)
    }

    fn first_nonzero(&self, _: Span) -> Result<Option<u64>, Unread> {
        Err(Unread)
    }
}

/// The number of words on the stack for callers without scratch memory.
const FEW: usize = 128;

type Pass = fn(&dyn ReadAt, &Options, &mut [u64]) -> Result<Summary, Undecided>;

/// Verifies a program: the `size` bytes at `data` are a whole .pte file.
///
/// `options` may be null. The function reads no data file, so it does not compare the program with its data file. Several threads
/// may call the function at the same time with different scratch memory.
///
/// If `size` is not 0, `data` must point to `size` readable bytes that do not change during the call. If `options` is not null and
/// `options->scratch` is not null, `options->scratch` must point to `options->scratch_words` writable words, aligned to 8 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_verify_program(
    data: *const u8,
    size: usize,
    options: *const TorchproofVerifyOptions,
) -> TorchproofVerdict {
    // SAFETY: the requirements are the same.
    unsafe { verify(data, size, options, plain_program) }
}

/// Verifies a data file: the `size` bytes at `data` are a whole .ptd file. Otherwise the same as `torchproof_verify_program`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_verify_data_file(
    data: *const u8,
    size: usize,
    options: *const TorchproofVerifyOptions,
) -> TorchproofVerdict {
    // SAFETY: the requirements are the same.
    unsafe { verify(data, size, options, plain_data_file) }
}

/// # Safety
///
/// See [`torchproof_verify_program`].
#[inline(always)]
unsafe fn verify(
    data: *const u8,
    size: usize,
    options: *const TorchproofVerifyOptions,
    pass: Pass,
) -> TorchproofVerdict {
    if data.is_null() || size > isize::MAX as usize {
        return TorchproofVerdict::LookCloser;
    }
    // SAFETY: the caller ensures that the bytes are readable and do not change.
    let file = Memory(unsafe { slice::from_raw_parts(data, size) });
    // SAFETY: the caller ensures that a pointer that is not null points to options.
    let options = unsafe { options.as_ref() };
    let target = if usize::BITS == 32 { Target::Bits32 } else { Target::Bits64 };
    let memory = options.map(|options| options.planned_memory).filter(|memory| *memory > 0);
    let limits = Limits::DEFAULT.planned_memory(memory.unwrap_or(Limits::DEFAULT.planned_memory));
    let checked = Options::default().target(target).limits(limits);
    let verdict = match options.filter(|options| !options.scratch.is_null()) {
        // SAFETY: the caller ensures that the words are writable and aligned.
        Some(options) => {
            pass(&file, &checked, unsafe { slice::from_raw_parts_mut(options.scratch, options.scratch_words) })
        }
        None => pass(&file, &checked, &mut [0; FEW]),
    };
    match verdict {
        Ok(_) => TorchproofVerdict::Good,
        Err(Undecided::LookCloser) => TorchproofVerdict::LookCloser,
        Err(Undecided::Scratch) => TorchproofVerdict::MoreScratch,
    }
}

#[cfg(target_os = "none")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
