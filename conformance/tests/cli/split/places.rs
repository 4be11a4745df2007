//! Where `split` and `merge` read and write.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use torchproof::ScalarType;
use torchproof::pte::builder::{PlanBuilder, TensorBuilder, program};
use torchproof::pte::pack::{Data, Options, pack};
use torchproof::write::Source;
use torchproof_cli::edit::{Document, Existing, Guard, Others, save_pair};

use super::command::{file, real, run, scratch};

/// Weights that were moved out are never overwritten by the program that they were moved out of, whatever the paths are called.
#[test]
fn a_place_takes_one_file() {
    let model = file("one.pte", &fs::read(real("conv.pte")).unwrap());
    let bytes = fs::read(scratch().join(model)).unwrap();
    std::os::unix::fs::symlink(scratch().join("one.ptd"), scratch().join("alias.ptd")).ok();
    file("one.ptd", b"");
    for (data, output) in [("one.pte", "one.pte"), ("one.pte", "two.pte"), ("two", "./two"), ("alias.ptd", "one.ptd")] {
        let outcome = run(&["split", model, "--data", data, "-o", output, "--force"]);
        assert_eq!(outcome.code, Some(2), "{data} {output}");
        assert!(outcome.stderr.contains("is to be two files at once"), "{}", outcome.stderr);
    }
    assert_eq!(fs::read(scratch().join(model)).unwrap(), bytes);
    assert!(!scratch().join("two").exists() && !scratch().join("two.pte").exists());
    assert_eq!(run(&["split", model, "--data", "one.ptd", "-o", "small.pte", "--force"]).code, Some(0));
    let outcome = run(&["merge", "small.pte", "--data", "one.ptd", "-o", "alias.ptd", "--force"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("is to be two files at once"), "{}", outcome.stderr);
}

/// The file that is read may be the one that is replaced.
#[test]
fn a_program_is_split_and_merged_in_place() {
    let bytes = fs::read(real("conv.pte")).unwrap();
    let model = file("in-place.pte", &bytes);
    file("in-place.ptd", b"old");
    let refused = run(&["split", model, "--data", "in-place.ptd", "-o", model]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(fs::read(scratch().join(model)).unwrap(), bytes);
    let split = run(&["split", model, "--data", "in-place.ptd", "-o", model, "--force"]);
    assert_eq!((split.code, split.stderr.as_str()), (Some(0), ""));
    assert_eq!(run(&["check", "--quiet", "--strict", model, "--with", "in-place.ptd"]).code, Some(0));
    assert_ne!(fs::read(scratch().join(model)).unwrap(), bytes);
    let merged = run(&["merge", model, "--data", "in-place.ptd", "-o", model, "--force"]);
    assert_eq!((merged.code, merged.stderr.as_str()), (Some(0), ""));
    assert_eq!(fs::read(scratch().join(model)).unwrap(), bytes);
}

/// What somebody else is changing is left alone, and can be read.
#[test]
fn a_program_that_is_being_changed_is_not_replaced() {
    let bytes = fs::read(real("conv.pte")).unwrap();
    let model = file("guarded.pte", &bytes);
    assert_eq!(run(&["split", model, "--data", "guarded.ptd", "-o", "guarded-small.pte", "--force"]).code, Some(0));
    let small = fs::read(scratch().join("guarded-small.pte")).unwrap();
    let data = fs::read(scratch().join("guarded.ptd")).unwrap();
    let split = ["split", model, "--data", "guarded.ptd", "--force", "-o"];
    let merge = ["merge", "guarded-small.pte", "--data", "guarded.ptd", "--force", "-o"];
    let guards = [model, "guarded-small.pte"].map(|name| Guard::of(&scratch().join(name)).unwrap());
    for (args, own) in [(split, model), (merge, "guarded-small.pte")] {
        let outcome = run(&[&args[..], &[own]].concat());
        let line = format!("torchproof: {own}: is being changed by somebody else; try again\n");
        assert_eq!((outcome.code, outcome.stderr), (Some(2), line));
        assert_eq!(run(&[&args[..], &["guarded-other.pte"]].concat()).code, Some(0));
    }
    drop(guards);
    assert_eq!(fs::read(scratch().join(model)).unwrap(), bytes);
    assert_eq!(fs::read(scratch().join("guarded-small.pte")).unwrap(), small);
    assert_eq!(fs::read(scratch().join("guarded.ptd")).unwrap(), data);
    let guard = Guard::of(&scratch().join(model)).unwrap();
    let [path, data_path] = [model, "guarded.ptd"].map(|name| scratch().join(name));
    let mut program = Document::open(&path).unwrap();
    let (mut moved, _) = program.split().unwrap();
    file(model, b"theirs");
    let (program, moved) = ((&mut program, &*path), (&mut moved, &*data_path));
    let error = save_pair(program, moved, Others::default(), Existing::Replace, Some(&guard)).unwrap_err();
    assert!(error.to_string().contains("was changed by somebody else"), "{error}");
    assert_eq!(fs::read(path).unwrap(), b"theirs");
    assert_eq!(fs::read(scratch().join("guarded.ptd")).unwrap(), data);
}

/// A link is followed, where it is read and where it is written, and stays.
#[test]
fn links_stay_links() {
    let folder = scratch().join("links");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("store")).unwrap();
    let bytes = fs::read(real("conv.pte")).unwrap();
    fs::write(folder.join("store/blob.1"), &bytes).unwrap();
    fs::write(folder.join("store/blob.2"), b"").unwrap();
    symlink("store/blob.1", folder.join("model.pte")).unwrap();
    symlink("store/blob.2", folder.join("data.ptd")).unwrap();
    let split = run(&["split", "links/model.pte", "--data", "links/data.ptd", "-o", "links/model.pte", "--force"]);
    assert_eq!((split.code, split.stderr.as_str()), (Some(0), ""));
    for name in ["model.pte", "data.ptd"] {
        assert!(fs::symlink_metadata(folder.join(name)).unwrap().is_symlink(), "{name}");
    }
    assert_eq!(run(&["check", "--quiet", "links/store/blob.1", "--with", "links/store/blob.2"]).code, Some(0));
    let merged = run(&["merge", "links/model.pte", "--data", "links/data.ptd", "-o", "links/model.pte", "--force"]);
    assert_eq!((merged.code, merged.stderr.as_str()), (Some(0), ""));
    assert_eq!(fs::read(folder.join("store/blob.1")).unwrap(), bytes);
    let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["data.ptd", "model.pte", "store"]);
    assert_eq!(fs::read_dir(folder.join("store")).unwrap().count(), 2);
}

/// Nothing of a file goes without a word.
#[test]
fn bytes_that_are_in_no_part_of_a_file_are_left_out_and_named() {
    let mut bytes = fs::read(real("linear.pte")).unwrap();
    bytes.extend(b"appended");
    // Between the FlatBuffer, which ends at 1464, and the base at 1536.
    bytes[1500] = 7;
    let model = file("more.pte", &bytes);
    let said = "\
torchproof: note: more.pte: 36 bytes from 1500 on, which are in no segment and not all zeros: left out
torchproof: note: more.pte: 8 bytes from 1680 on, behind the last segment: left out
";
    let split = run(&["split", model, "--data", "more.ptd", "-o", "less.pte", "--force"]);
    assert_eq!((split.code, split.stderr.as_str()), (Some(0), said));
    let set = run(&["meta", "set", model, "general.name", "x", "-o", "less.pte", "--force"]);
    assert_eq!((set.code, set.stderr.as_str()), (Some(0), said));
    let mut weights = fs::read(scratch().join("more.ptd")).unwrap();
    weights.push(0);
    file("more.ptd", &weights);
    let _ = run(&["split", "more.pte", "--data", "other.ptd", "-o", "less.pte", "--force"]);
    let merged = run(&["merge", "less.pte", "--data", "more.ptd", "-o", "whole.pte", "--force"]);
    let said = format!(
        "torchproof: note: more.ptd: 1 byte from {} on, behind the last segment: left out\n",
        weights.len() - 1
    );
    assert_eq!((merged.code, merged.stderr), (Some(0), said));
}

/// A file or a folder named `-` is nobody's wish.
#[test]
fn stdout_is_no_place() {
    let linear = real("linear.pte").to_str().unwrap().to_owned();
    for args in [
        &["split", &linear, "--data", "dash.ptd", "-o", "-"][..],
        &["split", &linear, "--data", "-", "-o", "dash.pte"],
        &["merge", &linear, "--data", "dash.ptd", "-o", "-"],
        &["meta", "set", &linear, "general.name", "x", "-o", "-"],
        &["meta", "unset", &linear, "general.name", "-o", "-"],
    ] {
        let outcome = run(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(outcome.stderr.contains("put in place whole, which stdout is not"), "{args:?}: {}", outcome.stderr);
        assert!(!scratch().join("-").exists(), "{args:?}");
    }
    for args in [
        &["dump", &linear, "--with-data", "-"][..],
        &["generate", "--count", "1", "--out", "-"],
        &["attack", &linear, "--count", "1", "--out", "-"],
        &["corpus", "build", "--out", "-"],
    ] {
        let outcome = run(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(outcome.stderr.contains("files go into a folder, which stdout is not"), "{args:?}: {}", outcome.stderr);
        assert!(!scratch().join("-").exists(), "{args:?}");
    }
}

/// The limit on a file's size stands for a disk that is full. The data file is the larger one, or the program is.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = scratch().join("full");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut plan = PlanBuilder::new("forward");
    plan.push_value(TensorBuilder::contiguous(ScalarType::BYTE, &[1 << 20]).constant(1));
    let constants = vec![Source::Fill { pattern: b"weight", len: 1 << 20 }];
    let program = program([plan]);
    let package = pack(&program, Data { constants, ..Data::default() }, &Options::default()).unwrap();
    fs::write(folder.join("model.pte"), package.into_bytes().unwrap()).unwrap();
    assert_eq!(run(&["split", "full/model.pte", "--data", "full/model.ptd", "-o", "full/small.pte"]).code, Some(0));
    fs::write(folder.join("there.pte"), b"program").unwrap();
    fs::write(folder.join("there.ptd"), b"data").unwrap();
    let state = || {
        let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect::<Vec<_>>()
    };
    let before = state();
    for (args, at) in [
        ("split model.pte --data there.ptd -o there.pte --force", "there.ptd"),
        ("split model.pte --data new.ptd -o new.pte", "new.ptd"),
        ("split model.pte --data new.ptd -o model.pte --force", "new.ptd"),
        ("merge small.pte --data model.ptd -o there.pte --force", "there.pte"),
        ("merge small.pte --data model.ptd -o new.pte", "new.pte"),
        ("merge small.pte --data model.ptd -o small.pte --force", "small.pte"),
    ] {
        // Without the trap, the signal of the limit would end the command before it could clean up.
        let script = format!("trap '' XFSZ; ulimit -f 64; exec \"$0\" {args}");
        let mut command = Command::new("sh");
        let output = command.args(["-c", &script, env!("CARGO_BIN_EXE_torchproof")]).current_dir(&folder).output();
        let output = output.unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args}: {line}");
        assert!(line.starts_with(&format!("torchproof: {at}: ")) && line.lines().count() == 1, "{args}: {line}");
        assert!(state() == before, "{args}");
    }
}
