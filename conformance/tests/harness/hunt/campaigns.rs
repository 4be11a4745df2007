//! `torchproof hunt` and `shrink`: what is found, kept, made small, and gone on with.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::command::{real, run, scratch, torchproof};
use super::{folder, hunt};
use serde_json::Value;
use torchproof_cli::hunt::first_must;

/// Dies of files above 3000 bytes, takes those below 1000, and refuses the others.
const MOODY: &str =
    r#"once:sh -c 's=$(stat -c %s "$1"); [ $s -gt 3000 ] && kill -SEGV $$; [ $s -ge 1000 ]; exit $((1 - $?))' sh"#;

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

/// Runs a cluster's command where it was made; what it said, and its exit code.
fn again(cluster: &Value) -> (Option<i32>, String) {
    let command = cluster["again"].as_str().unwrap();
    let output = Command::new("sh").args(["-c", command]).current_dir(scratch()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn each_cluster_has_the_command_that_puts_its_file_to_the_reader_again() {
    let name = "it's {mine}";
    let place = folder(name);
    let args = ["--reader", MOODY, "--seed", "9", "--count", "16", "--file-ms", "4000", "--start-ms", "9000"];
    let (_, report) = hunt(name, &[&args[..], &["--shrink", "1"]].concat());
    assert_eq!(report["folder"], name);
    let found = report["clusters"].as_array().unwrap();
    assert!(found.iter().any(|one| one["kind"] == "crash"), "{report}");
    for cluster in found {
        let id = cluster["id"].as_str().unwrap();
        let (code, said) = again(cluster);
        assert_eq!(code, Some(1), "{cluster}: {said}");
        let lines: Vec<&str> = said.lines().collect();
        let [did, same] = lines[..] else { panic!("{said}") };
        assert!(did.starts_with(&format!("{name}/clusters/{id}/shrunk.")), "{said}");
        assert!(did.ends_with(&format!(": sh: {}", cluster["signature"].as_str().unwrap())), "{said}");
        assert_eq!(same, format!("{id}: the same again"));
        let command = cluster["again"].as_str().unwrap();
        assert!(command.contains(" --file-ms 4000 --start-ms 9000 --again "), "{command}");
        let kept = fs::read(place.join("clusters").join(id).join("cluster.json")).unwrap();
        assert_eq!(&serde_json::from_slice::<Value>(&kept).unwrap(), cluster);
    }
    let text = run(&[&["hunt", "--out", name, "--time", "0"][..], &args].concat()).stdout;
    for cluster in found {
        let command = cluster["again"].as_str().unwrap();
        assert!(text.lines().any(|line| line == command), "{command}: {text}");
    }

    // Of the same name, and mended.
    let id = found[0]["id"].as_str().unwrap();
    let mended = run(&["hunt", "--out", name, "--again", id, "--reader", "once:sh -c 'exit 2' sh"]);
    assert_eq!(mended.code, Some(0), "{mended:?}");
    assert!(mended.stdout.ends_with(&format!("{id}: not the same\n")), "{mended:?}");
    let other = run(&["hunt", "--out", name, "--again", id, "--reader", "builtin:accept-all"]);
    assert_eq!((other.code, other.stdout.as_str()), (Some(2), ""), "{other:?}");
    assert!(other.stderr.contains("the cluster is of sh, and none of the readers"), "{other:?}");
}

#[test]
fn a_campaign_without_a_folder_has_one_below_the_target_folder() {
    folder("made");
    let begin = |seed: &str| {
        let args = ["hunt", "--reader", "builtin:reference", "--time", "600", "--count", "3", "--seed", seed];
        let output = torchproof(&args).env("CARGO_TARGET_DIR", "made").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        let told = told.lines().find_map(|line| line.strip_prefix("torchproof: note: the campaign is in "));
        let told = told.unwrap().to_owned();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, format!("{told}: 3 files, 0 findings in 0 clusters\n"));
        assert!(scratch().join(&told).join("hunt.json").is_file(), "{told}");
        told
    };
    let first = begin("1");
    assert!(first.starts_with("made/torchproof-hunt/"), "{first}");
    // The same campaign goes on in it, and another is not in its way.
    assert_eq!(begin("1"), first);
    assert_ne!(begin("2"), first);
    for args in [["--promote", "crash-00000000"], ["--again", "crash-00000000"]] {
        let outcome = run(&[&["hunt"][..], &args].concat());
        assert!(outcome.code == Some(2) && outcome.stderr.contains("--out <DIR>"), "{outcome:?}");
    }
}

#[test]
fn shrinking_has_its_time_and_goes_on_where_it_was() {
    let place = folder("bounded");
    // Takes everything, so slowly that nothing is shrunk to the end in a second.
    let slow = "once:sh -c 'sleep 0.05' sh";
    let fixed = ["hunt", "--out", "bounded", "--reader", slow, "--seed", "3", "--count", "8", "--jobs", "2"];
    let shrink = |args: &[&str]| {
        let outcome = run(&[&fixed[..], args, &["--format", "json"]].concat());
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"));
        testkit::schema::expect_valid(&testkit::schema::schema("hunt.schema.json"), &report);
        report["clusters"].as_array().unwrap().clone()
    };
    let left = |one: &&Value| one["shrunk"].is_null() || one["cut_short"] == true;
    let begin = Instant::now();
    // Shrinking has as long as the making of files.
    let first = shrink(&["--time", "1", "--shrink", "300"]);
    assert!(begin.elapsed() < Duration::from_secs(120), "{:?}", begin.elapsed());
    let cut: Vec<&Value> = first.iter().filter(|one| one["cut_short"] == true).collect();
    assert!(cut.len() == 1, "{first:?}");
    for cluster in &first {
        assert!(place.join("clusters").join(cluster["id"].as_str().unwrap()).join("annotated.txt").is_file());
    }
    let text = run(&[&fixed[..], &["--time", "0", "--shrink", "0"]].concat()).stdout;
    let waiting = format!(", {} of them still to be shrunk: the same with", first.iter().filter(left).count());
    assert!(text.lines().last().unwrap().contains(&waiting), "{text}");

    // The one whose time was over is gone on with.
    let size = |all: &[Value]| all.iter().find(|one| one["id"] == cut[0]["id"]).unwrap()["shrunk"].as_u64().unwrap();
    // How far it comes in two seconds is the machine's affair.
    let goes_on =
        |total: &str| size(&shrink(&["--time", "0", "--shrink", "300", "--shrink-total", total])) < size(&first);
    assert!(["2", "4", "8", "16", "32"].into_iter().any(goes_on), "{first:?}");
    let last = shrink(&["--time", "0", "--shrink", "1"]);
    assert_eq!(last.iter().filter(left).count(), 0, "{last:?}");
}

#[test]
fn a_reader_is_waited_for_as_long_as_is_said() {
    folder("late");
    let reader = format!("exec:'{}' worker no-hello", env!("CARGO_BIN_EXE_faux-reader"));
    let base = real("linear.pte");
    for args in [&["hunt", "--out", "late"][..], &["shrink", base.to_str().unwrap(), "-o", "late.pte"]] {
        let outcome = run(&[args, &["--reader", &reader, "--start-ms", "200"]].concat());
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains("said no hello in 200 ms"), "{outcome:?}");
    }
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
    // Who only looks says so, and changes nothing: it may be under way.
    let before = fs::read(killed.join("findings.jsonl")).unwrap();
    let looked = run(&["hunt", "--out", "killed", "--promote", "crash-00000000"]);
    assert!(
        looked.stderr.contains("findings.jsonl: the last line is half written, 15 bytes, and left alone"),
        "{looked:?}"
    );
    assert_eq!(fs::read(killed.join("findings.jsonl")).unwrap(), before);
    // Who goes on drops it and nothing else.
    let nothing = [&["hunt", "--out", "killed", "--time", "0"][..], &args("32")].concat();
    let dropped = run(&nothing).stderr;
    assert!(dropped.contains("findings.jsonl: the last line was half written, 15 bytes, and is dropped"), "{dropped}");
    assert_eq!(fs::read(killed.join("findings.jsonl")).unwrap(), before[..before.len() - 15]);
    assert_eq!(run(&nothing).stderr, "");
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
    refused(&["--out", "mine", "--reader", "builtin:accept-all", "--pairs"], "another choice of files or pairs");
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
    let (code, said) = again(disagree[0]);
    assert_eq!((code, said.lines().count()), (Some(1), 3), "{said}");
    assert!(said.contains(": reject-all: reject") && said.contains(": accept-all: accept"), "{said}");
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
