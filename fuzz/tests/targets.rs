//! Tests that each fuzz target has everything that fuzzers, OSS-Fuzz and readers of the documentation need.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn stems(path: &str, extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder().join(path)).expect("the folder can be listed");
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    let stem = |path: PathBuf| path.file_stem().expect("a file").to_string_lossy().into_owned();
    paths.filter(|path| path.extension().is_some_and(|own| own == extension)).map(stem).collect()
}

#[test]
fn each_target_is_declared_documented_and_run() {
    let targets = stems("fuzz_targets", "rs");
    assert!(targets.len() >= 14, "{targets:?}");
    let [manifest, guide, nightly, library, smoke] =
        ["Cargo.toml", "README.md", "../.ci/nightly", "src/lib.rs", "src/smoke.rs"].map(text);
    for target in &targets {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "Cargo.toml lacks {target}");
        assert!(guide.contains(&format!("| `{target}` |")), "README.md lacks {target}");
        assert!(nightly.contains(&format!("fuzz_target {target} ")), "the step `fuzz` of .ci/nightly lacks {target}");
        let source = text(&format!("fuzz_targets/{target}.rs"));
        // The C interface exports symbols that change how libFuzzer runs, so only its own target may contain it.
        if source.contains("#[path = ") {
            continue;
        }
        assert!(library.contains(&format!("pub mod {target};")), "src/lib.rs lacks {target}");
        assert!(smoke.contains(&format!("\n    {target}: ")), "the table of src/smoke.rs lacks {target}");
        let calls = ["", ", mutator"].map(|mutator| format!("torchproof_fuzz::target!({target}{mutator});"));
        assert!(calls.iter().any(|call| source.contains(call)), "{target} runs another contract");
    }
}

#[test]
fn each_target_has_options_with_an_existing_dictionary() {
    let targets = stems("fuzz_targets", "rs");
    assert_eq!(stems("oss-fuzz", "options"), targets);
    let mut used = BTreeSet::new();
    for target in &targets {
        let options = text(&format!("oss-fuzz/{target}.options"));
        assert!(options.starts_with("[libfuzzer]\n"), "{target}");
        for (name, value) in options.lines().skip(1).map(|line| line.split_once(" = ").expect("name = value")) {
            match name {
                "dict" => {
                    let own = Path::new("dict").join(value);
                    let found = [&own, &Path::new("../corpus").join(&own)].map(|path| folder().join(path).is_file());
                    assert!(found[0] != found[1], "{target}: expected one dictionary {value}");
                    used.insert(value.trim_end_matches(".dict").to_owned());
                }
                "max_len" | "len_control" | "timeout" | "rss_limit_mb" => drop(value.parse::<u32>().expect("a number")),
                _ => panic!("{target}: unknown option {name}"),
            }
        }
    }
    let dictionaries: BTreeSet<String> =
        stems("dict", "dict").into_iter().chain(stems("../corpus/dict", "dict")).collect();
    assert_eq!(used, dictionaries);
}

#[test]
fn each_target_of_files_uses_the_mutator() {
    for target in stems("fuzz_targets", "rs") {
        let options = text(&format!("oss-fuzz/{target}.options"));
        let is_of_files = ["pte", "ptd", "bpte"].iter().any(|kind| options.contains(&format!("dict = {kind}.dict\n")));
        let source = text(&format!("fuzz_targets/{target}.rs"));
        let uses_mutator = [", mutator)", "mutator/c/src/lib.rs"].iter().any(|name| source.contains(name));
        assert_eq!(uses_mutator, is_of_files, "{target}");
    }
}

/// A fuzzer rejects a dictionary with a malformed line.
#[test]
fn each_word_of_a_dictionary_is_quoted() {
    for name in stems("dict", "dict") {
        for line in text(&format!("dict/{name}.dict")).lines().filter(|line| !line.starts_with('#')) {
            let word = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|word| !word.is_empty());
            let word = word.unwrap_or_else(|| panic!("{name}: {line}"));
            let word = word.replace("\\\\", "").replace("\\\"", "");
            let escapes = word.match_indices('\\').map(|(at, _)| word[at + 1..].get(..3));
            let valid =
                |escape: Option<&str>| escape.is_some_and(|digits| u8::from_str_radix(&digits[1..], 16).is_ok());
            assert!(!word.contains('"') && escapes.into_iter().all(valid), "{name}: {line}");
        }
    }
}

#[test]
fn each_folder_with_seeds_belongs_to_a_target() {
    let entries = fs::read_dir(folder().join("seeds")).expect("the folder can be listed");
    for entry in entries.map(|entry| entry.expect("the folder can be listed")) {
        let name = entry.file_name().into_string().expect("UTF-8");
        assert!(stems("fuzz_targets", "rs").contains(&name), "seeds/{name} has no target");
        let count = fs::read_dir(entry.path()).expect("the folder can be listed").count();
        assert!(count >= 4, "seeds/{name} has {count} files");
    }
}

#[test]
fn the_integrations_build_with_the_same_script() {
    assert!(text("../.clusterfuzzlite/build.sh").contains("exec \"$SRC/torchproof/fuzz/oss-fuzz/build.sh\""));
    for path in ["oss-fuzz/project.yaml", "../.clusterfuzzlite/project.yaml"] {
        assert!(text(path).lines().any(|line| line == "language: rust"), "{path}");
    }
    for path in ["oss-fuzz/Dockerfile", "../.clusterfuzzlite/Dockerfile"] {
        let file = text(path);
        assert!(file.contains("FROM gcr.io/oss-fuzz-base/base-builder-rust\n"), "{path}");
        assert!(file.contains("WORKDIR $SRC/torchproof\n") && file.contains("build.sh $SRC/"), "{path}");
    }
    // OSS-Fuzz rejects such files without this address.
    for path in ["oss-fuzz/Dockerfile", "oss-fuzz/build.sh", "oss-fuzz/project.yaml"] {
        assert!(text(path).contains("http://www.apache.org/licenses/LICENSE-2.0\n"), "{path} has no license");
    }
    let toolchain =
        |path| text(path).lines().filter(|line| line.contains("RUSTUP_TOOLCHAIN")).collect::<Vec<_>>().join("\n");
    assert!(toolchain("oss-fuzz/Dockerfile").contains("ENV RUSTUP_TOOLCHAIN=nightly-"));
    assert_eq!(toolchain("oss-fuzz/Dockerfile"), toolchain("../.clusterfuzzlite/Dockerfile"));
    for script in ["oss-fuzz/build.sh", "../.clusterfuzzlite/build.sh", "build"] {
        let checked = Command::new("bash").arg("-n").arg(folder().join(script)).output().expect("bash starts");
        assert!(checked.status.success() && checked.stderr.is_empty(), "{script}: {checked:?}");
    }
    let workflow = text("../.github/workflows/fuzz.yml");
    for mode in ["code-change", "batch", "prune"] {
        assert!(workflow.contains(mode), "the workflow lacks the mode {mode}");
    }
}
