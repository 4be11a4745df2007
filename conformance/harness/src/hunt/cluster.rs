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
    /// The reader's name. For the kind `disagrees`, it is `A and B`: `A` rejects the file, and `B` accepts it.
    pub reader: String,
    /// The kind of failure.
    pub kind: Kind,
    /// The first must-rule that the file breaks. Only wrong verdicts have a rule here, because one defect in a reader
    /// can cause the same crash on files that break different rules.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
    /// The reader's failure; empty if the kind and the rule identify the defect.
    #[serde(flatten)]
    pub site: Site,
}

impl Key {
    /// Returns the key of a failure on a file that first breaks the must-rule `rule`.
    pub(super) fn of(reader: String, kind: Kind, rule: Option<&str>, outcome: &Outcome) -> Self {
        let (rule, site) = match kind {
            // All errors from a broken adapter have the same cause.
            Kind::AdapterError => (None, Site::default()),
            Kind::AcceptsInvalid => (rule.map(str::to_owned), Site::default()),
            Kind::Crash | Kind::Hang | Kind::Resource | Kind::RejectsValid | Kind::Disagrees => {
                (None, Site::of(outcome))
            }
        };
        Self { reader, kind, rule, site }
    }

    /// Returns the name of the reader, or both names if two disagree.
    pub(super) fn readers(&self) -> Vec<&str> {
        match (self.kind, self.reader.split_once(AND)) {
            (Kind::Disagrees, Some((rejecting, accepting))) => vec![rejecting, accepting],
            _ => vec![&self.reader],
        }
    }

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
    /// The address of the reader or, if two readers disagree, of the reader that rejects the file.
    pub address: String,
    /// The name, the stage and the message of the outcome as one line.
    pub outcome: String,
    /// A crash's estimated severity.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub severity: Option<Severity>,
    /// The reader's output on stderr, which is also in a file in the cluster's folder.
    #[serde(skip)]
    pub stderr: String,
}

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

/// A cluster: findings with equal keys, and the smallest of their files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cluster {
    /// The id, which is also the folder's name.
    pub id: String,
    /// The shared properties.
    #[serde(flatten)]
    pub key: Key,
    /// The outcome on the shrunk file, or on the smallest file if the cluster has no shrunk file.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// The number of findings.
    pub count: u64,
    /// The index of the smallest file, which lets the campaign generate it again.
    pub index: u64,
    /// The name of the smallest file in the cluster's folder.
    pub file: String,
    /// The data file's name, if the readers load programs and data files in pairs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<String>,
    /// The size of the smallest file in bytes, including its data file.
    pub size: u64,
    /// The attack that produced the file.
    pub label: Line,
    /// The size of the shrunk file, `shrunk.EXTENSION` in the same folder, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shrunk: Option<u64>,
    /// `true` if shrinking ran out of time. It continues when the campaign is resumed.
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

    /// Returns the role and the extension of each file, the program first.
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
