//! Checks that `public-items.txt` lists all public items of the `torchproof` package with all features.
//!
//! If `TRYCMD=overwrite` is set, the test updates the list. Methods, fields and variants are not listed.

use std::collections::BTreeSet;
use std::process::Command;
use std::{env, fs};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::need::{Need, trials};

/// The test builds the documentation again, so it exists only for `.ci/nightly` and `.ci/regenerate`.
pub(crate) fn trials() -> Vec<Trial> {
    if ["TORCHPROOF_EXAMPLES", "TRYCMD"].iter().all(|name| env::var_os(name).is_none()) {
        return Vec::new();
    }
    trials!([Need::RustdocJson]; the_public_items_match_the_list)
}

/// Each compiler writes only one version of rustdoc JSON.
pub(crate) const FORMAT_VERSION: u64 = 57;

fn the_public_items_match_the_list() {
    let documented = rustdoc_json().unwrap();
    let root = documented["root"].as_u64().unwrap();
    let mut items = BTreeSet::new();
    list(&documented["index"], root, "torchproof", &mut items);
    let found = items.into_iter().map(|item| item + "\n").collect::<String>();
    testkit::expect_file(&testkit::repository().join("public-items.txt"), &found);
}

/// A stable compiler writes rustdoc JSON only if `RUSTC_BOOTSTRAP` is set.
pub(crate) fn rustdoc_json() -> Result<Value, String> {
    let target = testkit::target().join("public-items");
    let mut rustdoc = Command::new(env!("CARGO"));
    rustdoc.args(["rustdoc", "--quiet", "--package", "torchproof", "--lib", "--all-features", "--target-dir"]);
    rustdoc.arg(&target).args(["--", "-Zunstable-options", "--output-format=json"]).env("RUSTC_BOOTSTRAP", "1");
    let output = rustdoc.current_dir(testkit::repository()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let json = fs::read(target.join("doc/torchproof.json")).map_err(|error| error.to_string())?;
    let documented: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    match documented["format_version"].as_u64() {
        Some(FORMAT_VERSION) => Ok(documented),
        other => Err(format!("expected version {FORMAT_VERSION} of rustdoc's JSON, found {other:?}")),
    }
}

/// Includes the items of an enum or a module that the module re-exports with `*`.
fn list(index: &Value, module: u64, path: &str, items: &mut BTreeSet<String>) {
    for id in index[module.to_string()]["inner"]["module"]["items"].as_array().into_iter().flatten() {
        let item = &index[id.to_string()];
        if item["visibility"] != "public" {
            continue;
        }
        let inner = item["inner"].as_object().unwrap();
        let (kind, inner) = inner.iter().next().unwrap();
        let (id, name) = match (kind.as_str(), inner["is_glob"].as_bool()) {
            ("use", Some(true)) => {
                list(index, inner["id"].as_u64().unwrap(), path, items);
                continue;
            }
            ("use", _) => (&inner["id"], &inner["name"]),
            _ => (id, &item["name"]),
        };
        let path = format!("{path}::{}", name.as_str().unwrap());
        let target = &index[id.to_string()]["inner"];
        let kind = target.as_object().and_then(|inner| inner.keys().next()).map_or("use", String::as_str);
        items.insert(format!("{kind} {path}"));
        if kind == "module" {
            list(index, id.as_u64().unwrap(), &path, items);
        }
    }
}
