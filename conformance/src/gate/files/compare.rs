//! Compares the facts about two files, and states what a reader notices.

use serde::Serialize;

use super::area::Area;
use super::facts::Facts;

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

/// Returns the differences between two files in the order of the areas.
pub(super) fn differences(old: &Facts, new: &Facts) -> Vec<FileDifference> {
    let mut keys: Vec<_> = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))).collect();
    keys.sort_unstable();
    keys.into_iter()
        .filter_map(|key @ (area, name)| {
            let (before, now) = (old.get(key), new.get(key));
            let (breaking, noticed) = area.noticed(before.map(String::as_str), now.map(String::as_str));
            let (old, new) = (before.cloned(), now.cloned());
            (before != now).then(|| FileDifference { area: *area, name: name.clone(), old, new, breaking, noticed })
        })
        .collect()
}
