use std::fmt::Write;

use super::CrashReport;

/// Formats everything that does not depend on the machine.
fn shown(stderr: &str) -> String {
    let Some(report) = CrashReport::of(stderr) else { return "no report\n".to_owned() };
    let uncaught = if report.is_uncaught() { "uncaught" } else { "can end normally" };
    let mut text = format!("{:?}, {}, {uncaught}\n{}\n", report.kind, report.severity, report.line);
    for frame in &report.frames {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {frame}");
    }
    text
}

#[test]
fn reads_recorded_reports() {
    insta::glob!("recorded/*.txt", |path| {
        let stderr = std::fs::read_to_string(path).unwrap_or_default();
        insta::assert_snapshot!(shown(&stderr));
    });
}

#[test]
fn reads_reports_of_one_or_two_lines() {
    let reports = [
        "thread 'main' panicked at src/x.rs:1:1:\nindex out of bounds",
        "thread 'main' panicked at 'index out of bounds', src/x.rs:1:1",
        "thread 'main' (7) panicked at src/x.rs:1:1:\nindex out of bounds",
        "thread 'main' has overflowed its stack",
        "memory allocation of 4096 bytes failed",
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
        "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::at",
        "libc++abi: terminating due to uncaught exception of type std::runtime_error: oops",
        "x: x.cpp:12: int main(): Assertion `n < 3' failed.",
        "*** stack smashing detected ***: terminated",
        "free(): invalid pointer",
        "==7==ERROR: AddressSanitizer: requested allocation size 0x7 exceeds",
        "SUMMARY: LeakSanitizer: 7 byte(s) leaked",
        "x.cc:3:14: runtime error: load of null pointer",
        "Error occurred during initialization of VM\nCould not reserve enough space for object heap",
        "Error: Could not find or load main class Reader\nCaused by: java.lang.ClassNotFoundException: Reader",
        "==7==AddressSanitizer: CHECK failed: asan_poisoning.cpp:38 \"((x)) == ((y))\" (0x1, 0x2) (tid=7)",
        "==7==AddressSanitizer failed to allocate 0x1000 (4096) bytes of x (error code: 12)",
        "==7==ERROR: AddressSanitizer failed to allocate 0x1000 (4096) bytes of x (error code: 12)",
        "==7==AddressSanitizer: hard rss limit exhausted (10Mb vs 20Mb)",
        "==7==WARNING: AddressSanitizer failed to allocate 0x1000 bytes",
        "==7==AddressSanitizer: failed to intercept '__isoc99_printf'",
        "==7==LeakSanitizer has encountered a fatal error.",
        "panicked at src/x.rs:1:1:\nindex out of bounds",
        "the tensor at offset 12 is\n  at the end",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    ];
    insta::assert_snapshot!(reports.map(|stderr| format!("{stderr}\n=> {}", shown(stderr))).join("\n"));
}

/// A rejection can contain words that runtimes and sanitizers also use.
#[test]
fn a_message_without_the_evidence_of_a_runtime_is_no_report() {
    for message in [
        "panic: bad magic",
        "fatal error: bad magic",
        "panic: bad magic\ngoroutine [none]",
        "panicked at header: bad magic",
        "x.pte:1:2: runtime error: bad magic",
        "x.pte:3:14: runtime error: root offset 7 is odd",
        "bad magic\n    at header:1:2",
        "bad magic\n\tat a.header(offset:1)",
        "==x==AddressSanitizer: bad magic",
        "====: bad magic",
        "ERROR: bad magic",
        "Fatal error: bad magic",
    ] {
        assert_eq!(shown(message), "no report\n", "{message}");
    }
    assert!(!CrashReport::of("Out of memory.").unwrap().is_uncaught());
}

/// The time must stay linear even if a start repeats over all of the kept stderr.
#[test]
fn reads_hostile_reports_without_a_panic() {
    let starts = [
        "^\n",
        "fatal error: x\n",
        "goroutine 1 [running]:\n",
        "  File \"\n",
        "  File \"x\", line 1, in f\n[Previous line repeated 99999999999 more times]\n",
        "Traceback (most recent call last):\n",
        "Exception in thread \"main\" X\n\tat a.b(C.java:1)\nCaused by: Y\n\tat a.b(C.java:1)\n\t... 99999999999999999999 more\n",
        "Error: x\n    at eval (eval at f (/x:18446744073709551615:1), <anonymous>:9:1)\n",
        "SUMMARY: AddressSanitizer: é\n    #0 0x1 in ) const é(\n",
        "    #0 0xfffffffffffffffff in é (é+0x1)\n",
        "thread '\n",
        "panicked at ",
        "x.cc:3:14: runtime error: division by zero\n",
    ];
    for first in starts {
        for second in starts {
            let stderr = format!("{first}{second}").repeat((72 << 10) / (first.len() + second.len()));
            let report = CrashReport::of(&stderr);
            assert!(report.is_none_or(|report| report.frames.len() <= 16 && report.line.chars().count() <= 400));
        }
    }
}
