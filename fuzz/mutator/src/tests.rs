//! Tests the mutator on the corpus files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use torchproof::attack::families;
use torchproof::check;
use torchproof::corpus::Verdict;

use super::*;

const MOST: usize = 1 << 14;

/// Files with every defect, and inputs that are not files.
fn inputs() -> Vec<Vec<u8>> {
    let corpus = walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")).sort_by_file_name();
    let paths = corpus.into_iter().map(|entry| entry.unwrap().into_path());
    let files = paths.filter(|path| {
        path.extension().is_some_and(|ending| ["pte", "ptd", "bpte"].contains(&&*ending.to_string_lossy()))
    });
    let mut inputs: Vec<Vec<u8>> = files.map(|path| fs::read(path).unwrap()).collect();
    assert!(inputs.len() > 500);
    let mut random = Random::new(1);
    inputs.extend((0..40).map(|len| (0..len * 7).map(|_| random.byte()).collect()));
    inputs.extend((0..40).map(|len| {
        let mut file = valid("linear.pte");
        file.truncate(len * 9);
        file
    }));
    inputs.extend([Vec::new(), Pair::MAGIC.to_vec(), [&Pair::MAGIC[..], &[0xff; 9]].concat(), pair()]);
    inputs
}

fn valid(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/real").join(name)).unwrap()
}

fn pair() -> Vec<u8> {
    Pair { program: &valid("linear_external.pte"), data: &valid("linear_external.ptd") }.join()
}

#[test]
fn equal_seeds_give_equal_results_with_and_without_a_cache() {
    let mut used = Mutator::new();
    let other = valid("linear.pte");
    for input in [valid("linear.pte"), valid("linear_external.ptd"), pair(), b"text".to_vec()] {
        for seed in 0..150 {
            assert_eq!(used.mutate(&input, MOST, seed), Mutator::new().mutate(&input, MOST, seed), "{seed}");
            let [one, two] = [(); 2].map(|()| Mutator::cross(&input, &other, MOST, seed));
            assert_eq!(one, two, "{seed}");
        }
    }
}

#[test]
fn accepts_any_bytes_and_respects_the_size_limit() {
    let inputs = inputs();
    let mut mutator = Mutator::new();
    for (seed, input) in (0..).zip(&inputs).step_by(3) {
        let other = &inputs[(7 * input.len() + 1) % inputs.len()];
        for max_len in [0, 1, 17, input.len() / 2, input.len(), input.len() + 40, MOST] {
            assert!(mutator.mutate(input, max_len, seed).bytes.len() <= max_len, "{max_len}");
            assert!(Mutator::cross(input, other, max_len, seed).bytes.len() <= max_len, "{max_len}");
        }
    }
}

#[test]
fn a_created_input_is_whole_or_empty() {
    for max_len in [0, 15, 100, 700, 2000, 4096, MOST] {
        let mut empty = [0; 2];
        for seed in 0..20 {
            let out = Mutator::generate(max_len, seed);
            let file = (out.is_empty(), out.len(), describe(&out).accepts());
            let out = Mutator::generate_pair(max_len, seed);
            let pair = (out.is_empty(), out.len(), Pair::split(&out).is_some() && describe(&out).accepts());
            for (empty, (is_empty, len, accepted)) in empty.iter_mut().zip([file, pair]) {
                assert!(is_empty || accepted && len <= max_len, "seed {seed}, limit {max_len}, {len} bytes");
                *empty += u32::from(is_empty);
            }
        }
        assert!(max_len > 15 || empty == [20, 20], "{max_len}: {empty:?}");
        assert!(max_len < MOST || empty == [0, 0], "{max_len}: {empty:?}");
    }
}

/// A broken header hides all other defects from a reader.
#[test]
fn most_mutations_of_a_valid_file_reach_beyond_the_header() {
    for name in ["linear.pte", "linear_external.ptd"] {
        let (file, mut mutator) = (valid(name), Mutator::new());
        let (mut changed, mut reached, mut accepted) = (0, 0, 0);
        for seed in 0..1000 {
            let bytes = mutator.mutate(&file, MOST, seed).bytes;
            let report = check(&bytes);
            changed += u32::from(bytes != file);
            reached += u32::from(report.tables > 1);
            accepted += u32::from(report.accepts());
        }
        assert!(changed >= 990, "{name}: {changed}");
        assert!(reached >= 800, "{name}: {reached}");
        assert!(accepted >= 100, "{name}: {accepted}");
    }
}

#[test]
fn every_family_of_attacks_occurs_and_the_checker_agrees_with_the_rules() {
    let mut seen = BTreeSet::new();
    let mut mutator = Mutator::new();
    let mut files = vec![valid("linear.pte"), valid("linear_external.ptd")];
    let accepted = || torchproof::corpus::all().filter(|case| case.verdict == Verdict::Accept);
    let cases = accepted().filter(|case| case.id.contains("xnnpack")).take(1).chain(accepted().step_by(5));
    files.extend(cases.map(|case| case.build().bytes));
    let mut random = Random::new(3);
    for file in files.iter().cycle().take(4000) {
        let Some(attacked) = mutator.bases.attack(file, &mut random) else { continue };
        assert_eq!(attacked.disagreement(), None, "{:?}", attacked.label);
        seen.insert(attacked.label.family());
    }
    let all: BTreeSet<&str> = families().iter().map(|family| family.name).collect();
    assert_eq!(seen, all);
    let attacks = (0..2000).filter(|seed| {
        let mutation = mutator.mutate(&files[0], MOST, *seed);
        let found = |rule| check(&mutation.bytes).findings.iter().any(|finding| finding.rule == rule);
        // A rule for 32-bit hosts must be checked for such a host.
        let of_32_bits = torchproof::attack::find(mutation.name)
            .is_some_and(|attack| attack.target == torchproof::check::Target::Bits32);
        assert!(of_32_bits || mutation.rule.is_none_or(found), "{mutation:?}");
        mutation.rule.is_some()
    });
    assert!(attacks.count() >= 4);
}

#[test]
fn half_of_the_splices_of_valid_files_are_accepted() {
    let cases = samples().files();
    let mut accepted: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    for seed in 0..1000 {
        let random = &mut Random::new(!seed);
        let [one, two] = [(); 2].map(|()| &cases[random.index(cases.len())]);
        let mutant = Mutator::cross(one, two, MOST, seed);
        let [all, good] = accepted.entry(mutant.name).or_default();
        *all += 1;
        *good += u32::from(check(&mutant.bytes).accepts());
    }
    let mut total = [0; 2];
    for name in ["splice/table", "splice/tables", "splice/vector", "splice/string", "splice/segment"] {
        let [all, good] = accepted[name];
        assert!(all > 15 && 4 * good >= all, "{name}: {accepted:?}");
        total = [total[0] + all, total[1] + good];
    }
    assert!(2 * total[1] >= total[0], "{accepted:?}");
}

#[test]
fn a_mutated_pair_is_a_pair_with_one_changed_file_or_a_changed_name() {
    let (input, mut mutator) = (pair(), Mutator::new());
    let whole = Pair::split(&input).unwrap();
    let mut kept = [0; 2];
    let mut names = BTreeSet::new();
    for seed in 0..2000 {
        let mutation = mutator.mutate(&input, MOST, seed);
        names.insert(mutation.name);
        let Some(pair) = Pair::split(&mutation.bytes) else { continue };
        kept[0] += u32::from(pair.program == whole.program);
        kept[1] += u32::from(pair.data == whole.data);
        if mutation.name == "pair/rename" {
            assert!(pair.program != whole.program && pair.data != whole.data);
            let program = check::Checker::new().with(&pair.data).check(pair.program);
            assert!(program.accepts(), "{:?}", program.findings);
        }
    }
    assert!(kept.iter().all(|kept| *kept > 500), "{kept:?}");
    for name in ["pair/rename", "pair/rename-one", "pair/exchange"] {
        assert!(names.contains(name), "{names:?}");
    }
}

#[test]
fn mutates_the_program_inside_a_bundled_program() {
    let bundle = samples().files().iter().find(|bytes| bytes[4..8] == *b"BP08").unwrap();
    let (mut inner, mut grown) = (0, 0);
    let mut mutator = Mutator::new();
    for seed in 0..400 {
        let bytes = mutator.mutate(bundle, MOST, seed).bytes;
        let report = check(&bytes);
        inner += u32::from(report.findings.iter().any(|finding| finding.path.starts_with("program.")));
        grown += u32::from(bytes.len() > bundle.len());
    }
    assert!(inner > 60 && grown > 6, "{inner} {grown}");
}

#[test]
fn unknown_bytes_get_the_mutation_of_the_engine() {
    fn engine(data: &mut [u8], size: usize, max_size: usize) -> usize {
        assert!(max_size > 0 && size <= max_size && max_size <= data.len());
        data[0] = 0xee;
        max_size.min(size + 1)
    }
    let mut data = [7; 32];
    let sizes: Vec<usize> = (0..40).map(|seed| mutate_in_place(&mut data, 9, 32, seed, Some(engine))).collect();
    assert!(sizes.iter().filter(|size| **size == 10).count() > 30, "{sizes:?}");
    assert_eq!(data[0], 0xee);
    for (seed, max_size) in (0..40).zip([0, 1, 4].into_iter().cycle()) {
        assert!(mutate_in_place(&mut [7; 32], 9, max_size, seed, Some(engine)) <= max_size);
    }
}

#[test]
fn repair_limits_the_sizes_in_the_header_and_changes_nothing_else() {
    for name in ["linear.pte", "linear_external.ptd"] {
        let file = valid(name);
        let mut same = file.clone();
        assert!(!repair(&mut same) && same == file);
        let mut short = file[..file.len() - 16].to_vec();
        assert!(repair(&mut short));
        assert!(check(&short).findings.iter().all(|finding| !finding.path.starts_with("header")));
        assert!(!repair(&mut short));
        assert_eq!(short[48..], file[48..file.len() - 16]);
    }
    for mut input in inputs() {
        repair(&mut input);
        assert!(!repair(&mut input));
    }
}
