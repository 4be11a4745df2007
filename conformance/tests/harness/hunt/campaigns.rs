//! Tests `torchproof hunt`: findings, clusters, shrinking and resuming.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::command::{absent, run, scratch, torchproof};
use super::hunt;
use serde_json::{Value, json};
use torchproof_harness::hunt::first_must;

/// Crashes on files of more than 3000 bytes, accepts files of fewer than 1000 bytes, and rejects all other files.
pub(super) const SIZE_DEPENDENT: &str =
    r#"once:sh -c 's=$(stat -c %s "$1"); [ $s -gt 3000 ] && kill -SEGV $$; [ $s -ge 1000 ]; exit $((1 - $?))' sh"#;

/// For each cluster, the number of findings and the index of the smallest file in the campaign.
pub(super) fn clusters(report: &Value) -> BTreeMap<String, (u64, u64)> {
    let all = report["clusters"].as_array().unwrap().iter();
    let number = |value: &Value| value.as_u64().unwrap();
    all.map(|one| (one["id"].as_str().unwrap().to_owned(), (number(&one["count"]), number(&one["index"])))).collect()
}

#[test]
fn finds_the_unchecked_rules_of_a_reader_that_accepts_everything() {
    let place = absent("takes");
    let args = ["--reader", "builtin:accept-all", "--count", "24", "--seed", "3", "--shrink", "1s"];
    let (code, report) = hunt("takes", &args);
    assert_eq!((code, report["files"].as_u64()), (Some(1), Some(24)));
    let found = report["clusters"].as_array().unwrap();
    assert!(found.len() > 4, "{report}");
    for cluster in found {
        assert_eq!(
            (cluster["kind"].as_str(), cluster["outcome"].as_str()),
            (Some("accepts-invalid"), Some("accept at data"))
        );
        let own = place.join("clusters").join(cluster["id"].as_str().unwrap());
        let file = cluster["file"].as_str().unwrap();
        let extension = file.rsplit('.').next().unwrap();
        let (found, shrunk) =
            (fs::read(own.join(file)).unwrap(), fs::read(own.join(format!("shrunk.{extension}"))).unwrap());
        for bytes in [&found, &shrunk] {
            assert_eq!(first_must(&[bytes]).map(|rule| rule.id), cluster["rule"].as_str(), "{cluster}");
        }
        assert_eq!(
            (found.len() as u64, shrunk.len() as u64),
            (cluster["size"].as_u64().unwrap(), cluster["shrunk"].as_u64().unwrap())
        );
        assert!(shrunk.len() <= found.len());
        assert!(own.join("annotated.txt").is_file());
        let kept: Value = serde_json::from_slice(&fs::read(own.join("cluster.json")).unwrap()).unwrap();
        assert_eq!(kept["label"], cluster["label"]);
    }
    // The same command continues the campaign without new findings or repeated tests.
    let (code, again) = hunt("takes", &args);
    assert_eq!((code, &again), (Some(1), &report));
}

pub(super) fn again(cluster: &Value) -> (Option<i32>, String) {
    let command = cluster["again"].as_str().unwrap();
    let output = Command::new("sh").args(["-c", command]).current_dir(scratch()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn each_cluster_has_a_command_that_repeats_the_failure() {
    let name = "it's {mine}";
    let place = absent(name);
    let args =
        ["--reader", SIZE_DEPENDENT, "--seed", "9", "--count", "16", "--case-timeout", "4s", "--start-timeout", "9s"];
    let (_, report) = hunt(name, &[&args[..], &["--shrink", "1s"]].concat());
    assert_eq!(report["folder"], name);
    assert_eq!(report["campaign"]["limits"], json!(["--case-timeout", "4s", "--start-timeout", "9s"]));
    let found = report["clusters"].as_array().unwrap();
    assert!(found.iter().any(|one| one["kind"] == "crash"), "{report}");
    for cluster in found {
        let id = cluster["id"].as_str().unwrap();
        let (code, said) = again(cluster);
        assert_eq!(code, Some(1), "{cluster}: {said}");
        let lines: Vec<&str> = said.lines().collect();
        let [did, same] = lines[..] else { panic!("{said}") };
        assert!(did.starts_with(&format!("{name}/clusters/{id}/shrunk.")), "{said}");
        assert!(did.ends_with(&format!(": sh: {}", cluster["outcome"].as_str().unwrap())), "{said}");
        assert_eq!(same, format!("{id}: the outcome has not changed"));
        let kept = fs::read(place.join("clusters").join(id).join("cluster.json")).unwrap();
        assert_eq!(&serde_json::from_slice::<Value>(&kept).unwrap(), cluster);
    }
    let text = run(&[&["hunt", "--output", name, "--time", "0s"][..], &args].concat()).stdout;
    for cluster in found {
        let command = cluster["again"].as_str().unwrap();
        assert!(text.lines().any(|line| line == command), "{command}: {text}");
    }
}

#[test]
fn shrinking_stops_at_its_time_limit_and_resumes() {
    let place = absent("bounded");
    // This reader accepts every file, but so slowly that shrinking cannot finish in a second.
    let slow = "once:sh -c 'sleep 0.05' sh";
    let fixed = ["hunt", "--output", "bounded", "--reader", slow, "--seed", "3", "--count", "8", "--jobs", "2"];
    let shrink = |args: &[&str]| {
        let outcome = run(&[&fixed[..], args, &["--format", "json"]].concat());
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"));
        testkit::schema::expect_valid(&testkit::schema::schema("hunt.schema.json"), &report);
        report["clusters"].as_array().unwrap().clone()
    };
    let left = |one: &&Value| one["shrunk"].is_null() || one["shrink_incomplete"] == true;
    let begin = Instant::now();
    // By default, shrinking gets as much time as testing. A busy machine may not test a single file in a second.
    let times = ["1s", "2s", "4s", "8s", "16s"].into_iter();
    let mut found =
        times.map(|time| shrink(&["--time", time, "--shrink", "300s"])).filter(|clusters| !clusters.is_empty());
    let first = found.next().expect("a file was tested");
    assert!(begin.elapsed() < Duration::from_secs(120), "{:?}", begin.elapsed());
    let cut: Vec<&Value> = first.iter().filter(|one| one["shrink_incomplete"] == true).collect();
    assert!(cut.len() == 1, "{first:?}");
    for cluster in &first {
        assert!(place.join("clusters").join(cluster["id"].as_str().unwrap()).join("annotated.txt").is_file());
    }
    // After resuming, the file of the interrupted cluster is smaller, or shrinking has finished. How long this takes
    // depends on the machine.
    let goes_on = |total: &str| {
        let all = shrink(&["--time", "0s", "--shrink", "300s", "--shrink-total", total]);
        let now = all.iter().find(|one| one["id"] == cut[0]["id"]).unwrap();
        let (size, before) = (now["shrunk"].as_u64().unwrap(), cut[0]["shrunk"].as_u64().unwrap());
        assert!(size <= before, "{now}");
        size < before || now["shrink_incomplete"] == false
    };
    assert!(["2s", "4s", "8s", "16s", "32s", "64s", "128s"].into_iter().any(goes_on), "{first:?}");
    let last = shrink(&["--time", "0s", "--shrink", "1s"]);
    assert_eq!(last.iter().filter(left).count(), 0, "{last:?}");
}

#[test]
fn an_interrupted_campaign_resumes() {
    for name in ["whole", "parts", "killed"] {
        absent(name);
    }
    let args = |count| ["--reader", SIZE_DEPENDENT, "--seed", "9", "--shrink", "0s", "--count", count];
    let (_, whole) = hunt("whole", &args("32"));
    hunt("parts", &args("12"));
    let (code, parts) = hunt("parts", &args("32"));
    assert_eq!((code, clusters(&parts), parts["files"].as_u64()), (Some(1), clusters(&whole), Some(32)));
    let kinds: Vec<&str> =
        whole["clusters"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"crash") && kinds.contains(&"accepts-invalid"), "{kinds:?}");

    // Kill the campaign, and append an incomplete line to its findings.
    let killed = scratch().join("killed");
    let mut campaign = torchproof(&[&["hunt", "--output", "killed", "--time", "10m"][..], &args("100000")].concat())
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
    // A command that only reads the campaign warns about the incomplete line but keeps it, because another process may
    // still be adding findings.
    let before = fs::read(killed.join("findings.jsonl")).unwrap();
    assert_eq!(run(&["hunt", "--output", "killed", "--emit-case", "crash-00000000"]).stderr.lines().count(), 2);
    assert_eq!(fs::read(killed.join("findings.jsonl")).unwrap(), before);
    // Resuming the campaign removes only the incomplete line.
    let nothing = [&["hunt", "--output", "killed", "--time", "0s"][..], &args("32")].concat();
    assert_eq!(run(&nothing).stderr.lines().count(), 1);
    assert_eq!(fs::read(killed.join("findings.jsonl")).unwrap(), before[..before.len() - 15]);
    assert_eq!(run(&nothing).stderr, "");
    let (_, after) = hunt("killed", &args("32"));
    if after["files"].as_u64() == Some(32) {
        assert_eq!(clusters(&after), clusters(&whole));
    } else {
        // The killed campaign had already tested more files than the complete campaign, so it may have more clusters.
        assert!(clusters(&whole).keys().all(|id| clusters(&after).contains_key(id)), "{after}");
    }
}
