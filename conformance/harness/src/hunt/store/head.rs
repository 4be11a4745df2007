//! A campaign's settings.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::hunt::HuntError;

/// A campaign's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Head {
    /// The torchproof release that generates the files.
    pub version: String,
    /// The seed.
    pub seed: u64,
    /// The addresses of the readers.
    pub readers: Vec<String>,
    /// The attacked files with their digests; empty if the campaign attacks corpus cases and generated files.
    pub sources: Vec<(String, String)>,
    /// `true` if readers load programs together with their data files.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub pairs: bool,
    /// The attack family and the rule that the user restricted the campaign to, if any.
    pub selection: (Option<String>, Option<String>),
    /// The readers' limits in the last session, as words on a command line. `--again` uses the same limits.
    #[serde(default)]
    pub limits: Vec<String>,
    /// The working folder of the last session's readers, because their addresses can contain relative paths; empty if
    /// it is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub working_folder: String,
}

impl Head {
    /// Fails if the settings differ from the settings of the campaign in the folder. Only the limits and the working
    /// folder can change between sessions.
    pub(super) fn expect_same(&self, here: &Self, folder: &Path) -> Result<(), HuntError> {
        let different = [
            (self.version == here.version, "release"),
            (self.seed == here.seed, "seed"),
            (self.readers == here.readers, "choice of readers"),
            (self.sources == here.sources, "choice of files to attack"),
            (self.pairs == here.pairs, "choice of files or pairs"),
            (self.selection == here.selection, "choice of attacks"),
        ];
        match different.iter().find(|(same, _)| !same) {
            Some((_, what)) => Err(HuntError::Another { path: folder.to_owned(), what }),
            None => Ok(()),
        }
    }
}
