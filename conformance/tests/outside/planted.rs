//! Hunts the defects planted in the reader `tests/faux/planted.cpp`, which is compiled with sanitizers.
//!
//! `TORCHPROOF_PLANTED` is the number of files. With many files, `hunt` must find most of the twenty defects.

testkit::command_in!("planted");

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::need::{Need, trials};
use command::scratch;
use libtest_mimic::Trial;
use serde_json::Value;

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["g++"])]; hunt_finds_planted_defects]
}

/// The number of files, and the minimum number of defects that `hunt` must find in them.
const FEW: (u64, usize) = (384, 8);
const MANY: (u64, usize) = (8192, 18);

/// Compiles files below `tests/faux` with sanitizers. `gcc` compiles C as C, so it must be told to link libstdc++.
pub(crate) fn sanitized(sources: &[&str], program: PathBuf) -> PathBuf {
    let mut compiler = Command::new("gcc");
    compiler.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]);
    compiler.arg("-fsanitize=address,undefined").args(sources).args(["-lstdc++", "-o"]).arg(&program);
    assert!(compiler.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faux")).status().unwrap().success());
    program
}

/// The functions with a planted defect.
fn functions() -> BTreeSet<String> {
    let source = include_str!("../faux/planted.cpp");
    let lines = source.lines().filter(|line| line.starts_with("PLANTED "));
    let name = |line: &str| line.split('(').next().unwrap().rsplit(' ').next().unwrap().to_owned();
    lines.map(name).collect()
}

fn hunt_finds_planted_defects() {
    let functions = functions();
    assert_eq!(functions.len(), 20);
    let many = env::var("TORCHPROOF_PLANTED").is_ok_and(|word| word == "many");
    let (files, least) = if many { MANY } else { FEW };
    let reader = format!("exec:'{}'", sanitized(&["planted.cpp"], scratch().join("planted")).display());
    let folder = scratch().join("campaign");
    let _ = fs::remove_dir_all(&folder);
    let count = files.to_string();
    let args = ["--only", "crash", "--case-timeout", "1m", "--start-timeout", "1m", "--count", &count];
    let shrinking = ["--shrink", "10m", "--shrink-total", if many { "10h" } else { "20s" }];
    let fixed =
        ["hunt", "--reader", &reader, "--output", folder.to_str().unwrap(), "--time", "10h", "--format", "json"];
    let outcome = command::run(&[&fixed[..], &args, &shrinking].concat());
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();

    // Each cluster belongs to one defect, and each defect has few clusters.
    let mut sites: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    let clusters = report["clusters"].as_array().unwrap();
    for cluster in clusters {
        assert_eq!(cluster["kind"], "crash", "{cluster}");
        let site = cluster["frames"][0].as_str().unwrap_or_default();
        assert!(functions.contains(site), "{cluster}");
        sites.entry(site).or_default().push(cluster);
    }
    println!("{files} files: {} sites, {} clusters: {:?}", sites.len(), clusters.len(), sites.keys());
    assert!(sites.len() >= least, "found {:?}", sites.keys());
    assert!(2 * clusters.len() <= 3 * sites.len(), "{} clusters of {} sites", clusters.len(), sites.len());

    // The stored stderr must show the defect of the cluster. Most shrunk files must be small.
    let mut small = 0;
    for cluster in clusters {
        let own = folder.join("clusters").join(cluster["id"].as_str().unwrap());
        let stderr = fs::read_to_string(own.join("stderr.txt")).unwrap();
        assert!(stderr.contains(&format!(" in {} ", cluster["frames"][0].as_str().unwrap())), "{cluster}: {stderr}");
        let size = cluster["shrunk"].as_u64().or(cluster["size"].as_u64()).unwrap();
        small += usize::from(size < 2048);
        let shrunk = cluster["shrunk"].is_u64().then(|| cluster["file"].as_str().unwrap().replace("found", "shrunk"));
        if let Some(name) = shrunk {
            assert_eq!(fs::read(own.join(name)).unwrap().len() as u64, size);
        }
    }
    // The short mode ends before `hunt` has shrunk every cluster.
    assert!(!many || 100 * small >= 95 * clusters.len(), "{small} of {} files are small", clusters.len());
    // The script in the report repeats the crash without torchproof.
    let markdown = folder.with_extension("md");
    let named = format!("markdown={}", markdown.display());
    let written = command::run(&["report", folder.to_str().unwrap(), "--report", &named]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let text = fs::read_to_string(&markdown).unwrap();
    let sections: Vec<&str> = text.split("\n<a id=\"").skip(1).collect();
    assert_eq!(sections.len(), clusters.len());
    for section in sections.into_iter().take(4) {
        let id = section.split('"').next().unwrap();
        let cluster = clusters.iter().find(|one| one["id"] == id).unwrap();
        let script = section.split("\n```sh\n").nth(1).unwrap().split("\n```").next().unwrap();
        let output = Command::new("sh").args(["-c", script]).current_dir(scratch()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(&format!(" in {} ", cluster["frames"][0].as_str().unwrap())), "{script}: {stderr}");
    }
    // The command of a cluster also repeats the crash, without further options.
    let id = clusters[0]["id"].as_str().unwrap();
    let again = command::run(&["hunt", "--output", folder.to_str().unwrap(), "--again", id]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.ends_with(&format!("{id}: the outcome has not changed\n")), "{again:?}");
}
