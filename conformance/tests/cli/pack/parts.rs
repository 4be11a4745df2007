//! `dump --with-data`: the files beside the JSON, and where `pack` finds them.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::{folder, real, run, run_with, scratch, torchproof};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Each of the ways in which the JSON and its files come to `pack`.
#[test]
fn pack_finds_what_dump_wrote() {
    let folder = folder("found");
    let model = real("linear.pte");
    let model = model.to_str().unwrap();
    let same = |name: &str| {
        let same = fs::read(folder.join(name)).unwrap() == fs::read(model).unwrap();
        fs::remove_file(folder.join(name)).unwrap();
        same
    };
    let quiet = |outcome: super::Outcome| assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    // Through a pipe.
    let dumped = run(&["dump", "--with-data", "found/piped", model]);
    quiet(run_with(&["pack", "-o", "found/a.pte"], dumped.stdout.as_bytes()));
    assert!(dumped.stdout.contains(r#""file": "found/piped/segment-0.bin""#) && same("a.pte"));
    // With the JSON where the command was run.
    fs::write(scratch().join("found.json"), &dumped.stdout).unwrap();
    quiet(run(&["pack", "found.json", "-o", "found/b.pte"]));
    // And elsewhere.
    fs::write(folder.join("elsewhere.json"), &dumped.stdout).unwrap();
    assert_eq!(run(&["pack", "found/elsewhere.json", "-o", "found/c.pte"]).code, Some(2));
    quiet(run(&["pack", "found/elsewhere.json", "--data-dir", ".", "-o", "found/c.pte"]));
    assert!(same("b.pte") && same("c.pte"));
    // With the JSON written by name: both can be moved together.
    for (data, spec, file) in
        [("found/in", "found/in/spec.json", "segment-0.bin"), ("found/by", "found/spec.json", "by/segment-0.bin")]
    {
        quiet(run(&["dump", "--with-data", data, "-o", spec, model]));
        let text = fs::read_to_string(scratch().join(spec)).unwrap();
        assert!(text.contains(&format!(r#""file": "{file}""#)), "{text}");
        quiet(run(&["pack", spec, "-o", "found/d.pte"]));
        assert!(same("d.pte"));
    }
    fs::rename(folder.join("in"), folder.join("moved")).unwrap();
    quiet(run(&["pack", "found/moved/spec.json", "-o", "found/e.pte"]));
    assert!(same("e.pte"));
    // Files elsewhere are named in full, and are outside the folder of the JSON.
    quiet(run(&["dump", "--with-data", "found/far", "-o", "found/moved/far.json", model]));
    assert_eq!(run(&["pack", "found/moved/far.json", "-o", "found/f.pte"]).code, Some(2));
    for args in [&["--allow-outside"][..], &["--data-dir", "found/far"]] {
        quiet(run(&[&["pack", "found/moved/far.json", "-o", "found/f.pte"], args].concat()));
        assert!(same("f.pte"));
    }
}

/// Files that are there are kept without `--force`, and the dumped file always is.
#[test]
fn a_dump_replaces_files_only_with_force() {
    let folder = folder("replaced");
    let model = real("metadata_keys.pte");
    let model = model.to_str().unwrap();
    fs::write(folder.join("segment-1.bin"), b"precious").unwrap();
    fs::write(folder.join("spec.json"), b"precious").unwrap();
    fs::copy(model, folder.join("segment-0.bin")).unwrap();
    let mut shown = String::new();
    for args in [
        &["--with-data", "replaced", model][..],
        &["--with-data", "replaced/new", "-o", "replaced/spec.json", model],
        &["--force", "replaced/segment-0.bin", "--with-data", "replaced"],
        &["--force", "replaced/segment-0.bin", "-o", "replaced/segment-0.bin"],
    ] {
        let outcome = run(&[&["dump"], args].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
        shown += &outcome.stderr;
    }
    insta::assert_snapshot!(shown, @r"
    torchproof: replaced/segment-0.bin: exists already; --force replaces it
    torchproof: replaced/spec.json: exists already; --force replaces it
    torchproof: replaced/segment-0.bin: is the file that is read; write to another one
    torchproof: replaced/segment-0.bin: is the file that is read; write to another one
    ");
    assert_eq!(names(&folder), ["segment-0.bin", "segment-1.bin", "spec.json"]);
    assert!(fs::read(folder.join("segment-0.bin")).unwrap() == fs::read(model).unwrap());
    assert_eq!(run(&["dump", "--force", "--with-data", "replaced", model]).code, Some(0));
    assert_ne!(fs::read(folder.join("segment-1.bin")).unwrap(), b"precious");
}

/// The files are whole, however much of the JSON is read.
#[test]
fn a_reader_that_has_seen_enough_leaves_the_files() {
    let folder = folder("closed");
    let model = real("metadata_keys.pte");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let args = ["dump", "--with-data", "closed/parts", model.to_str().unwrap()];
    let output = torchproof(&args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    assert!(names(&folder.join("parts")).len() > 2);
}

/// There are more segments than a process may have files open.
#[cfg(target_os = "linux")]
#[test]
fn many_segments_need_no_many_open_files() {
    let folder = folder("many");
    let entry = |index: usize| serde_json::json!({ "key": format!("k{index:03}"), "segment_index": index });
    let segment = |index: usize| serde_json::json!({ "data": { "hex": format!("{index:04x}") } });
    let spec = serde_json::json!({ "kind": "ptd",
        "flat_tensor": { "named_data": (0..300).map(entry).collect::<Vec<_>>() },
        "segments": (0..300).map(segment).collect::<Vec<_>>() });
    let packed = run_with(&["pack", "-o", "many/many.ptd"], &serde_json::to_vec(&spec).unwrap());
    assert_eq!((packed.code, packed.stderr.as_str()), (Some(0), ""));
    let script =
        "ulimit -n 64; \"$0\" dump --with-data parts many.ptd | \"$0\" pack -o same.ptd && cmp many.ptd same.ptd";
    let mut command = std::process::Command::new("sh");
    let output = command.args(["-c", script, env!("CARGO_BIN_EXE_torchproof")]).current_dir(&folder).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    assert_eq!(names(&folder.join("parts")).len(), 300);
}
