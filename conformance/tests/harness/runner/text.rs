//! Tests the text report.

use torchproof::Stage;

use testkit::corpus::{TestCorpus, faux};

#[test]
fn escapes_hostile_text() {
    let corpus = TestCorpus::new("hostile")
        .accept("pte/a/1", "reject structure")
        .accept("pte/a/2", "garbage")
        .accept("pte/a/3", "accept")
        .write();
    let text = corpus.text(&[&faux("exec", "worker hostile")], &["--verbose"]);
    assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text:?}");
    insta::assert_snapshot!("hostile", text.rsplit_once("\n\n").unwrap().0);
}

#[test]
fn the_text_report_has_a_matrix_reasons_and_a_summary() {
    let corpus = TestCorpus::new("text")
        .accept("pte/header/control", "accept")
        .reject("pte/header/bad", "reject structure", Stage::Header, "pte/header/control")
        .reject("pte/header/worse", "staged-signal", Stage::Header, "pte/header/control")
        .accept("ptd/keys/unread", "accept")
        .either("pte/keys/doubtful", "accept")
        .write();
    let readers = [faux("exec", "worker pte-only"), "builtin:accept-all".to_owned()];
    let readers: Vec<&str> = readers.iter().map(String::as_str).collect();
    let text = |args: &[&str]| {
        // The last line contains paths that depend on the machine.
        let text = corpus.text(&readers, args);
        let (report, again) = text.rsplit_once("\n\n").unwrap();
        assert!(again.starts_with(env!("CARGO_BIN_EXE_torchproof")) && again.lines().count() == 1, "{again}");
        format!("{report}\n")
    };
    insta::assert_snapshot!("text", text(&[]));
    insta::assert_snapshot!("text_verbose", text(&["--verbose"]));
}

#[test]
fn crashes_at_one_place_share_a_row_and_a_frequent_exception_is_named() {
    let raise = |line| {
        let frame = format!(r#"  File "/src/reader.py", line {line}, in load"#);
        format!(r"printf 'Traceback (most recent call last):\n{frame}\n    x\nKeyError: 1\n' >&2; exit 1")
    };
    let frame = "#0 0x5 in read_name /src/reader.cpp:9:3";
    let overflow = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x7";
    let overflow = &format!(r"printf '{overflow}\n    {frame}\n' >&2; exit 1");
    let control = "pte/a/good";
    let corpus = TestCorpus::new("sites")
        .accept(control, "exit 0")
        .reject("pte/a/one", &raise(12), Stage::Header, control)
        .reject("pte/a/two", &raise(40), Stage::Header, control)
        .reject("pte/b/other", overflow, Stage::Header, control)
        .write();
    let text = corpus.text(&["once:sh"], &[]);
    insta::assert_snapshot!("sites", text.rsplit_once("\n\n").unwrap().0);
}

#[test]
fn ends_with_the_error_of_a_reader_or_the_command_that_repeats_failed_cases() {
    let corpus = TestCorpus::new("last").accept("pte/a/1", "accept").write();
    let text = |other| corpus.torchproof(&["--reader", "once:./none", "--reader", other]).1;
    let error = "\n\nonce:./none: cannot start ./none: no such program; check the path or install it\n";
    assert!(text("builtin:accept-all").ends_with(error), "{}", text("builtin:accept-all"));
    let text = text("builtin:reject-all");
    let (_, command) = text.split_once(error).unwrap();
    assert!(command.contains(" run --rerun-failed ") && command.trim().lines().count() == 1, "{command}");
}

#[test]
fn a_closed_stdout_is_not_an_error() {
    let corpus = TestCorpus::new("head").accept("pte/a/1", "accept").write();
    let mut runner = corpus.command(&["--reader", "builtin:accept-all"]);
    let mut child = runner.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
