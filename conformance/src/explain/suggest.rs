//! Ids that somebody may have meant.

use torchproof::{corpus, rules};

/// As many are named at most.
const MOST: usize = 3;

/// Ids less like the one given than this are not named.
const LEAST: f64 = 0.6;

/// The ids most like `id`: those that are a part of it or that it is a part of, or else those that differ little.
pub(super) fn near(id: &str) -> Vec<&'static str> {
    let id = id.to_lowercase();
    let ids = || {
        rules::all()
            .map(|rule| rule.id)
            .chain(corpus::all().map(|case| case.id))
            .chain(rules::patterns().map(|pattern| pattern.id))
    };
    // Of a case's id the last part is what people remember.
    let last = |other: &'static str| other.rsplit('/').next().unwrap_or(other);
    let likeness = |other| {
        let whole = strsim::normalized_damerau_levenshtein(&id, other);
        whole.max(strsim::normalized_damerau_levenshtein(&id, last(other)))
    };
    let mut near: Vec<&str> =
        ids().filter(|other| id.len() >= 3 && other.contains(&id) || id.contains(last(other))).collect();
    if near.is_empty() {
        near = ids().filter(|other| likeness(other) >= LEAST).collect();
    }
    near.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)).then(one.cmp(other)));
    near.truncate(MOST);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_understood() {
        for (given, meant) in [
            ("eh-lenght-min", "eh-length-min"),
            ("EH-LENGTH-MIN", "eh-length-min"),
            ("length-23", "pte/header/length-23"),
            ("pte/headers/length-23", "pte/header/length-23"),
            ("pte/header/length-23.pte", "pte/header/length-23"),
        ] {
            assert_eq!(near(given).first(), Some(&meant), "{given}");
        }
        assert!(near("zzzzzzzzzzzzzzzzzz").is_empty());
    }
}
