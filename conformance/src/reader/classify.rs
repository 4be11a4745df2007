//! **What a process died of**: from its wait status and the end of its stderr.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Signal;
use torchproof::Stage;

use super::launcher::{CANNOT_START, COMPLAINT};
use crate::reader::outcome::{Clock, CrashKind, Outcome, Termination};
use torchproof_protocol::STAGE_MARKER;

/// The outcome of a reader that ended with `status` without giving an answer, or of a launcher that could not become the reader.
///
/// An exhausted heap, an exhausted stack, a panic, an assertion and a sanitizer all tend to end in SIGABRT; what the
/// language's runtime wrote to stderr tells them apart.
pub(super) fn ended(status: ExitStatus, stderr: &str) -> Outcome {
    let complaint = stderr.lines().find_map(|line| line.strip_prefix(COMPLAINT));
    if let Some(complaint) = complaint.filter(|_| status.code() == Some(CANNOT_START.into())) {
        return Outcome::AdapterError { message: complaint.trim().to_owned() };
    }
    if let Some(outcome) = sanitized(stderr) {
        return outcome;
    }
    let termination = termination(stderr);
    let signal = status.signal();
    if signal == Some(Signal::XCPU.as_raw()) {
        return Outcome::Hang { clock: Clock::Cpu, termination };
    }
    // A wild pointer is a wild pointer, whatever the reader complained of before it followed it.
    let fault = [Signal::SEGV, Signal::BUS, Signal::ILL, Signal::FPE].iter().any(|s| signal == Some(s.as_raw()));
    if !fault && OUT_OF_MEMORY.iter().any(|words| stderr.contains(words)) {
        return Outcome::OutOfMemory { termination };
    }
    let kind = match (signal, status.code()) {
        _ if stderr.contains("has overflowed its stack") => CrashKind::StackOverflow,
        _ if !fault && stderr.contains("panicked at ") => CrashKind::Panic,
        (Some(number), _) if number == Signal::ABORT.as_raw() => CrashKind::Abort,
        (Some(number), _) => CrashKind::Signal(number),
        (None, code) => CrashKind::Exit(code.unwrap_or_default()),
    };
    Outcome::Crash { kind, termination }
}

/// The death that a sanitizer's report on stderr stands for.
///
/// Some sanitizers end a program with exit code 1 or let it go on, so this is asked of readers that answered too.
pub(super) fn sanitized(stderr: &str) -> Option<Outcome> {
    let error = sanitizer(stderr)?;
    let termination = termination(stderr);
    Some(if SANITIZER_MEMORY.contains(&error) {
        Outcome::OutOfMemory { termination }
    } else {
        Outcome::Crash { kind: CrashKind::Sanitizer(error.to_owned()), termination }
    })
}

/// The circumstances in stderr.
pub(super) fn termination(stderr: &str) -> Termination {
    let stage = last_stage(stderr);
    // The markers are for the runner; what people see is what else was said.
    let said: Vec<&str> = stderr.lines().filter(|line| !line.trim_start().starts_with(STAGE_MARKER)).collect();
    Termination { stage, stderr: said.join("\n"), ..Termination::default() }
}

/// The stage named by the last marker line.
fn last_stage(stderr: &str) -> Option<Stage> {
    stderr.lines().rev().find_map(|line| line.trim_start().strip_prefix(STAGE_MARKER)?.trim().parse().ok())
}

/// A sanitizer's name for what it found, if it reported anything.
fn sanitizer(stderr: &str) -> Option<&str> {
    stderr.lines().find_map(|line| {
        if let Some((place, _)) = line.split_once(": runtime error: ") {
            // x.cc:3:14: runtime error: … is how undefined behaviour is reported when the program may go on.
            let numbers = place.rsplit(':').take(2).filter(|part| part.parse::<u32>().is_ok()).count();
            return (numbers == 2).then_some("undefined-behavior");
        }
        let report = match line.strip_prefix("SUMMARY: ") {
            Some(summary) => summary,
            // ==1234==ERROR: AddressSanitizer: heap-buffer-overflow on address …
            None => line.strip_prefix("==")?.split_once("==ERROR: ")?.1,
        };
        match report.split_once(": ")? {
            ("LeakSanitizer", _) => Some("memory-leak"),
            (tool, error) => tool.ends_with("Sanitizer").then(|| error.split(' ').next().unwrap_or(error)),
        }
    })
}

/// What sanitizers call a want of memory.
const SANITIZER_MEMORY: [&str; 4] = ["out-of-memory", "allocation-size-too-big", "requested", "hard"];

/// What the runtimes of C++, Rust, Go, Java, Python and V8 say when the heap is exhausted.
const OUT_OF_MEMORY: [&str; 8] = [
    "std::bad_alloc",
    "memory allocation of ",
    "out of memory",
    "Out of memory",
    "OutOfMemory",
    "MemoryError",
    "Cannot allocate memory",
    "heap limit",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Raw wait statuses, as Linux has them.
    const SEGV: i32 = 11;
    const ABRT: i32 = 6;
    const XCPU: i32 = 24;

    fn exit(code: i32) -> i32 {
        code << 8
    }

    fn told(raw: i32, stderr: &str) -> String {
        let outcome = ended(ExitStatus::from_raw(raw), stderr);
        let kind = match &outcome {
            Outcome::Crash { kind, .. } => kind.to_string(),
            other => other.name().to_owned(),
        };
        outcome.stage().map_or_else(|| kind.clone(), |stage| format!("{kind} at {stage}"))
    }

    #[test]
    fn deaths_are_told_apart() {
        let asan = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\nSUMMARY: AddressSanitizer: heap-buffer-overflow x.cc:3";
        let table = [
            (SEGV, "", "SIGSEGV"),
            (SEGV, "note: out of memory was handled", "SIGSEGV"),
            (SEGV | 0x80, "", "SIGSEGV"),
            (ABRT, "", "abort (SIGABRT)"),
            (ABRT, "x: Assertion `a' failed.", "abort (SIGABRT)"),
            (ABRT, "terminate called after throwing an instance of 'std::bad_alloc'", "out-of-memory"),
            (ABRT, "memory allocation of 4096 bytes failed", "out-of-memory"),
            (ABRT, "thread 'main' has overflowed its stack", "stack overflow"),
            (ABRT, "thread 'main' panicked at src/x.rs:1:1:", "panic"),
            (exit(101), "thread 'main' panicked at src/x.rs:1:1:", "panic"),
            (exit(3), "", "exit code 3 without an answer"),
            (exit(139), "", "SIGSEGV (exit code 139, as a shell tells it) without an answer"),
            (exit(0), "", "exit code 0 without an answer"),
            (XCPU, "", "hang"),
            (9, "", "SIGKILL"),
            (exit(1), asan, "sanitizer: heap-buffer-overflow"),
            (exit(1), "==7==ERROR: AddressSanitizer: requested allocation size 0x7 exceeds", "out-of-memory"),
            (exit(23), "SUMMARY: LeakSanitizer: 7 byte(s) leaked", "sanitizer: memory-leak"),
            (exit(0), "x.cc:3:14: runtime error: load of null pointer", "sanitizer: undefined-behavior"),
            (exit(2), "panic: runtime error: index out of range", "exit code 2 without an answer"),
            (SEGV, "torchproof-stage: header\ntorchproof-stage: meta\n", "SIGSEGV at meta"),
            (SEGV, "torchproof-stage: header\ntorchproof-stage: nonsense\n", "SIGSEGV at header"),
        ];
        for (raw, stderr, want) in table {
            assert_eq!(told(raw, stderr), want, "status {raw:#x}, stderr {stderr:?}");
        }
    }

    #[test]
    fn stage_markers_are_not_quoted_back() {
        assert_eq!(termination("torchproof-stage: meta\noops\n").stderr, "oops");
    }
}
