//! Tests that a file that someone else wrote cannot make a command open or quote files outside that file's folder.

testkit::command_in!("named");

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use command::{Outcome, run, scratch};
use rustix::fs::inotify;
use serde_json::json;

/// A folder `mine` with files from someone else, next to the file `secret`. A watch records every open of `secret`.
struct Stranger {
    folder: PathBuf,
    watch: std::os::fd::OwnedFd,
}

impl Stranger {
    fn new(name: &str) -> Self {
        let folder = scratch().join(name);
        fs::create_dir_all(folder.join("mine/below")).unwrap();
        fs::write(folder.join("secret.ptd"), "secret").unwrap();
        for (target, link) in
            [("../secret.ptd", "link.ptd"), ("..", "up"), ("../absent", "dangling"), ("below", "down")]
        {
            symlink(target, folder.join("mine").join(link)).unwrap();
        }
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
        inotify::add_watch(&watch, folder.join("secret.ptd"), inotify::WatchFlags::OPEN).unwrap();
        Self { folder, watch }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.folder.join(name), text).unwrap();
        self.path(name)
    }

    fn has_opened_the_secret(&self) -> bool {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 512];
        inotify::Reader::new(&self.watch, &mut buffer).next().is_ok()
    }

    /// Calls the function with paths outside `mine`. All must fail with the same message and not open the secret.
    fn expect_refused(&self, message: &str, mut command: impl FnMut(&str) -> Outcome) {
        let mut errors = BTreeSet::new();
        let outside = ["../secret.ptd", "link.ptd", "up/secret.ptd", "./below/../../secret.ptd"];
        let absolute = ["secret.ptd", "absent"].map(|name| self.path(name));
        let paths = outside.into_iter().chain(["../absent", "up/absent", "dangling"]);
        for path in paths.chain(absolute.iter().map(String::as_str)) {
            let outcome = command(path);
            expect_failure(&outcome, message);
            errors.insert(outcome.stderr.replace(path, "PATH"));
        }
        assert!(errors.len() == 1 && !self.has_opened_the_secret(), "{errors:?}");
    }
}

#[track_caller]
fn expect_failure(outcome: &Outcome, message: &str) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
}

#[test]
fn a_specification_names_only_files_below_the_data_folder() {
    let stranger = Stranger::new("specification");
    stranger.write("mine/below/data", "data");
    let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    let wrong = digest.replace('2', "3");
    let out = stranger.path("out.ptd");
    let pack = |file: &str, sha256: Option<&str>, args: &[&str]| {
        let mut entry = json!({ "data": { "file": file } });
        if let Some(sha256) = sha256 {
            entry["sha256"] = sha256.into();
        }
        let named = json!([{ "key": "k", "segment_index": 0 }]);
        let spec = json!({ "kind": "ptd", "flat_tensor": { "named_data": named }, "segments": [entry] });
        let spec = stranger.write("mine/spec.json", &spec.to_string());
        run(&[&["pack", &spec, "-f", "-o", &out], args].concat())
    };
    for sha256 in [None, Some(digest), Some(&*wrong)] {
        stranger.expect_refused("is outside the data folder", |path| pack(path, sha256, &[]));
    }
    expect_failure(&pack("absent", None, &[]), "no such file");
    expect_failure(&pack("below/data", None, &["--data-dir", &stranger.path("")]), "no such file");
    for file in ["below/data", "down/data", "../mine/below/data"] {
        assert_eq!(pack(file, None, &[]).code, Some(0), "{file}");
    }
    assert_eq!(pack("../secret.ptd", None, &["--allow-outside"]).code, Some(0));
    // If the option is set, the error may contain the digest of the file.
    expect_failure(&pack("../secret.ptd", Some(&wrong), &["--allow-outside"]), digest);
    assert!(stranger.has_opened_the_secret());
}

#[test]
fn a_schema_includes_only_files_below_its_own_folders() {
    let stranger = Stranger::new("schema");
    let good = stranger.write("mine/good.fbs", "table A {}");
    let gate = |text: &str, args: &[&str]| {
        let schema = stranger.write("mine/including.fbs", text);
        run(&[&["gate", "schema", &good, &schema], args].concat())
    };
    stranger.expect_refused("found no file", |path| gate(&format!("include {path:?}; table A {{}}"), &[]));
    stranger.write("mine/below/b.fbs", "include \"../good.fbs\"; table B {}");
    assert_eq!(gate("include \"up/mine/down/b.fbs\";", &[]).code, Some(0));
    stranger.write("shared.fbs", "table A {}");
    assert_eq!(gate("include \"shared.fbs\";", &["--include", &stranger.path("")]).code, Some(0));

    // An error in an included file must not quote the file.
    for secret in [
        "TOKEN",
        "=TOKEN",
        "table TOKEN TOKEN",
        "-----BEGIN",
        "1234567",
        "\"TOKEN",
        "table A { a: int = TOKEN",
        "table B { b: TOKEN; }",
    ] {
        stranger.write("mine/below/token", secret);
        let outcome = gate("include \"below/token\"; table A {}", &[]);
        expect_failure(&outcome, "below/token:1:");
        assert!(!["TOKEN", "BEGIN", "1234567", "`", "'"].iter().any(|part| outcome.stderr.contains(part)), "{secret}");
    }
}

#[test]
fn settings_name_only_paths_below_their_own_folder() {
    let stranger = Stranger::new("settings");
    let good = stranger.write("mine/good.fbs", "table A {}");
    let schema = stranger.write("mine/including.fbs", "include \"b.fbs\";");
    stranger.write("mine/below/b.fbs", "table A {}");
    let gate = |folder: &str| {
        let settings = stranger.write("mine/torchproof.toml", &format!("[gate]\ninclude = [{folder:?}]\n"));
        run(&["gate", "schema", "--config", &settings, &good, &schema])
    };
    stranger.expect_refused("`include` leads outside", gate);
    assert_eq!(gate("down").code, Some(0));

    let model = stranger.path("mine/model.pte");
    fs::copy(command::real("linear_external.pte"), &model).unwrap();
    let check = |pairs: &str| {
        let settings = stranger.write("mine/torchproof.toml", &format!("[check]\npair-with = {pairs:?}\n"));
        run(&["check", "--config", &settings, &model])
    };
    for pairs in [
        "../secret.ptd",
        "../absent.ptd",
        "../s*.ptd",
        "../z*.ptd",
        "up/*.ptd",
        "link.ptd",
        &stranger.path("secret.ptd"),
    ] {
        expect_failure(&check(pairs), "`pair-with` in torchproof.toml leads outside");
    }
    // The nearest settings file must not be a link to a file elsewhere.
    fs::remove_file(stranger.path("mine/torchproof.toml")).unwrap();
    symlink("../secret.ptd", stranger.path("mine/torchproof.toml")).unwrap();
    let output = command::torchproof(&["check", "model.pte"]).current_dir(stranger.path("mine")).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("torchproof.toml: leads outside"), "{output:?}");
    assert!(!stranger.has_opened_the_secret());
    fs::remove_file(stranger.path("mine/torchproof.toml")).unwrap();
    fs::copy(command::real("linear_external.ptd"), stranger.path("mine/below/data.ptd")).unwrap();
    assert_eq!(check("down/*.ptd").code, Some(0));
}

#[test]
fn a_corpus_has_only_files_below_its_own_folder() {
    let stranger = Stranger::new("corpus");
    let [corpus, archive, results, html] =
        ["mine/corpus", "archive", "r.jsonl", "r.html"].map(|name| stranger.path(name));
    assert_eq!(run(&["corpus", "build", "--output", &corpus]).code, Some(0));
    // The results refer to a corpus whose manifest is a link to the secret.
    assert_eq!(run(&["run", "--corpus", &corpus, "--rule", "eh-length-min", "--results", &results]).code, Some(0));
    symlink("../../secret.ptd", stranger.path("mine/below/manifest.json")).unwrap();
    let named = fs::read_to_string(&results).unwrap().replace(&corpus, &stranger.path("mine/below"));
    expect_failure(&run(&["corpus", "check", "--corpus", &stranger.path("mine/below")]), "leads outside");
    fs::create_dir(stranger.path("sent")).unwrap();
    let results = stranger.write("sent/r.jsonl", &named);
    let outcome = run(&["report", &results, "--report", &format!("html={html}")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);

    let export = || run(&["corpus", "export", "--corpus", &corpus, "--force", "-o", &archive]);
    assert_eq!(export().code, Some(0));
    symlink("../../secret.ptd", stranger.path("mine/corpus/README.md")).unwrap();
    expect_failure(&export(), "leads outside the folder");
    let file = stranger.path("mine/corpus/files/pte/valid/constants.pte");
    fs::remove_file(&file).unwrap();
    symlink("../../../../../secret.ptd", &file).unwrap();
    expect_failure(&run(&["corpus", "check", "--corpus", &corpus]), "leads outside the folder");
    expect_failure(&run(&["run", "--corpus", &corpus, "--results", &results]), "leads outside the folder");
    assert!(!stranger.has_opened_the_secret());
}
