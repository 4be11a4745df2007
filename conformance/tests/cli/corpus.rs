//! `torchproof corpus`: what it writes, what it says, and what it leaves alone.

testkit::command_in!("corpus");

use std::fs;
use std::path::PathBuf;

use command::run;
use serde_json::Value;
use sha2::{Digest, Sha256};
use torchproof::corpus::Verdict;
use torchproof::view;
use torchproof_cli::corpus::Manifest;
use torchproof_cli::run::compare::first_difference;

/// With the tools that everybody has, as the corpus's README tells.
#[test]
fn the_digest_is_that_of_a_list_of_digests() {
    let manifest: Value = serde_json::from_str(&run(&["corpus", "list", "--format", "json"]).stdout).unwrap();
    let files = manifest["cases"].as_array().unwrap().iter().flat_map(|case| case["files"].as_array().unwrap());
    let list: String = files
        .map(|file| format!("{}  {}\n", file["sha256"].as_str().unwrap(), file["path"].as_str().unwrap()))
        .collect();
    let digest = <sha2::Sha256 as sha2::Digest>::digest(list.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(manifest["digest"], digest.as_str());
}

/// The README of the exporters' files lists each one with its digest.
#[test]
fn real_files_are_listed_in_their_readme() {
    let folder = testkit::repository().join("corpus/real");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let lines = readme.lines().filter_map(|line| line.split_once("  "));
    let mut listed: Vec<_> = lines.filter(|(digest, _)| digest.len() == 64).collect();
    listed.sort_by_key(|&(_, name)| name);
    let mut found: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "pte" || extension == "ptd"));
    found.sort();
    let digest = |path: &PathBuf| data_encoding::HEXLOWER.encode(&Sha256::digest(fs::read(path).unwrap()));
    let found: Vec<_> = found.iter().map(|path| (digest(path), path.file_name().unwrap().to_str().unwrap())).collect();
    assert!(!found.is_empty());
    assert_eq!(listed, found.iter().map(|(digest, name)| (digest.as_str(), *name)).collect::<Vec<_>>());
}

/// The most bytes of the corpus, which is small enough to be pulled into anybody's repository.
const SIZE_LIMIT: u64 = 8 << 20;

/// As somebody pulls it in: with what is written by hand, and the exporters' files.
#[test]
fn the_corpus_is_small() {
    let corpus = testkit::repository().join("corpus");
    let mut size = 0;
    let mut folders = vec![corpus];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let found = entry.metadata().unwrap();
            if found.is_dir() {
                folders.push(entry.path());
            } else {
                size += found.len();
            }
        }
    }
    assert!(size < SIZE_LIMIT, "{size} bytes, and {SIZE_LIMIT} are the limit");
}

#[test]
fn list_prints_the_manifest() {
    let path = testkit::repository().join("corpus/manifest.json");
    let manifest: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let listed: Value = serde_json::from_str(&run(&["corpus", "list", "--format", "json"]).stdout).unwrap();
    assert_eq!(listed, manifest);
    let ids: Vec<_> = manifest["cases"].as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap()).collect();
    let text = run(&["corpus", "list"]).stdout;
    assert!(ids.is_sorted() && text.lines().map(|line| line.split_whitespace().next().unwrap()).eq(ids));
}

/// A case that must be accepted and says nothing of its file's values would let a reader pass with any.
#[test]
fn what_every_accepted_file_holds_is_expected() {
    let corpus = testkit::repository().join("corpus");
    let manifest: Manifest = serde_json::from_slice(&fs::read(corpus.join("manifest.json")).unwrap()).unwrap();
    for case in &manifest.cases {
        let Some(expect) = &case.expect else {
            assert_ne!(case.verdict, Verdict::Accept, "{}", case.id);
            continue;
        };
        let expected: Value = serde_json::from_slice(&fs::read(corpus.join(expect)).unwrap()).unwrap();
        let bytes = fs::read(corpus.join(&case.files[0].path)).unwrap();
        assert_eq!(case.verdict, Verdict::Accept, "{}", case.id);
        assert_eq!(first_difference(&expected, &view::to_value(&bytes).unwrap()), None, "{}", case.id);
    }
}
