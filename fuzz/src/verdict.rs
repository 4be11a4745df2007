//! **A verdict agrees with a check**: the same answer, and the same first broken must-rule.
//!
//! * Each function for one file agrees with the check, but rejects valid files of other formats.
//! * The function for a program with its data files agrees with the check for both files of a [`Pair`]. An input that is
//!   not a pair is checked together with a valid file.

use torchproof::FileKind;
use torchproof::check::{
    FileVerdict, Options, Target, data_file_verdict, program_verdict, program_with_data_files_verdict,
    verdict_of_findings, verdict_of_findings_with,
};
use torchproof::flatbuffer::identifier;
use torchproof::mutate::Pair;
use torchproof::{bundled, ptd, pte};

use crate::read_any::LIMITS;

static PROGRAM: &[u8] = include_bytes!("../../corpus/real/linear_external.pte");
static DATA: &[u8] = include_bytes!("../../corpus/real/linear_external.ptd");

/// Compares verdicts with checks, for 64-bit and for 32-bit hosts.
pub fn run(bytes: &[u8]) {
    let pair = Pair::split(bytes).unwrap_or_else(|| match FileKind::of_head(bytes) {
        FileKind::Ptd => Pair { program: PROGRAM, data: bytes },
        _ => Pair { program: bytes, data: DATA },
    });
    for target in [Target::Bits64, Target::Bits32] {
        let options = Options::default().limits(LIMITS).target(target);
        alone(bytes, &options);
        together(pair, &options);
    }
}

fn alone(bytes: &[u8], options: &Options) {
    let mut scratch = words(bytes.len());
    let expected = verdict_of_findings(&bytes, options, &mut scratch);
    for (own, verdict) in [
        (pte::IDENTIFIER, program_verdict(&bytes, options, &mut scratch)),
        (ptd::IDENTIFIER, data_file_verdict(&bytes, options, &mut scratch)),
    ] {
        if is_of_another_format(bytes, own) {
            assert!(matches!(verdict, FileVerdict::Invalid { .. }), "{verdict:?}");
        } else {
            assert_eq!(verdict, expected);
        }
    }
}

fn together(Pair { program, data }: Pair<'_>, options: &Options) {
    for files in [&[data][..], &[data, data]] {
        let mut scratch = words(program.len() + 2 * data.len());
        let verdict = program_with_data_files_verdict(&program, files, options, &mut scratch);
        if is_of_another_format(program, pte::IDENTIFIER) {
            assert!(matches!(verdict, (FileVerdict::Invalid { .. }, None)), "{verdict:?}");
        } else {
            assert_eq!(verdict, verdict_of_findings_with(program, files, options));
        }
    }
}

fn is_of_another_format(bytes: &[u8], own: [u8; 4]) -> bool {
    let found = identifier(bytes).filter(|found| *found != own);
    found.is_some_and(|found| [pte::IDENTIFIER, ptd::IDENTIFIER, bundled::IDENTIFIER].contains(&found))
}

/// Scratch memory for files of `len` bytes: one word per byte is enough.
fn words(len: usize) -> Vec<u64> {
    vec![0; len.max(128)]
}

#[cfg(test)]
mod tests {
    use torchproof::mutate::Pair;

    #[test]
    fn smoke_of_pairs() {
        crate::smoke::mutants("verdict", 2_000, |bytes| {
            super::run(&Pair { program: bytes, data: super::DATA }.join());
            super::run(&Pair { program: super::PROGRAM, data: bytes }.join());
        });
    }
}
