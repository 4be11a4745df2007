#![allow(clippy::unwrap_used)] // A broken fixture ends the test.

use flatbuffers::FlatBufferBuilder;
use torchproof::FileKind;
use torchproof::corpus::{self, Verdict};

use super::generated::pte;
use super::{OracleError, Schema, build, guarded, verify};

/// The name, bytes and schema of one file of each kind.
fn valid_files() -> Vec<(&'static str, Vec<u8>, Schema)> {
    let accepted = corpus::all().filter(|case| case.verdict == Verdict::Accept && case.id.contains("/valid/"));
    let files = accepted.filter_map(|case| {
        let bytes = case.build().bytes;
        let schema = match torchproof::check(&bytes).kind {
            FileKind::Pte => Schema::Program,
            FileKind::Ptd => Schema::FlatTensor,
            FileKind::PtdLegacy => Schema::LegacyFlatTensor,
            _ => return None,
        };
        Some((case.id, bytes, schema))
    });
    let files: Vec<_> = files.collect();
    for schema in [Schema::Program, Schema::FlatTensor, Schema::LegacyFlatTensor] {
        assert!(files.iter().any(|file| file.2 == schema), "{schema:?}");
    }
    files
}

fn field(file: &[u8], at: usize) -> usize {
    usize::try_from(u64::from_le_bytes(file[at..at + 8].try_into().unwrap())).unwrap()
}

fn region(file: &[u8]) -> &[u8] {
    match &file[8..12] {
        b"eh00" => &file[..field(file, 16)],
        b"FH01" => &file[..field(file, 16) + field(file, 24)],
        _ => file,
    }
}

#[test]
fn accepts_every_valid_file() {
    for (name, file, schema) in valid_files() {
        assert_eq!(verify(region(&file), schema), Ok(()), "{name}");
    }
}

#[test]
fn rejects_every_valid_file_under_another_identifier() {
    for (name, file, schema) in valid_files() {
        let mut region = region(&file).to_vec();
        region[4] ^= 0x20;
        let found = Some(region[4..8].try_into().unwrap());
        let expected = schema.identifier();
        assert_eq!(verify(&region, schema), Err(OracleError::Identifier { expected, found }), "{name}");
    }
}

#[test]
fn rejects_every_valid_file_cut_in_half() {
    for (name, file, schema) in valid_files() {
        let region = region(&file);
        let verdict = verify(&region[..region.len() / 2], schema);
        assert!(matches!(verdict, Err(OracleError::Invalid(_))), "{name}: {verdict:?}");
    }
}

/// The verifier does not need the padding of up to 7 bytes at the end of a region.
#[test]
fn rejects_every_shorter_region() {
    for (region, schema) in
        [(build::program(2, 2), Schema::Program), (region(&build::flat_tensor(2)).to_vec(), Schema::FlatTensor)]
    {
        for len in 0..=region.len() - 8 {
            match verify(&region[..len], schema) {
                Err(OracleError::Identifier { found: None, .. }) => assert!(len < 8, "{schema:?} cut to {len}"),
                Err(OracleError::Invalid(_)) => assert!(len >= 8, "{schema:?} cut to {len}"),
                other => panic!("{schema:?} cut to {len}: {other:?}"),
            }
        }
    }
}

/// Both schemas have the same identifier, so only the fields show which schema the file uses.
#[test]
fn rejects_data_files_under_the_schema_of_the_other_layout() {
    // Files without tensors are valid under both schemas.
    for (name, file, schema) in valid_files().into_iter().filter(|(id, ..)| id.ends_with("/tensors")) {
        let other = match schema {
            Schema::Program => continue,
            Schema::FlatTensor => Schema::LegacyFlatTensor,
            Schema::LegacyFlatTensor => Schema::FlatTensor,
        };
        let verdict = verify(region(&file), other);
        assert!(matches!(verdict, Err(OracleError::Invalid(_))), "{name}: {verdict:?}");
    }
}

/// An accessor could follow the offset of the value out of the buffer, so no code calls accessors.
#[test]
fn accepts_an_undeclared_union_type() {
    let mut fbb = FlatBufferBuilder::new();
    let int = pte::Int::create(&mut fbb, &pte::IntArgs { int_val: 1 });
    let value = pte::EValueArgs { val_type: pte::KernelTypes(200), val: Some(int.as_union_value()) };
    let value = pte::EValue::create(&mut fbb, &value);
    let values = fbb.create_vector(&[value]);
    let plan = pte::ExecutionPlanArgs { values: Some(values), ..Default::default() };
    let plan = pte::ExecutionPlan::create(&mut fbb, &plan);
    let plans = fbb.create_vector(&[plan]);
    let root = pte::ProgramArgs { execution_plan: Some(plans), ..Default::default() };
    let root = pte::Program::create(&mut fbb, &root);
    pte::finish_program_buffer(&mut fbb, root);
    assert_eq!(verify(fbb.finished_data(), Schema::Program), Ok(()));
}

#[test]
fn judges_alignment_by_offset_in_the_region() {
    let program = build::program(1, 1);
    for shift in 0..8 {
        let mut memory = vec![0; shift];
        memory.extend(&program);
        assert_eq!(verify(&memory[shift..], Schema::Program), Ok(()), "moved by {shift}");
    }
}

#[test]
fn returns_a_panic_as_an_error() {
    let message = |verdict| match verdict {
        Err(OracleError::Panicked(message)) => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(message(guarded(|| panic!("plain"))), "plain");
    assert_eq!(message(guarded(|| panic!("number {}", 7))), "number 7");
    assert_eq!(message(guarded(|| std::panic::panic_any(7))), "no message");
}

#[test]
fn errors_name_expected_and_found() {
    let expected = "ET12";
    let errors = [
        OracleError::Identifier { expected, found: Some(*b"E\"\n\xff") },
        OracleError::Identifier { expected, found: None },
        OracleError::Invalid("why".into()),
        OracleError::Panicked("why".into()),
    ];
    insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"));
}

mod large_files {
    use super::{Schema, build, field, region, verify};

    #[test]
    fn programs_verify_and_grow_with_both_counts() {
        let mut sizes = vec![];
        for (tensors, instructions) in [(0, 0), (0, 3), (10, 3), (10, 10), (1000, 10), (1000, 1000)] {
            let program = build::program(tensors, instructions);
            assert_eq!(verify(&program, Schema::Program), Ok(()), "{tensors} tensors, {instructions} instructions");
            assert_ne!(&program[8..12], b"eh00");
            assert_eq!(program.len() % 8, 0);
            sizes.push((program.len(), tensors, instructions));
        }
        assert!(sizes.is_sorted(), "{sizes:?}");
    }

    /// Returns the end of the FlatBuffer, and the offset and length of the segment data.
    fn header(file: &[u8]) -> (usize, usize, usize) {
        assert_eq!(&file[8..12], b"FH01");
        assert_eq!(file[12..16], 40_u32.to_le_bytes());
        assert_eq!(field(file, 16), 48);
        (region(file).len(), field(file, 32), field(file, 40))
    }

    #[test]
    fn data_files_verify_and_fill_their_file() {
        for tensors in [0, 1, 10, 1000] {
            let file = build::flat_tensor(tensors);
            assert_eq!(verify(region(&file), Schema::FlatTensor), Ok(()), "{tensors} tensors");
            let (flatbuffer, base, data) = header(&file);
            assert_eq!(base, flatbuffer.next_multiple_of(128));
            assert_eq!(data, (tensors * 128).saturating_sub(64));
            assert_eq!(file.len(), base + data);
            assert!(file[flatbuffer..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn bytes_depend_on_the_counts_alone() {
        assert_eq!(build::program(7, 9), build::program(7, 9));
        assert_eq!(build::flat_tensor(7), build::flat_tensor(7));
    }
}
