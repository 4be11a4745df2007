//! `torchproof attack`: what it makes, what it says of it, and what it leaves alone.

testkit::command_in!("attack");

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use command::{real, run, scratch};
use serde_json::Value;

/// A folder of the test's own that is not there yet.
fn folder(name: &str) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn attack(folder: &PathBuf, args: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let outcome = run(&[&["attack", "--out", folder.to_str().unwrap()], args].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""), "{args:?}");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())).collect()
}

fn labels(files: &BTreeMap<String, Vec<u8>>) -> Vec<Value> {
    let text = std::str::from_utf8(&files["labels.jsonl"]).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_file_has_a_label_that_the_checker_agrees_with() {
    let bases = [real("linear.pte"), real("linear_external.ptd"), real("legacy_v0.6.0_tensors.ptd")];
    let bases: Vec<&str> = bases.iter().map(|path| path.to_str().unwrap()).collect();
    for depth in ["1", "3"] {
        let files =
            attack(&folder(&format!("labels-{depth}")), &[&bases[..], &["--count", "60", "--depth", depth]].concat());
        let (labels, schema) = (labels(&files), testkit::schema::schema("label.schema.json"));
        assert_eq!((labels.len(), files.len()), (60, 61));
        let (mut effects, mut steps_of) = (BTreeSet::new(), BTreeSet::new());
        for label in &labels {
            testkit::schema::expect_valid(&schema, label);
            let (file, effect) = (label["file"].as_str().unwrap(), label["effect"].as_str().unwrap());
            assert!(bases.contains(&label["base"].as_str().unwrap()) && files.contains_key(file));
            let end = label["span"]["offset"].as_u64().unwrap() + label["span"]["len"].as_u64().unwrap();
            assert!(end <= files[file].len() as u64, "{label}");
            effects.insert(effect.to_owned());
            let steps = label.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            steps_of.insert(steps.len());
            let told = |step: &Value| ["attack", "path", "span"].iter().all(|key| step[key] == label[key]);
            assert!(steps.is_empty() || steps.iter().any(told), "{label}");
            let place = format!("labels-{depth}/{file}");
            let mut args = vec!["check", "--format", "json", place.as_str()];
            if label.get("target_bits").is_some() {
                args.extend(["--target-bits", "32"]);
            }
            let outcome = run(&args);
            match effect {
                "breaks" => {
                    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
                    let found = report["files"][0]["findings"].as_array().unwrap();
                    assert!(found.iter().any(|finding| finding["rule"] == label["rule"]), "{label}: {found:?}");
                    assert_eq!(outcome.code, Some(1), "{label}");
                }
                "preserves" => assert_eq!(outcome.code, Some(0), "{label}: {}", outcome.stdout),
                _ => {}
            }
        }
        assert!(effects.contains("breaks") && effects.len() > 1, "{effects:?}");
        // One attack has no steps; a file of which nothing is left has no place for another.
        let deepest = steps_of.last().unwrap();
        assert_eq!(deepest.to_string(), if depth == "1" { "0" } else { depth });
        assert!(!steps_of.contains(&1));
    }
}

#[test]
fn without_files_generated_ones_are_attacked() {
    let folder = folder("generated");
    let files = attack(&folder, &["--seed", "5", "--count", "40"]);
    let schema = testkit::schema::schema("label.schema.json");
    for label in labels(&files) {
        testkit::schema::expect_valid(&schema, &label);
        let base = label["base"].as_str().unwrap().strip_prefix("generated/").unwrap();
        assert!(files.contains_key(label["file"].as_str().unwrap()));
        // The name says how to make the file again.
        let (kind, seed) = base.rsplit_once('.').unwrap().0.rsplit_once('-').unwrap();
        let outcome = run(&["generate", "--swarm", "--kind", kind, "--seed", seed, "--force", "--out", "bases"]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let checked = run(&["check", "--strict", &format!("bases/{base}")]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
    }
    let more = attack(&self::folder("generated-more"), &["--seed", "5", "--count", "45"]);
    let same = |(name, bytes): (&String, &Vec<u8>)| name == "labels.jsonl" || more[name] == *bytes;
    assert!(files.iter().all(same));
}
