//! Tests round trips through `dump` and `pack`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use torchproof::Role;
use torchproof::corpus::{self, Verdict};
use torchproof_cli::document::pack::PackOptions;
use torchproof_harness::run::compare::first_difference;

use super::{all_real, folder, pack_bytes, run, run_with, scratch, with_data};

#[test]
fn dump_and_pack_restore_every_real_file() {
    let folder = folder("real");
    for path in all_real() {
        let path = path.to_str().unwrap();
        let name = Path::new(path).file_name().unwrap().to_str().unwrap();
        let data = folder.join(format!("{name}.data"));
        let dumped = run(&["dump", "--with-data", data.to_str().unwrap(), path]);
        assert_eq!((dumped.code, dumped.stderr.as_str()), (Some(0), ""), "{name}");
        let target = folder.join(name);
        let args = ["pack", "-", "--data-dir", folder.to_str().unwrap(), "-o", target.to_str().unwrap()];
        let packed = run_with(&args, dumped.stdout.as_bytes());
        assert_eq!((packed.code, packed.stdout.as_str(), packed.stderr.as_str()), (Some(0), "", ""), "{name}");
        assert_eq!(run(&["dump", target.to_str().unwrap()]).stdout, run(&["dump", path]).stdout, "{name}");
        // `pack` must write the same bytes as the newest official writer.
        if name.ends_with(".pte") && !name.contains("_v") {
            assert!(fs::read(&target).unwrap() == fs::read(path).unwrap(), "{name} is not the same bytes");
        }
    }
}

#[test]
fn dump_and_pack_restore_bundled_programs() {
    folder("bundled");
    let mut count = 0;
    for case in corpus::all().filter(|case| case.role() == Role::Bundled && case.verdict == Verdict::Accept) {
        let (bundle, name) = (case.build().bytes, format!("bundled/{}", case.id.replace('/', "-")));
        fs::write(scratch().join(format!("{name}.bpte")), &bundle).unwrap();
        let dumped = run(&["dump", "--with-data", &format!("{name}-parts"), &format!("{name}.bpte")]);
        assert_eq!(dumped.code, Some(0), "{}", dumped.stderr);
        let mut spec = dumped.stdout;
        let mut before = None;
        for turn in 0..2 {
            let target = format!("{name}-{turn}.bpte");
            let packed = run_with(&["pack", "-", "-o", &target], spec.as_bytes());
            assert_eq!((packed.code, packed.stderr.as_str()), (Some(0), ""), "{}", case.id);
            let again = fs::read(scratch().join(&target)).unwrap();
            assert_eq!(with_data(&again), with_data(&bundle), "{}", case.id);
            assert_eq!(*before.get_or_insert_with(|| again.clone()), again, "{}", case.id);
            let quiet = run(&["check", "--quiet", "--deny-should", &target]);
            assert_eq!(quiet.stdout, format!("{target}: accept\n"), "{}", case.id);
            let dumped = run(&["dump", "--with-data", &format!("{name}-{turn}-parts"), &target]);
            assert_eq!((dumped.code, dumped.stderr.as_str()), (Some(0), ""), "{}", case.id);
            spec = dumped.stdout;
        }
        count += 1;
    }
    assert!(count >= 5, "{count} bundled programs");
}

fn expect_round_trip(spec: &Value) -> Result<(), String> {
    let bytes = pack_bytes(spec, &PackOptions::new(Path::new("")))?;
    let have = with_data(&bytes).ok_or("the result has no dump")?;
    first_difference(spec, &have).map_or(Ok(()), |difference| Err(format!("{difference:?}")))
}

#[test]
fn dump_and_pack_restore_every_acceptable_case() {
    let mut count = 0;
    let mut failed = Vec::new();
    let may_be = |verdict: Verdict| matches!(verdict, Verdict::Accept | Verdict::Either);
    for case in corpus::all().filter(|case| may_be(case.verdict)) {
        // Readers may also reject a case that exceeds one of `dump`'s limits.
        let Some(spec) = with_data(&case.build().bytes) else {
            assert_eq!(case.verdict, Verdict::Either, "{}", case.id);
            continue;
        };
        count += 1;
        if let Err(why) = expect_round_trip(&spec) {
            failed.push((case.id, why));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(count > 150, "{count} round trips");
}
