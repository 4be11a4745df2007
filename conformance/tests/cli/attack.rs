//! `torchproof attack`: what it makes, what it says of it, and what it leaves alone.

testkit::command_in!("attack");

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use command::{real, run, scratch};
use serde_json::Value;
use torchproof::attack::{all, families};

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
fn a_seed_and_a_number_make_a_file() {
    let base = real("conv.pte");
    let base = base.to_str().unwrap();
    let few = attack(&folder("few"), &[base, "--seed", "5", "--count", "8"]);
    let again = attack(&folder("again"), &[base, "--seed", "5", "--count", "8"]);
    assert_eq!(few, again);
    let more = attack(&folder("more"), &[base, "--seed", "5", "--count", "20"]);
    assert_eq!(labels(&few), labels(&more)[..8]);
    assert!(few.iter().all(|(name, bytes)| name == "labels.jsonl" || more[name] == *bytes));
    let other = attack(&folder("other"), &[base, "--seed", "6", "--count", "8"]);
    assert_ne!(few.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
}

#[test]
fn families_and_rules_are_selected() {
    let base = real("linear.pte");
    let base = base.to_str().unwrap();
    let files = attack(&folder("family"), &[base, "--family", "magic", "--count", "12"]);
    assert!(labels(&files).iter().all(|label| label["family"] == "magic"));
    let files = attack(&folder("rule"), &[base, "--rule", "fb-uoffset-valid", "--count", "12"]);
    assert!(labels(&files).iter().all(|label| label["rule"] == "fb-uoffset-valid" && label["effect"] == "breaks"));
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let base = real("linear.pte");
    let base = base.to_str().unwrap();
    let busy = folder("busy");
    fs::create_dir_all(&busy).unwrap();
    fs::write(busy.join("mine.txt"), "mine").unwrap();
    let refused = |args: &[&str], why: &str| {
        let outcome = run(&[&["attack"], args].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(outcome.stderr.contains(why), "{args:?}: {}", outcome.stderr);
    };
    refused(&[base, "--out", "busy"], "busy: the folder is not empty");
    assert_eq!(fs::read_dir(&busy).unwrap().count(), 1);
    refused(
        &[base, "--out", "none", "--rule", "ptdB-fqn"],
        "none of the files has a place for an attack that breaks ptdB-fqn",
    );
    refused(&[base, "--out", "none", "--rule", "md-key-prefix"], "there is no attack that breaks md-key-prefix");
    refused(&[base, "--out", "none", "--family", "nonsense"], "the families are magic, ");
    refused(&[base, "--out", "none", "--rule", "no-rule"], "no rule");
    refused(&[base], "--out <DIR>");
    refused(&["busy/mine.txt", "--out", "none"], "busy/mine.txt: a file of kind unknown is not attacked");
    refused(&["busy/missing.pte", "--out", "none"], "busy/missing.pte: ");
    fs::File::create(busy.join("sparse.ptd")).unwrap().set_len((1 << 30) + 1).unwrap();
    refused(&["busy/sparse.ptd", "--out", "none"], "more than 1 GiB is too large to be attacked");
    fs::remove_file(busy.join("sparse.ptd")).unwrap();

    let forced = attack(&busy, &[base, "--count", "2", "--force"]);
    assert_eq!((forced.len(), forced["mine.txt"].as_slice()), (4, b"mine".as_slice()));
}

#[test]
fn the_list_has_every_family_and_attack() {
    let listing: Value = serde_json::from_str(&run(&["attack", "--list", "--format", "json"]).stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("attacks.schema.json"), &listing);
    let listed = listing["families"].as_array().unwrap();
    let names: Vec<&str> = listed.iter().map(|family| family["name"].as_str().unwrap()).collect();
    assert!(names.iter().copied().eq(families().iter().map(|family| family.name)));
    let attacks = listed.iter().flat_map(|family| family["attacks"].as_array().unwrap());
    assert!(attacks.map(|attack| attack["name"].as_str().unwrap()).eq(all().map(|attack| attack.name)));

    let text = run(&["attack", "--list"]).stdout;
    assert!(text.lines().all(|line| line.chars().count() <= 100 && line == line.trim_end()));
    for attack in all() {
        let outcome = attack.rule.map_or(attack.effect.name().to_owned(), |rule| format!("breaks {rule}"));
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert!(text.lines().any(|line| words(line) == format!("{} {outcome}", attack.name)), "{}", attack.name);
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
