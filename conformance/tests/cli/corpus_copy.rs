//! `torchproof corpus check` and `export`: what is taken away is whole, and what was changed in it is found.

testkit::command_in!("corpus_copy");

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use command::{run, scratch, torchproof};
use serde_json::Value;
use torchproof::corpus::{Manifest, Verdict};

/// The folder that an archive of the whole corpus comes out as.
const NAME: &str = "torchproof-corpus-";

/// An empty folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn ours() -> String {
    testkit::repository().join("corpus").display().to_string()
}

/// What is exported with these arguments, taken out of its archive by the system's tar.
fn exported(name: &str, arguments: &[&str]) -> PathBuf {
    let folder = folder(name);
    let archive = folder.join("corpus.tar");
    let corpus = ours();
    let fixed = ["corpus", "export", "--corpus", &corpus, "-o", archive.to_str().unwrap()];
    let outcome = run(&[&fixed, arguments].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
    assert!(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&folder).status().unwrap().success());
    fs::remove_file(archive).unwrap();
    let mut found = fs::read_dir(&folder).unwrap();
    let copy = found.next().unwrap().unwrap().path();
    assert!(found.next().is_none() && copy.file_name().unwrap().to_str().unwrap().starts_with(NAME));
    copy
}

fn check(copy: &Path) -> (Option<i32>, Vec<String>) {
    let outcome = run(&["corpus", "check", "--corpus", copy.to_str().unwrap()]);
    assert_eq!(outcome.stderr, "");
    let place = format!("{}: ", copy.display());
    let lines = outcome.stdout.lines().map(|line| line.strip_prefix(&place).unwrap_or(line).to_owned());
    (outcome.code, lines.collect())
}

fn manifest(copy: &Path) -> Manifest {
    serde_json::from_slice(&fs::read(copy.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn what_is_exported_whole_is_what_there_is() {
    let copy = exported("whole", &[]);
    let (code, lines) = check(&copy);
    assert_eq!((code, lines.len()), (Some(0), 1), "{lines:?}");
    assert!(lines[0].ends_with("whole"), "{lines:?}");
    // Every byte, with what is written by hand.
    assert!(Command::new("diff").args(["-r", &ours(), copy.to_str().unwrap()]).status().unwrap().success());
}

#[test]
fn the_same_corpus_makes_the_same_bytes() {
    let archive = || torchproof(&["corpus", "export", "--corpus", &ours(), "--cases", "ptd/**"]).output().unwrap();
    let (one, other) = (archive(), archive());
    assert!(one.status.success() && one.stdout.len() > 100_000);
    assert!(one.stdout == other.stdout);
    // And that of its copy the same.
    let copy = exported("again", &["--cases", "ptd/**"]);
    let again = torchproof(&["corpus", "export", "--corpus", copy.to_str().unwrap(), "--cases", "ptd/**"]);
    assert!({ again }.output().unwrap().stdout == one.stdout);
    let listed = folder("listed").join("corpus.tar");
    fs::write(&listed, &one.stdout).unwrap();
    let listed =
        Command::new("tar").args(["--numeric-owner", "--utc", "--full-time", "-tvf"]).arg(listed).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names: Vec<&str> = listed.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert!(names.is_sorted() && !names.iter().any(|name| name.contains("/real/")), "{listed}");
    for line in listed.lines() {
        assert!(line.starts_with("-rw-r--r-- 0/0 ") && line.contains(" 1970-01-01 00:00:00 "), "{line}");
    }
}

#[test]
fn a_part_has_the_controls_and_a_manifest_of_its_own() {
    let whole = manifest(Path::new(&ours()));
    for (name, arguments) in [
        ("rules", &["--rule", "eh-length-min", "--rule", "x-external-found"][..]),
        ("cases", &["--cases", "pte/values/*"]),
        ("both", &["--cases", "bpte/**", "--rule", "bp-input-arity"]),
    ] {
        let copy = exported(name, &[arguments, &["--annotated"]].concat());
        let part = manifest(&copy);
        for case in &part.cases {
            let text = fs::read_to_string(copy.join(format!("annotated/{}.txt", case.id))).unwrap();
            assert!(text.starts_with(&case.id) && text.contains("part, field, value"), "{text}");
        }
        assert_eq!(check(&copy).0, Some(0), "{name}: {:?}", check(&copy));
        assert!(part.cases.len() > 2 && part.cases.len() < whole.cases.len() / 4 && part.digest != whole.digest);
        assert!(part.cases.iter().all(|case| whole.cases.contains(case)), "{name}");
        assert!(part.cases.iter().any(|case| case.verdict == Verdict::Reject), "{name}");
        let copy = copy.to_str().unwrap();
        // Its files are enough for a run.
        let ran = run(&["run", "--corpus", copy, "--reader", "builtin:reference"]);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
    }
    for (arguments, answer) in [
        (&["--rule", "no-such-rule"][..], "no-such-rule"),
        (&["--cases", "no/such/case"], "no case"),
        (&["--cases", "pte/["], "glob"),
    ] {
        let refused = torchproof(&[&["corpus", "export", "--corpus", &ours()], arguments].concat()).output().unwrap();
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{refused:?}");
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(told.contains(answer) && told.lines().count() == 1, "{told}");
    }
}

#[test]
fn a_file_that_is_there_is_replaced_with_force_alone() {
    let path = folder("there").join("corpus.tar");
    fs::write(&path, "mine").unwrap();
    let corpus = ours();
    let arguments = ["corpus", "export", "--corpus", &corpus, "--rule", "eh-length-min", "-o", path.to_str().unwrap()];
    let refused = run(&arguments);
    assert_eq!((refused.code, fs::read(&path).unwrap().as_slice()), (Some(2), &b"mine"[..]));
    assert!(refused.stderr.ends_with("corpus.tar: exists already; --force replaces it\n"), "{refused:?}");
    assert_eq!(run(&[&arguments[..], &["--force"]].concat()).code, Some(0));
    assert!(fs::read(&path).unwrap().len() > 4);
}

#[test]
fn what_was_changed_in_a_copy_is_found() {
    let copy = exported("changed", &["--rule", "eh-length-min"]);
    let at = |path: &str| copy.join(path);
    let expect = |lines: &[&str]| {
        let (code, found) = check(&copy);
        assert_eq!(code, Some(u8::from(!lines.is_empty()).into()));
        assert_eq!(found[..found.len() - 1].len(), lines.len(), "{found:?}");
        for (line, expected) in found.iter().zip(lines) {
            assert!(line.starts_with(expected), "{line}: {expected}");
        }
    };
    expect(&[]);

    // A copy may do without, and have its own beside.
    fs::remove_dir_all(at("dict")).unwrap();
    fs::remove_file(at("README.md")).unwrap();
    fs::write(at("VERSION"), "ours").unwrap();
    expect(&[]);

    let file = at("files/pte/header/length-0.pte");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, &bytes).unwrap();
    fs::write(at("files/pte/header/more.pte"), "stray").unwrap();
    fs::remove_file(at("files/pte/header/length-23.pte")).unwrap();
    let expectation = at("expect/pte/valid/constants.json");
    let text = fs::read_to_string(&expectation).unwrap();
    fs::write(&expectation, text.replace("\"forward\"", "\"backward\"")).unwrap();
    fs::write(at("index.tsv"), "id\n").unwrap();
    expect(&[
        "differs  expect/pte/valid/constants.json: not what is in files/pte/valid/constants.pte",
        "differs  files/pte/header/length-0.pte: sha256 ",
        "missing  files/pte/header/length-23.pte",
        "stray    files/pte/header/more.pte",
        "differs  index.tsv: 1 lines that",
    ]);
    let refused = run(&["corpus", "export", "--corpus", copy.to_str().unwrap()]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.contains("`torchproof corpus check` lists what"), "{refused:?}");

    // A manifest that was changed together with a file is given away by the digest.
    let whole = exported("changed-manifest", &["--rule", "eh-length-min"]);
    let path = whole.join("manifest.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let digest = value["cases"][0]["files"][0]["sha256"].as_str().unwrap().replace(['0', '1'], "2");
    value["cases"][0]["files"][0]["sha256"] = digest.into();
    fs::write(&path, value.to_string()).unwrap();
    let (code, lines) = check(&whole);
    assert_eq!((code, lines.len()), (Some(1), 3), "{lines:?}");
    assert!(lines[1].starts_with("wrong    manifest.json: digest "), "{lines:?}");
    fs::write(&path, "{}").unwrap();
    let (code, lines) = check(&whole);
    assert_eq!((code, lines.len()), (Some(1), 2), "{lines:?}");
}

#[test]
fn where_there_is_no_corpus_nothing_is_checked() {
    let empty = folder("empty");
    let outcome = run(&["corpus", "check", "--corpus", empty.to_str().unwrap()]);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str(), outcome.stderr.lines().count()),
        (Some(2), "", 1),
        "{outcome:?}"
    );
}
