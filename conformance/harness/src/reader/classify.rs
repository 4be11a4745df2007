//! **The cause of a termination**, determined from the wait status and the report on stderr.

use std::process::ExitStatus;

use torchproof::Stage;

use super::crash::{CrashKind, CrashReport};
use super::launcher::{CANNOT_START, COMPLAINT};
use super::signal::{self, Signal};
use crate::reader::outcome::{Cause, Outcome, Termination};
use torchproof_protocol::STAGE_MARKER;

/// Classifies the end of a reader that sent no reply, or of a launcher that could not start a reader.
///
/// An exhausted heap or stack, a panic, a failed assertion and a sanitizer report can all end in SIGABRT, so the report
/// on stderr counts as well.
pub(super) fn ended(status: ExitStatus, stderr: &str) -> Outcome {
    if let Some(message) = not_started(status, stderr) {
        return Outcome::AdapterError { message };
    }
    // If a signal kills the command, its shell or sandbox exits with 128 plus the signal number.
    let signal =
        signal::of(status).or_else(|| status.code().filter(|code| (129..=192).contains(code)).map(|code| code - 128));
    // A fault signal takes precedence over a report about another fault, because the reader may have handled that fault.
    let fault = [Signal::SEGV, Signal::BUS, Signal::ILL, Signal::FPE].iter().any(|s| signal == Some(s.as_raw()));
    let states_fault = |report: &CrashReport| {
        report.is_from_sanitizer() || matches!(report.kind, CrashKind::StackOverflow | CrashKind::Abort)
    };
    let report = CrashReport::of(stderr).filter(|report| !fault || states_fault(report));
    let by_status = || match (signal, status.code()) {
        (Some(number), _) if number == Signal::ABORT.as_raw() => Cause::Abort,
        (Some(number), _) => Cause::Signal(number),
        (None, code) => Cause::Exit(code.unwrap_or_default()),
    };
    let cause = match (signal, &report) {
        (Some(number), _) if number == Signal::XCPU.as_raw() => Cause::CpuTime,
        (_, Some(report)) => cause_in(report).unwrap_or_else(by_status),
        (_, None) => by_status(),
    };
    terminated(stderr, cause, report)
}

pub(super) fn not_started(status: ExitStatus, stderr: &str) -> Option<String> {
    let complaint = stderr.lines().find_map(|line| line.strip_prefix(COMPLAINT));
    let complaint = complaint.filter(|_| status.code() == Some(CANNOT_START.into()));
    #[cfg(target_os = "linux")]
    let fault = super::sandbox::bwrap_fault(status.code(), stderr);
    #[cfg(not(target_os = "linux"))]
    let fault = None;
    complaint.map(|complaint| complaint.trim().to_owned()).or(fault).or_else(|| script_not_found(stderr))
}

/// Returns the error of a Python interpreter that cannot find the reader's script: the only line on stderr, with exit
/// code 1 or 2.
pub(super) fn script_not_found(stderr: &str) -> Option<String> {
    const ERRORS: [&str; 2] = ["No module named ", "can't open file "];
    let line = stderr.trim_end();
    let (program, text) = line.split_once(": ").filter(|_| !line.contains('\n'))?;
    let program = program.rsplit('/').next()?;
    let is_missing = program.starts_with("python") && ERRORS.iter().any(|error| text.starts_with(error));
    is_missing.then(|| format!("cannot start the reader: {line}"))
}

/// Returns the termination for a sanitizer report on stderr, if any. Some sanitizers exit with code 1 or let the
/// program continue, so even a reader that replied can have a report.
pub(super) fn sanitized(stderr: &str) -> Option<Outcome> {
    let report = CrashReport::of(stderr).filter(CrashReport::is_from_sanitizer)?;
    Some(terminated(stderr, cause_in(&report)?, Some(report)))
}

/// Returns the termination for an uncaught error on stderr, if any. Some runtimes then exit with code 1 or 2.
pub(super) fn uncaught(stderr: &str) -> Option<Outcome> {
    CrashReport::of(stderr).filter(CrashReport::is_uncaught)?;
    reported(stderr)
}

pub(super) fn reported(stderr: &str) -> Option<Outcome> {
    let report = CrashReport::of(stderr)?;
    Some(terminated(stderr, cause_in(&report).unwrap_or(Cause::Abort), Some(report)))
}

pub(super) fn died(stderr: &str, cause: Cause) -> Outcome {
    terminated(stderr, cause, CrashReport::of(stderr))
}

fn terminated(stderr: &str, cause: Cause, report: Option<CrashReport>) -> Outcome {
    let (stage, stderr, report) = (last_stage(stderr), without_stage_markers(stderr), report.map(Box::new));
    Outcome::Died(Termination { stage, stderr, report, ..Termination::of(cause) })
}

/// Returns the cause in the report, or `None` for an abort, whose cause follows from the signal or the exit code.
fn cause_in(report: &CrashReport) -> Option<Cause> {
    Some(match &report.kind {
        CrashKind::Sanitizer(class) => Cause::Sanitizer(class.clone()),
        CrashKind::Panic => Cause::Panic,
        CrashKind::Exception(name) => Cause::Exception(name.clone()),
        CrashKind::OutOfMemory => Cause::OutOfMemory,
        CrashKind::StackOverflow => Cause::StackOverflow,
        CrashKind::Abort => return None,
    })
}

/// Returns stderr without the stage markers, which are only for the runner.
pub(super) fn without_stage_markers(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim_start().starts_with(STAGE_MARKER)).collect();
    lines.join("\n")
}

pub(super) fn last_stage(stderr: &str) -> Option<Stage> {
    stderr.lines().rev().find_map(|line| {
        let name = line.trim_start().strip_prefix(STAGE_MARKER)?.trim();
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Raw wait statuses on Linux.
    const SEGV: i32 = 11;
    const ABRT: i32 = 6;
    const XCPU: i32 = 24;

    fn exit(code: i32) -> i32 {
        code << 8
    }

    #[test]
    fn classifies_terminations() {
        let asan = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\nSUMMARY: AddressSanitizer: heap-buffer-overflow x.cc:3";
        let table = [
            (SEGV, "", Cause::Signal(SEGV), None),
            (SEGV, "note: out of memory was handled", Cause::Signal(SEGV), None),
            (SEGV | 0x80, "", Cause::Signal(SEGV), None),
            (ABRT, "", Cause::Abort, None),
            (ABRT, "x: Assertion `a' failed.", Cause::Abort, None),
            (ABRT, "terminate called after throwing an instance of 'std::bad_alloc'", Cause::OutOfMemory, None),
            (ABRT, "memory allocation of 4096 bytes failed", Cause::OutOfMemory, None),
            (ABRT, "thread 'main' has overflowed its stack", Cause::StackOverflow, None),
            (ABRT, "thread 'main' panicked at src/x.rs:1:1:", Cause::Panic, None),
            (exit(101), "thread 'main' panicked at src/x.rs:1:1:", Cause::Panic, None),
            (exit(3), "", Cause::Exit(3), None),
            (exit(139), "", Cause::Signal(SEGV), None),
            (exit(134), "", Cause::Abort, None),
            (exit(0), "", Cause::Exit(0), None),
            (XCPU, "", Cause::CpuTime, None),
            (9, "", Cause::Signal(9), None),
            (exit(1), asan, Cause::Sanitizer("heap-buffer-overflow".into()), None),
            (exit(1), "==7==ERROR: AddressSanitizer: requested allocation size 0x7 exceeds", Cause::OutOfMemory, None),
            (exit(23), "SUMMARY: LeakSanitizer: 7 byte(s) leaked", Cause::Sanitizer("memory-leak".into()), None),
            (
                exit(0),
                "x.cc:3:14: runtime error: load of null pointer",
                Cause::Sanitizer("undefined-behavior".into()),
                None,
            ),
            (exit(2), "panic: runtime error: index out of range\n\ngoroutine 1 [running]:", Cause::Panic, None),
            (SEGV, "torchproof-stage: header\ntorchproof-stage: meta\n", Cause::Signal(SEGV), Some(Stage::Meta)),
            (SEGV, "torchproof-stage: header\ntorchproof-stage: nonsense\n", Cause::Signal(SEGV), Some(Stage::Header)),
        ];
        for (raw, stderr, cause, stage) in table {
            let outcome = ended(signal::status(raw), stderr);
            let found = outcome.termination().map(|termination| (&termination.cause, termination.stage));
            assert_eq!(found, Some((&cause, stage)), "status {raw:#x}, stderr {stderr:?}");
        }
    }

    #[test]
    fn a_missing_script_is_a_failed_start() {
        let not_started = |code, stderr: &str| not_started(signal::status(exit(code)), stderr);
        for (code, line) in [
            (1, "/usr/bin/python3: No module named nomod"),
            (2, "python3: can't open file '/x/reader.py': [Errno 2] No such file or directory"),
        ] {
            assert_eq!(not_started(code, line), Some(format!("cannot start the reader: {line}")));
            assert_eq!(not_started(code, &format!("reading\n{line}\n")), None);
        }
        assert_eq!(not_started(1, "reader: No module named x in the plan"), None);
    }

    #[test]
    fn removes_stage_markers_from_stderr() {
        assert_eq!(without_stage_markers("torchproof-stage: meta\noops\n"), "oops");
    }
}
