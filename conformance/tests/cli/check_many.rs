//! `torchproof check` on many files: which are meant, in which order they are told, and who listens.

testkit::command_in!("check_many");

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use command::{Outcome, real, run, scratch, torchproof};

/// A folder of the test's own with these files in it, each a good one whatever its name.
fn folder(name: &str, files: &[&str]) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for file in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(real("add.pte"), path).unwrap();
    }
    folder
}

/// The names that have a line, in its order, and those that are told of on stderr.
fn told(args: &[&str]) -> (Vec<String>, Outcome) {
    let outcome = run(&[&["check", "--quiet"], args].concat());
    let names = outcome.stdout.lines().map(|line| line.rsplit_once(": ").unwrap().0.to_owned());
    (names.collect(), outcome)
}

#[test]
fn a_folder_is_searched_for_its_files_in_order() {
    folder(
        "tree",
        &["b.pte", "a.ptd", "z/deep/er/x.pte", "z/deep.pte", "a/2.bpte", "a/10.pte", "note.txt", "a.pte.bak"],
    );
    let (names, outcome) = told(&["tree"]);
    let all = ["tree/a/10.pte", "tree/a/2.bpte", "tree/a.ptd", "tree/b.pte", "tree/z/deep/er/x.pte", "tree/z/deep.pte"];
    assert_eq!((names.iter().map(String::as_str).collect::<Vec<_>>(), outcome.code), (all.to_vec(), Some(0)));
    assert!(all.is_sorted_by_key(Path::new));
    // Arguments keep their order, and what was named before is not told again.
    let (names, _) = told(&["tree/z/", "tree/b.pte", "./tree"]);
    assert_eq!(
        names,
        ["tree/z/deep/er/x.pte", "tree/z/deep.pte", "tree/b.pte", "./tree/a/10.pte", "./tree/a/2.bpte", "./tree/a.ptd"]
    );
}

#[test]
fn a_glob_is_what_a_shell_would_make_of_it() {
    folder("globs", &["a.pte", "b.ptd", "sub/c.pte", "sub/more/d.pte", "sub/e.txt", "x[1].pte", "other/f.pte"]);
    for (glob, names) in [
        ("globs/*.pte", vec!["globs/a.pte", "globs/x[1].pte"]),
        ("globs/?.pt?", vec!["globs/a.pte", "globs/b.ptd"]),
        (
            "globs/**/*.pte",
            vec!["globs/a.pte", "globs/other/f.pte", "globs/sub/c.pte", "globs/sub/more/d.pte", "globs/x[1].pte"],
        ),
        ("globs/*/c.pte", vec!["globs/sub/c.pte"]),
        ("globs/{sub,other}/*.pte", vec!["globs/other/f.pte", "globs/sub/c.pte"]),
        ("globs/{sub/more,other}/*.pte", vec!["globs/other/f.pte", "globs/sub/more/d.pte"]),
        ("globs/s*", vec!["globs/sub/c.pte", "globs/sub/more/d.pte"]),
        ("globs/s*/*", vec!["globs/sub/c.pte", "globs/sub/e.txt", "globs/sub/more/d.pte"]),
        ("globs/[ab].*", vec!["globs/a.pte", "globs/b.ptd"]),
        ("./globs/../globs/a*", vec!["globs/../globs/a.pte"]),
        // The name of something is no glob.
        ("globs/x[1].pte", vec!["globs/x[1].pte"]),
    ] {
        let (told, outcome) = told(&[glob]);
        let told: Vec<&str> = told.iter().map(|name| name.strip_prefix("./").unwrap_or(name)).collect();
        assert_eq!((told, outcome.stderr.as_str()), (names, ""), "{glob}");
    }
    let absolute = scratch().join("globs/s*/*.pte");
    let (names, _) = told(&[absolute.to_str().unwrap()]);
    assert_eq!(names, [scratch().join("globs/sub/c.pte").to_str().unwrap()]);
    // Nothing in front of the first special character.
    let bare = torchproof(&["check", "-q", "**/c.pte"]).current_dir(scratch().join("globs")).output().unwrap();
    assert_eq!(String::from_utf8(bare.stdout).unwrap(), "sub/c.pte: accept\n");
}

#[test]
fn what_stands_for_no_file_is_an_error_and_the_rest_is_checked() {
    folder("some", &["a.pte", "empty/note.txt"]);
    for (argument, reason) in [
        ("some/empty", "no .pte, .ptd, .bpte or .ptn file in this folder"),
        ("some/*.ptd", "no file matches"),
        ("nowhere/**", "no file matches"),
        ("some/[", "no such file"),
        ("some/missing.pte", "no such file"),
    ] {
        for args in [[argument, "some/a.pte"], ["some/a.pte", argument]] {
            let (names, outcome) = told(&args);
            assert_eq!((names.len(), outcome.code), (2, Some(2)), "{outcome:?}");
            assert!(outcome.stdout.contains("some/a.pte: accept\n"), "{outcome:?}");
            assert!(outcome.stdout.contains(&format!("{argument}: unexamined\n")), "{outcome:?}");
            assert!(outcome.stderr.starts_with(&format!("torchproof: {argument}: {reason}")), "{outcome:?}");
            assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
        }
    }
}

#[test]
fn a_file_is_checked_once_however_often_it_is_named() {
    let folder = folder("once", &["a.pte", "b.pte"]);
    symlink("a.pte", folder.join("c.pte")).unwrap();
    let absolute = folder.join("b.pte");
    let (names, _) =
        told(&["once/a.pte", "once/a.pte", "./once/../once/a.pte", absolute.to_str().unwrap(), "once", "once/*"]);
    assert_eq!(names, ["once/a.pte", absolute.to_str().unwrap()]);
    // A folder whose files were all told before is not one without files.
    let (names, outcome) = told(&["once", "once"]);
    assert_eq!((names.len(), outcome.code), (2, Some(0)), "{outcome:?}");
}

#[test]
fn links_neither_loop_nor_multiply() {
    let folder = folder("links", &["real/a.pte"]);
    symlink("..", folder.join("real/up")).unwrap();
    symlink(".", folder.join("real/self")).unwrap();
    symlink("nowhere.pte", folder.join("dangling.pte")).unwrap();
    symlink("nowhere", folder.join("dangling")).unwrap();
    // Each of these folders leads to the next in two ways: followed one by one there are 2^40.
    for level in 0..40 {
        let here = folder.join(format!("level{level}"));
        fs::create_dir(&here).unwrap();
        for name in ["left", "right"] {
            symlink(format!("../level{}", level + 1), here.join(name)).unwrap();
        }
    }
    fs::create_dir(folder.join("level40")).unwrap();
    fs::copy(real("add.pte"), folder.join("level40/deep.pte")).unwrap();
    let begin = Instant::now();
    let (names, outcome) = told(&["links"]);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(names[0], "links/dangling.pte");
    assert!(names[1].ends_with("/deep.pte") && names[2] == "links/real/a.pte", "{names:?}");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), "torchproof: links/dangling.pte: no such file\n"));
    let (names, _) = told(&["links/**/a.pte"]);
    assert_eq!(names, ["links/real/a.pte"]);
}

#[test]
fn no_number_of_jobs_changes_what_is_printed() {
    let corpus = testkit::repository().join("corpus/files");
    let corpus = corpus.to_str().unwrap();
    for format in ["text", "json", "sarif"] {
        let one = run(&["check", "--format", format, "--jobs", "1", corpus, "missing.pte"]);
        let many = run(&["check", "--format", format, "--jobs", "13", corpus, "missing.pte"]);
        assert_eq!((one.code, many.code), (Some(2), Some(2)));
        assert!(one.stdout == many.stdout && one.stderr == many.stderr, "{format}");
        assert_eq!(many.stderr.lines().count(), 1, "{}", many.stderr);
    }
    assert_eq!(run(&["check", "--jobs", "0", corpus]).code, Some(2));
}

#[test]
fn the_sum_is_told_of_several_files_in_text() {
    let case = |name: &str| format!("{}/../corpus/files/pte/{name}", env!("CARGO_MANIFEST_DIR"));
    let (bad, odd, good) = (case("header/length-23.pte"), case("header/gap-not-zero.pte"), case("valid/constants.pte"));
    let last = |args: &[&str]| run(args).stdout.lines().last().unwrap().to_owned();
    assert_eq!(last(&["check", &bad, &odd, &good, "missing.pte"]), "4 files: 1 rejected, 1 warned, 1 unexamined");
    assert_eq!(last(&["check", "--strict", &bad, &odd, &good]), "3 files: 2 rejected, 0 warned, 0 unexamined");
    assert_eq!(last(&["check", &good]), format!("{good}: accept (pte; no findings)"));
    assert_eq!(last(&["check", "-q", &good, &bad]), format!("{bad}: reject eh-length-min"));
}

/// Who has read enough may go: nothing is said of it, and no file that nobody saw counts as good.
#[test]
fn a_closed_pipe_ends_it() {
    let links = links("many-to-a-pipe", 3000);
    // The files themselves come last in SARIF, when all have been checked.
    for (format, code) in [("text", 2), ("json", 2), ("sarif", 0)] {
        let mut command = torchproof(&["check", "--format", format, &links]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 100]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{format}");
        assert_eq!(output.status.code(), Some(code), "{format}");
    }
}

/// A folder of many names of one file.
fn links(name: &str, count: usize) -> String {
    let folder = folder(name, &["0.pte"]);
    for index in 1..count {
        fs::hard_link(folder.join("0.pte"), folder.join(format!("{index}.pte"))).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

/// On a terminal there is one line that is written over and at last wiped out, and stdout has nothing of it.
#[cfg(target_os = "linux")]
#[test]
fn progress_is_for_terminals() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let links = links("many-to-a-terminal", 10_000);
    let silent = run(&["check", &links]);
    assert_eq!((silent.code, silent.stderr.as_str()), (Some(0), ""));

    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let stderr = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let begin = Instant::now();
    let output = torchproof(&["check", &links]).stderr(stderr).output().unwrap();
    let took = begin.elapsed();
    // The other end is closed, so that reading ends with an error behind the last byte.
    let mut shown = Vec::new();
    let _ = File::from(terminal).read_to_end(&mut shown);
    let shown = String::from_utf8(shown).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), silent.stdout);
    assert!(!shown.contains('\n'), "{shown:?}");
    if took > Duration::from_secs(1) {
        assert!(shown.contains("\r\x1b[Kchecked "), "{shown:?}");
    }
    assert!(shown.is_empty() || shown.ends_with("\r\x1b[K"), "{shown:?}");
}
