//! Findings of one cause.

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use torchproof::corpus::Role;

use crate::attack::Line;
use crate::reader::signature::Signature;

/// What is wrong with what a reader did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It dies.
    Crash,
    /// It does not end.
    Hang,
    /// It runs out of memory.
    Resource,
    /// It takes a file that breaks a must-rule.
    AcceptsInvalid,
    /// It refuses a file that breaks no rule.
    RejectsValid,
    /// It refuses what another one takes, and no rule says who is right.
    Disagrees,
    /// What speaks for it broke the protocol, or did not get the files.
    AdapterError,
}

impl Kind {
    /// The kind's name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Crash => "crash",
            Kind::Hang => "hang",
            Kind::Resource => "resource",
            Kind::AcceptsInvalid => "accepts-invalid",
            Kind::RejectsValid => "rejects-valid",
            Kind::Disagrees => "disagrees",
            Kind::AdapterError => "adapter-error",
        }
    }
}

/// What is between the names of readers that disagree.
pub(super) const AND: &str = " and ";

/// What findings of one cause have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Key {
    /// The reader; of two that disagree, the one that refuses, and the other one behind it.
    pub reader: String,
    /// What is wrong.
    pub kind: Kind,
    /// What kind of attack it was; `valid` for none.
    pub family: String,
    /// The first must-rule that the checker finds broken.
    pub rule: Option<String>,
    /// What the reader did, without numbers.
    pub signature: Signature,
}

impl Key {
    /// The names of the readers that it is about.
    pub(super) fn readers(&self) -> Vec<&str> {
        match (self.kind, self.reader.split_once(AND)) {
            (Kind::Disagrees, Some((rejecting, accepting))) => vec![rejecting, accepting],
            _ => vec![&self.reader],
        }
    }

    /// A short name that depends on nothing else, for a folder.
    #[must_use]
    pub fn id(&self) -> String {
        let text = format!(
            "{}\0{}\0{}\0{}\0{}",
            self.reader,
            self.kind.name(),
            self.family,
            self.rule.as_deref().unwrap_or_default(),
            self.signature
        );
        let digest = HEXLOWER.encode(&Sha256::digest(text)[..4]);
        format!("{}-{digest}", self.kind.name())
    }
}

/// Findings of one cause, and the smallest of their files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cluster {
    /// Its name, and its folder's.
    pub id: String,
    /// What the findings have in common.
    #[serde(flatten)]
    pub key: Key,
    /// How many there are.
    pub count: u64,
    /// The number of the smallest file, from which it can be made again.
    pub index: u64,
    /// The smallest file's name in the cluster's folder.
    pub file: String,
    /// The name of the data file that it is loaded with, where it is a program that is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub data: Option<String>,
    /// Its size in bytes, its data file's included.
    pub size: u64,
    /// What is said of it.
    pub label: Line,
    /// The size of what shrinking came to, once that is done: `shrunk` in the same folder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shrunk: Option<u64>,
    /// Whether shrinking had no time to end, and goes on from there when the campaign does.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut_short: bool,
    /// The command that puts its file to the same readers again, for a shell.
    pub again: String,
}

impl Cluster {
    /// Whether it is still to be shrunk, or shrunk further.
    #[must_use]
    pub const fn is_to_shrink(&self) -> bool {
        self.shrunk.is_none() || self.cut_short
    }

    /// What its files are to a reader, the program first, and what their names end in.
    pub(super) fn roles(&self) -> Vec<(Role, &str)> {
        let role = |name: &str| match name {
            "ptd" => Role::Data,
            "bpte" => Role::Bundled,
            _ => Role::Program,
        };
        let names = [Some(&self.file), self.data.as_ref()].into_iter().flatten();
        names.map(|name| name.rsplit('.').next().unwrap_or_default()).map(|ending| (role(ending), ending)).collect()
    }
}
