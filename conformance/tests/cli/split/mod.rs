//! `torchproof split` and `merge`: constants that leave a program for a data file, and come back.

testkit::command_in!("split");
mod identity;
mod interrupts;
mod left;
mod others;
mod places;

use std::collections::BTreeSet;
use std::fs;

use command::{file, real, run, scratch};
use torchproof::corpus::Verdict;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::pte::schema::{KernelTypesValue, Tensor, TensorDataLocation};
use torchproof::{cases, view};
use torchproof_oracle::{Schema, verify};

/// Every tensor that has no planned memory, with its bytes wherever they are; none for an input without any.
fn constants<'a>(program: &Pte<'a>, data: Option<&Ptd<'a>>) -> Vec<Option<&'a [u8]>> {
    let plans = program.program().execution_plan().unwrap().unwrap();
    let values = plans.iter().flat_map(|plan| plan.unwrap().values().unwrap().unwrap().iter());
    let tensors = values.filter_map(|value| match value.unwrap().val().unwrap() {
        Some(KernelTypesValue::Tensor(tensor)) if tensor.allocation_info().unwrap().is_none() => Some(tensor),
        _ => None,
    });
    let bytes = |tensor: Tensor<'a>| match tensor.extra_tensor_info().unwrap() {
        Some(extra) if extra.location().unwrap() == TensorDataLocation::EXTERNAL => {
            let key = extra.fully_qualified_name().unwrap().unwrap();
            let bytes = data.and_then(|data| data.tensor_bytes(key.as_bytes()).unwrap());
            Some(bytes.expect("an external tensor is in the data file"))
        }
        _ => program.tensor_bytes(tensor).unwrap(),
    };
    tensors.map(bytes).collect()
}

fn accepted(paths: &[&str]) {
    let outcome = run(&[&["check", "--quiet", "--strict"], paths].concat());
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.stdout, outcome.stderr);
}

fn round_trip(name: &str, bytes: &[u8]) -> bool {
    let names = ["", ".ptd", ".split.pte", ".merged.pte"].map(|ending| format!("{name}{ending}"));
    let [model, data, program, merged] = names.each_ref().map(String::as_str);
    file(model, bytes);
    for name in [data, program, merged] {
        let _ = fs::remove_file(scratch().join(name));
    }
    let split = run(&["split", model, "--data", data, "-o", program]);
    if split.stderr.contains(": has no constant tensors: nothing is moved") {
        assert!(constants(&Pte::open(bytes).unwrap(), None).iter().all(Option::is_none), "{name}");
        assert_eq!((split.code, split.stdout.as_str()), (Some(0), ""), "{name}");
        assert!(!scratch().join(data).exists(), "{name}");
        let small = fs::read(scratch().join(program)).unwrap();
        assert_eq!(view::to_value(&small).unwrap()["program"], view::to_value(bytes).unwrap()["program"], "{name}");
        return false;
    }
    if split.stderr.contains("is of a newer schema") {
        assert!(name.ends_with("unknown-slot"), "{name}: {}", split.stderr);
        assert!(split.stderr.starts_with(&format!("torchproof: {model}: table ")), "{}", split.stderr);
        return false;
    }
    // A note on constants that no tensor has is the only other one.
    let noted = split.stderr.lines().all(|line| line.ends_with(", which no tensor has: left out"));
    assert!(split.code == Some(0) && noted, "{name}: {}", split.stderr);
    let examined = run(&["check", "--quiet", program, "--with", data]);
    assert_eq!(examined.code, Some(0), "{}", examined.stdout);
    let back = run(&["merge", program, "--data", data, "-o", merged]);
    assert_eq!((back.code, back.stderr.as_str()), (Some(0), ""), "{name}");
    assert_eq!(run(&["check", "--quiet", merged]).code, Some(0), "{name}");

    let [data, program, merged] = [data, program, merged].map(|name| fs::read(scratch().join(name)).unwrap());
    let (whole, parted) = (Pte::open(bytes).unwrap(), Pte::open(&program).unwrap());
    let (apart, together) = (Ptd::open(&data).unwrap(), Pte::open(&merged).unwrap());
    for (region, schema) in
        [(parted.region(), Schema::Program), (together.region(), Schema::Program), (apart.region(), Schema::FlatTensor)]
    {
        // The oracle refuses some accepted cases, whoever wrote them.
        let refused = verify(whole.region(), Schema::Program).is_err();
        assert!(refused || verify(region, schema) == Ok(()), "{name}");
    }
    let want = constants(&whole, None);
    assert!(constants(&parted, Some(&apart)) == want, "{name}: split");
    assert!(constants(&together, None) == want, "{name}: merged");
    // What was one is one.
    let distinct = |all: &[Option<&[u8]>]| {
        let places = all.iter().flatten().filter(|bytes| !bytes.is_empty());
        places.map(|bytes| (bytes.as_ptr(), bytes.len())).collect::<BTreeSet<_>>().len()
    };
    assert_eq!(distinct(&constants(&together, None)), distinct(&want), "{name}");
    true
}

#[test]
fn every_real_program_splits_and_merges() {
    let mut moved = 0;
    for entry in fs::read_dir(real("")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with("_external.pte") || !name.ends_with(".pte") {
            continue;
        }
        if round_trip(name, &fs::read(&path).unwrap()) {
            moved += 1;
            accepted(&[&format!("{name}.ptd"), &format!("{name}.split.pte"), &format!("{name}.merged.pte")]);
        }
    }
    assert!(moved >= 4, "{moved}");
}

#[test]
fn every_accepted_case_splits_and_merges() {
    let mut moved = 0;
    for case in cases::all().filter(|case| case.verdict == Verdict::Accept && case.id.starts_with("pte/")) {
        let bytes = case.build().unwrap().bytes;
        let external = view::to_value(&bytes).unwrap().to_string().contains("\"EXTERNAL\"");
        moved += usize::from(!external && round_trip(&case.id.replace('/', "-"), &bytes));
    }
    assert!(moved > 50, "{moved}");
}

#[test]
fn what_the_exporter_put_apart_merges() {
    let data = real("linear_external.ptd");
    let program = real("linear_external.pte");
    let _ = fs::remove_file(scratch().join("whole.pte"));
    let outcome = run(&["merge", program.to_str().unwrap(), "--data", data.to_str().unwrap(), "-o", "whole.pte"]);
    let line = format!("{}: 2 tensors with 2 constants of 144 bytes moved into whole.pte\n", program.display());
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), line.as_str(), ""));
    accepted(&["whole.pte"]);
    let (whole, linear) = (fs::read(scratch().join("whole.pte")).unwrap(), fs::read(real("linear.pte")).unwrap());
    let sizes =
        |bytes| constants(&Pte::open(bytes).unwrap(), None).iter().map(|one| one.map(<[u8]>::len)).collect::<Vec<_>>();
    assert_eq!(sizes(&whole), sizes(&linear));
}

#[test]
fn what_cannot_be_moved_is_said_in_one_line_and_leaves_nothing() {
    let path = |name: &str| real(name).to_str().unwrap().to_owned();
    let (linear, external, data) = (path("linear.pte"), path("linear_external.pte"), path("linear_external.ptd"));
    let (other, mlp) = (path("mlp_external.ptd"), path("mlp_external.pte"));
    file("there.ptd", b"there");
    file("broken.pte", &command::patched("linear.pte", 24, &[1]));
    for (args, message) in [
        (vec!["split", &data, "--data", "no.ptd", "-o", "no.pte"], "linear_external.ptd: is not a program"),
        (
            vec!["split", &linear, "--data", "there.ptd", "-o", "no.pte"],
            "there.ptd: exists already; --force replaces it",
        ),
        (vec!["split", &linear, "--data", "no.ptd", "-o", "nowhere/no.pte"], "nowhere/no.pte: no such file or folder"),
        (
            vec!["split", "broken.pte", "--data", "no.ptd", "-o", "no.pte"],
            "broken.pte: DataSegment: breaks seg-within-data",
        ),
        (vec!["split", "none.pte", "--data", "no.ptd", "-o", "no.pte"], "none.pte: no such file"),
        (vec!["merge", &mlp, "--data", &data, "-o", "no.pte"], "(breaks x-external-found), and"),
        (vec!["merge", &external, "--data", &linear, "-o", "no.pte"], "which is no data file"),
        (vec!["merge", &external, "--data", &other, "-o", "no.pte"], "(breaks x-external-found), and"),
    ] {
        let outcome = run(&args);
        assert!(outcome.stderr.contains(message), "{args:?}: {}", outcome.stderr);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert_eq!(outcome.stderr.matches('\n').count(), 1, "{args:?}");
        assert!(!scratch().join("no.pte").exists() && !scratch().join("no.ptd").exists(), "{args:?}");
    }
    assert_eq!(fs::read(scratch().join("there.ptd")).unwrap(), b"there");
}
