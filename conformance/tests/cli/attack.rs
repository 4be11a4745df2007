//! Tests `torchproof attack`: the files, the labels and the base files.

testkit::command_in!("attack");

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use command::{absent, real, run};
use serde_json::Value;

fn attack(folder: &PathBuf, args: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let outcome = run(&[&["attack", "--output", folder.to_str().unwrap()], args].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""), "{args:?}");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())).collect()
}

fn labels(files: &BTreeMap<String, Vec<u8>>) -> Vec<Value> {
    let text = std::str::from_utf8(&files["labels.jsonl"]).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Tests only the form of the labels, because the library's tests compare them with the checker.
#[test]
fn every_file_has_a_label() {
    let bases = [real("linear.pte"), real("linear_external.ptd"), real("legacy_v0.6.0_tensors.ptd")];
    let bases: Vec<&str> = bases.iter().map(|path| path.to_str().unwrap()).collect();
    let schema = testkit::schema::schema("label.schema.json");
    for depth in ["1", "3"] {
        let args = [&bases[..], &["--count", "60", "--depth", depth]].concat();
        let files = attack(&absent(&format!("labels-{depth}")), &args);
        let labels = labels(&files);
        assert_eq!((labels.len(), files.len()), (60, 61));
        let mut deepest = 0;
        for label in &labels {
            testkit::schema::expect_valid(&schema, label);
            let file = &files[label["file"].as_str().unwrap()];
            let end = label["span"]["offset"].as_u64().unwrap() + label["span"]["len"].as_u64().unwrap();
            assert!(bases.contains(&label["base"].as_str().unwrap()) && end <= file.len() as u64, "{label}");
            deepest = deepest.max(label["steps"].as_array().map_or(0, Vec::len));
        }
        // A file with a single attack has no steps.
        assert_eq!(deepest.to_string(), if depth == "1" { "0" } else { depth });
    }
}

#[test]
fn attacks_generated_files_when_no_base_is_given() {
    let folder = absent("generated");
    let files = attack(&folder, &["--seed", "5", "--count", "40"]);
    let schema = testkit::schema::schema("label.schema.json");
    for label in labels(&files) {
        testkit::schema::expect_valid(&schema, &label);
        let base = label["base"].as_str().unwrap().strip_prefix("generated/").unwrap();
        assert!(files.contains_key(label["file"].as_str().unwrap()));
        // The name of a generated base file contains its kind and its seed.
        let (kind, seed) = base.rsplit_once('.').unwrap().0.rsplit_once('-').unwrap();
        let outcome = run(&["generate", "--swarm", "--kind", kind, "--seed", seed, "--force", "--output", "bases"]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let checked = run(&["check", "--deny-should", &format!("bases/{base}")]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
    }
    let more = attack(&absent("generated-more"), &["--seed", "5", "--count", "45"]);
    let same = |(name, bytes): (&String, &Vec<u8>)| name == "labels.jsonl" || more[name] == *bytes;
    assert!(files.iter().all(same));
}
