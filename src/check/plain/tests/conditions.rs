//! Tests that every condition of the plain pass is needed: without the condition, the pass calls a file with a finding
//! plainly good.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::agreement::{mutate, plain_files};
use super::{FAILED, SKIPPED, is_plain, plain};
use crate::attack::{self, Base};
use crate::check::{Options, Target};
use crate::random::Random;

/// A condition: the name of its source file, and its line.
type Site = (String, u32);

const REDUNDANT: &str = "each file of the test that breaks the condition also breaks another condition";
const GUARD: &str = "keeps a later read inside the file, and that read fails too";
const RARE: &str = "stricter than the rules, because such files are rare";
const LARGE: &str = "needs a file of more than 2 GiB";
const LIMITS: &str = "needs other limits than the tests use";

/// The conditions without which the pass still agrees about every file of the test, each with the reason.
const UNNEEDED: &[(&str, &str)] = &[
    ("blobs.rs: require!(bytes.read(place.offset, &mut header));", GUARD),
    ("blobs.rs: require!(end <= place.len);", REDUNDANT),
    ("blobs.rs: require!(place.len <= LONGEST_TEXT);", RARE),
    ("blobs.rs: require!(place.len >= u64::from(LENGTH));", REDUNDANT),
    ("blobs.rs: require!(start.is_multiple_of(ALIGNMENT));", REDUNDANT),
    ("blobs.rs: require!(tagged);", REDUNDANT),
    ("method.rs: require!(id > 0);", REDUNDANT),
    ("mod.rs: require!(image.len() >= 64);", REDUNDANT),
    ("mod.rs: require!(options.limits.depth >= SCHEMA_DEPTH);", LIMITS),
    ("mod.rs: require!(tally.apparent_size <= options.limits.apparent_size_of(region.len()));", LIMITS),
    ("mod.rs: require!(tally.tables <= options.limits.tables.min(MOST_TABLES));", LIMITS),
    ("object.rs: require!(at < self.region.len());", GUARD),
    ("object.rs: require!(end <= self.region.len() - position);", GUARD),
    ("object.rs: require!(offset.wrapping_sub(1) < OFFSET_LIMIT - 1);", GUARD),
    ("object.rs: require!(target + 4 <= len);", GUARD),
    ("ptd.rs: require!(!entries.is_empty());", REDUNDANT),
    ("ptd.rs: require!(base == 0 || base >= end);", REDUNDANT),
    ("ptd.rs: require!(base.checked_add(size).is_some_and(|end| end <= file_len));", REDUNDANT),
    ("ptd.rs: require!(end < FLATBUFFER_LIMIT);", LARGE),
    ("ptd.rs: require!(end <= file_len);", GUARD),
    ("ptd.rs: require!(end >= 12);", GUARD),
    ("ptd.rs: require!(options.target == Target::Bits64 || file_len <= u64::from(u32::MAX));", LARGE),
    ("ptd.rs: require!(root.table().field(3).is_none());", RARE),
    ("pte.rs: require!(base <= file_len);", REDUNDANT),
    ("pte.rs: require!(base >= program_size);", REDUNDANT),
    ("pte.rs: require!(end < FLATBUFFER_LIMIT);", LARGE),
    ("pte.rs: require!(end <= file_len);", REDUNDANT),
    ("pte.rs: require!(entries.is_none() || list.is_some());", REDUNDANT),
    ("pte.rs: require!(offset >= previous);", REDUNDANT),
    ("pte.rs: require!(offsets.iter().all(|offset| offset <= size));", REDUNDANT),
    ("pte.rs: require!(options.target == Target::Bits64 || file_len <= u64::from(u32::MAX));", LARGE),
    ("pte.rs: require!(program_size <= file_len);", GUARD),
    ("pte.rs: require!(program_size >= ExtendedHeader::OFFSET + u64::from(ExtendedHeader::MIN_LENGTH));", REDUNDANT),
    ("pte.rs: require!(root.table().position() as u64 >= header_end);", REDUNDANT),
    ("segments.rs: require!(offset.is_multiple_of(ALIGNMENT));", REDUNDANT),
    ("segments.rs: require!(size <= SIZE);", LARGE),
    ("segments.rs: require!(size.is_none_or(|size| size == self.end));", REDUNDANT),
];

/// The conditions of the pass and their first lines, read from the source files.
fn conditions() -> BTreeMap<Site, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check/plain");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found = BTreeMap::new();
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for (line, text) in (1..).zip(fs::read_to_string(&path).unwrap().lines()) {
            if text.contains("require!(") {
                found.insert((name.clone(), line), text.trim().to_string());
            }
        }
    }
    found
}

/// Runs the pass on a file. If a condition fails, runs the pass again without this condition.
///
/// Returns the condition if the pass then calls a file plainly good although the verification pass disagrees.
fn needed_condition(file: &[u8], options: &Options) -> Option<Site> {
    FAILED.set(None);
    if plain(file, options).is_some() {
        return None;
    }
    let site = FAILED.get()?;
    SKIPPED.set(Some(site));
    // Without the condition, the pass may also panic.
    let disagrees = catch_unwind(AssertUnwindSafe(|| is_plain(file, options).is_err())).unwrap_or(true);
    SKIPPED.set(None);
    let (path, line) = site;
    disagrees.then(|| (path.rsplit('/').next().unwrap_or(path).to_string(), line))
}

/// Files that break a plainly good file in few places.
fn files() -> impl Iterator<Item = Vec<u8>> {
    let cases = crate::corpus::all().map(|case| case.build().bytes);
    let bases = plain_files();
    let attacked = bases.clone().into_iter().map(|(_, file)| Base::of(file)).flat_map(|base| {
        let all: Vec<_> = attack::all().collect();
        all.into_iter().filter_map(move |attack| Some(attack.apply(&base, 7)?.bytes)).collect::<Vec<_>>()
    });
    let mut random = Random::new(4);
    let mutants = (0..40_000).map(move |_| {
        let mut file = bases[random.index(bases.len())].1.clone();
        mutate(&mut file, &mut random);
        file
    });
    cases.chain(attacked).chain(mutants)
}

#[test]
fn every_condition_is_needed() {
    let mut missing = conditions();
    for file in files() {
        for target in [Target::Bits64, Target::Bits32] {
            if let Some(site) = needed_condition(&file, &Options::default().target(target)) {
                missing.remove(&site);
            }
        }
    }
    let missing: BTreeSet<String> = missing.into_iter().map(|((name, _), text)| format!("{name}: {text}")).collect();
    let excused: BTreeSet<String> = UNNEEDED.iter().map(|(text, _)| (*text).to_string()).collect();
    assert_eq!(missing, excused);
}
