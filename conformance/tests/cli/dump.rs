//! Tests `torchproof dump`: canonical JSON, huge files and notes about omitted bytes.

testkit::command_in!("dump");

use std::fs::{self, File};
use std::time::{Duration, Instant};

use command::{file, real, run, scratch};
use torchproof::bundled::schema::BundledProgram;
use torchproof::corpus::{self, Verdict};
use torchproof::flatbuffer::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;

/// `outside` compares the snapshots with the output of flatc, an independent reader of the same schema.
#[test]
fn prints_canonical_json_of_every_real_file() {
    insta::glob!("../../../corpus/real", "*.pt[ed]", |path| {
        let dumped = run(&["dump", path.to_str().unwrap()]);
        assert_eq!((dumped.code, dumped.stderr.as_str()), (Some(0), ""));
        insta::assert_snapshot!(dumped.stdout);
    });
}

/// If `dump` read the sparse files completely, the test would exceed its time limit.
#[test]
fn reads_only_the_head_of_a_huge_file() {
    let start = Instant::now();
    file("huge.ptd", &fs::read(real("linear_external.ptd")).unwrap());
    File::options().write(true).open(scratch().join("huge.ptd")).unwrap().set_len(1 << 40).unwrap();
    let dumped = run(&["dump", "huge.ptd"]);
    assert_eq!(dumped.code, Some(0), "{}", dumped.stderr);

    file("huge.pte", &fs::read(real("add.pte")).unwrap());
    File::options().write(true).open(scratch().join("huge.pte")).unwrap().set_len(1 << 31).unwrap();
    let dumped = run(&["dump", "huge.pte"]);
    assert_eq!(dumped.code, Some(1));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// The position in the note counts from the start of the file, not of the inner program.
#[test]
fn notes_omitted_bytes_of_the_program_in_a_bundled_program() {
    let mut program = fs::read(real("linear.pte")).unwrap();
    program.extend(b"padding");
    let bundle = TableTree::new(BundledProgram::TYPE).with("version", 2).with("program", program.clone());
    let bytes = encode(&bundle, torchproof::bundled::IDENTIFIER).unwrap();
    let start = bytes.windows(program.len()).position(|window| window == program).unwrap();
    let dumped = run(&["dump", file("padded.bpte", &bytes)]);
    let at = start + program.len() - 7;
    assert!(dumped.code == Some(0) && dumped.stderr.contains(&format!(" at {at},")), "{}", dumped.stderr);
}

/// The tests of `pack` check that everything else is restored.
#[test]
fn notes_every_part_that_pack_does_not_restore() {
    let mut noted = Vec::new();
    for case in corpus::all().filter(|case| case.verdict != Verdict::Reject) {
        let name = file("noted", &case.build().bytes);
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
