//! A change, and the comparison of lists by name.

use std::collections::BTreeMap;

use serde::Serialize;

use super::distance::Distance;

/// A change.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// What changed: `file`, `finding`, `release`, `method`, `input`, `output`, `operator`, `instructions`, `delegate`, `constant`,
    /// `state`, `named-data`, `metadata`, `data`, `plan`, `layout` or `test-data`.
    pub kind: &'static str,
    /// `added`, `removed` or `changed`.
    pub change: &'static str,
    /// The method; absent if the change concerns the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The name, or text such as `constant 1`.
    pub name: String,
    /// The state in A; absent if B adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The state in B; absent if B removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// The size in A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_a: Option<u64>,
    /// The size in B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_b: Option<u64>,
    /// How far apart the numbers are in two tensors of the same type and shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
}

impl Change {
    /// Returns a change with the right kind if one side is absent.
    pub(super) fn new(kind: &'static str, name: impl Into<String>, a: Option<String>, b: Option<String>) -> Self {
        let change = match (&a, &b) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        Self { kind, change, name: name.into(), a, b, ..Self::default() }
    }

    pub(super) fn of_method(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    pub(super) fn sized(self, bytes_a: Option<u64>, bytes_b: Option<u64>) -> Self {
        Self { bytes_a, bytes_b, ..self }
    }

    /// Returns how many bytes differ: the change in size or, if the size is the same, all bytes of the changed part.
    pub(super) fn weight(&self) -> u64 {
        let (a, b) = (self.bytes_a.unwrap_or(0), self.bytes_b.unwrap_or(0));
        if a == b { a } else { a.abs_diff(b) }
    }
}

/// Returns a change if the values differ.
pub(super) fn differing<T: ToString + PartialEq>(
    what: &'static str,
    name: &str,
    a: Option<T>,
    b: Option<T>,
) -> Option<Change> {
    (a != b).then(|| Change::new(what, name, a.map(|a| a.to_string()), b.map(|b| b.to_string())))
}

/// Compares two lists by name.
pub(super) fn by_name(
    what: &'static str,
    mut a: BTreeMap<String, String>,
    b: BTreeMap<String, String>,
    changes: &mut Vec<Change>,
) {
    for (name, after) in b {
        let before = a.remove(&name);
        changes.extend(differing(what, &name, before, Some(after)));
    }
    changes.extend(a.into_iter().map(|(name, before)| Change::new(what, name, Some(before), None)));
}
