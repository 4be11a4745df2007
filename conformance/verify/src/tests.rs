//! Tests the C interface.

use core::ptr;
use std::path::{Path, PathBuf};
use std::vec::Vec;
use std::{fs, vec};

use torchproof::check::verdict_of_findings;

use super::{TorchproofAnswer as Answer, *};

type Verify = unsafe extern "C" fn(*const u8, usize, *mut u64, usize, *mut TorchproofDetails) -> Answer;

fn real(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/real").join(name)).expect("a file of the corpus")
}

fn answer(verify: Verify, bytes: &[u8], scratch: &mut [u64]) -> (Answer, TorchproofDetails) {
    let mut details = TorchproofDetails::default();
    // SAFETY: the slices and the details are valid.
    (unsafe { verify(bytes.as_ptr(), bytes.len(), scratch.as_mut_ptr(), scratch.len(), &raw mut details) }, details)
}

fn name_of(rule: u32) -> std::string::String {
    let mut buffer = [0xff; 64];
    // SAFETY: the buffer has 64 bytes.
    let len = unsafe { torchproof_rule_name(rule, buffer.as_mut_ptr(), buffer.len()) };
    assert_eq!(buffer[len], 0);
    std::string::String::from_utf8_lossy(&buffer[..len]).into_owned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the corpus").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn answers_every_file_as_the_checker_does() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut counts = [0; 4];
    for path in ["files", "real"].into_iter().flat_map(|folder| files(&corpus.join(folder))) {
        let file = fs::read(&path).expect("a file of the corpus");
        let (verify, format): (Verify, &[u8]) = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pte") => (torchproof_verify_program, b"ET12"),
            Some("ptd") => (torchproof_verify_data_file, b"FT01"),
            _ => continue,
        };
        let (answer, details) = answer(verify, &file, &mut vec![0; file.len()]);
        counts[answer as usize] += 1;
        let name = path.display();
        let found = verdict_of_findings(&&file[..], &Options::default(), &mut vec![0; file.len().max(128)]);
        // Each function knows one format, and calls other files invalid.
        if [&b"ET12"[..], b"FT01", b"BP08"].into_iter().any(|other| file.get(4..8) == Some(other) && other != format) {
            assert_eq!(answer, Answer::Invalid, "{name}");
            continue;
        }
        let expected = match found {
            FileVerdict::Invalid { rule, offset } => (Answer::Invalid, rule.0, offset),
            FileVerdict::Valid => (Answer::Valid, 0, 0),
            _ => (Answer::Unexamined, 0, 0),
        };
        assert_eq!((answer, details.rule, details.offset), expected, "{name}");
    }
    assert!(counts[0] > 200 && counts[1] > 400 && counts[3] == 0, "{counts:?}");
}

fn answer_with(program: &[u8], data: &[&[u8]], scratch: &mut [u64]) -> (Answer, TorchproofDetails) {
    let file = |file: &&[u8]| TorchproofFile { data: file.as_ptr(), size: <[u8]>::len(file) };
    let files: Vec<_> = data.iter().map(file).collect();
    let (mut details, words) = (TorchproofDetails::default(), scratch.len());
    let (data, size, files, count) = (program.as_ptr(), program.len(), files.as_ptr(), files.len());
    // SAFETY: the slices and the details are valid.
    let answer = unsafe {
        torchproof_verify_program_with_data_files(
            data,
            size,
            files,
            count,
            scratch.as_mut_ptr(),
            words,
            &raw mut details,
        )
    };
    (answer, details)
}

#[test]
fn a_program_needs_the_right_data_files() {
    let (program, data) = (real("linear_external.pte"), real("linear_external.ptd"));
    let mut words = vec![0; program.len() + data.len()];
    let mut with = |files: &[&[u8]]| {
        let (answer, details) = answer_with(&program, files, &mut words);
        (answer, name_of(details.rule), details.file)
    };
    assert_eq!(with(&[&data]), (Answer::Valid, "".into(), 0));
    assert_eq!(with(&[]), (Answer::Invalid, "x-external-found".into(), 0));
    assert_eq!(with(&[&data, &data]), (Answer::Invalid, "nd-cross-file-unique".into(), 2));
    assert_eq!(with(&[&data, &data[..60]]).0, Answer::Invalid);
    assert_eq!(with(&[&program]), (Answer::Unexamined, "".into(), 1));
    let mut details = TorchproofDetails { rule: 1, offset: 1, scratch_words: 1, file: 9 };
    // SAFETY: null is a valid argument.
    let none = unsafe {
        torchproof_verify_program_with_data_files(
            program.as_ptr(),
            program.len(),
            ptr::null(),
            1,
            ptr::null_mut(),
            0,
            &raw mut details,
        )
    };
    assert_eq!((none, details.rule, details.file), (Answer::Unexamined, 0, 0));
    let mut given = 0;
    while let (Answer::Scratch, details) = answer_with(&program, &[&data], &mut words[..given]) {
        assert!(details.scratch_words > given);
        given = details.scratch_words;
    }
    assert!(given > 0);
}

#[test]
fn a_file_of_another_format_is_invalid() {
    for (verify, file) in [
        (torchproof_verify_data_file as Verify, real("add.pte")),
        (torchproof_verify_program, real("linear_external.ptd")),
        (torchproof_verify_program, vec![]),
    ] {
        assert_eq!(answer(verify, &file, &mut []).0, Answer::Invalid);
    }
    // SAFETY: null is a valid argument.
    let none = unsafe { torchproof_verify_program(ptr::null(), 100, ptr::null_mut(), 0, ptr::null_mut()) };
    assert_eq!(none, Answer::Unexamined);
    assert_eq!(name_of(0), "");
}

#[test]
fn scratch_memory_can_be_absent_too_small_misaligned_or_too_large() {
    let (file, verify) = (real("mlp_external.pte"), torchproof_verify_program);
    let (mut words, mut given) = (vec![0; file.len()], 0);
    // Each answer says how many words the next step needs.
    while let (Answer::Scratch, details) = answer(verify, &file, &mut words[..given]) {
        assert!(details.scratch_words > given);
        given = details.scratch_words;
    }
    assert!(given > 0);
    assert_eq!(answer(verify, &file, &mut words[..given]).0, Answer::Valid);
    let misaligned = words.as_mut_ptr().wrapping_byte_add(1);
    for (scratch, count, expected) in [
        (ptr::null_mut(), 0, Answer::Valid),
        (misaligned, given, Answer::Scratch),
        (words.as_mut_ptr(), usize::MAX / 8, Answer::Scratch),
    ] {
        // SAFETY: the function refuses the two invalid ranges of words.
        let found = unsafe { verify(file.as_ptr(), file.len(), scratch, count, ptr::null_mut()) };
        assert_eq!(found, expected);
    }
}
