//! **What came when**: the cases of each past release of the corpus, and what changed in a case since it came.

use super::VERSION;

/// The past releases with the ids of their cases, a line each, oldest first; what none of them has is new in [`VERSION`].
///
/// A release that is made adds the file of its ids here. An id stays: a case is retired, never taken away.
static RELEASES: &[(&str, &str)] = &[("0.1.0", include_str!("releases/0.1.0.txt"))];

/// Cases that changed after their release, and how.
static HISTORY: &[(&str, &[&str])] = &[
    ("pte/segments/base-sum-wraps", &["0.2.0: the segment keeps its size, so that the constant in it stays inside"]),
    ("pte/segments/constant-index-past-end", &["0.2.0: its rule is const-seg-index, and with it the stage is meta"]),
    ("pte/segments/delegate-index-past-end", &["0.2.0: its rule is del-segment-index"]),
    ("pte/segments/mutable-index-max", &["0.2.0: its rule is mut-seg-index"]),
    ("pte/structure/bool-2", &["0.2.0: its rule is val-boollist"]),
    (
        "pte/valid/without-optional-fields",
        &["0.2.0: container_meta_type is there; what leaves it out is pte/method/container-meta-absent"],
    ),
];

/// The release that first had the case.
pub(super) fn since(id: &str) -> &'static str {
    let has = |ids: &str| ids.lines().any(|line| line == id);
    RELEASES.iter().find(|(_, ids)| has(ids)).map_or(VERSION, |(version, _)| version)
}

/// What changed in the case since.
pub(super) fn history(id: &str) -> Vec<String> {
    let own = HISTORY.iter().find(|(changed, _)| *changed == id);
    own.map_or(&[][..], |(_, changes)| changes).iter().map(|&change| change.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_released_stays() {
        for id in RELEASES.iter().flat_map(|(_, ids)| ids.lines()) {
            assert!(torchproof::cases::find(id).is_some(), "{id} was released and is gone");
        }
        for (id, changes) in HISTORY {
            assert_ne!(since(id), VERSION, "{id} is new and has a history");
            assert!(!changes.is_empty(), "{id}");
        }
    }

    #[test]
    fn a_release_is_a_past_one() {
        assert!(RELEASES.iter().all(|(version, _)| *version != VERSION));
    }
}
