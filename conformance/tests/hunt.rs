//! `torchproof hunt` and `shrink`: what is found, kept, made small, and gone on with.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

mod command;
mod valid;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use command::{real, run, scratch, torchproof};
use serde_json::Value;
use torchproof_conformance::hunt::first_must;

/// Dies of files above 3000 bytes, takes those below 1000, and refuses the others.
const MOODY: &str =
    r#"once:sh -c 's=$(stat -c %s "$1"); [ $s -gt 3000 ] && kill -SEGV $$; [ $s -ge 1000 ]; exit $((1 - $?))' sh"#;

/// A folder of the test's own that is not there yet.
fn folder(name: &str) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A campaign's report, and its exit code.
fn hunt(name: &str, args: &[&str]) -> (Option<i32>, Value) {
    let fixed = ["hunt", "--out", name, "--time", "600", "--format", "json"];
    let outcome = run(&[&fixed[..], args].concat());
    let report = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"));
    valid::expect_valid(&valid::schema("hunt.schema.json"), &report);
    (outcome.code, report)
}

/// How often each cluster was found, and with which smallest file.
fn clusters(report: &Value) -> BTreeMap<String, (u64, u64)> {
    let all = report["clusters"].as_array().unwrap().iter();
    let number = |value: &Value| value.as_u64().unwrap();
    all.map(|one| (one["id"].as_str().unwrap().to_owned(), (number(&one["count"]), number(&one["index"])))).collect()
}

#[test]
fn a_reader_that_takes_everything_is_told_the_rules_that_it_does_not_ask() {
    let place = folder("takes");
    let args = ["--reader", "builtin:accept-all", "--count", "24", "--seed", "3", "--shrink", "1"];
    let (code, report) = hunt("takes", &args);
    assert_eq!((code, report["files"].as_u64()), (Some(1), Some(24)));
    let found = report["clusters"].as_array().unwrap();
    assert!(found.len() > 4, "{report}");
    for cluster in found {
        assert_eq!(
            (cluster["kind"].as_str(), cluster["signature"].as_str()),
            (Some("accepts-invalid"), Some("accept at data"))
        );
        let own = place.join("clusters").join(cluster["id"].as_str().unwrap());
        let file = cluster["file"].as_str().unwrap();
        let extension = file.rsplit('.').next().unwrap();
        let (found, shrunk) =
            (fs::read(own.join(file)).unwrap(), fs::read(own.join(format!("shrunk.{extension}"))).unwrap());
        for bytes in [&found, &shrunk] {
            assert_eq!(first_must(bytes).map(|rule| rule.id), cluster["rule"].as_str(), "{cluster}");
        }
        assert_eq!(
            (found.len() as u64, shrunk.len() as u64),
            (cluster["size"].as_u64().unwrap(), cluster["shrunk"].as_u64().unwrap())
        );
        assert!(shrunk.len() <= found.len());
        let annotated = fs::read_to_string(own.join("annotated.txt")).unwrap();
        assert!(annotated.contains("part, field, value"), "{annotated}");
        let kept: Value = serde_json::from_slice(&fs::read(own.join("cluster.json")).unwrap()).unwrap();
        assert_eq!(kept["label"], cluster["label"]);
    }
    // Nothing more is found by looking again, and nothing is done twice.
    let (code, again) = hunt("takes", &args);
    assert_eq!((code, &again), (Some(1), &report));
    let text = run(&["hunt", "--out", "takes", "--time", "0", "--seed", "3", "--reader", "builtin:accept-all"]).stdout;
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("takes: 24 files, ") && last.ends_with(&format!(" in {} clusters", found.len())),
        "{text}"
    );
}

#[test]
fn the_checker_is_found_nothing() {
    folder("nothing");
    let (code, report) = hunt("nothing", &["--reader", "builtin:reference", "--count", "40"]);
    assert_eq!((code, clusters(&report).len()), (Some(0), 0), "{report}");
}

#[test]
fn a_campaign_goes_on_where_it_was() {
    for name in ["whole", "parts", "killed"] {
        folder(name);
    }
    let args = |count| ["--reader", MOODY, "--seed", "9", "--shrink", "0", "--count", count];
    let (_, whole) = hunt("whole", &args("32"));
    hunt("parts", &args("12"));
    let (code, parts) = hunt("parts", &args("32"));
    assert_eq!((code, clusters(&parts), parts["files"].as_u64()), (Some(1), clusters(&whole), Some(32)));
    let kinds: Vec<&str> =
        whole["clusters"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"crash") && kinds.contains(&"accepts-invalid"), "{kinds:?}");

    // Ended by the system, in the middle of a line.
    let killed = scratch().join("killed");
    let mut campaign = torchproof(&[&["hunt", "--out", "killed", "--time", "600"][..], &args("100000")].concat())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let lines = || fs::read_to_string(killed.join("findings.jsonl")).map_or(0, |text| text.lines().count());
    while lines() < 3 {
        assert!(begin.elapsed() < Duration::from_secs(120), "nothing is found");
        sleep(Duration::from_millis(5));
    }
    campaign.kill().unwrap();
    campaign.wait().unwrap();
    let mut text = fs::read(killed.join("findings.jsonl")).unwrap();
    text.extend_from_slice(b"{\"index\":4,\"rea");
    fs::write(killed.join("findings.jsonl"), text).unwrap();
    let (_, after) = hunt("killed", &args("32"));
    if after["files"].as_u64() == Some(32) {
        assert_eq!(clusters(&after), clusters(&whole));
    } else {
        // It was further already when it was ended.
        assert!(clusters(&whole).keys().all(|id| clusters(&after).contains_key(id)), "{after}");
    }
}

#[test]
fn a_folder_is_of_one_campaign() {
    folder("mine");
    hunt("mine", &["--reader", "builtin:accept-all", "--count", "2", "--shrink", "0"]);
    let refused = |args: &[&str], why: &str| {
        let outcome = run(&[&["hunt", "--time", "0"][..], args].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
        assert!(outcome.stderr.contains(why) && outcome.stderr.lines().count() == 1, "{}", outcome.stderr);
    };
    refused(&["--out", "mine", "--reader", "builtin:reject-all"], "another choice of readers");
    refused(&["--out", "mine", "--reader", "builtin:accept-all", "--seed", "1"], "another seed");
    refused(&["--out", "mine", "--reader", "builtin:accept-all", "--family", "magic"], "another choice of attacks");
    refused(&["--out", "mine", "--promote", "crash-00000000"], "no cluster is called crash-00000000");
    refused(&["--out", "new", "--reader", "once:/no/such/reader"], "/no/such/reader");
    let busy = folder("busy");
    fs::create_dir_all(&busy).unwrap();
    fs::write(busy.join("mine.txt"), "mine").unwrap();
    refused(&["--out", "busy", "--reader", "builtin:accept-all"], "the folder has something else in it");
    assert_eq!(fs::read_to_string(busy.join("mine.txt")).unwrap(), "mine");
}

#[test]
fn readers_that_disagree_and_files_of_ones_own() {
    folder("own");
    let base = real("linear.pte");
    let args = [
        "--reader",
        "builtin:reject-all",
        "--reader",
        "builtin:accept-all",
        "--count",
        "60",
        "--seed",
        "5",
        "--shrink",
        "0",
    ];
    let (_, report) = hunt("own", &[&args[..], &["--from", base.to_str().unwrap()]].concat());
    let all = report["clusters"].as_array().unwrap();
    let disagree: Vec<&Value> = all.iter().filter(|one| one["kind"] == "disagrees").collect();
    assert!(
        !disagree.is_empty() && disagree.iter().all(|one| one["reader"] == "reject-all and accept-all"),
        "{report}"
    );
    assert!(
        all.iter().filter(|one| one["family"] != "valid").all(|one| one["label"]["base"] == base.to_str().unwrap())
    );
}

#[test]
fn what_was_found_becomes_a_case() {
    folder("case");
    let args = ["--reader", "builtin:accept-all", "--rule", "eh-length-min", "--count", "1", "--shrink", "5"];
    let (_, report) = hunt("case", &args);
    let id = report["clusters"][0]["id"].as_str().unwrap();
    let outcome = run(&["hunt", "--out", "case", "--promote", id]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let text = outcome.stdout;
    assert!(
        text.contains(&format!("reject \"pte/found/{id}\": ")) && text.contains("breaks rules::EH_LENGTH_MIN,"),
        "{text}"
    );
    assert!(
        text.contains("from \"pte/valid/") && text.contains("file.splice(") || text.contains("file.put("),
        "{text}"
    );
    assert!(text.contains("--seed 0`, file 0: accepts-invalid"), "{text}");
}

#[test]
fn a_file_is_shrunk_while_the_reader_does_the_same() {
    let base = real("conv.pte");
    let shrunk = scratch().join("shrunk.pte");
    let _ = fs::remove_file(&shrunk);
    let args = ["shrink", base.to_str().unwrap(), "--reader", MOODY, "--time", "600", "-o", "shrunk.pte"];
    let outcome = run(&args);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    assert!(outcome.stdout.starts_with("shrunk.pte: 3001 bytes, of "), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("crash: SIGSEGV"), "{}", outcome.stdout);
    assert_eq!(fs::read(&shrunk).unwrap(), [0; 3001]);
    let again = run(&args);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("exists already; --force replaces it"), "{}", again.stderr);

    // A reader that takes it goes on taking it, and the checker finds the same rule broken.
    let broken = scratch().join("broken.pte");
    let mut bytes = fs::read(real("linear.pte")).unwrap();
    bytes[12] = 23;
    fs::write(&broken, bytes).unwrap();
    let args = ["shrink", "broken.pte", "--reader", "builtin:accept-all", "--keep-rule", "--force", "-o", "kept.pte"];
    assert_eq!(run(&args).code, Some(0));
    let kept = fs::read(scratch().join("kept.pte")).unwrap();
    assert_eq!(first_must(&kept).unwrap().id, "eh-length-min");
    assert!(kept.len() < 64, "{}", kept.len());
    let outcome = run(&[
        "shrink",
        "broken.pte",
        "--reader",
        "builtin:accept-all",
        "--keep-rule",
        "--tries",
        "3",
        "--force",
        "-o",
        "kept.pte",
    ]);
    assert!(outcome.stderr.contains("the effort was used up"), "{outcome:?}");
}
