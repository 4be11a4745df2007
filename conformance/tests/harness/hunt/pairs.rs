//! `torchproof hunt --pairs`: programs with their data files, either of which is attacked.

use std::collections::BTreeSet;
use std::process::Command;

use super::command::{real, run, scratch};
use super::{file, folder};
use serde_json::Value;
use torchproof_cli::hunt::first_must;

/// A campaign's clusters with a reader that takes everything.
fn hunt(name: &str, args: &[&str]) -> Vec<Value> {
    let reader = format!("exec:'{}' worker idle", env!("CARGO_BIN_EXE_faux-reader"));
    let (_, report) = super::hunt(name, &[&["--pairs", "--reader", &reader], args].concat());
    assert_eq!(report["campaign"]["pairs"], true);
    super::clusters(&report)
}

#[test]
fn either_file_of_a_pair_is_attacked_kept_and_shrunk() {
    let place = folder("pairs");
    let clusters = hunt("pairs", &["--count", "24", "--seed", "3", "--shrink", "1"]);
    let mut attacked = BTreeSet::new();
    for cluster in &clusters {
        let label = &cluster["label"];
        let (base, with) = (label["base"].as_str().unwrap(), label["with"].as_str().unwrap());
        let ending = |name: &str| name.rsplit('.').next().unwrap().to_owned();
        // One is attacked, and the other is of the same pair.
        assert_eq!(base.rsplit_once('.').unwrap().0, with.rsplit_once('.').unwrap().0);
        assert_ne!(ending(base), ending(with));
        attacked.insert(ending(base));
        assert_eq!((&cluster["file"], &cluster["data"]), (&"found.pte".into(), &"found.ptd".into()));
        let [found, shrunk] =
            ["found", "shrunk"].map(|stem| ["pte", "ptd"].map(|end| file(&place, cluster, &format!("{stem}.{end}"))));
        let size = |files: &[Vec<u8>; 2]| (files[0].len() + files[1].len()) as u64;
        assert_eq!((Some(size(&found)), Some(size(&shrunk))), (cluster["size"].as_u64(), cluster["shrunk"].as_u64()));
        assert!(size(&shrunk) < size(&found), "{cluster}");
        for files in [&found, &shrunk] {
            let alone = files.iter().find_map(|bytes| first_must(bytes)).map(|rule| rule.id);
            let rule = cluster["rule"].as_str();
            // What no file breaks by itself, the two break together.
            assert!(alone == rule || alone.is_none() && rule.is_some_and(|rule| rule.starts_with("x-")), "{cluster}");
        }
    }
    let command = clusters[0]["again"].as_str().unwrap();
    let output = Command::new("sh").args(["-c", command]).current_dir(scratch()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("/shrunk.pte pairs/clusters/") && said.contains("/shrunk.ptd: "), "{said}");
    assert_eq!(attacked, ["pte", "ptd"].map(str::to_owned).into(), "{clusters:#?}");
    assert_eq!(hunt("pairs", &["--count", "24", "--seed", "3", "--shrink", "1"]), clusters);
}

#[test]
fn the_checker_is_found_nothing() {
    folder("nothing");
    let fixed =
        ["hunt", "--pairs", "--out", "nothing", "--time", "600", "--count", "24", "--reader", "builtin:reference"];
    let outcome = run(&fixed);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.starts_with("nothing: 24 files, 0 findings"), "{outcome:?}");
}

#[test]
fn pairs_of_ones_own_are_attacked_and_become_cases() {
    let [program, data] =
        ["linear_external.pte", "linear_external.ptd"].map(|name| real(name).to_str().unwrap().to_owned());
    folder("own");
    let clusters = hunt("own", &["--count", "16", "--shrink", "0", "--from", &program, &data]);
    let own = |cluster: &&Value| cluster["family"] != "valid";
    assert!(clusters.iter().any(|cluster| own(&cluster)));
    for cluster in clusters.iter().filter(own) {
        let named =
            [&cluster["label"]["base"], &cluster["label"]["with"]].map(|name| name.as_str().unwrap().to_owned());
        assert!(named == [program.clone(), data.clone()] || named == [data.clone(), program.clone()], "{cluster}");
    }
    let of = |base: &str| {
        let cluster = clusters.iter().filter(own).find(|cluster| cluster["label"]["base"] == base);
        cluster.unwrap_or_else(|| panic!("{base}: {clusters:#?}"))["id"].as_str().unwrap().to_owned()
    };
    // The data file is a case, and the program's case names it.
    for base in [&program, &data] {
        let id = of(base);
        let outcome = run(&["hunt", "--out", "own", "--promote", &id]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let text = outcome.stdout;
        let (first, second) =
            (text.find(&format!("\"ptd/found/{id}\"")).unwrap(), text.find(&format!("\"pte/found/{id}\"")).unwrap());
        assert!(first < second && text.contains(&format!(", with [\"ptd/found/{id}\"] => |file| {{")), "{text}");
        assert!(text.contains("torchproof hunt --pairs --seed 0`"), "{text}");
        assert_eq!(text.contains("loaded with accepted data files only"), base == &data, "{text}");
    }
}

#[test]
fn what_is_no_pair_is_refused() {
    let [program, data] =
        ["linear_external.pte", "linear_external.ptd"].map(|name| real(name).to_str().unwrap().to_owned());
    folder("refused");
    let refused = |args: &[&str], why: &str| {
        let outcome = run(&[&["hunt", "--pairs", "--out", "refused", "--time", "0"][..], args].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
        assert!(outcome.stderr.contains(why) && outcome.stderr.lines().count() == 1, "{}", outcome.stderr);
    };
    for files in [&[program.as_str()][..], &[&data, &program], &[&program, &data, &data]] {
        refused(
            &[&["--reader", "builtin:accept-all", "--from"][..], files].concat(),
            "a pair is a program and its data file",
        );
    }
    refused(&["--reader", "once:true"], "none of the readers reads a program together with its data file");
}
