//! `torchproof dump`: the canonical JSON of every real file, and what happens to files that have none.

testkit::command_in!("dump");

use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, Instant};

use command::{file, patched, real, run, scratch, torchproof};
use serde_json::Value;
use torchproof::bundled::schema::BundledProgram;
use torchproof::corpus::Verdict;
use torchproof::flatbuffer::build::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::{cases, view};

/// The snapshots were held against the print of flatc, an independent reader of the same schema; see
/// [`every_real_file_reads_as_another_decoder_reads_it`].
#[test]
fn every_real_file_has_its_canonical_json() {
    insta::glob!("../../../corpus/real", "*.pt[ed]", |path| {
        let dumped = run(&["dump", path.to_str().unwrap()]);
        assert_eq!((dumped.code, dumped.stderr.as_str()), (Some(0), ""));
        insta::assert_snapshot!(dumped.stdout);
    });
}

#[test]
fn the_flags_leave_out_what_they_say() {
    let path = real("mlp_xnnpack.pte");
    let path = path.to_str().unwrap();
    let mut value = view::to_value(&fs::read(path).unwrap()).unwrap();
    let pretty: Value = serde_json::from_str(&run(&["dump", path]).stdout).unwrap();
    assert_eq!(pretty, value);
    let compact = run(&["dump", "--compact", path]).stdout;
    assert_eq!(compact.matches('\n').count(), 1);
    assert_eq!(serde_json::from_str::<Value>(&compact).unwrap(), value);
    let bare: Value = serde_json::from_str(&run(&["dump", "--no-hash", path]).stdout).unwrap();
    for segment in value["segments"].as_array_mut().unwrap() {
        assert_eq!(segment.as_object_mut().unwrap().remove("sha256").unwrap().as_str().unwrap().len(), 64);
    }
    assert_eq!(bare, value);
}

/// A file's text can say anything to a terminal, unless it is escaped.
#[test]
fn only_printable_ascii_is_printed() {
    let bytes = fs::read(real("linear_external.ptd")).unwrap();
    let at = bytes.windows(8).position(|window| window == b"l.weight").unwrap() as u64;
    for text in [b"\x1b[2J\x7f\r\n\0", b"\xc2\x9b31mab\x08", b"\xf0\x9f\x94\xa5\xe2\x80\xaex", b"\xff\x1b[0mabc"] {
        let bytes = patched("linear_external.ptd", at, text);
        let dumped = run(&["dump", file("hostile.ptd", &bytes)]).stdout;
        assert!(dumped.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{dumped}");
        assert_eq!(serde_json::from_str::<Value>(&dumped).unwrap(), view::to_value(&bytes).unwrap());
    }
}

#[test]
fn a_broken_file_is_one_line_with_rule_field_and_offset() {
    let whole = fs::read(real("linear.pte")).unwrap();
    let mut lines = String::new();
    for (name, bytes) in [
        ("empty.pte", vec![]),
        ("text.pte", b"This is not a program, and not a data file either.".to_vec()),
        ("cut-in-header.pte", whole[..20].to_vec()),
        ("cut-in-flatbuffer.pte", whole[..1000].to_vec()),
        ("short-header.pte", patched("linear.pte", 12, &[23])),
        ("size-past-end.pte", patched("linear.pte", 16, &u64::MAX.to_le_bytes())),
        ("root-past-end.pte", patched("linear.pte", 0, &[0xff, 0xff])),
        ("base-past-end.pte", patched("linear.pte", 24, &[0xff, 0xff])),
        ("no-header.ptd", patched("linear_external.ptd", 8, b"\0\0")),
        ("header-99.ptd", patched("linear_external.ptd", 8, b"FH99")),
    ] {
        let dumped = run(&["dump", file(name, &bytes)]);
        assert_eq!((dumped.code, dumped.stdout.as_str()), (Some(1), ""), "{name}");
        assert_eq!(dumped.stderr.matches('\n').count(), 1, "{name}: {}", dumped.stderr);
        lines += &dumped.stderr;
    }
    insta::assert_snapshot!(lines);
}

#[test]
fn what_cannot_be_read_ends_with_code_2_and_one_line() {
    fs::create_dir_all(scratch().join("folder")).unwrap();
    let mut lines = String::new();
    for name in ["missing.pte", "folder"] {
        let dumped = run(&["dump", name]);
        assert_eq!((dumped.code, dumped.stdout.as_str()), (Some(2), ""), "{name}");
        lines += &dumped.stderr;
    }
    insta::assert_snapshot!(lines, @r"
    torchproof: missing.pte: no such file
    torchproof: folder: is a directory
    ");
}

/// To open a pipe is to wait for its writer, and a device may never end.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    let dumped = run(&["dump", "/dev/zero"]);
    assert_eq!((dumped.code, dumped.stderr.as_str()), (Some(2), "torchproof: /dev/zero: not a regular file\n"));
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let path = real("multi_method.pte");
    let status = torchproof(&["dump", path.to_str().unwrap()]).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((status.status.code(), status.stderr), (Some(0), vec![]));
}

/// What is not read costs nothing: the files are holes, and reading them would take far longer.
#[test]
fn a_huge_file_costs_what_a_small_one_costs() {
    let start = Instant::now();
    file("huge.ptd", &fs::read(real("linear_external.ptd")).unwrap());
    File::options().write(true).open(scratch().join("huge.ptd")).unwrap().set_len(1 << 40).unwrap();
    let dumped = run(&["dump", "huge.ptd"]);
    assert_eq!(dumped.code, Some(0), "{}", dumped.stderr);

    file("huge.pte", &fs::read(real("add.pte")).unwrap());
    File::options().write(true).open(scratch().join("huge.pte")).unwrap().set_len(1 << 31).unwrap();
    let dumped = run(&["dump", "huge.pte"]);
    assert_eq!(dumped.code, Some(1));
    assert!(dumped.stderr.contains("fb-max-size"), "{}", dumped.stderr);
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Where it is in the file, and not in the program.
#[test]
fn what_of_the_program_in_a_bundled_one_is_left_out_is_noted() {
    let mut program = fs::read(real("linear.pte")).unwrap();
    program.extend(b"padding");
    let bundle = TableTree::new(BundledProgram::TYPE).with("version", 2).with("program", program.clone());
    let bytes = encode(&bundle, torchproof::bundled::IDENTIFIER).unwrap();
    let start = bytes.windows(program.len()).position(|window| window == program).unwrap();
    let dumped = run(&["dump", file("padded.bpte", &bytes)]);
    let at = start + program.len() - 7;
    let note = format!("torchproof: note: padded.bpte: 7 bytes from {at} on, behind the last segment: left out\n");
    assert_eq!((dumped.code, dumped.stderr), (Some(0), note));
}

/// Whatever lies behind the tables of a file that has no header to say where they end.
#[test]
fn what_is_behind_the_tables_is_noted_where_it_is_not_zeros() {
    let program = fs::read(real("add.pte")).unwrap();
    let bundle = TableTree::new(BundledProgram::TYPE).with("version", 2).with("program", program.clone());
    let bundle = encode(&bundle, torchproof::bundled::IDENTIFIER).unwrap();
    for (name, bytes) in [("tail.pte", program), ("tail.bpte", bundle)] {
        assert_eq!(view::to_value(&bytes).unwrap()["header"], serde_json::Value::Null, "{name}");
        let padded = [&bytes[..], &[0; 40]].concat();
        let longer = [&padded[..], &[7; 300]].concat();
        let dumped = run(&["dump", file(name, &padded)]);
        assert_eq!((dumped.code, dumped.stderr.as_str()), (Some(0), ""));
        let dumped = run(&["dump", file(name, &longer)]);
        let place = format!("300 bytes from {} on, which are in no segment and not all zeros", padded.len());
        assert_eq!((dumped.code, dumped.stderr), (Some(0), format!("torchproof: note: {name}: {place}: left out\n")));
    }
}

/// What the JSON and its files do not hold is said; everything else of every case comes back, as the tests of `pack` show.
#[test]
fn what_pack_will_not_write_again_is_noted() {
    let mut noted = Vec::new();
    for case in cases::all().filter(|case| case.verdict != Verdict::Reject) {
        let name = file("noted", &case.build().unwrap().bytes);
        let _ = fs::remove_dir_all(scratch().join("parts"));
        let dumped = run(&["dump", "--no-hash", "--with-data", "parts", name]);
        if dumped.code != Some(0) {
            assert_eq!(case.verdict, Verdict::Either, "{}: {}", case.id, dumped.stderr);
            continue;
        }
        assert_eq!(run(&["dump", "--no-hash", name]).stderr, dumped.stderr, "{}", case.id);
        noted.extend(dumped.stderr.lines().map(|line| format!("{}: {line}", case.id)));
    }
    insta::assert_snapshot!(noted.join("\n"));
}
