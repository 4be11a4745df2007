use std::fs;

use torchproof::corpus;

use super::compare;
use crate::gate::Comparison;

/// Compares the files of two cases.
fn cases(old: &str, new: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths = [old, new].map(|id| {
        let path = folder.path().join(id.replace('/', "-"));
        fs::write(&path, corpus::find(id).unwrap().build().bytes).unwrap();
        path
    });
    compare(&paths[0], &paths[1]).unwrap().text()
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
        assert_eq!(same, "no differences\n", "{old}");
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
    assert!(comparison.breaking && comparison.not_compared() == 1);
    let names: Vec<_> = comparison.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["broken.pte", "gone.pte", "new\u{202e}.pte"]);
    let text = comparison.text();
    assert!(!text.contains('\u{202e}') && text.contains("not compared: broken.pte: file: "), "{text}");
    assert!(text.ends_with("3 differences: 1 breaking, 1 not compared, 1 safe\n"), "{text}");
    assert!(compare(old.path(), &new.path().join("same.pte")).is_err());
    assert!(compare(&old.path().join("none"), new.path()).is_err());
}
