//! Checks the second planted reader, `tests/faux/planted-two`: without its defects, it is correct, and each defect can
//! be observed.

testkit::command_in!("planted-two");

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::need::{Need, trials};
use crate::planted::sanitized;
use crate::values::{Runtime, input};
use command::scratch;
use libtest_mimic::Trial;
use serde_json::Value;
use torchproof::annotate::{ByteMap, PartKind};
use torchproof::{Role, corpus};

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["gcc"])]; without_defects_it_passes_the_corpus, each_defect_changes_an_outcome, hunt_finds_crashes_and_wrong_verdicts]
}

/// Compiles the reader into a separate program for each test, because the tests run at the same time.
fn reader(name: &str) -> PathBuf {
    let parts = ["defects.c", "flatbuffer.c", "program.c", "segments.c", "worker.cpp"];
    let sources = parts.map(|part| format!("planted-two/{part}"));
    sanitized(&sources.each_ref().map(String::as_str), scratch().join(name))
}

fn address(reader: &Path, live: usize) -> String {
    format!("exec:'{}' {live}", reader.display())
}

/// The names of the defects, in the order of their numbers.
fn defects() -> Vec<String> {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faux/planted-two/reader.h");
    let header = fs::read_to_string(header).unwrap();
    let lines = header.lines().filter_map(|line| line.trim().strip_prefix("D("));
    let names: Vec<_> = lines.filter_map(|line| Some(line.split(", ").nth(1)?.to_owned())).collect();
    assert_eq!(names.len(), 20, "{names:?}");
    names
}

fn without_defects_it_passes_the_corpus() {
    let address = address(&reader("right"), 0);
    let outcome = command::run(&["run", "--reader", &address, "--results", "right.jsonl"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    Runtime::open(&address, "planted-two-values").expect_values_of_accepted_cases();
}

/// Returns the file that shows a defect: a case or, if no case shows the defect, a case with some bytes replaced.
fn file(defect: &str) -> (Role, Vec<u8>) {
    let case = match defect {
        "initial_value_wraps" => "pte/mutable/offset-wraps",
        "operator_past_end" => "pte/instructions/operator-past-end",
        "vtable_past_end" => "pte/structure/vtable-length-max",
        "list_in_list" => "pte/values/tensor-list-of-itself",
        "freed_twice" => "pte/valid/free",
        "constant_truncated" => "pte/valid/constants",
        "device_before_start" => "pte/method/buffer-device-of-minus-1",
        "product_wraps" => "ptd/layout/nbytes-wraps",
        "name_unterminated" => "pte/instructions/operator-name-5000",
        "jumps_in_circle" => "pte/instructions/jump-to-itself",
        "overlap_unsorted" | "size_rounded" => "pte/valid/named-data",
        "header_length_ignored" => "pte/header/length-0",
        "location_unknown" => "pte/delegates/location-2",
        "first_key_wins" => "ptd/structure/key-twice",
        "list_absent" => "pte/values/bool-list-items-absent",
        "half_aligned" => "pte/structure/float-unaligned",
        "halves_swapped" => "pte/memory/offset-2-to-32",
        "base_rounded" => "pte/header/base-unaligned",
        "order_unknown" => "pte/external/dim-order-differs",
        other => panic!("no file shows {other}"),
    };
    let case = corpus::find(case).unwrap();
    let mut bytes = case.build().bytes;
    let map = ByteMap::of(&bytes);
    let at = |path: &str, kind| usize::try_from(map.find(path, kind).unwrap().span.offset).unwrap();
    let mut put = |at: usize, now: &[u8]| bytes[at..at + now.len()].copy_from_slice(now);
    match defect {
        // The third instruction becomes a copy of the second, which is a FreeCall.
        "freed_twice" => {
            let chain = "execution_plan[0].chains[0].instructions";
            let (element, target) =
                (at(&format!("{chain}[2]"), PartKind::Item), at(&format!("{chain}[1]"), PartKind::Table));
            put(element, &u32::try_from(target - element).unwrap().to_le_bytes());
        }
        "constant_truncated" => {
            let sizes = at("execution_plan[0].values[0].val.sizes", PartKind::Elements);
            put(sizes, &[0, 0, 1, 0, 0, 0x40, 0, 0]);
        }
        // The third segment begins inside the first segment, but not inside the second.
        "overlap_unsorted" => put(at("segments[2].offset", PartKind::Scalar), &8_u64.to_le_bytes()),
        // The segment data of 261 bytes loses a byte.
        "size_rounded" => put(32, &260_u64.to_le_bytes()),
        _ => (),
    }
    (case.role(), bytes)
}

fn each_defect_changes_an_outcome() {
    let program = reader("each");
    for (name, number) in defects().into_iter().zip(1..) {
        let (role, bytes) = file(&name);
        let outcome = |live: usize| {
            let mut reader = Runtime::open(&address(&program, live), &format!("planted-two-{live}"));
            // One of the defects hangs.
            reader.time = Duration::from_secs(10);
            let path = reader.put(&name, &bytes);
            reader.ask(&[input(role, path)])
        };
        let (right, wrong) = (outcome(0), outcome(number));
        assert_ne!(right, wrong, "{name}");
        assert!(right.as_ref().err().is_none_or(|outcome| outcome.starts_with("reject ")), "{name}: {right:?}");
        assert!(triggered(&program, role, &bytes).contains(&name), "{name}");
    }
}

/// The defects that a file would trigger in a reader. None of them is live.
fn triggered(program: &Path, role: Role, bytes: &[u8]) -> BTreeSet<String> {
    let path = scratch().join(if role == Role::Data { "triggered.ptd" } else { "triggered.pte" });
    fs::write(&path, bytes).unwrap();
    let output = Command::new(program).arg("0").arg(&path).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    stderr.lines().filter_map(|line| line.strip_prefix("planted: ")).map(str::to_owned).collect()
}

/// The number of files, and how many defects `hunt` must find at least: by crashes and hangs, and by wrong verdicts.
const HUNTED: (u64, usize, usize) = (1024, 2, 3);

fn hunt_finds_crashes_and_wrong_verdicts() {
    let (files, crashes, verdicts) = HUNTED;
    let program = reader("hunted");
    let (reader, folder, count) =
        (format!("exec:'{}'", program.display()), command::absent("two-campaign"), files.to_string());
    let fixed = ["hunt", "--reader", &reader, "--count", &count, "--time", "10h", "--shrink", "0s", "--format", "json"];
    let outcome = command::run(&[&fixed[..], &["--output", folder.to_str().unwrap()]].concat());
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let mut found: BTreeMap<bool, BTreeSet<String>> = BTreeMap::new();
    for cluster in report["clusters"].as_array().unwrap() {
        let name = cluster["file"].as_str().unwrap();
        let role = if name.ends_with(".ptd") { Role::Data } else { Role::Program };
        let bytes = fs::read(folder.join("clusters").join(cluster["id"].as_str().unwrap()).join(name)).unwrap();
        let names = triggered(&program, role, &bytes);
        // If no defect is live, the reader is correct, so each finding belongs to a defect.
        assert!(!names.is_empty(), "{cluster}");
        let dies = ["crash", "hang"].contains(&cluster["kind"].as_str().unwrap());
        found.entry(dies).or_default().extend(names);
    }
    println!("{files} files: {found:?}");
    let count = |dies| found.get(&dies).map_or(0, BTreeSet::len);
    assert!(count(true) >= crashes && count(false) >= verdicts, "{found:?}");
}
