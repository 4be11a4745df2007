//! **Verification of ExecuTorch files for C**: functions to call before loading a file.
//!
//! `include/torchproof_verify.h` declares them; cbindgen writes this file. They give the same verdict as `torchproof
//! check` for every file, need no operating system, allocate nothing and do not call back.
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
use torchproof::check::{
    FileVerdict, Options, ReadAt, ReadError, StopReason, Target, data_file_verdict, program_verdict,
    program_with_data_files_verdict,
};
use torchproof::rules::{RuleNumber, by_number};

/// A verification's answer. Load a file only if it is `TORCHPROOF_ANSWER_VALID`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorchproofAnswer {
    /// The file breaks no must-rule.
    Valid = 0,
    /// The file breaks a must-rule.
    Invalid = 1,
    /// The file was not fully examined: it exceeds a limit, its format is not covered by the rules, it was passed as a
    /// data file but is none, or its pointer or size is impossible.
    Unexamined = 2,
    /// The verification needs more scratch memory, or the scratch memory is not aligned as `uint64_t` must be.
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
    /// The number of 64-bit words of scratch memory that the verification needs to continue; 0 if the given memory is
    /// misaligned or its size is impossible. One word for each byte of all files together always suffices.
    pub scratch_words: usize,
    /// The file that the answer is about: 0 for the program or the only file, 1 for the first data file.
    pub file: usize,
}

/// A file whose bytes are all in memory.
///
/// If `size` is not 0, `data` must point to `size` readable bytes that do not change during the verification.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TorchproofFile {
    /// The first byte.
    pub data: *const u8,
    /// The number of bytes.
    pub size: usize,
}

impl TorchproofFile {
    /// Returns whether a file can be at this place in memory.
    const fn is_possible(&self) -> bool {
        self.size == 0 || !self.data.is_null() && self.size <= isize::MAX as usize
    }
}

impl ReadAt for TorchproofFile {
    fn len(&self) -> u64 {
        self.size as u64
    }

    fn head(&self) -> &[u8] {
        if self.size == 0 || !self.is_possible() {
            return &[];
        }
        // SAFETY: the caller ensures that the bytes are readable and do not change.
        unsafe { slice::from_raw_parts(self.data, self.size) }
    }

    // All bytes are in the head, so a check never reads a range.
    fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), ReadError> {
        Err(ReadError)
    }

    fn first_nonzero(&self, _: Span) -> Result<Option<u64>, ReadError> {
        Err(ReadError)
    }
}

/// Words on the stack, for callers without scratch memory.
const FEW: usize = 64;

/// Verifies a program: the `size` bytes at `data` are a whole .pte file. Valid means that the program breaks no must-rule by itself.
///
/// It reads no data file: for a program with data files, call `torchproof_verify_program_with_data_files`. Several threads may call
/// it at the same time with different scratch memory.
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
    let verdict =
        |file: &dyn ReadAt, options: &Options, words: &mut [u64]| (program_verdict(file, options, words), None);
    // SAFETY: the requirements are the same.
    unsafe { verify(TorchproofFile { data, size }, scratch, scratch_words, details, verdict) }
}

/// Verifies a data file: the `size` bytes at `data` are a whole .ptd file. Otherwise like `torchproof_verify_program`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_verify_data_file(
    data: *const u8,
    size: usize,
    scratch: *mut u64,
    scratch_words: usize,
    details: *mut TorchproofDetails,
) -> TorchproofAnswer {
    let verdict =
        |file: &dyn ReadAt, options: &Options, words: &mut [u64]| (data_file_verdict(file, options, words), None);
    // SAFETY: the requirements are the same.
    unsafe { verify(TorchproofFile { data, size }, scratch, scratch_words, details, verdict) }
}

/// Verifies a program with all its data files. Valid means that no file breaks a must-rule by itself, that the data files have all
/// external tensors with the layout that the program expects, and that no two files have the same key.
///
/// `data_files` must point to `data_file_count` files; if the count is 0, it may be null. Otherwise like
/// `torchproof_verify_program`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn torchproof_verify_program_with_data_files(
    data: *const u8,
    size: usize,
    data_files: *const TorchproofFile,
    data_file_count: usize,
    scratch: *mut u64,
    scratch_words: usize,
    details: *mut TorchproofDetails,
) -> TorchproofAnswer {
    let is_possible = !data_files.is_null() && data_file_count <= isize::MAX as usize / size_of::<TorchproofFile>();
    let files: &[TorchproofFile] = if is_possible && data_file_count > 0 {
        // SAFETY: the caller ensures that the files are readable and do not change.
        unsafe { slice::from_raw_parts(data_files, data_file_count) }
    } else {
        &[]
    };
    let verdict = |file: &dyn ReadAt, options: &Options, words: &mut [u64]| {
        let impossible = files.iter().position(|file| !file.is_possible());
        if impossible.is_some() || files.len() < data_file_count {
            return (FileVerdict::Unexamined(StopReason::NotCovered), impossible);
        }
        program_with_data_files_verdict(file, files, options, words)
    };
    // SAFETY: the requirements are the same.
    unsafe { verify(TorchproofFile { data, size }, scratch, scratch_words, details, verdict) }
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
    file: TorchproofFile,
    scratch: *mut u64,
    scratch_words: usize,
    details: *mut TorchproofDetails,
    verdict: impl FnOnce(&dyn ReadAt, &Options, &mut [u64]) -> (FileVerdict, Option<usize>),
) -> TorchproofAnswer {
    // SAFETY: the caller ensures that a pointer that is not null points to details.
    let mut details = unsafe { details.as_mut() };
    if let Some(details) = details.as_deref_mut() {
        *details = TorchproofDetails::default();
    }
    if !file.is_possible() {
        return TorchproofAnswer::Unexamined;
    }
    let options = Options::default().target(if usize::BITS == 32 { Target::Bits32 } else { Target::Bits64 });
    let mut few = [0; FEW];
    let words = if scratch.is_null() {
        &mut few
    } else if !scratch.is_aligned() || scratch_words > isize::MAX as usize / size_of::<u64>() {
        return TorchproofAnswer::Scratch;
    } else {
        // SAFETY: the words are aligned, and the caller ensures that they are writable.
        unsafe { slice::from_raw_parts_mut(scratch, scratch_words) }
    };
    let (found, data_file) = verdict(&file, &options, words);
    let mut own = TorchproofDetails { file: data_file.map_or(0, |index| index + 1), ..Default::default() };
    let answer = match found {
        FileVerdict::Valid => TorchproofAnswer::Valid,
        FileVerdict::Invalid { rule: RuleNumber(rule), offset } => {
            (own.rule, own.offset) = (rule, offset);
            TorchproofAnswer::Invalid
        }
        FileVerdict::Scratch(words) => {
            own.scratch_words = words;
            TorchproofAnswer::Scratch
        }
        _ => TorchproofAnswer::Unexamined,
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
