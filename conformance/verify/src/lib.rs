//! **Verification of ExecuTorch files for C**: functions that a program calls before it loads a file.
//!
//! `include/torchproof_verify.h` declares them; cbindgen writes this file. They give the verdict of `torchproof check` for every file,
//! need no operating system, allocate nothing and do not call back.
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

use core::{ptr, slice};

use torchproof::Span;
use torchproof::check::{FileVerdict, Options, ReadAt, Target, Unread, data_file_verdict, program_verdict};
use torchproof::rules::{RuleNumber, by_number};

/// The answer of a verification. Load a file only if the answer is `TORCHPROOF_ANSWER_VALID`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorchproofAnswer {
    /// The file breaks no must-rule.
    Valid = 0,
    /// The file breaks a must-rule.
    Invalid = 1,
    /// The file exceeds a limit, or has a format that no rule covers, so only a part of it was examined.
    Unexamined = 2,
    /// The verification needs more scratch memory, or the scratch memory is not aligned to 8 bytes.
    Scratch = 3,
}

/// What a verification found, for messages and for the next call.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TorchproofDetails {
    /// The number of the must-rule that an invalid file breaks first. `torchproof_rule_name` returns its name.
    pub rule: u32,
    /// The offset of the bytes that break it.
    pub offset: u64,
    /// The number of 64-bit words of scratch memory that the verification needs to continue. One word for each byte of the file always
    /// suffices.
    pub scratch_words: usize,
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

    // All bytes are in the head, so a check never reads a range.
    fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), Unread> {
        Err(Unread)
    }

    fn first_nonzero(&self, _: Span) -> Result<Option<u64>, Unread> {
        Err(Unread)
    }
}

/// The number of words on the stack for callers without scratch memory.
const FEW: usize = 64;

/// Verifies a program: the `size` bytes at `data` are a whole .pte file.
///
/// It reads no data file, so two files that are valid alone can still disagree about a tensor. Several threads may call it at the same
/// time with different scratch memory.
///
/// If `size` is not 0, `data` must point to `size` readable bytes that do not change during the call. `scratch` points to
/// `scratch_words` writable 64-bit words; if it is null, the function uses 512 bytes of the stack, which is enough for a few
/// dozen names and segments. `details` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_verify_program(
    data: *const u8,
    size: usize,
    scratch: *mut u64,
    scratch_words: usize,
    details: *mut TorchproofDetails,
) -> TorchproofAnswer {
    // SAFETY: the requirements are the same.
    unsafe { verify(data, size, scratch, scratch_words, details, program_verdict) }
}

/// Verifies a data file: the `size` bytes at `data` are a whole .ptd file. Otherwise the same as `torchproof_verify_program`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_verify_data_file(
    data: *const u8,
    size: usize,
    scratch: *mut u64,
    scratch_words: usize,
    details: *mut TorchproofDetails,
) -> TorchproofAnswer {
    // SAFETY: the requirements are the same.
    unsafe { verify(data, size, scratch, scratch_words, details, data_file_verdict) }
}

/// Writes the name of a rule, such as `eh-length-min`, and a NUL to `buffer`, as far as `size` bytes permit. Returns the length of the
/// name, or 0 for an unknown number. `torchproof explain NAME` describes the rule.
///
/// The names take several kilobytes, which the linker leaves out of a program that does not call this function.
///
/// `buffer` must point to `size` writable bytes; if `size` is 0, it may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_rule_name(rule: u32, buffer: *mut u8, size: usize) -> usize {
    let name = by_number(RuleNumber(rule)).map_or("", |rule| rule.id);
    if let Some(last) = size.checked_sub(1) {
        let len = name.len().min(last);
        // SAFETY: `len + 1` is at most `size`.
        unsafe {
            ptr::copy_nonoverlapping(name.as_ptr(), buffer, len);
            buffer.add(len).write(0);
        }
    }
    name.len()
}

/// # Safety
///
/// See [`torchproof_verify_program`].
#[inline(always)]
unsafe fn verify(
    data: *const u8,
    size: usize,
    scratch: *mut u64,
    scratch_words: usize,
    details: *mut TorchproofDetails,
    verdict: fn(&dyn ReadAt, &Options, &mut [u64]) -> FileVerdict,
) -> TorchproofAnswer {
    // SAFETY: the caller ensures that a pointer that is not null points to details.
    let mut details = unsafe { details.as_mut() };
    if let Some(details) = details.as_deref_mut() {
        *details = TorchproofDetails::default();
    }
    // SAFETY: the caller ensures that the bytes are readable and do not change.
    let file = match size {
        0 => Memory(&[]),
        _ if data.is_null() || size > isize::MAX as usize => return TorchproofAnswer::Unexamined,
        _ => Memory(unsafe { slice::from_raw_parts(data, size) }),
    };
    let options = Options::default().target(if usize::BITS == 32 { Target::Bits32 } else { Target::Bits64 });
    let found = if scratch.is_null() {
        verdict(&file, &options, &mut [0; FEW])
    } else if !scratch.is_aligned() || scratch_words > isize::MAX as usize / size_of::<u64>() {
        FileVerdict::Scratch(0)
    } else {
        // SAFETY: the words are aligned, and the caller ensures that they are writable.
        verdict(&file, &options, unsafe { slice::from_raw_parts_mut(scratch, scratch_words) })
    };
    let (answer, own) = match found {
        FileVerdict::Valid => (TorchproofAnswer::Valid, TorchproofDetails::default()),
        FileVerdict::Invalid { rule: RuleNumber(rule), offset } => {
            (TorchproofAnswer::Invalid, TorchproofDetails { rule, offset, ..Default::default() })
        }
        FileVerdict::Scratch(words) => {
            (TorchproofAnswer::Scratch, TorchproofDetails { scratch_words: words, ..Default::default() })
        }
        _ => (TorchproofAnswer::Unexamined, TorchproofDetails::default()),
    };
    if let Some(details) = details {
        *details = own;
    }
    answer
}

#[cfg(target_os = "none")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
