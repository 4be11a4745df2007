//! Tests which files `torchproof hunt` stores: findings, and the original and the shrunk file of each cluster.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::command::{absent, real, run};
use super::file;
use serde_json::Value;
use testkit::corpus::faux;
use torchproof_harness::hunt::first_must;

fn hunt(name: &str, args: &[&str]) -> Vec<Value> {
    super::clusters(&super::hunt(name, args).1)
}

fn shrunk(place: &Path, cluster: &Value) -> Vec<u8> {
    file(place, cluster, &cluster["file"].as_str().unwrap().replace("found", "shrunk"))
}

fn findings(place: &Path) -> Vec<Value> {
    let text = fs::read_to_string(place.join("findings.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn shrinks_a_rejected_valid_file_to_a_valid_one() {
    let place = absent("refused");
    let clusters = hunt("refused", &["--reader", "builtin:reject-all", "--count", "17", "--shrink", "2s"]);
    let valid: Vec<&Value> = clusters.iter().filter(|one| one["label"]["family"] == "valid").collect();
    assert!(!valid.is_empty() && valid.iter().all(|one| one["kind"] == "rejects-valid"), "{clusters:#?}");
    for cluster in valid {
        let bytes = shrunk(&place, cluster);
        assert!(first_must(&[&bytes]).is_none() && !bytes.is_empty(), "{cluster}");
        assert!(bytes.len() as u64 <= cluster["size"].as_u64().unwrap());
    }
    assert!(!place.join("work").exists(), "the input files of readers were not removed");
}

/// The checker accepts the file, and only one reader rejects it.
#[test]
fn readers_also_disagree_on_the_shrunk_file() {
    let place = absent("disagree");
    let readers = ["--reader", "builtin:reject-all", "--reader", "builtin:accept-all"];
    let clusters = hunt("disagree", &[&readers[..], &["--count", "24", "--seed", "5", "--shrink", "1s"]].concat());
    let disagree: Vec<&Value> = clusters.iter().filter(|one| one["kind"] == "disagrees").collect();
    assert!(!disagree.is_empty(), "{clusters:#?}");
    for cluster in &disagree {
        assert!(first_must(&[&shrunk(&place, cluster)]).is_none(), "{cluster}");
    }
    assert!(!place.join("work").exists(), "the input files of readers were not removed");
}

#[test]
fn discards_the_shrunk_file_after_a_smaller_finding() {
    let place = absent("later");
    let args = ["--reader", "builtin:accept-all", "--seed", "3", "--count", "6"];
    let before = hunt("later", &[&args[..], &["--shrink", "1s"]].concat());
    assert!(before.iter().all(|one| one["shrunk"].is_u64()));
    // Pretend that the campaign ended after storing a finding but before describing the cluster.
    let path = place.join("clusters").join(before[0]["id"].as_str().unwrap()).join("cluster.json");
    let mut kept: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    kept["index"] = 1_000_000.into();
    fs::write(&path, kept.to_string()).unwrap();
    let after = hunt("later", &[&args[..], &["--shrink", "0s"]].concat());
    assert!(after[0]["shrunk"].is_null(), "{}", after[0]);
    assert_eq!(after[1..], before[1..]);
}

#[test]
fn some_files_have_several_attacks_and_most_have_one() {
    let place = absent("several");
    hunt("several", &["--reader", "builtin:accept-all", "--count", "64", "--shrink", "0s"]);
    let all = findings(&place);
    let steps = |one: &Value| one["label"]["steps"].as_array().map_or(0, Vec::len);
    let several = all.iter().filter(|one| steps(one) > 1).count();
    assert!(several > 0 && 4 * several < all.len(), "{all:#?}");
}

#[test]
fn runs_a_reader_only_on_supported_kinds() {
    let place = absent("kinds");
    // The reader exits on any file that contains no order.
    hunt("kinds", &["--reader", &faux("exec", "worker pte-only"), "--count", "24", "--shrink", "0s"]);
    let endings: BTreeSet<String> =
        findings(&place).iter().map(|one| one["extension"].as_str().unwrap().to_owned()).collect();
    assert_eq!(endings, BTreeSet::from(["pte".to_owned()]));
}

/// A command has no `hello`, so the campaign first tries it on valid files of each kind.
#[test]
fn a_campaign_leaves_out_kinds_that_a_command_rejects() {
    let place = absent("rejected-kinds");
    let reader = r#"once:sh -c 'case "$1" in *.pte) kill -SEGV $$;; *.ptd) exit 1;; *) exit 2; esac' sh"#;
    let args =
        ["hunt", "--output", "rejected-kinds", "--reader", reader, "--count", "24", "--shrink", "0s", "--time", "10m"];
    let outcome = run(&args);
    let note = "torchproof: note: sh accepts no valid file of these kinds, so they are left out: ptd, ptd-legacy, bpte";
    assert_eq!(outcome.stderr.lines().next(), Some(note), "{outcome:?}");
    // An attack on the identifier can turn a program into a file of another kind, which the command rejects.
    let found = findings(&place);
    assert!(found.len() > 20 && found.iter().all(|one| one["extension"] == "pte"), "the reader crashes on programs");
    // If the reader accepts no kind, the rejections are findings.
    let clusters = hunt("rejects-all", &["--reader", "once:false", "--count", "8", "--shrink", "0s"]);
    assert!(clusters.iter().any(|one| one["kind"] == "rejects-valid"), "{clusters:#?}");
}

/// `hunt` annotates both files of a pair, the original and the shrunk version. Some pairs are valid.
#[test]
fn stores_both_files_of_a_pair() {
    let place = absent("pairs");
    let args = ["--pairs", "--reader", &faux("exec", "worker rejects"), "--count", "60"];
    for shrink in ["0s", "1s"] {
        let clusters = hunt("pairs", &[&args[..], &["--shrink", shrink]].concat());
        assert!(clusters.iter().any(|one| one["kind"] == "rejects-valid"), "{clusters:#?}");
        for cluster in &clusters {
            let annotated = String::from_utf8(file(&place, cluster, "annotated.txt")).unwrap();
            assert_eq!(annotated.matches("end of file").count(), 2, "{cluster}: {annotated}");
        }
    }
}

/// Each file is valid by itself, but the data file lacks the external tensors of the program.
#[test]
fn checks_both_files_of_a_pair_together() {
    let [program, data] =
        ["mlp_external.pte", "linear_external.ptd"].map(|name| real(name).to_str().unwrap().to_owned());
    let place = absent("together");
    let reader = "builtin:reference,without=x-external-found";
    let args = ["--pairs", "--reader", reader, "--family", "hidden", "--count", "12", "--shrink", "0s"];
    let clusters = hunt("together", &[&args[..], &["--from", &program, &data]].concat());
    let together: Vec<&Value> = clusters.iter().filter(|one| one["rule"] == "x-external-found").collect();
    assert!(!together.is_empty(), "{clusters:#?}");
    for cluster in together {
        assert_eq!(cluster["kind"], "accepts-invalid");
        assert!(["found.pte", "found.ptd"].iter().all(|name| first_must(&[&file(&place, cluster, name)]).is_none()));
    }
}

/// Each shrunk file keeps its role, because some readers distinguish programs from data files.
#[test]
fn the_files_of_a_pair_keep_their_roles() {
    let place = absent("roles");
    let reader = "builtin:reference,without=ft-key-unique";
    let args = ["--pairs", "--reader", reader, "--rule", "ft-key-unique", "--count", "4", "--shrink", "1s"];
    let clusters = hunt("roles", &args);
    assert_eq!(clusters.len(), 1, "{clusters:#?}");
    let shrunk = clusters[0]["shrunk"].as_u64().unwrap();
    assert!(shrunk < clusters[0]["size"].as_u64().unwrap(), "{}", clusters[0]);
    assert_eq!(first_must(&[&file(&place, &clusters[0], "shrunk.ptd")]).unwrap().id, "ft-key-unique");
    let again = run(&["hunt", "--output", "roles", "--again", clusters[0]["id"].as_str().unwrap()]);
    assert_eq!(again.code, Some(1), "{again:?}");
}

#[test]
fn attacks_stores_and_shrinks_either_file_of_a_pair() {
    let place = absent("either");
    let args = ["--pairs", "--reader", &faux("exec", "worker idle"), "--count", "24", "--seed", "3", "--shrink", "5s"];
    let clusters = hunt("either", &args);
    let (mut attacked, mut smaller) = (BTreeSet::new(), 0);
    for cluster in &clusters {
        let label = &cluster["label"];
        let (base, with) = (label["base"].as_str().unwrap(), label["with"].as_str().unwrap());
        let ending = |name: &str| name.rsplit('.').next().unwrap().to_owned();
        // Only one file of a pair is changed; the other must come from the same pair.
        let generated = base.starts_with("generated/");
        assert!(!generated || base.rsplit_once('.').unwrap().0 == with.rsplit_once('.').unwrap().0, "{label}");
        assert_ne!(ending(base), ending(with));
        attacked.insert(ending(base));
        assert_eq!((&cluster["file"], &cluster["data"]), (&"found.pte".into(), &"found.ptd".into()));
        let [found, shrunk] =
            ["found", "shrunk"].map(|stem| ["pte", "ptd"].map(|end| file(&place, cluster, &format!("{stem}.{end}"))));
        let size = |files: &[Vec<u8>; 2]| (files[0].len() + files[1].len()) as u64;
        assert_eq!((Some(size(&found)), Some(size(&shrunk))), (cluster["size"].as_u64(), cluster["shrunk"].as_u64()));
        assert!(size(&shrunk) <= size(&found), "{cluster}");
        smaller += usize::from(size(&shrunk) < size(&found));
        for files in [&found, &shrunk] {
            let alone = files.iter().find_map(|bytes| first_must(&[bytes])).map(|rule| rule.id);
            let rule = cluster["rule"].as_str();
            // If neither file breaks a rule by itself, the rule must be about both files together.
            assert!(alone == rule || alone.is_none() && rule.is_some_and(|rule| rule.starts_with("x-")), "{cluster}");
        }
    }
    // If the hunt has filled a list with hundreds of items, there may be too little time to shrink it.
    assert!(smaller * 2 > clusters.len(), "{smaller} of {}", clusters.len());
    let (code, said) = super::campaigns::again(&clusters[0]);
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(attacked, ["pte", "ptd"].map(str::to_owned).into(), "{clusters:#?}");
    assert_eq!(hunt("either", &args), clusters);
}
