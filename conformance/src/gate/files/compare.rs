//! Compares the facts about two files, and states what a reader notices.

use serde::Serialize;

use super::area::Area;
use super::facts::{FILE_SIZE, Facts};

/// A difference between two files.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileDifference {
    /// The part of the file.
    pub area: Area,
    /// The name of the fact, for example `forward inputs`.
    pub name: String,
    /// The fact about the old file, or `null` if only the new file has the fact.
    pub old: Option<String>,
    /// The fact about the new file, or `null` if only the old file has the fact.
    pub new: Option<String>,
    /// Whether a reader or an application that uses the old file may refuse or misread the new file.
    pub breaking: bool,
    /// What a reader or an application notices.
    pub noticed: &'static str,
}

impl FileDifference {
    fn new((area, name): &(Area, String), old: Option<&String>, new: Option<&String>) -> Self {
        let (breaking, noticed) = area.noticed(old.map(String::as_str), new.map(String::as_str));
        Self { area: *area, name: name.clone(), old: old.cloned(), new: new.cloned(), breaking, noticed }
    }
}

/// Returns the differences between two files in the order of the areas. If one file is missing, the file itself is the only
/// difference.
pub(super) fn differences(old: Option<&Facts>, new: Option<&Facts>) -> Vec<FileDifference> {
    let (Some(old), Some(new)) = (old, new) else {
        let size = (Area::Size, FILE_SIZE.to_owned());
        let [old, new] = [old, new].map(|facts| facts.and_then(|facts| facts.get(&size)));
        return vec![FileDifference::new(&(Area::File, "file".to_owned()), old, new)];
    };
    let mut keys: Vec<_> = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))).collect();
    keys.sort_unstable();
    let changed = keys.into_iter().filter(|key| old.get(*key) != new.get(*key));
    changed.map(|key| FileDifference::new(key, old.get(key), new.get(key))).collect()
}
