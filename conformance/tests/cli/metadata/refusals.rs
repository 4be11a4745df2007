//! What is not done, and that nothing is left of it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use torchproof_cli::edit::{Data, Existing};
use torchproof_cli::meta::edit;

use super::command::{real, run, scratch};
use super::{case, copy};

/// Nothing but these files is in the folder of a test.
fn expect_only(test: &str, names: &[&str]) {
    let entries = fs::read_dir(scratch().join(test)).unwrap().map(|entry| entry.unwrap().file_name());
    let mut found: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, names);
}

/// Stdin is read only when it is named.
#[test]
fn a_value_has_to_be_given() {
    let name = copy(&real("linear_external.ptd"), "valueless");
    let outcome = run(&["meta", "set", &name, "example.note"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("<VALUE>"), "{}", outcome.stderr);
}

#[test]
fn a_slip_is_pointed_out_and_a_key_of_its_own_is_not() {
    let name = copy(&real("add.pte"), "slips");
    let said = |args: &[&str]| run(&[&["meta", args[0], &name], &args[1..]].concat()).stderr;
    assert_eq!(
        said(&["set", "tokenizer.eos_id", "2"]),
        "torchproof: warning: metadata.tokenizer.eos_id is not well known: did you mean metadata.tokenizer.eos_ids?\n"
    );
    assert_eq!(said(&["set", "tokenizer.pad_token_id", "2"]), "");
    assert!(said(&["get", "tokenizer.eos_ids"]).ends_with("did you mean metadata.tokenizer.eos_id?\n"));
}

#[test]
fn what_is_not_of_its_form_is_one_line_and_changes_nothing() {
    let name = copy(&real("linear_external.ptd"), "refused");
    let before = fs::read(scratch().join(&name)).unwrap();
    let mut said = String::new();
    for args in [
        &["set", "name", "x"][..],
        &["set", "General.name", "x"],
        &["set", "general..name", "x"],
        &["set", "metadata.", "x"],
        &["set", "general.näme", "x"],
        &["set", "context.length", "long"],
        &["set", "context.length", "9223372036854775808"],
        &["set", "model.use_kv_cache", "true"],
        &["set", "example.scale", "1e400", "--type", "float"],
        &["set", "tokenizer.eos_ids", "1,2", "--encoding", "untagged"],
        &["set", "example.note", "abc", "--type", "bytes"],
        &["set", "example.note", "@missing"],
        &["set", "example.note", "x", "-o", "missing/out.ptd"],
        &["get", "l.weight"],
        &["unset", "l.weight"],
        &["unset", "metadata.l.weight"],
    ] {
        let outcome = run(&[&["meta", args[0], &name][..], &args[1..]].concat());
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.lines().count()), ("", 1), "{args:?}: {}", outcome.stderr);
        said += &format!("{} -> {} {}", args.join(" "), outcome.code.unwrap(), outcome.stderr);
    }
    insta::assert_snapshot!(said);
    assert_eq!(fs::read(scratch().join(&name)).unwrap(), before);
    expect_only("refused", &["linear_external.ptd"]);
}

#[test]
fn files_that_are_not_edited_are_left_alone() {
    let mut said = String::new();
    for path in [
        real("legacy_v0.6.0_tensors.ptd"),
        case("pte/header/segment-sum-wraps.pte"),
        case("bpte/valid/one-case.bpte"),
        scratch().join("absent.pte"),
    ] {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let at = if path.exists() { copy(&path, "unedited") } else { name };
        let before = fs::read(scratch().join(&at)).ok();
        for args in [&["set", &at, "general.name", "x"][..], &["unset", &at, "general.name"]] {
            let outcome = run(&[&["meta"], args].concat());
            said += &format!("{} {at} -> {} {}", args[0], outcome.code.unwrap(), outcome.stderr);
        }
        assert_eq!(fs::read(scratch().join(&at)).ok(), before);
    }
    insta::assert_snapshot!(said);
}

/// A file that readers may not take is repaired first: an edit would move what is wrong with it.
#[test]
fn a_broken_rule_that_the_tables_do_not_show_is_found_first() {
    let name = copy(&case("pte/named-data/key-twice.pte"), "twice");
    let outcome = run(&["meta", "set", &name, "general.name", "x"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.contains("nd-key-unique"), "{}", outcome.stderr);
    expect_only("twice", &["key-twice.pte"]);
}

/// The registry knows better, but is no more than a list of proposals.
#[test]
fn what_is_odd_is_said_and_done() {
    let name = copy(&real("linear.pte"), "odd");
    let mut said = String::new();
    for args in [
        &["context.length", "many", "--type", "string"][..],
        &["context.lenght", "8192"],
        &["example.quite_another", "8192"],
    ] {
        let outcome = run(&[&["meta", "set", &name], args].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""), "{args:?}: {}", outcome.stderr);
        said += &outcome.stderr;
    }
    insta::assert_snapshot!(said, @r"
    torchproof: warning: metadata.context.length is well known as int, and is set as string
    torchproof: warning: metadata.context.lenght is not well known: did you mean metadata.context.length?
    ");
    let listed = run(&["meta", "list", &name]).stdout;
    assert!(listed.contains("metadata.context.length: not read as int"), "{listed}");
}

/// A kilobyte of shared tables that says it is a tree of gigabytes is work that nobody does, and no fault of the file.
#[test]
fn too_much_work_is_not_begun() {
    let path = case("pte/limits/a-million-tables.pte");
    let path = path.to_str().unwrap();
    for args in
        [&["list", path][..], &["get", path, "a.b"], &["set", path, "a.b", "c", "-o", "x"], &["unset", path, "a.b"]]
    {
        let outcome = run(&[&["meta"], args].concat());
        assert_eq!((outcome.code, outcome.stderr.lines().count()), (Some(2), 1), "{args:?}: {}", outcome.stderr);
    }
}

#[test]
fn another_file_is_written_and_not_overwritten_unless_forced() {
    let name = copy(&real("linear.pte"), "output");
    let before = fs::read(scratch().join(&name)).unwrap();
    let set = |value: &str, more: &[&str]| {
        run(&[&["meta", "set", &name, "general.name", value, "-o", "output/new.pte"][..], more].concat())
    };
    assert_eq!(set("one", &[]).code, Some(0));
    let refused = set("two", &[]);
    assert_eq!(
        (refused.code, refused.stderr.as_str()),
        (Some(2), "torchproof: output/new.pte: exists already; --force replaces it\n")
    );
    assert_eq!(run(&["meta", "get", "output/new.pte", "general.name"]).stdout, "one\n");
    assert_eq!(set("two", &["--force"]).code, Some(0));
    assert_eq!(run(&["meta", "get", "output/new.pte", "general.name"]).stdout, "two\n");
    assert_eq!(fs::read(scratch().join(&name)).unwrap(), before);
    expect_only("output", &["linear.pte", "new.pte"]);
}

#[test]
fn permissions_and_links_stay() {
    let name = copy(&real("linear.pte"), "links");
    let path = scratch().join(&name);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("linear.pte", scratch().join("links/link.pte")).unwrap();
    assert_eq!(run(&["meta", "set", "links/link.pte", "general.name", "x"]).code, Some(0));
    assert!(fs::symlink_metadata(scratch().join("links/link.pte")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(run(&["meta", "get", &name, "general.name"]).stdout, "x\n");
    expect_only("links", &["linear.pte", "link.pte"]);
}

/// A limit on the size of files stands for a full disk: what is written fails half way.
#[test]
fn a_full_disk_leaves_the_old_file() {
    let name = copy(&real("mlp_xnnpack.pte"), "full");
    let before = fs::read(scratch().join(&name)).unwrap();
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" meta set \"$1\" general.name x";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_torchproof"), &name])
        .current_dir(scratch())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("mlp_xnnpack.pte"), "{stderr}");
    assert_eq!(fs::read(scratch().join(&name)).unwrap(), before);
    expect_only("full", &["mlp_xnnpack.pte"]);
}

/// A long value is known by its beginning, and is not taken into memory to be shown.
#[test]
fn a_huge_value_is_listed_and_not_printed() {
    let name = copy(&real("metadata_keys.pte"), "huge");
    let path = scratch().join(&name);
    let mut document = edit::open(&path).unwrap();
    let len = 128 << 20;
    document
        .set_named_data("metadata.tokenizer.chat_template", Data::Fill { pattern: b"long ".to_vec(), len }, 1)
        .unwrap();
    document.save(&path, Existing::Replace).unwrap();
    let listed = run(&["meta", "list", &name]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let line = listed.stdout.lines().find(|line| line.contains("chat_template")).unwrap();
    assert!(line.contains("\"long long ") && line.contains("134217728"), "{line}");
    let got = run(&["meta", "get", &name, "tokenizer.chat_template"]);
    assert_eq!((got.code, got.stdout.as_str()), (Some(2), ""));
    assert!(got.stderr.contains("134217728 bytes are too many to print"), "{}", got.stderr);
    fs::remove_file(path).unwrap();
}
