//! Suggestions for unknown ids.

use torchproof::prediction::RuntimeError;
use torchproof::{corpus, rules};

const MAX_COUNT: usize = 3;
const MIN_SIMILARITY: f64 = 0.6;

/// The ids that `explain` knows.
pub(crate) fn ids() -> impl Iterator<Item = &'static str> {
    rules::all()
        .map(|rule| rule.id)
        .chain(corpus::all().map(|case| case.id))
        .chain(rules::patterns().map(|pattern| pattern.id))
        .chain(RuntimeError::all().iter().map(|error| error.name))
}

/// Ids that contain `id`, or whose last part is contained in `id`. If there are none, ids with a small edit distance.
pub(super) fn near(id: &str) -> Vec<&'static str> {
    let id = id.to_lowercase();
    // Users often type only the last part of a case's id.
    let last = |other: &'static str| other.rsplit('/').next().unwrap_or(other);
    let likeness = |other: &'static str| {
        let [whole, last] = [other, last(other)].map(str::to_lowercase);
        [whole, last].iter().map(|other| strsim::normalized_damerau_levenshtein(&id, other)).fold(0.0, f64::max)
    };
    let mut near: Vec<&str> =
        ids().filter(|other| id.len() >= 3 && other.contains(&id) || id.contains(last(other))).collect();
    if near.is_empty() {
        near = ids().filter(|other| likeness(other) >= MIN_SIMILARITY).collect();
    }
    near.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)).then(one.cmp(other)));
    near.truncate(MAX_COUNT);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_ids_for_typos_and_parts() {
        for (given, meant) in [
            ("eh-lenght-min", "eh-length-min"),
            ("EH-LENGTH-MIN", "eh-length-min"),
            ("length-23", "pte/header/length-23"),
            ("pte/headers/length-23", "pte/header/length-23"),
            ("pte/header/length-23.pte", "pte/header/length-23"),
            ("h-04", "H-04"),
            ("OPERATORMISSIN", "OperatorMissing"),
        ] {
            assert_eq!(near(given).first(), Some(&meant), "{given}");
        }
        assert!(near("zzzzzzzzzzzzzzzzzz").is_empty());
    }
}
