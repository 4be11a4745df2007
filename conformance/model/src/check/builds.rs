//! How builds of the runtime react to a file.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use torchproof::prediction::{BuildProfile, MethodPrediction, Requirements, SmallPool};
use torchproof::{FileKind, Role};
use torchproof_text::counted;
use torchproof_text::escape::{plain_line, plain_name};

/// A profile with its name for reports.
#[derive(Clone, Debug)]
pub struct NamedBuild {
    /// The name.
    pub name: String,
    /// The profile.
    pub profile: BuildProfile,
}

/// How one build reacts to a file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildResult {
    /// The name or the path of the profile.
    pub build: String,
    /// The prediction for each method, or one prediction for the whole file.
    pub methods: Vec<MethodPrediction>,
}

impl BuildResult {
    /// Returns whether the build certainly does not load the file, or may crash on it.
    pub fn fails(&self) -> bool {
        self.methods.iter().any(MethodPrediction::fails)
    }

    /// Returns one line for each method.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.methods.iter().map(|method| {
            let name = method.method.as_deref().map_or(String::new(), |name| format!(": {}", plain_line(name, 60)));
            format!("{}{name}: {}", plain_name(&self.build), answer(method))
        })
    }
}

/// The maximum number of operator or backend names per line; JSON has no limit.
const NAMED: usize = 8;

fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| plain_line(name, 80)).collect();
    let more = names.len().checked_sub(NAMED + 1).map_or(String::new(), |more| format!(" and {} more", more + 1));
    shown.join(", ") + &more
}

/// Returns the line that names the conditions of the prediction `loads`.
pub fn depends_on(Requirements { operators, backends, devices }: &Requirements) -> String {
    let all = [("backend", backends), ("operator", operators), ("device", devices)];
    let part = |(noun, names): (&str, &BTreeSet<String>)| {
        let plural = if names.len() == 1 { "" } else { "s" };
        (!names.is_empty()).then(|| format!("the {noun}{plural} {}", listed(names)))
    };
    let parts: Vec<String> = all.into_iter().filter_map(part).collect();
    format!("loads only in a build with {}", parts.join("; "))
}

fn answer(method: &MethodPrediction) -> String {
    let text = method.prediction.to_string();
    let Requirements { operators, backends, devices } = &method.missing;
    let all = [
        ("backend", backends, "link them"),
        ("operator", operators, "add them to the selected operators"),
        ("device", devices, "register an allocator for them"),
    ];
    let lacks = |(noun, names, cure): (&str, &BTreeSet<String>, &str)| {
        let (noun, cure) = if names.len() == 1 {
            (noun.to_owned(), cure.replace("them", "it"))
        } else {
            (format!("{noun}s"), cure.to_owned())
        };
        (!names.is_empty()).then(|| format!("; the build lacks the {noun} {}: {cure}", listed(names)))
    };
    let lacking: String = all.into_iter().filter_map(lacks).collect();
    let small = method.small_pools.iter().take(NAMED).map(|SmallPool { pool, planned, bytes, needed }| {
        let name = planned.map_or(format!("the {} pool", pool.name()), |number| format!("planned buffer {number}"));
        format!("; {name} has {}, expected at least {needed}: enlarge it", counted(*bytes, "byte"))
    });
    text + &lacking + &small.collect::<String>()
}

/// The role in which a loader gets the file. For an unknown kind, the file's name decides.
pub(super) fn role_of(path: &Path, kind: FileKind) -> Role {
    match kind {
        FileKind::Ptd | FileKind::PtdLegacy => Role::Data,
        FileKind::Bpte => Role::Bundled,
        FileKind::Unknown => match path.extension().and_then(|extension| extension.to_str()) {
            Some("ptd") => Role::Data,
            Some("bpte" | "bp") => Role::Bundled,
            _ => Role::Program,
        },
        _ => Role::Program,
    }
}
