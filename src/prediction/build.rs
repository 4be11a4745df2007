//! Predictions for one build of the runtime: a release, and what is compiled into the program that uses it.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use serde::{Deserialize, Serialize};

use super::errors::error_name;
use super::keys::{LoadPlace, MISSING_BACKEND, MISSING_OPERATOR, Part, SMALL_POOL, XNNPACK_WITHOUT_DATA, in_order};
use super::pools::{PoolSizes, SmallPool};
use super::{
    Abi, ArenaSetup, EffectTable, FileKey, LoadedFile, Prediction, Release, Requirements, Verification, predict,
};
use crate::pte::Method;
use crate::rules;
use crate::{Role, Stage};

/// A build's profile.
///
/// ```
/// use torchproof::prediction::{BuildProfile, LoadedFile, Prediction};
/// use torchproof::{FileBytes, Role};
///
/// let bytes = std::fs::read("corpus/real/add.pte").unwrap();
/// let report = torchproof::check(&bytes);
/// let file = LoadedFile { file_bytes: FileBytes::whole(&bytes), role: Role::Program, report: &report, data: &[] };
/// let mut build = BuildProfile::new("executorch:1.5.1".parse().unwrap());
/// let [forward] = &build.predict(&file)[..] else { panic!("the program has one method") };
/// assert_eq!(forward.missing.operators.first().map(String::as_str), Some("aten::add.out"));
/// build.operators.insert("aten::add.out".to_owned());
/// assert_eq!(build.predict(&file)[0].prediction, Prediction::Loads);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BuildProfile {
    /// The release, such as `executorch:1.5.1`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub runtime: Release,
    /// The verification level with which the program is loaded.
    #[serde(default)]
    pub verification: Verification,
    /// The binary interface.
    #[serde(default)]
    pub abi: Abi,
    /// The operators with a kernel, with their overloads.
    pub operators: BTreeSet<String>,
    /// The ids of the registered backends, such as `XnnpackBackend`.
    pub backends: BTreeSet<String>,
    /// The devices, besides the CPU, that have a memory allocator.
    #[serde(default)]
    pub devices: BTreeSet<String>,
    /// The memory that the application provides for a method.
    #[serde(default, skip_serializing_if = "PoolSizes::is_empty")]
    pub pools: PoolSizes,
}

/// The prediction for a method in a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodPrediction {
    /// The method's name; absent if the prediction applies to the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The prediction.
    #[serde(flatten)]
    pub prediction: Prediction,
    /// What the method needs but the build lacks, although the runtime reports only the first missing item.
    #[serde(skip_serializing_if = "Requirements::is_empty")]
    pub missing: Requirements,
    /// Which of the build's pools are too small for the method.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub small_pools: Vec<SmallPool>,
}

impl MethodPrediction {
    /// Returns whether the method certainly does not load, may crash the loader, or lacks something.
    #[must_use]
    pub fn fails(&self) -> bool {
        matches!(self.prediction, Prediction::Refuses { .. } | Prediction::Undefined { .. })
            || !self.missing.is_empty()
            || !self.small_pools.is_empty()
    }

    /// Returns a prediction that applies to the whole file.
    #[must_use]
    pub fn of_file(prediction: Prediction) -> Self {
        Self { method: None, prediction, missing: Requirements::default(), small_pools: Vec::new() }
    }
}

/// The profiles that `conformance/readers/executorch/profiles.sh` wrote.
const WHEELS: &[&str] = &[
    include_str!("wheels/1.0.1.json"),
    include_str!("wheels/1.1.0.json"),
    include_str!("wheels/1.2.0.json"),
    include_str!("wheels/1.3.1.json"),
    include_str!("wheels/1.4.1.json"),
    include_str!("wheels/1.5.0.json"),
    include_str!("wheels/1.5.1.json"),
];

/// A file with more methods than this gets one prediction for all of them, because every prediction reads all findings.
const MAX_METHODS: usize = 1024;

impl BuildProfile {
    /// Returns a build without operators and backends.
    #[must_use]
    pub fn new(runtime: Release) -> Self {
        let [operators, backends, devices] = [const { BTreeSet::new() }; 3];
        let (verification, abi, pools) = (Verification::Minimal, Abi::X86_64, PoolSizes::default());
        Self { runtime, verification, abi, operators, backends, devices, pools }
    }

    /// Parses a profile in JSON.
    ///
    /// # Errors
    ///
    /// Returns the parser's error, with line and column, if the text is not a profile or names an unknown release.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the profiles of the released Python wheels, the oldest first.
    pub fn wheels() -> impl Iterator<Item = Self> {
        WHEELS.iter().map(|text| Self::from_json(text).expect("a test reads the built-in profiles"))
    }

    /// Predicts how the build reacts to a program, method by method, or to a data file.
    #[must_use]
    pub fn predict(&self, file: &LoadedFile<'_>) -> Vec<MethodPrediction> {
        let column =
            EffectTable::get().of_release(self.runtime).find(|column| column.verification == self.verification);
        let Some(column) = column.filter(|column| column.knows(file.role)) else {
            let reason = "the predictions of the release do not cover files of this kind".to_owned();
            return vec![MethodPrediction::of_file(Prediction::Unknown { reason })];
        };
        let whole = predict(column, &file.keys());
        let program = file.program().filter(|_| file.role == Role::Program);
        let is_early = matches!(whole, Prediction::Refuses { stage, .. } if stage < Stage::Meta);
        let Some(program) = program.filter(|_| !is_early) else { return vec![MethodPrediction::of_file(whole)] };
        let count = program.methods().count();
        if count > MAX_METHODS {
            let reason = format!("the program has {count} methods, expected at most {MAX_METHODS}");
            return vec![MethodPrediction::of_file(Prediction::Unknown { reason })];
        }
        let methods = program.methods().enumerate().filter_map(|(index, method)| Some((index, method.ok()?)));
        let predicted = methods.map(|(index, method)| {
            let missing = self.missing(Requirements::of(method));
            let name = method.name().map_or_else(|_| String::new(), |name| format!("{name}"));
            let (temporary, has_data_map) = (self.pools.temporary, !file.data.is_empty());
            let setup = ArenaSetup { release: self.runtime, abi: self.abi, temporary, has_data_map };
            let small_pools = self.pools.too_small(setup, &program, method);
            let prediction = match predict(column, &self.keys(file, index, method, &missing)) {
                Prediction::Loads if small_pools.is_empty() => self.with_backends(method),
                Prediction::Loads => self.small_pool(&small_pools),
                Prediction::Refuses { stage: Stage::Method, .. } if !small_pools.is_empty() => {
                    let reason = "the build lacks memory too, and which error comes first is not known".to_owned();
                    Prediction::Unknown { reason }
                }
                // The other errors were observed on 64-bit hosts.
                Prediction::Refuses { cause, .. } if self.abi == Abi::Arm32 && rules::get(cause).is_some() => {
                    let reason = format!("the behavior for {cause} is known only for 64-bit hosts");
                    Prediction::Unknown { reason }
                }
                other => other,
            };
            MethodPrediction { method: Some(name), prediction, missing, small_pools }
        });
        predicted.collect()
    }

    /// Returns the prediction for a method that has enough memory for everything except its backends.
    fn with_backends(&self, method: Method<'_>) -> Prediction {
        match Requirements::backends(method).next() {
            Some(backend) if self.pools.method.is_some() => {
                let reason = format!("how much {backend} takes from the method pool is not known");
                Prediction::Unknown { reason }
            }
            _ => Prediction::Loads,
        }
    }

    /// Returns the prediction for a method whose build lacks only memory. Runtimes report an absent buffer as a wrong
    /// argument.
    fn small_pool(&self, small: &[SmallPool]) -> Prediction {
        let is_absent =
            self.pools.planned.as_ref().is_some_and(|planned| {
                small.iter().all(|pool| pool.planned.is_some_and(|number| number > planned.len()))
            });
        let code = if is_absent { 0x12 } else { 0x21 };
        Prediction::Refuses { stage: Stage::Method, code, error: error_name(code), cause: SMALL_POOL }
    }

    fn missing(&self, needed: Requirements) -> Requirements {
        let lacking = |needed: BTreeSet<String>, present| needed.difference(present).cloned().collect();
        Requirements {
            operators: lacking(needed.operators, &self.operators),
            backends: lacking(needed.backends, &self.backends),
            devices: lacking(needed.devices, &self.devices),
        }
    }

    /// Returns a method's keys in this build. A backend is looked up before it gets its blob, and operators come last.
    fn keys(&self, file: &LoadedFile<'_>, at: usize, method: Method<'_>, missing: &Requirements) -> Vec<FileKey> {
        let is_missing = |id: &String| missing.backends.contains(id);
        let backend = Requirements::backends(method).enumerate().find(|(_, id)| is_missing(id));
        let backend = backend.map(|(index, id)| (LoadPlace(at, Part::Delegates, index), MISSING_BACKEND, id));
        let operator =
            missing.operators.first().cloned().map(|name| (LoadPlace(at, Part::Operators, 0), MISSING_OPERATOR, name));
        let own = [backend, operator].into_iter().flatten();
        let own = own.map(|(place, subject, field)| (place, FileKey { subject, field }));
        let has_xnnpack = self.backends.contains("XnnpackBackend");
        let is_read = |key: &FileKey| match key.subject {
            "plan-ncb-host" => !missing.devices.is_empty(),
            XNNPACK_WITHOUT_DATA => has_xnnpack,
            subject => has_xnnpack || !subject.starts_with("del-xnn-"),
        };
        in_order(own.chain(file.placed_keys(Some(at)).into_iter().filter(|(_, key)| is_read(key))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileBytes;

    fn predicted(case: &str, build: &BuildProfile) -> Vec<MethodPrediction> {
        let bytes = crate::corpus::find(case).unwrap().build().bytes;
        let report = crate::check(&bytes);
        build.predict(&LoadedFile {
            file_bytes: FileBytes::whole(&bytes),
            role: Role::Program,
            report: &report,
            data: &[],
        })
    }

    #[test]
    fn every_wheel_has_a_profile() {
        let wheels: Vec<_> = BuildProfile::wheels().collect();
        assert!(wheels.is_sorted_by_key(|wheel| wheel.runtime) && !wheels.is_empty());
        for wheel in wheels {
            assert!(
                wheel.operators.contains("aten::add.out") && wheel.backends.contains("XnnpackBackend"),
                "{wheel:?}"
            );
        }
    }

    #[test]
    fn a_pool_of_one_byte_less_is_too_small() {
        let mut build = BuildProfile::new("executorch:1.5.1".parse().unwrap());
        let case = "pte/valid/constants";
        build.operators = predicted(case, &build).remove(0).missing.operators;
        let lacks = |build: &BuildProfile| predicted(case, build).remove(0);
        build.pools.method = Some(0);
        let needed = lacks(&build).small_pools[0].needed;
        build.pools.method = Some(needed);
        assert_eq!(lacks(&build).prediction, Prediction::Loads);
        build.pools.method = Some(needed - 1);
        assert_eq!(lacks(&build).small_pools.len(), 1);
        assert!(matches!(lacks(&build).prediction, Prediction::Refuses { code: 0x21, cause: SMALL_POOL, .. }));
        build.pools = PoolSizes { planned: Some(Vec::new()), ..PoolSizes::default() };
        let planned = predicted("pte/memory/planned-on-device", &build).remove(0).small_pools;
        assert!(planned.iter().all(|pool| pool.planned.is_some() && pool.bytes == 0 && pool.needed > 0), "{planned:?}");
        assert!(!planned.is_empty());
    }

    /// A runtime looks up devices first, then backends, then operators.
    #[test]
    fn the_first_lack_in_the_order_of_loading_counts() {
        let mut build = BuildProfile::new("executorch:1.5.1".parse().unwrap());
        let cause = |build: &BuildProfile, case| match &predicted(case, build)[0].prediction {
            Prediction::Refuses { code, cause, .. } => (*code, *cause),
            other => panic!("{case}: {other:?}"),
        };
        assert_eq!(cause(&build, "pte/memory/planned-on-device"), (0x20, "plan-ncb-host"));
        assert_eq!(cause(&build, "pte/delegates/xnnpack-graph-next-version"), (0x20, MISSING_BACKEND));
        build.backends.insert("XnnpackBackend".to_owned());
        assert_eq!(cause(&build, "pte/delegates/xnnpack-graph-next-version"), (0x30, "del-xnn-root"));
        build.devices.insert("cuda".to_owned());
        assert_eq!(cause(&build, "pte/memory/planned-on-device"), (0x14, MISSING_OPERATOR));
        let missing = predicted("pte/memory/planned-on-device", &build).remove(0).missing;
        build.operators.extend(missing.operators);
        assert_eq!(predicted("pte/memory/planned-on-device", &build)[0].prediction, Prediction::Loads);
    }
}
