//! The predictions of `check --runtime` and `check --build`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;

use serde::Serialize;
use torchproof::prediction::{BuildProfile, MethodPrediction, Requirements, SmallPool};
use torchproof::{FileKind, Role};
use torchproof_harness::disk::io_error::cannot_read;
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::disk::open::{open_argument, text_up_to};
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain_line, plain_name};

use crate::settings::{ProjectSettings, SETTINGS_FILE};

/// A profile, with the name that reports give it.
#[derive(Clone, Debug)]
pub(crate) struct NamedBuild {
    pub(crate) name: String,
    pub(crate) profile: BuildProfile,
}

/// The name of a built-in profile begins with this text.
const WHEEL: &str = "wheel:";

/// Reads the argument of `--build`.
pub(crate) fn build_profile(argument: &str) -> Result<NamedBuild, String> {
    named_build(argument, open_argument)
}

/// Reads the profiles that the settings name. Someone else may have written these, so they name files in their own folder only.
pub(crate) fn builds_of(settings: &ProjectSettings) -> Result<Vec<NamedBuild>, String> {
    let read = |name: &String| {
        let open = |path: &Path| OwnFolder::new(settings.folder())?.open(path);
        named_build(name, open).map_err(|error| format!("{SETTINGS_FILE}: [build]: {error}"))
    };
    settings.build.profiles.iter().map(read).collect()
}

/// The names of the built-in profiles, such as `wheel:1.4.1`, and the profiles.
pub(crate) fn wheels() -> impl Iterator<Item = (String, BuildProfile)> {
    let version = |build: &BuildProfile| Some(build.runtime.to_string().split_once(':')?.1.to_owned());
    BuildProfile::wheels().filter_map(move |build| Some((format!("{WHEEL}{}", version(&build)?), build)))
}

fn named_build(name: &str, open: impl Fn(&Path) -> io::Result<File>) -> Result<NamedBuild, String> {
    let profile = if name.starts_with(WHEEL) {
        let found = wheels().find(|(known, _)| known == name).map(|(_, profile)| profile);
        found.ok_or_else(|| {
            let known: Vec<String> = wheels().map(|(known, _)| known).collect();
            format!("found an unknown wheel, expected one of {}, or a file", known.join(", "))
        })?
    } else {
        let path = Path::new(name);
        let text = open(path).and_then(|file| text_up_to(file, MAX_PROFILE));
        let text = text.map_err(|error| cannot_read(path, &error))?;
        BuildProfile::from_json(&text).map_err(|error| plain_line(&error.to_string(), usize::MAX))?
    };
    Ok(NamedBuild { name: name.to_owned(), profile })
}

/// The largest profile in bytes.
const MAX_PROFILE: u64 = 4 << 20;

/// What one build answers to a file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct BuildResult {
    /// The name or the path of the profile.
    pub(crate) build: String,
    /// The prediction for each method, or one prediction for the whole file.
    pub(crate) methods: Vec<MethodPrediction>,
}

impl BuildResult {
    /// The build certainly does not load the file, or may crash on it.
    pub(crate) fn fails(&self) -> bool {
        self.methods.iter().any(MethodPrediction::fails)
    }

    /// Returns one line for each method.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.methods.iter().map(|method| {
            let name = method.method.as_deref().map_or(String::new(), |name| format!(": {}", plain_line(name, 60)));
            format!("{}{name}: {}", plain_name(&self.build), answer(method))
        })
    }
}

/// The most names of operators or backends in a line; JSON has all.
const NAMED: usize = 8;

fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| plain_line(name, 80)).collect();
    let more = names.len().checked_sub(NAMED + 1).map_or(String::new(), |more| format!(" and {} more", more + 1));
    shown.join(", ") + &more
}

/// Returns the line that names what the prediction `loads` depends on.
pub(crate) fn depends_on(Requirements { operators, backends, devices }: &Requirements) -> String {
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

/// The role in which a loader gets the file. If its kind is unknown, the name tells the role.
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
