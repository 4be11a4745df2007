//! Files on which both passes must agree, and files that must be plainly good.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::is_plain;
use crate::attack::{self, Base};
use crate::check::{Options, Target};
use crate::generate::{Config, GeneratedKind, generate};
use crate::random::Random;
use crate::real_files::real_files;

/// Checks that the passes agree about a file for both hosts, and returns whether the file is plainly good.
fn agree(name: &str, file: &[u8]) -> bool {
    let [wide, narrow] = [Target::Bits64, Target::Bits32].map(|target| {
        let plain = is_plain(file, &Options::default().target(target));
        plain.unwrap_or_else(|message| panic!("{name} for {target:?}:\n{message}"))
    });
    assert!(wide || !narrow, "{name}");
    wide
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

#[test]
fn official_files_are_plainly_good() {
    let files = real_files();
    let other: Vec<&str> =
        files.iter().filter(|(name, file)| !agree(name, file)).map(|(name, _)| name.as_str()).collect();
    // The pass knows neither the legacy layout of data files nor operators that copy a slice in a loop. Two programs have notes.
    let expected = [
        "legacy_v0.6.0_tensors.ptd",
        "older/add_v1.2.0.pte",
        "older/control_flow_v1.1.0.pte",
        "older/linear_v0.2.0.pte",
    ];
    assert_eq!(other, expected);
}

#[test]
fn the_passes_agree_about_cases_and_generated_files() {
    let count =
        |files: &mut dyn Iterator<Item = (String, Vec<u8>)>| files.filter(|(name, file)| agree(name, file)).count();
    let plain = [count(&mut cases()), count(&mut generated())];
    assert!(plain[0] >= 100 && plain[1] >= 10, "{plain:?} files are plainly good");
}

/// The plainly good files of the other tests.
pub(super) fn plain_files() -> Vec<(String, Vec<u8>)> {
    let all = real_files().into_iter().chain(cases()).chain(generated());
    all.filter(|(name, file)| agree(name, file)).collect()
}

#[test]
fn the_passes_agree_about_every_attack_on_plainly_good_files() {
    let bases: Vec<(String, Base)> = plain_files().into_iter().map(|(name, file)| (name, Base::of(file))).collect();
    for (index, attack) in attack::all().enumerate() {
        // A different fifth of the bases for each attack, because an attack on every base takes too long.
        for (name, base) in bases.iter().skip(index % 5).step_by(5) {
            if let Some(attacked) = attack.apply(base, index as u64) {
                agree(&format!("{} on {name}", attack.name), &attacked.bytes);
            }
        }
    }
}

/// The number of bytes at the start of a file that mutations change. Segments follow the FlatBuffer, and few of their
/// bytes are checked.
const MUTATED: usize = 4096;

/// Changes a few bytes of a file: bits, numbers, or copies of other bytes of the file.
pub(super) fn mutate(file: &mut [u8], random: &mut Random) {
    const NUMBERS: [u32; 8] = [0, 1, 2, 4, 8, 16, u32::MAX, i32::MAX.cast_unsigned()];
    let len = file.len().min(MUTATED) - 4;
    for _ in 0..=random.below(3) {
        let (at, from) = (random.index(len), random.index(len));
        let word = |at: usize| at & !3;
        match random.below(5) {
            0 => file[at] ^= 1 << random.below(8),
            1 => random.fill(&mut file[at..=at]),
            2 => {
                let number = NUMBERS[random.index(NUMBERS.len())];
                file[word(at)..word(at) + 4].copy_from_slice(&number.to_le_bytes());
            }
            3 => file.copy_within(word(from)..word(from) + 4, word(at)),
            _ => file.copy_within(from & !1..(from & !1) + 2, at & !1),
        }
    }
}

/// The variable `TORCHPROOF_MUTANTS` sets the number of mutants of each file. The variable `TORCHPROOF_SEED` selects other
/// mutants.
#[test]
fn the_passes_agree_about_mutants() {
    let number = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let mut random = Random::new(number("TORCHPROOF_SEED", 25));
    let (bases, count) = (plain_files(), number("TORCHPROOF_MUTANTS", 60));
    let mut plain = 0_u64;
    for (name, file) in &bases {
        let mut mutant = file.clone();
        for _ in 0..count {
            mutate(&mut mutant, &mut random);
            plain += u64::from(agree(name, &mutant));
            let changed = MUTATED.min(file.len());
            mutant[..changed].copy_from_slice(&file[..changed]);
        }
    }
    let all = bases.len() as u64 * count;
    std::println!("{all} mutants, {plain} of them plainly good");
    assert!(plain > all / 20, "{plain} of {all} mutants are plainly good");
}
