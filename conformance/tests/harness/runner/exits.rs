//! Tests how `once:` readers end: by exit codes, and with reports of language runtimes on stderr.

use testkit::corpus::{Run, TestCorpus};
use torchproof::Stage;

/// The files of the cases contain shell scripts.
fn corpus(name: &str, accepted: &str, rejected: &str) -> TestCorpus {
    TestCorpus::new(name)
        .accept("pte/a/good", accepted)
        .reject("pte/a/bad", rejected, Stage::Header, "pte/a/good")
        .write()
}

fn grades(run: &Run) -> [&str; 2] {
    ["pte/a/good", "pte/a/bad"].map(|case| run.grade("sh", case))
}

#[test]
fn maps_exit_codes_to_verdicts() {
    let corpus = corpus("exit-codes", "exit 10", "echo no >&2; exit 11");
    let run = |codes: &str| corpus.run_with(&["once:sh"], &["--exit-code", codes]);
    assert_eq!(grades(&run("accept=10,reject=11+12")), ["pass", "pass"]);
    assert_eq!(grades(&run("accept=10,unsupported=11")), ["pass", "skip"]);
    assert_eq!(grades(&run("accept=11,reject=10")), ["rejects-valid", "accepts-invalid"]);
    // An exit code without a verdict is a crash.
    assert_eq!(grades(&run("accept=0,reject=1,unsupported=2")), ["crash", "crash"]);
    let (code, _, stderr) = corpus.torchproof(&["--reader", "once:sh", "--exit-code", "accept=1,reject=1"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("found two verdicts for exit code 1"), "{stderr}");
}

/// Runtimes end a program with code 1, 2 or SIGABRT. These are recorded reports, because the tests install no runtimes.
#[test]
fn an_uncaught_exception_is_a_crash_with_every_exit_code() {
    const REPORTS: [(&str, &str, &str); 7] = [
        ("go_index", "panic: runtime error: index out of range [5] with length 3", "crash"),
        ("go_signal", "panic: runtime error: invalid memory address or nil pointer dereference", "crash"),
        ("go_out_of_memory", "fatal error: runtime: out of memory", "resource"),
        ("python_chained", "ValueError: no plan: unpack_from requires a buffer", "crash"),
        ("java_printed", "java.lang.IllegalStateException: no plan", "crash"),
        ("node_value", "no plan", "crash"),
        ("rust_backtrace", "panicked at src/plan.rs:12:9: range end index 84 out of range", "crash"),
    ];
    const ENDS: [(&str, &str); 4] = [("1", "exit 1"), ("2", "exit 2"), ("134", "exit 134"), ("abort", "kill -ABRT $$")];
    let recorded = env!("CARGO_MANIFEST_DIR").to_owned() + "/harness/src/reader/crash/recorded";
    let mut corpus = TestCorpus::new("recorded").accept("pte/a/good", "exit 0");
    for (name, ..) in REPORTS {
        for (end, command) in ENDS {
            let script = format!("cat '{recorded}/{name}.txt' >&2; {command}");
            corpus = corpus.reject(&format!("pte/a/{name}-{end}"), &script, Stage::Header, "pte/a/good");
        }
    }
    let run = corpus.write().run(&["once:sh"]);
    for (name, cause, grade) in REPORTS {
        for (end, _) in ENDS {
            let result = run.result("sh", &format!("pte/a/{name}-{end}"));
            assert_eq!(result["grade"], grade, "{result}");
            assert!(result["message"].as_str().unwrap().contains(cause), "{result}");
        }
    }
}

/// A rejection may mention an error, a panic or exhausted memory.
#[test]
fn the_message_of_a_rejection_is_no_crash() {
    let mut corpus = TestCorpus::new("messages").accept("pte/a/good", "exit 0");
    for (name, message) in MESSAGES {
        let script = format!("printf '{message}\\n' >&2; exit 1");
        corpus = corpus.reject(&format!("pte/a/{name}"), &script, Stage::Header, "pte/a/good");
    }
    let run = corpus.write().run(&["once:sh"]);
    assert_eq!(run.code, 0, "{:?}", run.report);
}

const MESSAGES: [(&str, &str); 4] = [
    ("error", "Error: the tensor is out of range"),
    ("memory", "out of memory: the tensor needs 4611686018427387904 bytes"),
    ("words", "x.cpp:12: Assertion failed: the file panicked at offset 12"),
    ("indented", "error at byte 7\\n  at offset 12 (planned)\\n    at line 3"),
];

/// In a sanitizer report, the cause is in the first lines.
#[test]
fn keeps_the_beginning_of_a_long_stderr() {
    let script = "echo '==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1' >&2; \
                  seq -f 'line %.0f of the shadow memory' 1 20000 >&2; exit 1";
    let run = corpus("long-stderr", "exit 0", script).run(&["once:sh"]);
    assert_eq!(grades(&run), ["pass", "crash"], "{:?}", run.report);
    let message = run.result("sh", "pte/a/bad")["message"].as_str().unwrap();
    assert!(message.contains("sanitizer: heap-use-after-free"), "{message}");
}
