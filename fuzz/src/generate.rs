//! **The generator creates valid files for every configuration.**
//!
//! * Generated files break no must-rule and no should-rule, alone or, for a program, together with its data file.
//! * The `flatbuffers` crate's verifier accepts them.
//! * The same kind, configuration and seed produce the same bytes.
//! * Every byte of a generated file belongs to exactly one part of its byte map.

use arbitrary::{Arbitrary, Result, Unstructured};
use torchproof::check::{Checker, Report};
use torchproof::generate::{Config, GeneratedFile, GeneratedKind, generate};
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::rules::Strength;
use torchproof_oracle::{Schema, verify};

use crate::read_any::expect_mapped;

#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) kind: GeneratedKind,
    pub(crate) seed: u64,
    pub(crate) config: Config,
}

impl<'a> Arbitrary<'a> for Order {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let kind = *bytes.choose(&GeneratedKind::ALL)?;
        Ok(Self { kind, seed: bytes.arbitrary()?, config: bytes.arbitrary()? })
    }
}

pub fn run(bytes: &[u8]) {
    let Ok(Order { kind, seed, config }) = Order::arbitrary(&mut Unstructured::new(bytes)) else { return };
    let files = generate(kind, &config, seed).expect("the generated file fits into memory");
    assert_eq!(Ok(&files), generate(kind, &config, seed).as_ref(), "the same input gives other bytes");
    for file in &files {
        expect_flawless(file);
        expect_verified(file, kind);
        expect_mapped(&file.bytes);
    }
    if let [program, data] = &files[..] {
        expect_match(program, data);
    }
}

/// Fails unless the report has only violations of may-rules.
fn expect_none(report: &Report) {
    let binds = report.findings.iter().find(|finding| finding.rule.strength != Strength::May);
    assert!(binds.is_none() && report.stopped.is_none(), "{binds:?}, {:?}", report.stopped);
}

fn expect_flawless(file: &GeneratedFile) {
    expect_none(&Checker::new().max_findings(usize::MAX).check(&file.bytes));
}

fn expect_verified(file: &GeneratedFile, kind: GeneratedKind) {
    let verdict = match (file.extension, kind) {
        ("pte", _) => verify(Pte::open(&file.bytes).expect("valid").region(), Schema::Program),
        (_, GeneratedKind::PtdLegacy) => {
            verify(Ptd::open(&file.bytes).expect("valid").region(), Schema::LegacyFlatTensor)
        }
        _ => verify(Ptd::open(&file.bytes).expect("valid").region(), Schema::FlatTensor),
    };
    assert_eq!(verdict, Ok(()));
}

fn expect_match(program: &GeneratedFile, data: &GeneratedFile) {
    expect_none(&Checker::new().max_findings(usize::MAX).with(&data.bytes).check(&program.bytes));
}
