//! Clusters: groups of findings that probably have the same cause.

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use torchproof::Role;
use torchproof::named;

use crate::labeled::Line;
use crate::reader::Address;
use crate::reader::crash::Severity;
use crate::reader::outcome::{Outcome, Termination};
use crate::reader::site::Site;
use crate::text::escape::plain_line;

named! { all
    /// The kind of a reader's failure.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Kind {
        /// The reader crashes.
        Crash = "crash",
        /// The reader exceeds its time limit.
        Hang = "hang",
        /// The reader runs out of memory.
        Resource = "resource",
        /// The reader accepts a file that breaks a must-rule.
        AcceptsInvalid = "accepts-invalid",
        /// The reader rejects a file that breaks no rule.
        RejectsValid = "rejects-valid",
        /// The reader rejects a file that another reader accepts, and the file breaks no must-rule.
        Disagrees = "disagrees",
        /// The adapter violated the protocol or could not read the files.
        AdapterError = "adapter-error",
    }
}

/// The separator between the names of two readers that disagree.
pub(super) const AND: &str = " and ";

/// The properties that the findings of a cluster share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Key {
    /// The name of the reader. For the kind `disagrees`, the name is `A and B`: reader `A` rejects the file, and reader
    /// `B` accepts the file.
    pub reader: String,
    /// The kind of failure.
    pub kind: Kind,
    /// The first must-rule that the file breaks. Only a cluster of wrong verdicts has a rule, because one defect of a
    /// reader can cause the same crash on files that break different rules.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
    /// The failure of the reader; empty if the kind and the rule identify the defect.
    #[serde(flatten)]
    pub site: Site,
}

impl Key {
    /// Returns the key of a failure. `rule` is the first must-rule that the file breaks.
    pub(super) fn of(reader: String, kind: Kind, rule: Option<&str>, outcome: &Outcome) -> Self {
        let (rule, site) = match kind {
            // All errors of a broken adapter have one cause, so ignore the rule and the site.
            Kind::AdapterError => (None, Site::default()),
            Kind::AcceptsInvalid => (rule.map(str::to_owned), Site::default()),
            Kind::Crash | Kind::Hang | Kind::Resource | Kind::RejectsValid | Kind::Disagrees => {
                (None, Site::of(outcome))
            }
        };
        Self { reader, kind, rule, site }
    }

    /// Returns the name of the reader, or both names if two readers disagree.
    pub(super) fn readers(&self) -> Vec<&str> {
        match (self.kind, self.reader.split_once(AND)) {
            (Kind::Disagrees, Some((rejecting, accepting))) => vec![rejecting, accepting],
            _ => vec![&self.reader],
        }
    }

    /// Returns the id of the cluster: the kind of failure and a short hash of the key.
    pub fn id(&self) -> String {
        let (rule, frames) = (self.rule.as_deref().unwrap_or_default(), self.site.frames.join("\n"));
        let text = format!("{}\0{}\0{rule}\0{frames}\0{}", self.reader, self.kind.name(), self.site.signature);
        let digest = HEXLOWER.encode(&Sha256::digest(text)[..4]);
        format!("{}-{digest}", self.kind.name())
    }
}

/// The outcome of a reader on a cluster's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The address of the reader. If two readers disagree, this is the address of the reader that rejects the file.
    pub address: String,
    /// The name, the stage and the message of the outcome as one line.
    pub outcome: String,
    /// The estimated severity of a crash.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub severity: Option<Severity>,
    /// The reader's output on stderr. The cluster's folder contains a file with the same output.
    #[serde(skip)]
    pub stderr: String,
}

/// The maximum number of characters of an outcome in the evidence.
const OUTCOME: usize = 400;

impl Evidence {
    pub(super) fn of(outcome: &Outcome, reader: &Address) -> Self {
        let termination = outcome.termination();
        Self {
            address: reader.to_string(),
            outcome: plain_line(&outcome.to_string(), OUTCOME),
            severity: termination.map(Termination::severity),
            stderr: termination.map(|termination| termination.stderr.clone()).unwrap_or_default(),
        }
    }
}

/// A cluster: findings with equal keys, and the smallest file of these findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cluster {
    /// The id, which is also the name of the folder.
    pub id: String,
    /// The shared properties.
    #[serde(flatten)]
    pub key: Key,
    /// The outcome on the shrunk file, or on the smallest file if the cluster has no shrunk file.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// The number of findings.
    pub count: u64,
    /// The index of the smallest file in the campaign. The campaign can generate the file again from this index.
    pub index: u64,
    /// The name of the smallest file. The file is in the cluster's folder.
    pub file: String,
    /// The name of the data file, if the cluster's files are pairs of a program and a data file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<String>,
    /// The size of the smallest file in bytes, including its data file.
    pub size: u64,
    /// The attack that produced the file.
    pub label: Line,
    /// The size of the shrunk file, if there is one. The shrunk file is `shrunk.EXTENSION` in the same folder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shrunk: Option<u64>,
    /// Whether shrinking ran out of time. Resuming the campaign continues the shrinking.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub shrink_incomplete: bool,
    /// The shell command that reruns the same readers on the file.
    pub again: String,
}

impl Cluster {
    /// Returns whether the cluster has no shrunk file, or shrinking ran out of time.
    pub const fn is_to_shrink(&self) -> bool {
        self.shrunk.is_none() || self.shrink_incomplete
    }

    /// Returns the role and extension of each file, the program first.
    pub fn roles(&self) -> Vec<(Role, &str)> {
        let role = |name: &str| match name {
            "ptd" => Role::Data,
            "bpte" => Role::Bundled,
            _ => Role::Program,
        };
        let names = [Some(&self.file), self.data.as_ref()].into_iter().flatten();
        names.map(|name| name.rsplit('.').next().unwrap_or_default()).map(|ending| (role(ending), ending)).collect()
    }
}
