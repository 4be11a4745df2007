//! Compares the facts about two files, and says what a reader will notice.

use serde::Serialize;

use super::area::Area;
use super::facts::{FILE_SIZE, Fact, FactMap, Facts};

/// A difference between two files.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileDifference {
    /// The part of the file.
    pub area: Area,
    /// The name of the fact, for example `forward inputs`.
    pub name: String,
    /// The fact about the old file, or `null` if it is only in the new one.
    pub old: Option<String>,
    /// The fact about the new file, or `null` if it is only in the old one.
    pub new: Option<String>,
    /// `true` if a reader or an application that uses the old file may refuse or misread the new one.
    pub breaking: bool,
    /// What a reader or an application notices.
    pub noticed: &'static str,
    /// The reason why the settings allow the difference; absent if no entry does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
}

impl FileDifference {
    fn new(area: Area, name: &str, old: Option<&Fact>, new: Option<&Fact>) -> Self {
        let (breaking, noticed) = area.noticed(old, new);
        let text = |fact: Option<&Fact>| fact.map(|fact| fact.text.clone());
        Self { area, name: name.to_owned(), old: text(old), new: text(new), breaking, noticed, allowed: None }
    }
}

const MOST: usize = 10_000;

/// Returns the differences, sorted by area, and how many were omitted beyond a maximum; if any were, the breaking
/// differences come first. A missing file counts as one difference, and so do all facts about a missing method.
pub(super) fn differences(old: Option<&Facts>, new: Option<&Facts>) -> (Vec<FileDifference>, usize) {
    let (Some(old), Some(new)) = (old, new) else {
        let size = (Area::Size, FILE_SIZE.to_owned());
        let [old, new] = [old, new].map(|facts| facts.and_then(|facts| facts.file.0.get(&size)));
        return (vec![FileDifference::new(Area::File, "file", old, new)], 0);
    };
    let (mut found, mut omitted) = (Vec::new(), 0);
    for breaking in [true, false] {
        for difference in each(old, new).filter(|difference| difference.breaking == breaking) {
            if found.len() < MOST {
                found.push(difference);
            } else {
                omitted += 1;
            }
        }
    }
    // Two methods can have the same external tensor, so its differences can occur twice.
    found.sort_by(|one, other| {
        (one.area, &one.name, &one.old, &one.new).cmp(&(other.area, &other.name, &other.old, &other.new))
    });
    found.dedup();
    (found, omitted)
}

fn each<'f>(old: &'f Facts, new: &'f Facts) -> impl Iterator<Item = FileDifference> + 'f {
    let names = old.methods.keys().chain(new.methods.keys().filter(|name| !old.methods.contains_key(*name)));
    let of_method = |name: &'f String| match (old.methods.get(name), new.methods.get(name)) {
        (Some(old), Some(new)) => (Some(changed(old, new, name)), None),
        (old, new) => {
            let [old, new] = [old, new].map(|facts| facts.map(FactMap::signature));
            (None, Some(FileDifference::new(Area::Method, name, old.as_ref(), new.as_ref())))
        }
    };
    let methods = names.map(of_method).flat_map(|(changed, whole)| changed.into_iter().flatten().chain(whole));
    changed(&old.file, &new.file, "").chain(methods)
}

fn changed<'f>(old: &'f FactMap, new: &'f FactMap, method: &'f str) -> impl Iterator<Item = FileDifference> + 'f {
    let (old, new) = (&old.0, &new.0);
    let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
    keys.filter(|key| old.get(*key) != new.get(*key)).map(move |key| {
        let (area, name) = key;
        let name = if method.is_empty() || *area == Area::External { name.clone() } else { format!("{method} {name}") };
        FileDifference::new(*area, &name, old.get(key), new.get(key))
    })
}
