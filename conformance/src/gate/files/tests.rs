use std::fs;

use torchproof::corpus;

use super::area::Area;
use super::compare::differences;
use super::facts::{Fact, FactMap, Facts};
use super::{FileDifference, compare};
use crate::gate::Comparison;

fn cases(old: &str, new: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths = [old, new].map(|id| {
        let path = folder.path().join(id.replace('/', "-"));
        fs::write(&path, corpus::find(id).unwrap().build().bytes).unwrap();
        path
    });
    compare(&paths[0], &paths[1]).unwrap().text(true)
}

#[test]
fn differences_state_what_a_reader_notices() {
    let mut report = String::new();
    for (old, new) in [
        ("pte/valid/two-methods", "pte/valid/constants"),
        ("pte/valid/constants", "pte/valid/two-inputs"),
        ("pte/valid/constant-buffer", "pte/valid/segment-delegate"),
        ("pte/valid/segment-delegate", "pte/valid/named-data"),
        ("pte/valid/named-data", "ptd/valid/tensors"),
        ("ptd/valid/tensors", "ptd-legacy/valid/tensors"),
        ("pte/valid/constants", "bpte/valid/one-case"),
    ] {
        report += &format!("# {old}, {new}\n{}\n", cases(old, new));
        let same = cases(old, old);
        assert_eq!(same, "note: compared 1 file\nno differences\n", "{old}");
    }
    insta::assert_snapshot!(report);
}

#[test]
fn a_folder_reports_files_that_cannot_be_compared() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let good = corpus::find("pte/valid/constants").unwrap().build().bytes;
    for (folder, name, bytes) in [
        (&old, "same.pte", &good[..]),
        (&new, "same.pte", &good),
        (&old, "gone.pte", &good),
        (&new, "new\u{202e}.pte", &good),
        (&old, "broken.pte", &good),
        (&new, "broken.pte", &good[..20]),
        (&new, "notes.txt", b"no model"),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let comparison = compare(old.path(), new.path()).unwrap();
    assert!(comparison.breaking && comparison.not_compared() == 1 && comparison.compared == 1);
    let names: Vec<_> = comparison.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["broken.pte", "gone.pte", "new\u{202e}.pte"]);
    let text = comparison.text(true);
    assert!(!text.contains('\u{202e}') && text.contains("not compared: broken.pte: /"), "{text}");
    assert!(text.ends_with("3 differences: 1 breaking, 1 not compared, 1 safe\n"), "{text}");
    assert!(compare(old.path(), &new.path().join("same.pte")).is_err());
    assert!(compare(&old.path().join("none"), new.path()).is_err());
}

/// A file whose methods have one operator and one external tensor.
fn facts(alignment: u64, methods: &[&str]) -> Facts {
    let fact = |number: u64| Fact { text: number.to_string(), number: Some(number) };
    let file = FactMap([((Area::Alignment, "segment alignment".to_owned()), fact(alignment))].into());
    let method = |name: &&str| {
        let facts = [
            ((Area::Operator, "op".to_owned()), fact(1)),
            ((Area::Memory, "buffer 1".to_owned()), fact(16)),
            ((Area::External, "weight".to_owned()), fact(1)),
        ];
        (name.to_string(), FactMap(facts.into()))
    };
    Facts { file, methods: methods.iter().map(method).collect() }
}

#[test]
fn only_an_alignment_below_16_is_breaking() {
    for (old, new, breaking) in [(512, 128, false), (128, 16, false), (16, 8, true), (8, 4, true), (4, 8, false)] {
        let (found, _) = differences(Some(&facts(old, &[])), Some(&facts(new, &[])));
        let [FileDifference { area: Area::Alignment, breaking: found, noticed, .. }] = found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(found, breaking, "{old} {new}");
        let keeps_16 = noticed == "a reader that maps the segments needs only a multiple of 16";
        assert_eq!(keeps_16, new >= 16, "{old} {new}: {noticed}");
    }
}

#[test]
fn an_added_method_is_one_safe_difference() {
    let (one, two) = (facts(16, &["forward"]), facts(16, &["decode", "forward"]));
    let rows = |old, new| -> Vec<_> {
        let (found, _) = differences(Some(old), Some(new));
        found.into_iter().map(|found| (found.area, found.name, found.breaking)).collect()
    };
    assert_eq!(rows(&one, &two), [(Area::Method, "decode".to_owned(), false)]);
    assert_eq!(rows(&two, &one), [(Area::Method, "decode".to_owned(), true)]);
}

#[test]
fn an_external_tensor_of_two_methods_is_one_difference() {
    let old = facts(16, &["decode", "forward"]);
    let mut new = facts(16, &["decode", "forward"]);
    for facts in new.methods.values_mut() {
        facts.0.insert((Area::External, "weight".to_owned()), "FLOAT [4]".into());
    }
    assert_eq!(differences(Some(&old), Some(&new)).0.len(), 1);
}

#[test]
fn too_many_differences_begin_with_the_breaking_ones() {
    let (old, mut new) = (facts(16, &["forward"]), facts(16, &["forward"]));
    for number in 0..20_000 {
        // A new key breaks nothing, but a new operator does.
        new.file.0.insert((Area::NamedData, number.to_string()), "1 byte".into());
    }
    new.methods.values_mut().for_each(|facts| _ = facts.0.insert((Area::Operator, "new".to_owned()), "1 call".into()));
    let (found, omitted) = differences(Some(&old), Some(&new));
    assert_eq!((found.len(), omitted, found.iter().filter(|found| found.breaking).count()), (10_000, 10_001, 1));
}
