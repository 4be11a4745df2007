//! Runs campaigns of `torchproof hunt`. Each campaign has its own folder.

use std::fs;
use std::path::Path;

use serde_json::Value;

use command::run;

testkit::command_in!("hunt");
mod campaigns;
mod interrupted;
mod kept;

fn hunt(name: &str, args: &[&str]) -> (Option<i32>, Value) {
    let fixed = ["hunt", "--output", name, "--time", "10m", "--format", "json"];
    let outcome = run(&[&fixed[..], args].concat());
    let report = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"));
    testkit::schema::expect_valid(&testkit::schema::schema("hunt.schema.json"), &report);
    (outcome.code, report)
}

fn clusters(report: &Value) -> Vec<Value> {
    report["clusters"].as_array().unwrap().clone()
}

fn file(folder: &Path, cluster: &Value, name: &str) -> Vec<u8> {
    fs::read(folder.join("clusters").join(cluster["id"].as_str().unwrap()).join(name)).unwrap()
}
