//! Readers that choose a verdict without reading the files.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::exit;

use serde_json::Value;

#[derive(Default)]
pub(super) struct Cheat {
    /// The property that decides the verdict.
    what: String,
    cases: Vec<Value>,
    reads: usize,
    last_inode: u64,
    last_size: Value,
}

impl Cheat {
    /// Reads the behavior `cheat WHAT MANIFEST`.
    pub(super) fn new(behavior: &str) -> Self {
        let Some((what, manifest)) = behavior.strip_prefix("cheat ").and_then(|rest| rest.split_once(' ')) else {
            return Self::default();
        };
        let manifest: Value = serde_json::from_slice(&fs::read(manifest).unwrap_or_default()).unwrap_or_default();
        let cases = manifest["cases"].as_array().cloned().unwrap_or_default();
        Self { what: what.to_owned(), cases, ..Self::default() }
    }

    pub(super) fn decide(&mut self, request: &Value) -> &'static str {
        let files = request["files"].as_array().cloned().unwrap_or_default();
        let (path, size) = (files[0]["path"].as_str().unwrap_or_default(), &files[0]["size"]);
        let metadata = fs::metadata(path).ok();
        let rejected = |case: &Value| case["verdict"] == "reject";
        let known = |is_it: &dyn Fn(&Value) -> bool| self.cases.iter().find(|case| is_it(case)).is_none_or(rejected);
        let rejects = match self.what.as_str() {
            "order" => self.cases.get(self.reads).is_none_or(rejected),
            // Choose the most frequent verdict among cases of the same size.
            "size" => {
                let same: Vec<&Value> = self.cases.iter().filter(|case| case["files"][0]["size"] == *size).collect();
                same.iter().filter(|case| rejected(case)).count() * 2 > same.len()
            }
            "name" => known(&|case| {
                let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                case["files"][0]["sha256"].as_str().is_some_and(|digest| digest.starts_with(stem))
            }),
            "path" => known(&|case| case["id"].as_str().is_some_and(|id| path.contains(id))),
            "time" => metadata.as_ref().is_none_or(|file| (file.mtime() + file.mtime_nsec()) % 2 == 0),
            "want" => request["want"] != "value",
            "proc" => {
                let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
                let open = processes.flat_map(|process| fs::read_dir(process.path().join("fd")).into_iter().flatten());
                let links: Vec<_> = open.flatten().filter_map(|file| fs::read_link(file.path()).ok()).collect();
                known(&|case| {
                    let file = case["files"][0]["path"].as_str().unwrap_or_default();
                    links.iter().any(|link| link.ends_with(file))
                })
            }
            "inode" => metadata.as_ref().is_none_or(|file| file.ino() > self.last_inode),
            "count" => files.len() > 1,
            // Right after a rejection, the runner runs the case's control.
            "previous" => self.last_size != *size,
            _ => exit(71),
        };
        self.reads += 1;
        self.last_inode = metadata.map_or(0, |file| file.ino());
        self.last_size = size.clone();
        match (rejects, self.what.as_str()) {
            (true, _) => "reject data",
            (false, "want") => "value {}",
            (false, _) => "accept",
        }
    }
}
