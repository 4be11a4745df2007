//! Tests that every condition of the plain pass is needed: without the condition, the pass calls a file with a finding
//! plainly good.
//!
//! The test covers the conditions in `require!`. It does not cover the operator `?`, `return None`, or a missing call of a
//! function with conditions. Those are covered only as far as the other tests compare the passes.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::agreement::{mutate, plain_files};
use super::edits::{EDITS, edited};
use super::{FAILED, SKIPPED, is_plain, plain};
use crate::attack::{self, Base};
use crate::check::{Options, Target};
use crate::limits::Limits;
use crate::random::Random;

/// A condition: the name of its source file, and its line.
type Site = (String, u32);

const GUARD: &str = "keeps a later read inside the file, and that read fails too";
const RARE: &str = "stricter than the rules, because such files are rare";
const TWICE: &str = "the pass checks the number of bytes both in each list and at the end";
const MOVED: &str = "the test moves the region but not the graph in it, so the root is wrong too";
const LARGE: &str = "needs a file of more than 2 GiB";

/// The conditions without which the pass still agrees about every file of the test, each with the reason.
const UNNEEDED: &[(&str, &str)] = &[
    ("blobs.rs: require!(bytes.read(place.offset, &mut header));", GUARD),
    ("blobs.rs: require!(start.is_multiple_of(ALIGNMENT));", MOVED),
    ("lists.rs: require!(inputs.len() <= MOST_COMPARED);", RARE),
    ("lists.rs: require!(outputs.len() <= MOST_COMPARED);", RARE),
    ("object.rs: require!(end < FLATBUFFER_LIMIT);", LARGE),
    ("object.rs: require!(self.apparent_size <= self.region.len() as u64);", TWICE),
    ("object.rs: require!(tally.apparent_size <= len as u64);", TWICE),
    ("ptd.rs: require!(root.table().field(3).is_none());", RARE),
    ("segments.rs: require!(options.target == Target::Bits64 || file_len <= u64::from(u32::MAX));", LARGE),
    ("segments.rs: require!(sizes <= SIZE);", LARGE),
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

/// Runs the pass on a file. If one of the conditions in `missing` fails, runs the pass again without this condition.
///
/// Returns the condition if the pass then calls a file plainly good although the verification pass disagrees.
fn needed_condition(file: &[u8], options: &Options, missing: &BTreeMap<Site, String>) -> Option<Site> {
    FAILED.set(None);
    if plain(file, options).is_some() {
        return None;
    }
    let failed @ (path, line) = FAILED.get()?;
    let site = (path.rsplit('/').next().unwrap_or(path).to_string(), line);
    if !missing.contains_key(&site) {
        return None;
    }
    SKIPPED.set(Some(failed));
    // Without the condition, the pass may also panic.
    let disagrees = catch_unwind(AssertUnwindSafe(|| is_plain(file, options).is_err())).unwrap_or(true);
    SKIPPED.set(None);
    disagrees.then_some(site)
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
    let edits = EDITS.iter().map(|edit| edited(edit).unwrap());
    cases.chain(edits).chain(attacked).chain(mutants)
}

#[test]
fn every_condition_is_needed() {
    let mut missing = conditions();
    let targets = [Target::Bits64, Target::Bits32].map(|target| Options::default().target(target));
    let limits = [Limits::DEFAULT.depth(1), Limits::DEFAULT.tables(1), Limits::DEFAULT.apparent_size(1)]
        .map(|limits| Options::default().limits(limits));
    let limited = plain_files().swap_remove(0).1;
    let checks = files().flat_map(|file| targets.map(|options| (file.clone(), options)));
    for (file, options) in checks.chain(limits.map(|options| (limited.clone(), options))) {
        if let Some(site) = needed_condition(&file, &options, &missing) {
            missing.remove(&site);
        }
    }
    let missing: BTreeSet<String> = missing.into_iter().map(|((name, _), text)| format!("{name}: {text}")).collect();
    let excused: BTreeSet<String> = UNNEEDED.iter().map(|(text, _)| (*text).to_string()).collect();
    assert_eq!(missing, excused);
}
