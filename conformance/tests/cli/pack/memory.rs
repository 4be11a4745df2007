//! Tests the memory use of `pack`, `dump` and `check`.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};

use serde_json::json;

use super::{folder, real, scratch, with_data};

/// Runs the command in 64 MiB of address space, which includes the program's code.
fn run_within_64_mib(args: &[&str]) {
    let mut command = std::process::Command::new("sh");
    // `ulimit` counts in KiB.
    command.args(["-c", "ulimit -v 65536; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_torchproof")]).args(args);
    let output = command.current_dir(scratch()).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""), "{args:?}");
}

/// `pack` keeps inline data in memory as bytes, not as JSON values.
#[test]
fn packs_and_dumps_4_mib_of_inline_data_within_64_mib() {
    let folder = folder("inline");
    let len = 4 << 20;
    let mut spec = with_data(&fs::read(real("add.pte")).unwrap()).unwrap();
    spec.as_object_mut().unwrap().remove("header");
    spec["program"].as_object_mut().unwrap().remove("constant_segment");
    spec["program"]["constant_buffer"] = json!([{ "storage": [] }, { "storage": ["numbers"] }]);
    let spec = spec.to_string().replace(r#""numbers""#, &vec!["200"; len].join(","));
    fs::write(folder.join("spec.json"), spec).unwrap();
    // As JSON values, the data would need eight times as much memory.
    run_within_64_mib(&["pack", "inline/spec.json", "-o", "inline/blob.pte"]);
    run_within_64_mib(&["dump", "inline/blob.pte", "-o", "inline/dump.json", "--compact"]);
    run_within_64_mib(&["pack", "inline/dump.json", "-o", "inline/same.pte"]);
    assert!(fs::read(folder.join("blob.pte")).unwrap() == fs::read(folder.join("same.pte")).unwrap());
    fs::remove_dir_all(folder).unwrap();
}

/// Even if the output is a pipe, `pack` keeps only a few copies of the inner program's segments, as bytes, not JSON.
#[test]
fn packs_a_bundled_program_of_4_mib_within_64_mib() {
    let folder = folder("bundled-memory");
    let mut program = with_data(&fs::read(real("linear.pte")).unwrap()).unwrap();
    program.as_object_mut().unwrap().remove("header");
    program["program"].as_object_mut().unwrap().remove("segments");
    program["program"]["named_data"] = json!([{ "key": "k", "segment_index": 1 }]);
    program["segments"].as_array_mut().unwrap().push(json!({ "size": 4 << 20, "data": { "fill": "0102" } }));
    let spec = json!({ "kind": "bpte", "bundled_program": { "method_test_suites": [], "program": program } });
    fs::write(folder.join("spec.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    run_within_64_mib(&["pack", "bundled-memory/spec.json", "-o", "bundled-memory/large.bpte"]);
    run_within_64_mib(&["pack", "bundled-memory/spec.json", "-o", "-"]);
    assert!(fs::metadata(folder.join("large.bpte")).unwrap().len() > 4 << 20);
    fs::remove_dir_all(folder).unwrap();
}

/// The segment is a hole in both files.
#[test]
fn packs_and_checks_5_gib_within_64_mib() {
    let folder = folder("sparse-5");
    let len = 5_u64 << 30;
    let data = File::create_new(folder.join("data.bin")).unwrap();
    data.set_len(len).unwrap();
    let offsets = [0, 2 << 30, (4 << 30) + 4711, len - 9];
    for at in offsets {
        data.write_all_at(b"no zeros.", at).unwrap();
    }
    let spec = json!({ "kind": "ptd", "flat_tensor": { "named_data": [{ "key": "large" }] },
        "segments": [{ "data": { "file": "data.bin" } }] });
    fs::write(folder.join("spec.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    run_within_64_mib(&["pack", "sparse-5/spec.json", "-o", "sparse-5/large.ptd", "--max-size", "6GiB"]);
    run_within_64_mib(&["check", "--quiet", "--deny-should", "sparse-5/large.ptd"]);
    let file = File::open(folder.join("large.ptd")).unwrap();
    let found = file.metadata().unwrap();
    let base = found.len() - len;
    for at in offsets {
        let mut bytes = [0; 9];
        file.read_exact_at(&mut bytes, base + at).unwrap();
        assert_eq!(&bytes, b"no zeros.", "{at}");
    }
    assert!(found.blocks() * 512 < 1 << 20, "{} blocks", found.blocks());
    fs::remove_dir_all(folder).unwrap();
}
