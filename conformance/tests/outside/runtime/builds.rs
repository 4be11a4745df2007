//! Compares the predictions for builds with a runtime that lacks one of a file's operators or backends.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use torchproof::prediction::{BuildProfile, LoadedFile, Prediction, Requirements};
use torchproof::pte::Pte;
use torchproof::{FileBytes, Role};

use super::observe::Runtime;
use super::samples::{self, Sample};
use super::{APPLICATION, Comparison, UNSEEN, official_files, seeds};
use crate::{built, need};

/// All pairs of an official program that keeps tensors in data files and an official data file.
fn official_pairs() -> impl Iterator<Item = Sample> {
    let (data, programs): (Vec<_>, Vec<_>) = official_files().into_iter().partition(|(role, _)| *role == Role::Data);
    let is_external = |(_, bytes): &(Role, Vec<u8>)| torchproof::check(bytes).unresolved > 0;
    let programs = programs.into_iter().filter(is_external).collect::<Vec<_>>();
    programs.into_iter().flat_map(move |program| {
        data.iter().map(|data| Sample::of(vec![program.clone(), data.clone()])).collect::<Vec<_>>()
    })
}

fn needed(sample: &Sample) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut all = BTreeMap::from([("operator", BTreeSet::new()), ("backend", BTreeSet::new())]);
    let methods = Pte::open(&sample.files[0].1).into_iter().flat_map(|program| program.methods().collect::<Vec<_>>());
    for Requirements { operators, backends, .. } in methods.flatten().map(Requirements::of) {
        all.get_mut("operator").unwrap().extend(operators);
        all.get_mut("backend").unwrap().extend(backends);
    }
    all
}

/// The adapter stops at the first method that does not load.
fn predicted(build: &BuildProfile, sample: &Sample) -> Prediction {
    let (report, data) = samples::checked(&sample.files);
    let (role, bytes) = &sample.files[0];
    let file = LoadedFile { file_bytes: FileBytes::whole(bytes), role: *role, report: &report, data: &data };
    let mut methods = build.predict(&file).into_iter().map(|method| method.prediction);
    methods.find(|prediction| *prediction != Prediction::Loads).unwrap_or(Prediction::Loads)
}

/// Each program that has data files: once by itself and once with the data files of the next program.
fn with_other_data(files: &[Sample]) -> impl Iterator<Item = Sample> {
    let with_data: Vec<&Sample> = files.iter().filter(|sample| sample.files.len() > 1).collect();
    let others: Vec<&Sample> = with_data.iter().copied().cycle().skip(1).take(with_data.len()).collect();
    let swapped = with_data.into_iter().zip(others).flat_map(|(sample, other)| {
        let (program, data) = (sample.files[0].clone(), other.files[1..].iter().cloned());
        [Sample::of(vec![program.clone()]), Sample::of(std::iter::once(program).chain(data).collect())]
    });
    swapped.filter(|sample| sample.is_checked).collect::<Vec<_>>().into_iter()
}

/// Removes each operator and each backend of each file in turn, and removes or swaps the data files. Skips names that
/// the adapter cannot replace with a stub: empty names, and names of 100 bytes or more.
pub(super) fn predictions_of_builds_match_the_runtime() {
    let official = official_files().into_iter().map(|file| Sample::of(vec![file])).chain(official_pairs());
    let cases = samples::cases().map(|group| group.base);
    let generated = samples::swarm_files(UNSEEN, seeds() * 5).map(|group| group.base);
    let files: Vec<Sample> = official.chain(cases).chain(generated).filter(|sample| sample.is_checked).collect();
    let needs: Vec<_> = files.iter().map(needed).collect();
    let mut lacking: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, needed) in needs.iter().enumerate() {
        for name in
            needed.values().flatten().filter(|name| (1..100).contains(&name.len()) && !name.contains(['\0', '\'']))
        {
            lacking.entry(name).or_default().push(index);
        }
    }
    let mut all = Comparison::default();
    for (name, users) in lacking {
        let options = format!("--verification minimal {APPLICATION} --hide '{name}'");
        let mut runtime = Runtime::open(&built::address(&need::reader(built::RUNTIME), &options), "builds");
        runtime.hides = true;
        for index in users {
            let mut build = BuildProfile::new("executorch:1.5.1".parse().unwrap());
            let present = |kind| needs[index][kind].iter().filter(|present| *present != name).cloned().collect();
            (build.operators, build.backends) = (present("operator"), present("backend"));
            if let Some(observed) = runtime.observe(&files[index]) {
                all.add(&predicted(&build, &files[index]), observed);
            }
        }
    }
    let options = format!("--verification minimal {APPLICATION}");
    let mut runtime = Runtime::open(&built::address(&need::reader(built::RUNTIME), &options), "builds");
    for sample in with_other_data(&files) {
        let mut build = BuildProfile::new("executorch:1.5.1".parse().unwrap());
        let mut needed = needed(&sample);
        (build.operators, build.backends) = (needed.remove("operator").unwrap(), needed.remove("backend").unwrap());
        if let Some(observed) = runtime.observe(&sample) {
            all.add(&predicted(&build, &sample), observed);
        }
    }
    let Comparison { files, unknown, undefined, right, different } = all;
    let definite = files - unknown - undefined;
    println!(
        "{files} builds, {definite} definite ({right} right), {undefined} undefined, {unknown} unknown; {different:#?}"
    );
    assert!(files > 100 && right * 1000 >= definite * 995 && unknown * 100 <= files * 3);
}

/// The header must print what the adapter reports, because both read the registry of the same library.
pub(super) fn the_header_prints_the_profile_of_its_build() {
    let worker = need::reader(built::RUNTIME);
    let root = worker.with_file_name("wheel").join("executorch");
    let folder = testkit::scratch("build-profile");
    let source = "#include \"build_profile.hpp\"\nint main() { torchproof::print_build_profile(stdout, \"executorch:1.5.1\"); }\n";
    std::fs::write(folder.join("main.cpp"), source).unwrap();
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-DC10_USING_CUSTOM_GENERATED_MACROS", "-isystem"]);
    compiler.arg(root.join("include")).arg("-isystem");
    compiler.arg(root.join("include/executorch/runtime/core/portable_type/c10"));
    compiler.arg("-I").arg(testkit::repository().join("packaging/build-profile")).arg(folder.join("main.cpp"));
    compiler.arg("-L").arg(root.join("lib")).args(["-lexecutorch", "-o"]).arg(folder.join("print"));
    assert!(compiler.status().unwrap().success());
    let output = Command::new(folder.join("print")).env("LD_LIBRARY_PATH", root.join("lib")).output().unwrap();
    let printed = BuildProfile::from_json(std::str::from_utf8(&output.stdout).unwrap()).unwrap();
    let hello = built::open(&built::address(&worker, "--verification minimal")).hello().unwrap();
    let registry = hello.registry.unwrap();
    assert!(printed.operators.contains("executorch_prim::et_view.default"), "{printed:?}");
    assert_eq!(printed.operators.into_iter().collect::<Vec<_>>(), registry.operators);
    assert_eq!(printed.backends.into_iter().collect::<Vec<_>>(), registry.backends);
}
