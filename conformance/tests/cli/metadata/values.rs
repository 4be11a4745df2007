//! Tests the values that `meta set` writes and that `meta get` and `meta list` read. `meta.md` has the sessions.

use std::fs;

use serde_json::Value;
use testkit::schema::{expect_valid, schema};

use super::command::{real, run, scratch};
use super::{case, copy};

#[test]
fn get_prints_the_value_that_set_stored() {
    for path in [real("linear.pte"), real("mlp_external.ptd")] {
        let name = copy(&path, "types");
        for (ty, value) in [
            ("string", "Grüße\n"),
            ("int", "-9223372036854775808"),
            ("float", "-0.1"),
            ("bytes", "00ff10"),
            ("int-list", "[1, -2, 3]"),
            ("int-list", "[]"),
        ] {
            for encoding in ["untagged", "tagged", "strict"] {
                let what = format!("{name}: {ty} {encoding}");
                let declared = ["--type", ty, "--encoding", encoding];
                let set = run(&[&["meta", "set", &name, "example.value", value][..], &declared].concat());
                if (ty, encoding) == ("int-list", "untagged") {
                    assert_eq!(set.code, Some(2), "{what}");
                    continue;
                }
                assert_eq!(set.code, Some(0), "{what}");
                let got = run(&[&["meta", "get", &name, "example.value"][..], &declared].concat());
                assert_eq!((got.code, got.stdout.trim_end()), (Some(0), value.trim_end()), "{what}");
                let inferred = run(&["meta", "get", &name, "example.value"]);
                assert_eq!(inferred.code, Some(0), "{what}");
                let of_type = run(&["meta", "get", &name, "example.value", "--type", ty]);
                assert_eq!((of_type.code, of_type.stdout.trim_end()), (Some(0), value.trim_end()), "{what}");
            }
        }
    }
}

#[test]
fn json_conforms_to_its_schema() {
    let schema = schema("meta.schema.json");
    // JSON output omits values of more than 64 KiB.
    let long = copy(&real("add.pte"), "long");
    fs::write(scratch().join("text"), "a".repeat((1 << 16) + 1)).unwrap();
    assert_eq!(run(&["meta", "set", &long, "example.text", "@text"]).code, Some(0));
    let mut listed = 0;
    for folder in ["pte/metadata", "ptd/metadata", "ptd-legacy/metadata", "long"] {
        let place = if folder == "long" { scratch().join(folder) } else { case(folder) };
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            for encoding in [&[][..], &["--encoding", "strict"]] {
                let args = [&["meta", "list", "--format", "json", path.to_str().unwrap()][..], encoding].concat();
                let outcome = run(&args);
                assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
                let value: Value = serde_json::from_str(&outcome.stdout).unwrap();
                expect_valid(&schema, &value);
                assert!(!value["metadata"].as_array().unwrap().is_empty(), "{path:?}");
                listed += 1;
            }
        }
    }
    assert!(listed > 10);
}
