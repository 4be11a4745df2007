//! Tests that a verdict and a check agree on the answer and on the first broken must-rule.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::FileKind;
use crate::attack::{self, Base};
use crate::check::{
    FileVerdict, Options, Target, data_file_verdict, program_verdict, program_with_data_files_verdict,
    verdict_of_findings, verdict_of_findings_with,
};
use crate::generate::{Config, GeneratedKind, generate};
use crate::mutate::Edit;
use crate::random::Random;
use crate::real_files::real_files;

/// Checks for both hosts that the verdict on a program or data file agrees with the findings. Returns whether the file
/// is valid for 64-bit hosts.
fn agree(name: &str, file: &[u8]) -> bool {
    let [wide, _] = [Target::Bits64, Target::Bits32].map(|target| {
        let (options, mut scratch) = (Options::default().target(target), vec![0; file.len().max(128)]);
        let verdict = match FileKind::of_head(file) {
            FileKind::Ptd | FileKind::PtdLegacy => data_file_verdict(&file, &options, &mut scratch),
            FileKind::Pte => program_verdict(&file, &options, &mut scratch),
            _ => return false,
        };
        let expected = verdict_of_findings(&file, &options, &mut scratch);
        assert_eq!(verdict, expected, "{name} for {target:?}");
        verdict == FileVerdict::Valid
    });
    wide
}

/// Checks for both hosts that the verdict on a program with its data files agrees with the findings. Returns whether
/// the files are valid for 64-bit hosts.
fn agree_together(name: &str, program: &[u8], data: &[&[u8]]) -> bool {
    if FileKind::of_head(program) != FileKind::Pte {
        return false;
    }
    let words = data.iter().map(|file| file.len()).sum::<usize>() + program.len();
    let [wide, _] = [Target::Bits64, Target::Bits32].map(|target| {
        let (options, mut scratch) = (Options::default().target(target), vec![0; words.max(128)]);
        let verdict = program_with_data_files_verdict(&program, data, &options, &mut scratch);
        assert_eq!(verdict, verdict_of_findings_with(program, data, &options), "{name} for {target:?}");
        verdict == (FileVerdict::Valid, None)
    });
    wide
}

/// Cases with data files, generated pairs, and pairs in which a data file occurs twice.
fn pairs() -> Vec<(String, Vec<u8>, Vec<Vec<u8>>)> {
    let bytes = |id: &&str| crate::corpus::find(id).unwrap().build().bytes;
    let cases = crate::corpus::all().filter(|case| !case.companions().is_empty());
    let cases = cases
        .map(|case| (case.id.to_string(), case.build().bytes, case.companions().iter().map(bytes).collect::<Vec<_>>()));
    let made = (0..48).map(|seed| {
        let config = if seed % 2 == 0 { Config::default() } else { Config::swarm(seed) };
        let mut files = generate(GeneratedKind::Pair, &config, seed).unwrap().into_iter().map(|file| file.bytes);
        let program = files.next().unwrap();
        (format!("pair {seed}"), program, files.collect::<Vec<_>>())
    });
    let once: Vec<_> = cases.chain(made).collect();
    let twice = once
        .iter()
        .map(|(name, program, data)| (format!("{name} twice"), program.clone(), [&data[..], &data[..]].concat()));
    twice.chain(once.iter().cloned()).collect()
}

#[test]
fn of_programs_with_data_files_and_attacks_on_both() {
    let pairs = pairs();
    let mut valid = 0;
    for (index, (name, program, data)) in pairs.iter().enumerate() {
        let files: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
        valid += u32::from(agree_together(name, program, &files));
        // The program itself is not a data file.
        agree_together(name, program, &[&files[..], &[program]].concat());
        let bases = core::iter::once(program).chain(data).map(|file| Base::of(file.clone())).collect::<Vec<_>>();
        for attack in attack::all().skip(index % 19).step_by(19) {
            for (at, base) in bases.iter().enumerate() {
                let Some(attacked) = attack.apply(base, index as u64) else { continue };
                let name = format!("{} on file {at} of {name}", attack.name);
                match at.checked_sub(1) {
                    None => agree_together(&name, &attacked.bytes, &files),
                    Some(at) => {
                        let mut files = files.clone();
                        files[at] = &attacked.bytes;
                        agree_together(&name, program, &files)
                    }
                };
            }
        }
    }
    assert!(valid > 50, "{valid} of {} pairs are valid", pairs.len());
}

fn generated() -> impl Iterator<Item = (String, Vec<u8>)> {
    let seeds = GeneratedKind::ALL.into_iter().flat_map(|kind| (0..24).map(move |seed| (kind, seed)));
    seeds.flat_map(|(kind, seed)| {
        let config = if seed % 2 == 0 { Config::default() } else { Config::swarm(seed) };
        let files = generate(kind, &config, seed).unwrap().into_iter();
        files.map(move |file| (format!("{} {seed}.{}", kind.name(), file.extension), file.bytes))
    })
}

fn cases() -> impl Iterator<Item = (String, Vec<u8>)> {
    crate::corpus::all().map(|case| (case.id.to_string(), case.build().bytes))
}

fn valid_files() -> Vec<(String, Vec<u8>)> {
    let all = real_files().into_iter().chain(cases()).chain(generated());
    all.filter(|(name, file)| agree(name, file)).collect()
}

#[test]
fn of_real_files_cases_generated_files_and_attacks() {
    let bases: Vec<(String, Base)> = valid_files().into_iter().map(|(name, file)| (name, Base::of(file))).collect();
    assert!(bases.len() > 300, "{} files are valid", bases.len());
    for (index, attack) in attack::all().enumerate() {
        // Each attack gets a different fifth of the bases, because trying all of them takes too long.
        for (name, base) in bases.iter().skip(index % 5).step_by(5) {
            if let Some(attacked) = attack.apply(base, index as u64) {
                agree(&format!("{} on {name}", attack.name), &attacked.bytes);
            }
        }
    }
}

/// `TORCHPROOF_MUTANTS` sets the number of mutants per small file, and `TORCHPROOF_SEED` selects different mutants.
#[test]
fn of_mutants() {
    let number = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let mut random = Random::new(number("TORCHPROOF_SEED", 25));
    let (bases, count) = (valid_files(), number("TORCHPROOF_MUTANTS", 60));
    let (mut all, mut valid) = (0_u64, 0_u64);
    for (name, file) in &bases {
        // A large file, or a file with a million tables, takes up to a thousand times longer.
        let is_slow = file.len() > 4096 || name.starts_with("pte/limits/");
        for _ in 0..if is_slow { count / 20 } else { count } {
            all += 1;
            let (_, donor) = random.pick(&bases).unwrap();
            valid += u64::from(agree(name, &Edit::several(file, donor, usize::MAX, &mut random)));
        }
    }
    std::println!("{all} mutants, {valid} of them valid");
    assert!(valid > all / 20, "{valid} of {all} mutants are valid");
}
